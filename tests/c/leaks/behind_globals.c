// What lies behind a global pointer of another file: settings and counts may be anything, where pointers there lead is made up. NOT RUN: nobody defines it.
#include <stdlib.h>

struct list {
  int used;
  void **items;
};
struct setup {
  int level;
  struct list *old, *current;
};
extern struct setup *setup;

int by_level_bad(size_t size) {
  char *block = malloc(size);  // LEAK: conditional-leak
  if (block == NULL) return -1;
  if (setup->level > 2) return -2;
  free(block);
  return 0;
}

int by_level_ok(size_t size) {
  char *block = malloc(size);
  if (block == NULL) return -1;
  int result = setup->level > 2 ? -2 : 0;
  free(block);
  return result;
}

int by_count_bad(size_t size) {
  char *block = malloc(size);  // LEAK: conditional-leak
  if (block == NULL) return -1;
  if (setup->old->used < setup->current->used * 4) return -2;
  free(block);
  return 0;
}

// Whether there is a list at all is for the other file to say.
int by_shape(size_t size) {
  char *block = malloc(size);  // FN: conditional-leak where pointers behind a global lead is not known
  if (block == NULL) return -1;
  if (setup->old == setup->current) return -2;
  free(block);
  return 0;
}

// A count below 0 is no state of a list: a position that was counted in it lies in it.
struct node {
  struct node *next;
};
struct sorted {
  int count;
  struct node head, *at;
};
extern struct sorted *sorted;

static int insert(struct sorted *list, struct node *node, int position) {
  if (position < 0 || position > list->count) return 0;
  node->next = list->head.next;
  list->head.next = node;
  list->count++;
  return 1;
}

void inserted_ok(void) {
  int position = 0;
  struct node *node = calloc(1, sizeof *node);
  if (node == NULL) return;
  for (struct node *one = sorted->head.next; one != NULL; one = one->next) position++;
  insert(sorted, node, position);
}
