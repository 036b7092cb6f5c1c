#include <stdlib.h>
#include "truth.h"
struct base { int kind; struct base *next; };
struct derived { struct base base; struct derived *twin; };
struct prefix { struct prefix *next; };
struct longer { struct longer *next; struct derived *d; };
static struct base *list;
static void add(struct base *b) { b->next = list; list = b; }
static struct prefix *last(struct prefix *p) { while (p->next) p = p->next; LOG(5, p); return p; }
static struct base *create(size_t size) { struct base *b = calloc(1, size); return b; }
int main(void) {
  struct derived *d = (struct derived *)create(sizeof *d), *e = (struct derived *)create(sizeof *e);
  OBJ("d", d, sizeof *d); OBJ("e", e, sizeof *e);
  d->twin = e; e->twin = d;
  add(&d->base); add((struct base *)e);
  for (struct base *b = list; b; b = b->next) {
    LOG(1, b);
    struct derived *x = (struct derived *)b;
    LOG(2, x); LOG(3, x->twin); LOG(4, &x->twin);
  }
  struct longer m = {0, d}, n = {&m, e};
  OBJ("m", &m, sizeof m); OBJ("n", &n, sizeof n);
  struct longer *l = (struct longer *)last((struct prefix *)&n);
  LOG(6, l); LOG(7, l->d);
  return 0;
}
