// Leak-fix histories: an allocation inside an argument expression, which nobody can free afterwards.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *quoted(const char *s) {
  char *text = malloc(strlen(s) + 3);
  if (!text) abort();
  sprintf(text, "'%s'", s);
  return text;
}

static size_t width(const char *s) { return strlen(s); }

size_t argument_bad(const char *s) {
  return width(quoted(s));  // LEAK: never-freed
}

size_t argument_ok(const char *s) {
  char *text = quoted(s);
  size_t result = width(text);
  free(text);
  return result;
}

void library_argument_bad(const char *s) {
  printf("%s\n", quoted(s));  // LEAK: never-freed
}

void library_argument_ok(const char *s) {
  char *text = quoted(s);
  printf("%s\n", text);
  free(text);
}

// Nested: the inner block is the argument of the outer allocator.
void nested_bad(const char *s) {
  char *text = quoted(quoted(s));  // LEAK: never-freed
  puts(text);
  free(text);
}

void nested_ok(const char *s) {
  char *inner = quoted(s);
  char *text = quoted(inner);
  puts(text);
  free(text);
  free(inner);
}

// The callee takes over: an allocation in the argument is right.
static void print_and_free(char *text) {
  puts(text);
  free(text);
}

void consumed_argument_ok(const char *s) { print_and_free(quoted(s)); }

int compared_bad(const char *s) {
  if (strcmp(quoted(s), "'a'") == 0) return 1;  // LEAK: never-freed
  return 0;
}

int compared_ok(const char *s) {
  char *text = quoted(s);
  int same = strcmp(text, "'a'") == 0;
  free(text);
  return same;
}

// In a condition, and in a return statement's arithmetic.
int first_char_bad(const char *s) {
  return quoted(s)[1] + 1;  // LEAK: never-freed
}

// The result of a call is not used at all.
void result_dropped_bad(const char *s) {
  quoted(s);  // LEAK: never-freed
}
