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

// As many as are put there were counted before: who writes to the first element made room for one.
int rows_of_a_count_ok(struct rows *rows, int given) {
  char **copies = malloc(rows->count * sizeof *copies);
  if (!copies) return -1;
  for (int i = 0; i < given; i++) copies[i] = malloc(10);
  for (int i = 0; i < rows->count; i++) free(copies[i]);
  free(copies);
  return 0;
}

int rows_but_one_bad(struct rows *rows, int given) {
  char **copies = malloc((rows->count + 1) * sizeof *copies);
  if (!copies) return -1;
  for (int i = 0; i < given; i++) copies[i] = malloc(10);  // LEAK: conditional-leak|never-freed
  for (int i = 0; i < rows->count; i++) free(copies[i]);
  free(copies);
  return 0;
}

// An element of a node is none of its other members.
struct node {
  int leaf, count;
  char *keys[16];
};

static int place_of(const struct node *n, const char *key) {
  int i = 0;
  while (i < n->count && strcmp(n->keys[i], key) < 0) i++;
  return i;
}

int put_into_node_ok(struct node *n, const char *key) {
  char *copy = strdup(key);
  if (!copy) return -1;
  int at = place_of(n, key);
  memmove(&n->keys[at + 1], &n->keys[at], (n->count - at) * sizeof *n->keys);
  n->keys[at] = copy;
  ++n->count;
  return 0;
}
