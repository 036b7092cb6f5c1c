// Callers of the program's own malloc, and of its wrappers: leaks as of anybody's.
#include "allocator.h"

#include <stdlib.h>
#include <string.h>

int plain_ok(int n) {
  char *p = malloc(8);
  if (!p) return -1;
  p[0] = (char)n;
  int first = p[0];
  free(p);
  return first;
}

int plain_bad(int n) {
  char *p = malloc(8);  // LEAK: conditional-leak
  if (!p) return -1;
  p[0] = (char)n;
  if (n > 1) return 1;
  free(p);
  return 0;
}

int cleared_bad(int n) {
  int *p = calloc(4, sizeof *p);  // LEAK: never-freed
  if (!p) return -1;
  p[0] = n;
  return p[0] + p[1];
}

// What calloc gives is zero: nothing is lost where it is not.
int cleared_ok(void) {
  int *p = calloc(4, sizeof *p);
  if (!p) return -1;
  if (p[1]) return 1;
  free(p);
  return 0;
}

int grown_ok(int n) {
  char *p = malloc(4);
  if (!p) return -1;
  for (int i = 0; i < n; i++) {
    char *more = realloc(p, 64 * (size_t)(i + 1));
    if (!more) {
      free(p);
      return -1;
    }
    p = more;
  }
  free(p);
  return 0;
}

int grown_bad(int n) {
  char *p = malloc(4);  // LEAK: leak-if-allocation-fails
  if (!p) return -1;
  char *more = realloc(p, 64 + (size_t)(n > 0));
  if (!more) return -1;
  free(more);
  return 0;
}

// A function of the C library takes its memory from the program's malloc.
int copied_ok(const char *s) {
  char *copy = strdup(s);
  if (!copy) return -1;
  int first = copy[0];
  free(copy);
  return first;
}

int copied_bad(const char *s) {
  char *copy = strdup(s);  // LEAK: never-freed
  return copy ? copy[0] : -1;
}

int wrapped_ok(int n) {
  char *p = NEW(8);
  if (!p) return -1;
  p[0] = (char)n;
  DELETE(p);
  return n;
}

int wrapped_bad(int n) {
  char *p = NEW(8);  // LEAK: conditional-leak
  if (!p) return -1;
  if (n == 2) return 2;
  DELETE(p);
  return n;
}

// Both kinds release what either gave.
int mixed_ok(int n) {
  char *p = NEW(8);
  char *q = malloc(8);
  if (n > 0) {
    free(p);
    DELETE(q);
    return 1;
  }
  DELETE(q);
  DELETE(p);
  return 0;
}

int resized_ok(int n) {
  char *p = NEW(8);
  if (!p) return -1;
  char *more = RESIZED(p, 80 + (size_t)(n > 0));
  DELETE(more ? more : p);
  return 0;
}

int resized_bad(int n) {
  char *p = NEW(8);  // LEAK: leak-if-allocation-fails
  if (!p) return -1;
  char *more = RESIZED(p, 80 + (size_t)(n > 0));
  if (!more) return -1;
  DELETE(more);
  return 0;
}

// NOT RUN: the leak checker's allocator does not count
int counted_bad(void) {
  char *p = malloc(8);  // LEAK: conditional-leak
  if (own_blocks() > 1) return 1;
  free(p);
  return 0;
}
