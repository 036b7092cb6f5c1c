// Flags in memory that calls leave alone: they write elsewhere, or do not come back.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum type { NOTHING, TEXT };

struct value {
  enum type type;
  char text[24];
  struct value *next;
};

struct list {
  struct value *first;
};

static char last_error[64];
static struct value *last_value;

// Ends the program, and writes a lot before.
static void fatal(const char *message) {
  if (last_value) last_value->type = NOTHING;
  snprintf(last_error, sizeof last_error, "%s", message);
  exit(1);
}

static void *must_have(size_t size) {
  void *p = calloc(1, size);
  if (!p) fatal("out of memory");
  return p;
}

static void must_print(char *text, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(text, 24, format, arguments);
  va_end(arguments);
  if (length < 0) fatal("cannot print");
}

// Keeps a value unless it is nothing.
static void add(struct list *list, struct value *value) {
  if (value->type == NOTHING) return;
  value->next = list->first;
  list->first = value;
}

static void empty(struct list *list) {
  while (list->first) {
    struct value *next = list->first->next;
    free(list->first);
    list->first = next;
  }
}

// The type is still the one that was stored when the value is added.
int printed_into_ok(const char *s, int n) {
  struct list list = {NULL};
  struct value *value = must_have(sizeof *value);
  value->type = TEXT;
  if (n > 0)
    must_print(value->text, "%s-%s", s, s);
  else
    must_print(value->text, "%s", s);
  add(&list, value);
  int found = list.first != NULL;
  empty(&list);
  return found;
}

int printed_into_bad(const char *s, int n) {
  struct list list = {NULL};
  struct value *value = must_have(sizeof *value);  // LEAK: conditional-leak
  value->type = n > 0 ? TEXT : NOTHING;
  must_print(value->text, "%s", s);
  add(&list, value);
  int found = list.first != NULL;
  empty(&list);
  return found;
}

static const char *copy_or_not(const char *s, int *copied) {
  *copied = 0;
  if (s[0] == 'a') return "nothing";
  *copied = 1;
  char *copy = must_have(strlen(s) + 1);
  memcpy(copy, s, strlen(s));
  return copy;
}

// A flag that says whether the result is new.
int flag_of_result_ok(const char *s) {
  int copied;
  const char *word = copy_or_not(s, &copied);
  int length = (int)strlen(word);
  if (copied) free((char *)word);
  return length;
}

int flag_of_result_bad(const char *s) {
  int copied;
  const char *word = copy_or_not(s, &copied);  // LEAK: never-freed
  int length = (int)strlen(word);
  if (!copied && length > 100) free((char *)word);
  return length;
}
