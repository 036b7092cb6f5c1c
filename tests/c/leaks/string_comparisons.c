// Comparisons of one string with several literals exclude each other.
#include <stdlib.h>
#include <string.h>
#include <strings.h>

int add_one(int n) { return n > 3; }

int one_action_ok(const char *action, int n) {
  char *message = NULL;
  if (strcmp(action, "a") == 0 && !add_one(n)) message = strdup("not added");
  if (strcmp(action, "key=value;b=c") == 0 && !add_one(n + 1)) message = strdup("not deleted");
  int length = message ? (int)strlen(message) : 0;
  free(message);
  return length;
}

int same_action_bad(const char *action, int n) {
  char *message = NULL;
  if (strcmp(action, "a") == 0 && !add_one(n)) message = strdup("not added");  // LEAK: overwritten
  if (strcmp(action, "a") == 0 && !add_one(n)) message = strdup("not deleted");
  int length = message ? (int)strlen(message) : 0;
  free(message);
  return length;
}

int any_case_ok(const char *word) {
  char *copy = NULL;
  if (strcasecmp(word, "a") == 0) copy = strdup("1");
  if (strcasecmp(word, "b") == 0) copy = strdup("0");
  int value = copy ? *copy - '0' : -1;
  free(copy);
  return value;
}

// Only the case differs: both comparisons hold.
int same_word_bad(const char *word) {
  char *copy = NULL;
  if (strcasecmp(word, "a") == 0) copy = strdup("1");  // LEAK: overwritten
  if (strcasecmp(word, "A") == 0) copy = strdup("0");
  int value = copy ? *copy - '0' : -1;
  free(copy);
  return value;
}

int prefix_ok(const char *word) {
  char *copy = NULL;
  if (strncmp(word, "ke", 2) == 0) copy = strdup("1");
  if (strncmp(word, "a ", 2) == 0) copy = strdup("0");
  int value = copy ? *copy - '0' : -1;
  free(copy);
  return value;
}

// One is a prefix of the other.
int common_prefix_bad(const char *word) {
  char *copy = NULL;
  if (strncmp(word, "ke", 2) == 0) copy = strdup("1");  // LEAK: overwritten
  if (strncmp(word, "key", 3) == 0) copy = strdup("0");
  int value = copy ? *copy - '0' : -1;
  free(copy);
  return value;
}

// The text changes in between.
int changed_text_bad(int n) {
  char text[8], *copy = NULL;
  strcpy(text, n > 0 ? "a" : "");
  if (strcmp(text, "a") == 0) copy = strdup("1");  // LEAK: overwritten
  strcpy(text, "b");
  if (strcmp(text, "b") == 0) copy = strdup("0");
  int value = copy ? *copy - '0' : -1;
  free(copy);
  return value;
}

struct table {
  int (*add)(struct table *, char *, const char *);
  char last[8];
};

static int add_entry(struct table *t, char *name, const char *word) {
  strncpy(t->last, word, sizeof t->last - 1);
  if (name[0]) name[0] = 'A';
  return name[0] == 'A';
}

static char *word_after(const char *words, char mark) {
  const char *found = strchr(words, mark);
  return strdup(found ? found + 1 : words);
}

// What a call between the comparisons writes is another text.
int call_between_ok(const char *words) {
  struct table t = {add_entry, ""};
  char *name = word_after(words, '='), *message = NULL;
  const char *action = words;
  if (strcmp(action, "a") == 0 && t.add(&t, name, "x")) message = strdup("added");
  if (strcmp(action, "a b") == 0 && t.add(&t, name, "y")) message = strdup("replaced");
  int length = message ? (int)strlen(message) : 0;
  free(message);
  free(name);
  return length;
}

// The call changes the text itself.
int call_changes_text_bad(const char *words) {
  struct table t = {add_entry, ""};
  char *name = word_after(words, '='), *message = NULL;
  if (strcmp(name, "a") == 0 && t.add(&t, name, "x")) message = strdup("added");  // LEAK: overwritten
  if (strcmp(name, "A") == 0) message = strdup("replaced");
  int length = message ? (int)strlen(message) : 0;
  free(message);
  free(name);
  return length;
}
