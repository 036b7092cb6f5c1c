// A block of numbers that is used as a table of pointers: the casts have one star too many.
#include <stdlib.h>

static void make(int **p) { *p = malloc(4 * sizeof(void *)); }
static void drop(int **p) { free(*p); }

static void fill(int ***p) { **p = malloc(sizeof(int)); }

int levels_owner_freed_bad(int n) {
  int *y = NULL;
  int **x = &y;
  make(x);
  if (!y) return n;
  fill((int ***)x);  // LEAK: never-freed
  drop(x);
  return n;
}

static void make_full(int **p) { *p = malloc(4 * sizeof(void *)); }
static void fill_full(int ***p) { **p = malloc(sizeof(int)); }
static void empty(int ***p) { free(**p); }

int levels_ok(int n) {
  int *y = NULL;
  int **x = &y;
  make_full(x);
  if (!y) return n;
  fill_full((int ***)x);
  empty((int ***)x);
  drop(x);
  return n;
}

// Plain numbers stay plain.
int levels_numbers_ok(int n) {
  int *y;
  make(&y);
  if (!y) return n;
  y[0] = n;
  n = y[0];
  drop(&y);
  return n;
}

int levels_numbers_bad(int n) {
  int *y;
  make(&y);  // LEAK: never-freed
  if (!y) return n;
  y[0] = n;
  return y[0];
}
