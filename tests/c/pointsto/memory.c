#include <stdlib.h>
#include <string.h>
#include "truth.h"
struct rec { int tag; struct rec *a, *b; };
static void *clone(const void *from, size_t n) { void *to = malloc(n); memcpy(to, from, n); return to; }
int main(void) {
  struct rec x = {1, 0, 0}, y = {2, &x, &x}, z;
  OBJ("x", &x, sizeof x); OBJ("y", &y, sizeof y); OBJ("z", &z, sizeof z);
  memcpy(&z, &y, sizeof z);
  LOG(1, z.a);
  struct rec *c = clone(&z, sizeof z);
  OBJ("c", c, sizeof *c);
  LOG(2, c); LOG(3, c->a); LOG(4, c->b);
  memmove(&x.a, &y.a, sizeof x.a);
  LOG(5, x.a);
  struct rec many[3];
  many[0] = y; many[1].b = c;
  OBJ("many", many, sizeof many);
  LOG(6, many[1].b); LOG(7, &many[2].b);
  struct rec *grown = malloc(2 * sizeof *grown);
  grown[0].a = c; grown[1].b = &y;
  grown = realloc(grown, 5 * sizeof *grown);
  OBJ("grown", grown, 5 * sizeof *grown);
  LOG(8, grown[0].a); LOG(9, grown[1].b); LOG(10, grown + 3);
  struct rec **table = calloc(4, sizeof *table);
  for (int i = 0; i < 4; i++) table[i] = &many[i % 3];
  LOG(11, table[2]);
  char buffer[sizeof(struct rec)];
  memcpy(buffer, &y, sizeof y);
  return 0;
}
