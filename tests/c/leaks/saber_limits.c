// The limits that SABER lists for itself (TSE'14 §6.4): each is a test here.
#include <stdlib.h>
#include <string.h>

// One abstract object, freed by one caller and leaked by the other.
static char *make_label(const char *s) {
  char *label = malloc(strlen(s) + 2);
  if (label) {
    label[0] = '<';
    strcpy(label + 1, s);
  }
  return label;
}

size_t label_length_ok(const char *s) {
  char *label = make_label(s);
  if (!label) return 0;
  size_t length = strlen(label);
  free(label);
  return length;
}

size_t label_length_bad(const char *s) {
  char *label = make_label(s);  // LEAK: never-freed
  if (!label) return 0;
  return strlen(label);
}

// Correlated branches: an infeasible path is no leak …
int correlated_branches_ok(int wanted) {
  char *extra = NULL;
  if (wanted > 0) extra = malloc(8);
  if (wanted > 0 && extra) extra[0] = 1;
  if (wanted > 0) free(extra);
  return wanted;
}

// … and a nearly correlated one is.
int nearly_correlated_bad(int wanted) {
  char *extra = NULL;
  if (wanted > 0) extra = malloc(8);  // LEAK: conditional-leak
  if (wanted > 1) free(extra);
  return wanted;
}

// Two-dimensional arrays: rows freed one by one, then the array.
int grid_ok(int n) {
  char *grid[3][2];
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 2; k++) grid[i][k] = malloc(4);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 2; k++) free(grid[i][k]);
  return n;
}

int heap_grid_ok(int n) {
  char **rows = malloc(3 * sizeof *rows);
  if (!rows) return -1;
  for (int i = 0; i < 3; i++) rows[i] = malloc(4);
  for (int i = 0; i < 3; i++) free(rows[i]);
  free(rows);
  return n;
}

int heap_grid_rows_bad(int n) {
  char **rows = malloc(3 * sizeof *rows);
  if (!rows) return -1;
  for (int i = 0; i < 3; i++) rows[i] = malloc(4);  // LEAK: never-freed
  free(rows);
  return n;
}

// "One loop fills the array, the other frees all but the last": every N of a bounded analysis is
// too small to count elements. Arguable for a bounded tool; it is a leak all the same.
int all_but_the_last_bad(int n) {
  char *slots[4];
  for (int i = 0; i < 4; i++) slots[i] = malloc(4);  // LEAK: conditional-leak
  for (int i = 0; i < 3; i++) free(slots[i]);
  return n;
}

// N = 2: the block of the first turn is lost in the second.
int two_turns_bad(int n) {
  char *previous = NULL;
  int found = 0;
  for (int i = 0; i < n; i++) {
    if (previous) found++;
    previous = malloc(4);  // LEAK: overwritten
  }
  free(previous);
  return found;
}

int two_turns_ok(int n) {
  char *previous = NULL;
  int found = 0;
  for (int i = 0; i < n; i++) {
    if (previous) found++;
    free(previous);
    previous = malloc(4);
  }
  free(previous);
  return found;
}

// Only a second turn takes the path that returns without freeing.
int second_turn_returns_bad(int n) {
  char *symbol = malloc(8);  // LEAK: conditional-leak
  if (!symbol) return -1;
  int seen = 0;
  for (int i = 0; i < n; i++) {
    if (seen) return 1;
    seen = 1;
  }
  free(symbol);
  return 0;
}

int second_turn_returns_ok(int n) {
  char *symbol = malloc(8);
  if (!symbol) return -1;
  int seen = 0;
  for (int i = 0; i < n; i++) {
    if (seen) {
      free(symbol);
      return 1;
    }
    seen = 1;
  }
  free(symbol);
  return 0;
}

// Pointer arithmetic: x + e counts as x.
int moved_pointer_ok(const char *s) {
  char *copy = malloc(strlen(s) + 9);
  if (!copy) return -1;
  char *body = copy + 8;
  strcpy(body, s);
  free(body - 8);
  return 0;
}
