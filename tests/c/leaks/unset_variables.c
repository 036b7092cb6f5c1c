// Variables that nobody here sets: globals that others may set, and locals that are read too early.
#include <stdlib.h>

int unset_limit;           // another file may set it: that is what it is for
int unset_level = 0;       // nobody changes the value that it was given
static int unset_private;  // nobody else can set it

// NOT RUN: the leak needs another file that sets unset_limit
int global_without_value_bad(void) {
  char *p = malloc(4);  // LEAK: conditional-leak
  for (int i = 0; i < unset_limit; i++)
    if (i == 1) return -1;
  free(p);
  return 0;
}

int global_without_value_ok(void) {
  char *p = malloc(4);
  for (int i = 0; i < unset_limit; i++)
    if (i == 1) {
      free(p);
      return -1;
    }
  free(p);
  return 0;
}

int global_with_value_ok(void) {
  char *p = malloc(4);
  if (unset_level) return -1;
  free(p);
  return 0;
}

int global_private_ok(void) {
  char *p = malloc(4);
  if (unset_private) return -1;
  free(p);
  return 0;
}

// Locals without a value. Tests of one variable fit together.
int one_local_ok(void) {
  int n;
  char *p = malloc(4);
  if (n > 0)
    free(p);
  else if (n <= 0)
    free(p);
  return 0;
}

int one_local_twice_ok(void) {
  int n;
  char *p = NULL;
  if (n) p = malloc(4);
  if (n) free(p);
  return 0;
}

// If `from` and `to` were one variable, `return` could never be reached.
// NOT RUN: the leak depends on what happens to be in the variables
int two_locals_bad(void) {
  int from, to;
  char *p = malloc(4);  // FN: conditional-leak what unset variables hold is taken for one value
  switch (from) {
    case 4:
    case 5:
      switch (to) {
        case 4:
        case 5:
          break;
        default:
          return 1;
      }
  }
  free(p);
  return 0;
}

int two_locals_ok(void) {
  int from, to;
  char *p = malloc(4);
  switch (from) {
    case 4:
    case 5:
      switch (to) {
        case 4:
        case 5:
          break;
        default:
          free(p);
          return 1;
      }
  }
  free(p);
  return 0;
}
