// Pointers at indices that are not known. NOT RUN: nobody here defines the function that gives some.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct rows {
  char **items;
  int count;
};

int rows_so_far(void);

// A count that lies in memory grows, unless the path says otherwise.
int two_rows_ok(struct rows *rows, const char *s) {
  if (fread(&rows->count, sizeof rows->count, 1, stdin) != 1) return -1;
  rows->items[rows->count] = strdup(s);
  if (fread(&rows->count, sizeof rows->count, 1, stdin) != 1) return -1;
  rows->items[rows->count] = strdup(s);
  return 0;
}

// What a function answers may be the same again.
int asked_twice_bad(struct rows *rows, const char *s) {
  rows->items[rows_so_far()] = strdup(s);  // LEAK: overwritten
  rows->items[rows_so_far()] = strdup(s);
  return 0;
}

int one_row_bad(struct rows *rows, const char *s) {
  rows->count = rows_so_far();
  rows->items[rows->count] = strdup(s);  // LEAK: overwritten
  rows->items[rows->count] = strdup(s);
  return 0;
}

int maybe_one_row_bad(struct rows *rows, const char *s) {
  int first = rows_so_far(), second = rows_so_far();
  rows->items[first] = strdup(s);  // LEAK: overwritten
  if (first == second) rows->items[second] = strdup(s);
  return 0;
}
