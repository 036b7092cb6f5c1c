#include "truth.h"
struct inner { int n; int *where; };
struct outer { struct inner *first; struct inner in; struct inner many[3]; int *last; };
int x, y, z;
int main(void) {
  struct outer o;
  struct inner i;
  OBJ("x", &x, sizeof x); OBJ("y", &y, sizeof y); OBJ("o", &o, sizeof o); OBJ("i", &i, sizeof i);
  o.first = &i;
  o.in.where = &x;
  o.many[2].where = &y;
  o.last = &z;
  LOG(1, o.first);
  LOG(2, &o.first->where);
  struct inner *p = &o.in;
  LOG(3, p);
  LOG(4, &p->where);
  p = &o.many[1];
  LOG(5, p);
  struct outer copy = o;
  LOG(6, copy.first);
  o.first->where = (int *)&o.in;
  LOG(7, i.where);
  struct outer *q = &copy;
  q->first = &q->in;
  LOG(8, q->first);
  OBJ("copy", &copy, sizeof copy);
  LOG(9, q->first);
  return 0;
}
