#include "truth.h"
struct conf { const char *name; struct conf *parent; struct { struct conf *list[2]; int n; } sub; };
extern struct conf second;
struct conf first = {"first", &second, {{&first, &second}, 2}};
struct conf second = {"second", &first, {{0, &first}, 1}};
static struct conf *all[] = {&first, &second, 0};
static struct conf **cursor = all + 1;

struct conf nested[2] = {{"n0", &nested[1]}, {"n1", &nested[0], {{&second}}}};
int main(void) {
  OBJ("first", &first, sizeof first); OBJ("second", &second, sizeof second);
  OBJ("all", all, sizeof all); OBJ("nested", nested, sizeof nested);
  LOG(1, first.parent); LOG(2, second.sub.list[1]); LOG(3, *cursor); LOG(4, all[0]); LOG(5, cursor);
  LOG(6, nested[0].parent); LOG(7, nested[1].sub.list[0]);
  for (struct conf **p = all; *p; p++) { LOG(8, *p); LOG(9, (*p)->parent); }
  struct conf *n = &nested[1];
  LOG(10, n); LOG(11, n->parent->parent);
  return 0;
}
