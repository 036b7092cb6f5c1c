#include <stdlib.h>
#include <string.h>
#include "truth.h"
struct pair { struct pair *a; char *text; };
struct list { struct pair **items; int count; };
void *xmalloc(size_t n) {
  void *p = malloc(n);
  if (!p) abort();
  return p;
}
void *xzalloc(size_t n) { return memset(xmalloc(n), 0, n); }
void *xrealloc(void *old, size_t n) {
  void *p = old ? realloc(old, n) : xmalloc(n);
  if (!p) abort();
  return p;
}
int make_pair(struct pair **out, struct pair *a) {
  struct pair *p = xzalloc(sizeof *p);
  p->a = a;
  *out = p;
  return 0;
}
struct pair *new_pair(struct pair *a) {
  struct pair *p = xmalloc(sizeof *p);
  p->a = a;
  return p;
}
void xfree(void *p) { if (p) free(p); }
int main(void) {
  struct pair *one = xmalloc(sizeof *one), *two = xzalloc(sizeof *two), *three, *four;
  OBJ("one", one, sizeof *one); OBJ("two", two, sizeof *two);
  make_pair(&three, one);
  make_pair(&four, two);
  OBJ("three", three, sizeof *three); OBJ("four", four, sizeof *four);
  LOG(1, one); LOG(2, two); LOG(3, three); LOG(4, four);
  LOG(5, three->a); LOG(6, four->a);
  struct pair *five = new_pair(three), *six = new_pair(four);
  OBJ("five", five, sizeof *five); OBJ("six", six, sizeof *six);
  LOG(7, five->a); LOG(8, six->a); LOG(9, five); LOG(10, six);
  struct list l = {0, 0};
  for (int i = 0; i < 4; i++) {
    l.items = xrealloc(l.items, (l.count + 1) * sizeof *l.items);
    l.items[l.count++] = i & 1 ? five : six;
  }
  LOG(11, l.items[0]); LOG(12, l.items[1]);
  xfree(one); xfree(two); xfree(l.items);
  return 0;
}
