#include "truth.h"
struct a { void *p; int n; };
struct b { long tag; struct a *to; };
union u { struct a a; struct b b; void *raw[2]; };
int main(void) {
  union u u, v;
  struct a one = {0, 1};
  OBJ("one", &one, sizeof one); OBJ("u", &u, sizeof u); OBJ("v", &v, sizeof v);
  u.b.to = &one;
  LOG(1, u.b.to);
  LOG(2, u.raw[1]);
  v.a.p = &u;
  LOG(3, v.a.p);
  LOG(4, v.raw[0]);
  v = u;
  LOG(5, v.b.to);
  long bits = (long)&one;
  struct a *back = (struct a *)bits;
  LOG(6, back);
  bits |= 1;
  back = (struct a *)(bits & ~1L);
  LOG(7, back);
  return 0;
}
