// Leak-fix histories: a variable is advanced, directly or through its address, before it is freed.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// strsep writes NULL (or a pointer into the block) into `rest`: free(rest) frees nothing.
int strsep_bad(const char *s) {
  char *rest = strdup(s);  // LEAK: conditional-leak|overwritten|never-freed
  char *word;
  int words = 0;
  if (!rest) return -1;
  while ((word = strsep(&rest, ";")) != NULL) words += word[0] != '\0';
  free(rest);
  return words;
}

int strsep_ok(const char *s) {
  char *copy = strdup(s);
  char *rest = copy;
  char *word;
  int words = 0;
  if (!copy) return -1;
  while ((word = strsep(&rest, ";")) != NULL) words += word[0] != '\0';
  free(copy);
  return words;
}

// strtok keeps pointers into the block, the variable stays where it was.
int strtok_ok(const char *s) {
  char *copy = strdup(s);
  int words = 0;
  if (!copy) return -1;
  for (char *word = strtok(copy, ";"); word; word = strtok(NULL, ";")) words++;
  free(copy);
  return words;
}

// Our own helper that advances its caller's pointer to the end.
static int next_char(char **at) {
  if (!**at) {
    *at = NULL;
    return -1;
  }
  return *(*at)++;
}

int advanced_by_helper_bad(const char *s) {
  char *at = strdup(s);  // LEAK: overwritten|never-freed
  int sum = 0, c;
  if (!at) return -1;
  while ((c = next_char(&at)) >= 0) sum += c;
  free(at);
  return sum;
}

int advanced_by_helper_ok(const char *s) {
  char *start = strdup(s);
  char *at = start;
  int sum = 0, c;
  if (!at) return -1;
  while ((c = next_char(&at)) >= 0) sum += c;
  free(start);
  return sum;
}

// A list consumed by walking its head.
struct item {
  struct item *next;
};

int walked_head_bad(int n) {
  struct item *head = NULL;
  int count = 0;
  for (int i = 0; i < n; i++) {
    struct item *item = malloc(sizeof *item);  // LEAK: overwritten|conditional-leak
    if (!item) break;
    item->next = head;
    head = item;
  }
  while (head && head->next) {
    count++;
    head = head->next;
  }
  free(head);
  return count;
}

int walked_head_ok(int n) {
  struct item *head = NULL;
  int count = 0;
  for (int i = 0; i < n; i++) {
    struct item *item = malloc(sizeof *item);
    if (!item) break;
    item->next = head;
    head = item;
  }
  while (head) {
    struct item *next = head->next;
    count++;
    free(head);
    head = next;
  }
  return count;
}

// The pointer moves over leading blanks; the start is freed.
int skip_blanks_ok(const char *s) {
  char *line = strdup(s);
  if (!line) return -1;
  char *at = line;
  while (isspace((unsigned char)*at)) at++;
  int first = *at;
  free(line);
  return first;
}
