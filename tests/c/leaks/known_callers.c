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

// More callers than are executed; none of them asks for the copy.
static int measure(const char *s, int flags, char **out) {
  char *copy = strdup(s);
  if (!copy) return -1;
  if (flags & 8) {
    *out = copy;
    return 0;
  }
  int c = copy[0];
  free(copy);
  return c;
}

static int measured_ok(const char *s, int flags) {
  char *copy;
  return measure(s, flags, &copy);
}

int measures_ok(const char *s, int n) {
  int flags = 2;
  if (n > 7) flags = 4;
  if (n > 8) flags = 6;
  return measured_ok(s, flags) + measured_ok(s, 1) + measured_ok(s, 2) + measured_ok(s, 3) + measured_ok(s, 4);
}

static int weigh(const char *s, int flags, char **out) {
  char *copy = strdup(s);
  if (!copy) return -1;
  if (flags & 8) {
    *out = copy;
    return 0;
  }
  int c = copy[0];
  free(copy);
  return c;
}

static int weighed_bad(const char *s, int flags) {
  char *copy;
  return weigh(s, flags, &copy);  // LEAK: never-freed
}

int weighs_bad(const char *s, int n) {
  int flags = 2;
  if (n > 0) flags = 12;
  return weighed_bad(s, flags) + weighed_bad(s, 1) + weighed_bad(s, 2) + weighed_bad(s, 3) + weighed_bad(s, 4);
}
