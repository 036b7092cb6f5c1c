#include <stdlib.h>
#include "truth.h"
struct table { void **slots; void (*drop)(void *); int count; };
struct apple { struct apple *tree; int seeds; };
struct pear { long weight; struct pear *branch; };
static void put(struct table *t, void *item) {
  t->slots = realloc(t->slots, (t->count + 1) * sizeof *t->slots);
  t->slots[t->count++] = item;
}
static void drop_apple(void *p) { struct apple *a = p; LOG(1, a); LOG(2, a->tree); free(a); }
static void drop_pear(void *p) { struct pear *q = p; LOG(3, q); LOG(4, q->branch); free(q); }
static void clear(struct table *t) { while (t->count) t->drop(t->slots[--t->count]); }
static void *pass(char *a) { return a; }
static void *get(struct table *t, int n) { return t->slots[n]; }
int main(void) {
  struct table apples = {0, drop_apple, 0}, pears = {0, drop_pear, 0};
  struct apple *a = malloc(sizeof *a), *b = malloc(sizeof *b);
  struct pear *p = malloc(sizeof *p);
  OBJ("a", a, sizeof *a); OBJ("b", b, sizeof *b); OBJ("p", p, sizeof *p);
  a->tree = b; b->tree = a; p->branch = p;
  put(&apples, a); put(&apples, b); put(&pears, p);
  struct apple *first = get(&apples, 0);
  LOG(5, first->tree);
  struct apple *same = pass((char *)a);
  LOG(6, same); LOG(7, same->tree);
  clear(&apples); clear(&pears);
  return 0;
}
