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
