// A callee that returns -1 on failure and a computed number else.
#include <stdlib.h>
#include <string.h>

static int measured_copy(const char *s, char **out) {
  size_t length = strlen(s);
  if (length == 0) return -1;
  char *copy = strdup(s);
  if (!copy) return -1;
  *out = copy;
  return (int)length;
}

int error_code_ok(const char *s) {
  char *copy = NULL;
  if (measured_copy(s, &copy) == -1) return -1;
  free(copy);
  return 0;
}

int error_code_bad(const char *s) {
  char *copy = NULL;
  if (measured_copy(s, &copy) < 0) return -1;  // LEAK: never-freed
  return 0;
}
