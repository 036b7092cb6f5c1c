#include <stdlib.h>
#include "truth.h"
#define container_of(ptr, type, member) ((type *)((char *)(ptr) - offsetof(type, member)))
struct list_head { struct list_head *next, *prev; };
static void init(struct list_head *l) { l->next = l->prev = l; }
static void add(struct list_head *n, struct list_head *l) {
  n->next = l->next; n->prev = l; l->next->prev = n; l->next = n;
}
struct car { int wheels; struct car *tow; struct list_head link; char *name; };
struct house { struct house *next_door; long windows; struct list_head by_street; struct list_head by_age; };
int main(void) {
  struct list_head cars, street, age;
  init(&cars); init(&street); init(&age);
  OBJ("cars", &cars, sizeof cars); OBJ("street", &street, sizeof street); OBJ("age", &age, sizeof age);
  struct car *c = malloc(sizeof *c), *d = malloc(sizeof *d);
  OBJ("c", c, sizeof *c); OBJ("d", d, sizeof *d);
  c->tow = d; d->tow = 0;
  add(&c->link, &cars); add(&d->link, &cars);
  struct house *h = malloc(sizeof *h), *g = malloc(sizeof *g);
  OBJ("h", h, sizeof *h); OBJ("g", g, sizeof *g);
  h->next_door = g; g->next_door = h;
  add(&h->by_street, &street); add(&g->by_street, &street);
  add(&g->by_age, &age); add(&h->by_age, &age);
  for (struct list_head *l = cars.next; l != &cars; l = l->next) {
    LOG(1, l);
    struct car *found = container_of(l, struct car, link);
    LOG(2, found); LOG(3, found->tow);
  }
  for (struct list_head *l = street.next; l != &street; l = l->next) {
    struct house *found = container_of(l, struct house, by_street);
    LOG(4, found); LOG(5, found->next_door); LOG(6, found->by_age.next);
  }
  for (struct list_head *l = age.prev; l != &age; l = l->prev) {
    LOG(7, container_of(l, struct house, by_age));
    LOG(8, l->next);
  }
  return 0;
}
