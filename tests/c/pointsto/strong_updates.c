#include "truth.h"
struct s { struct s *a; int n; };
static void keep(struct s **where) { LOG(1, *where); }
static struct s **remembered;
static void remember(struct s **where) { remembered = where; }
static void change(struct s *to) { *remembered = to; }
int main(int argc, char **argv) {
  struct s a = {0}, b = {&a}, c = {&b}, *p, *q = &c;
  OBJ("a", &a, sizeof a); OBJ("b", &b, sizeof b); OBJ("c", &c, sizeof c);
  p = &a;
  LOG(2, p);
  p = &b;
  LOG(3, p);
  LOG(4, p->a);
  keep(&p);
  LOG(5, p);
  remember(&q);
  q = &a;
  LOG(6, q);
  change(&b);
  LOG(7, q);
  for (int i = 0; i < 2; i++) {
    LOG(8, q);
    q = i ? &c : &a;
  }
  LOG(9, q);
  return 0;
}
