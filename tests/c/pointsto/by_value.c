#include "truth.h"
struct small { void *p; long q; };
struct big { struct big *self; void *p[4]; struct small in; };
static struct small swap(struct small s, void *other) { void *old = s.p; s.p = other; LOG(1, old); return s; }
static struct big grow(struct big b, struct small s) { LOG(2, b.self); b.in = s; b.self = 0; return b; }
static void *dig(struct big b) { return b.in.p; }
int main(void) {
  struct small x, y, s = {&x, 1};
  struct big b = {&b, {&x, &y}, {&y, 2}};
  OBJ("x", &x, sizeof x); OBJ("y", &y, sizeof y); OBJ("b", &b, sizeof b);
  s = swap(s, &y);
  LOG(3, s.p);
  struct big c = grow(b, s);
  LOG(4, c.in.p); LOG(5, c.p[0]); LOG(6, dig(c)); LOG(7, dig(b));
  struct small (*f)(struct small, void *) = swap;
  LOG(8, f(s, &x).p);
  return 0;
}
