/* Blocks behind a header, filled with a copy of what the caller gives. */
#include <stdlib.h>
#include <string.h>
#include "truth.h"
struct head { struct head *next; };
struct item { struct item *up; long n; };
static struct head *all;
static void *take(size_t n) {
  struct head *h = malloc(sizeof *h + n);
  h->next = all;
  all = h;
  return (char *)h + sizeof *h;
}
static void *take_copy(const void *given, size_t n) {
  void *p = take(n);
  return memcpy(p, given, n);
}
int main(void) {
  struct item x, y;
  OBJ("x", &x, sizeof x); OBJ("y", &y, sizeof y);
  x.up = &y;
  y.up = &x;
  struct item *one = take_copy(&x, sizeof x), *two = take_copy(&y, sizeof y);
  LOG(1, one->up); LOG(2, two->up);
  struct head *last = all, *first = last->next;
  OBJ("first", first, sizeof *first);
  LOG(3, all->next);
  return last == 0;
}
