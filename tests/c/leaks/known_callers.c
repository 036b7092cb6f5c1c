// What all callers give is known: an address of a variable is never NULL.
#include <stdlib.h>
#include <string.h>

static int fill(const char *s, char **out) {
  char *copy = strdup(s);
  if (!copy) return -1;
  if (out) *out = copy;
  return copy[0];
}

int first_caller_ok(const char *s) {
  char *copy = NULL;
  int c = fill(s, &copy);
  free(copy);
  return c;
}

int second_caller_ok(const char *s) {
  struct {
    int n;
    char *text;
  } both = {0, NULL};
  both.n = fill(s, &both.text);
  free(both.text);
  return both.n;
}

static int fill_or_not(const char *s, char **out) {
  char *copy = strdup(s);  // LEAK: conditional-leak
  if (!copy) return -1;
  if (out) *out = copy;
  return copy[0];
}

int third_caller_ok(const char *s) {
  char *copy = NULL;
  int c = fill_or_not(s, &copy);
  free(copy);
  return c;
}

int asks_only_bad(const char *s) { return fill_or_not(s, NULL); }
