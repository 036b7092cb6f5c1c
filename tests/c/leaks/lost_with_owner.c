// A leaking owner takes along what it holds. One finding, unless nothing ever frees what it holds.
#include <stdlib.h>
#include <string.h>

static void *get(size_t n) { return malloc(n); }

// Rows of a matrix: one block behind a table of pointers. No destructor anywhere.
static char **rows_new(int n) {
  char **row = malloc((n + 1) * sizeof *row);
  if (!row) exit(1);
  row[0] = get(n * n + 1);  // LEAK: never-freed with its owner
  if (!row[0]) exit(1);
  for (int i = 1; i <= n; i++) row[i] = row[i - 1] + n;
  return row;
}

int rows_bad(int n) {
  char **row = rows_new(n + 1);  // LEAK: never-freed
  row[0][0] = 1;
  return row[0][0];
}

// Freeing the table alone does not help.
struct table {
  char *cells;
  int n;
};

static struct table *table_new(int n) {
  struct table *t = malloc(sizeof *t);
  if (!t) return NULL;
  t->cells = malloc(n + 1);  // LEAK: never-freed
  t->n = n;
  return t;
}

int table_freed_bad(int n) {
  struct table *t = table_new(n);
  if (!t) return 0;
  n = t->n;
  free(t);
  return n;
}

// The same with a destructor that somebody calls: one finding for the owner.
struct box {
  char *name;
  char *text;
};

static struct box *box_new(const char *name) {
  struct box *b = malloc(sizeof *b);
  if (!b) exit(1);
  b->name = strdup(name);
  b->text = strdup(name);
  return b;
}

static void box_free(struct box *b) {
  free(b->name);
  free(b->text);
  free(b);
}

int box_forgotten_bad(const char *name) {
  struct box *b = box_new(name);  // LEAK: never-freed
  return b->name != b->text;
}

int box_ok(const char *name) {
  struct box *b = box_new(name);
  int differ = b->name != b->text;
  box_free(b);
  return differ;
}

// Others may have a destructor: what this returns is the outside's to free.
struct pair {
  char *left;
};

struct pair *pair_new(void) {
  struct pair *p = malloc(sizeof *p);
  if (!p) return NULL;
  p->left = malloc(4);
  return p;
}

int pair_forgotten_bad(void) {
  struct pair *p = pair_new();  // LEAK: never-freed
  return p != NULL;
}

struct pair *pair_handed_on_ok(void) { return pair_new(); }
