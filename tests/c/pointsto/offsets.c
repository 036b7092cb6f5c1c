#include <stdlib.h>
#include <string.h>
#include "truth.h"
struct options { int flag; struct options *up; struct options *down; char name[8]; };
static const struct { const char *name; size_t offset; } entries[] = {
  {"up", offsetof(struct options, up)}, {"down", offsetof(struct options, down)}};
static struct options *read(struct options *o, int i) {
  return *(struct options **)((char *)o + entries[i].offset);
}
struct header { struct header *owner; size_t size; };
static void *with_header(size_t n, struct header *owner) {
  struct header *h = malloc(sizeof *h + n);
  OBJ("block", h, sizeof *h + n);
  h->owner = owner; h->size = n;
  return h + 1;
}
static struct header *header_of(void *p) { return (struct header *)p - 1; }
struct flex { int n; struct options *list[]; };
int main(void) {
  struct options a = {1}, b = {2, &a, &a}, c = {3, &a, &b};
  OBJ("a", &a, sizeof a); OBJ("b", &b, sizeof b); OBJ("c", &c, sizeof c);
  LOG(1, read(&c, 0)); LOG(2, read(&c, 1));
  struct header top = {&top, 0};
  OBJ("top", &top, sizeof top);
  struct options **held = with_header(2 * sizeof *held, &top);
  held[0] = &a; held[1] = &b;
  LOG(3, held[0]); LOG(4, header_of(held)->owner);
  struct flex *f = malloc(sizeof *f + 3 * sizeof f->list[0]);
  f->list[2] = &c;
  OBJ("f", f, sizeof *f + 3 * sizeof f->list[0]);
  LOG(5, f->list[2]);
  return 0;
}
