// A capacity and the block that it speaks of: what was grown has room. NOT RUN: needs sets.
#include <stdlib.h>

struct set {
  int alloc, count;
  int *elements;
};

static int merge(struct set *set, const struct set *more) {
  if (!more || more->count == 0) return 0;
  if (more->count > 0 && set->alloc < 2 * more->count + set->count) {
    int alloc = 2 * (more->count + set->alloc);
    int *grown = realloc(set->elements, sizeof(int) * alloc);
    if (!grown) return -1;
    set->elements = grown;
    set->alloc = alloc;
  }
  if (set->count == 0) set->count = more->count;
  return 0;
}

static int insert(struct set *set, int element) {
  if (set->alloc == 0) {
    set->elements = malloc(sizeof(int));
    if (!set->elements) return -1;
    set->alloc = 1;
  }
  set->elements[0] = element;
  set->count = 1;
  return 0;
}

int emptied_ok(struct set *set, const struct set *more, int element) {
  int failed = merge(set, more);
  if (failed) return failed;
  set->count = 0;
  return insert(set, element);
}

int forgotten_bad(struct set *set, const struct set *more, int element) {
  int failed = merge(set, more);  // LEAK: overwritten
  if (failed) return failed;
  set->alloc = 0;
  return insert(set, element);
}
