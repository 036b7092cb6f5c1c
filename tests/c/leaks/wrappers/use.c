// Callers of the wrappers: each call is an allocation of its own.
#include "memory.h"

#include <stdio.h>
#include <string.h>

int join_ok(const char *s) {
  char *joined = x_join(s, "!");
  int length = (int)strlen(joined);
  x_free(joined);
  return length;
}

int join_bad(const char *s) {
  char *joined = x_join(s, "!");  // LEAK: never-freed
  return (int)strlen(joined);
}

// gcc's `concat` leaks: the inner result is nobody's.
int join_join_bad(const char *s) {
  char *joined = x_join(x_join(s, "-"), "!");  // LEAK: never-freed
  int length = (int)strlen(joined);
  x_free(joined);
  return length;
}

int join_loop_bad(const char *s, int n) {
  char *text = x_strdup(s);  // LEAK: overwritten
  for (int i = 0; i < n; i++) text = x_join(text, "+");  // LEAK: overwritten
  puts(text);
  x_free(text);
  return n;
}

int join_loop_ok(const char *s, int n) {
  char *text = x_strdup(s);
  for (int i = 0; i < n; i++) {
    char *longer = x_join(text, "+");
    x_free(text);
    text = longer;
  }
  puts(text);
  x_free(text);
  return n;
}

int split_ok(const char *s) {
  char **fields = x_split(s, ';');
  int first = fields[0][0];
  x_free_array(fields);
  return first;
}

int split_shallow_bad(const char *s) {
  char **fields = x_split(s, ';');  // LEAK: never-freed|conditional-leak
  int first = fields[0][0];
  x_free(fields);
  return first;
}

int split_error_bad(const char *s) {
  char **fields = x_split(s, ';');  // LEAK: conditional-leak
  if (!fields[1]) return -1;
  x_free_array(fields);
  return 0;
}

int split_error_ok(const char *s) {
  char **fields = x_split(s, ';');
  int result = fields[1] ? 0 : -1;
  x_free_array(fields);
  return result;
}

// One element is taken out, the rest is freed.
char *split_take_first_ok(const char *s) {
  char **fields = x_split(s, ';');
  char *first = fields[0];
  for (int i = 1; fields[i]; i++) x_free(fields[i]);
  x_free(fields);
  return first;
}
