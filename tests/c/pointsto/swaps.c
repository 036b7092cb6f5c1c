#include "truth.h"
struct s { struct s *a, *b; };
static void swap(struct s **x, struct s **y) { struct s *t = *x; *x = *y; *y = t; LOG(1, t); }
static void rotate(struct s *v[3]) { struct s *t = v[0]; v[0] = v[1]; v[1] = v[2]; v[2] = t; }
static struct s *choose(int n, struct s *x, struct s *y) { return n & 1 ? x : y; }
int main(void) {
  struct s a, b, c, *p = &a, *q = &b, *v[3] = {&a, &b, &c};
  OBJ("a", &a, sizeof a); OBJ("b", &b, sizeof b); OBJ("c", &c, sizeof c);
  swap(&p, &q);
  LOG(2, p); LOG(3, q);
  rotate(v); rotate(v);
  LOG(4, v[0]); LOG(5, v[2]);
  struct s ***ppp, **pp = &p;
  ppp = &pp;
  **ppp = &c;
  LOG(6, p);
  for (int i = 0; i < 4; i++) { p = choose(i, p, q); LOG(7, p); }
  struct s *volatile w = &b;
  LOG(8, w);
  switch (v[0] == &a) { case 0: p = v[1]; break; default: p = v[2]; }
  LOG(9, p);
  return 0;
}
