// Static functions that are called malloc and free, and are not the C library's.
#include "memory.h"

struct node {
  char *text;
  int used;
};

static int in_use;

// Gives out what it is given: nothing is allocated here.
static struct node *malloc(struct node *space) {
  space->used = 1;
  in_use++;
  return space;
}

// Releases a node and its text.
static void free(struct node *node) {
  if (!node) return;
  put(node->text);
  put(node);
}

// The right prototype, but static: forgets, and releases nothing.
static void cfree(void *node) {
  ((struct node *)node)->used = 0;
  in_use--;
}

int lent_ok(int n) {
  struct node here = {0, n};
  struct node *node = malloc(&here);
  cfree(node);
  return in_use;
}

int deep_ok(int n) {
  struct node *node = get(sizeof *node);
  if (!node) return -1;
  node->text = get(8);
  node->used = n;
  free(node);
  return n;
}

int forgotten_bad(int n) {
  struct node *node = get(sizeof *node);  // LEAK: never-freed
  if (!node) return -1;
  node->text = 0;
  node->used = n;
  cfree(node);
  return n;
}
