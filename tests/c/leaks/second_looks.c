// Losses that stage 1 does not propose: short executions see them.
#include <stdlib.h>

// An allocation of a later turn fails, and what earlier turns made is lost with the array.
static char **rows(int n) {
  char **row = malloc((n + 1) * sizeof *row);
  if (!row) return NULL;
  for (int i = 0; i < n; i++) {
    row[i] = malloc(7);  // LEAK: leak-if-allocation-fails
    if (!row[i]) {
      free(row);
      return NULL;
    }
  }
  return row;
}

int rows_bad(int n) {
  int count = n > 0 ? 2 : 1;
  char **row = rows(count);
  if (!row) return -1;
  for (int i = 0; i < count; i++) free(row[i]);
  free(row);
  return 0;
}

static char **rows_undone(int n) {
  char **row = malloc((n + 1) * sizeof *row);
  if (!row) return NULL;
  for (int i = 0; i < n; i++) {
    row[i] = malloc(7);
    if (!row[i]) {
      while (i > 0) free(row[--i]);
      free(row);
      return NULL;
    }
  }
  return row;
}

int rows_ok(int n) {
  int count = n > 0 ? 2 : 1;
  char **row = rows_undone(count);
  if (!row) return -1;
  for (int i = 0; i < count; i++) free(row[i]);
  free(row);
  return 0;
}

// The index is a remainder: that it has no third value beside two others is a hard question to a
// solver. That it is left open must not cost the value at hand.
struct fan {
  char *child[3];
};

static void fan_add(struct fan *f, unsigned key) {
  if (!f->child[key % 3]) f->child[key % 3] = malloc(5);
}

static int fill(struct fan *f, int a) {
  int n = a + 1;
  for (int i = 0; i < n; i++) fan_add(f, (unsigned)(a + i));
  return n;
}

int fan_two_of_three_bad(int a) {
  struct fan f = {{NULL, NULL, NULL}};
  fill(&f, a + 1);  // LEAK: conditional-leak
  for (int i = 0; i < 2; i++) free(f.child[i]);
  return 0;
}

int fan_ok(int a) {
  struct fan f = {{NULL, NULL, NULL}};
  fill(&f, a + 1);
  for (int i = 0; i < 3; i++) free(f.child[i]);
  return 0;
}
