#include <stdlib.h>
#include "truth.h"
struct item { int n; struct item *link; };
typedef struct item *(*handler)(struct item *, struct item *);
static struct item *left(struct item *a, struct item *b) { LOG(1, a); return a; }
static struct item *right(struct item *a, struct item *b) { LOG(2, b); return b; }
static int other(int a) { return a; }
struct entry { const char *name; handler run; int (*plain)(int); };
static const struct entry table[] = {{"left", left, other}, {"right", right, 0}};
static handler lone = left;
static struct item *apply(handler h, struct item *a, struct item *b) { return h(a, b); }
static int by_link(const void *a, const void *b) {
  const struct item *const *p = a;
  LOG(8, *p);
  return 0;
}
int main(int argc, char **argv) {
  struct item s = {1, 0}, t = {2, &s};
  OBJ("s", &s, sizeof s); OBJ("t", &t, sizeof t);
  for (int i = 0; i < 2; i++) LOG(3, table[i].run(&s, &t));
  LOG(4, lone(&t, &s));
  LOG(5, apply(right, &s, &t));
  handler h = argc > 1 ? left : right;
  LOG(6, h(&t, &s));
  struct entry copy = table[1];
  LOG(7, copy.run(&s, &t));
  struct item *all[2] = {&s, &t};
  qsort(all, 2, sizeof all[0], by_link);
  return 0;
}
