/* Fig. 5 of the TSE'14 paper. In foo, v and w are local; x, y and z belong to the caller.
 * ps(p) = {v, x, y}, ps(q) = {w, x, z}; bar reads v and writes y: U = {v}, D = {y}. */
#include <stdlib.h>

void bar(char **d, char **e) {
  *e = *d;
}

char *foo(char **a, char **b, char **e, int c) {
  char *v = malloc(1), *w;
  char **p = a, **q = b;
  if (c) {
    p = &v;
    q = &w;
  }
  char *loaded = *p;
  *q = loaded;
  bar(&v, e);
  return w;
}

int main(int argc, char **argv) {
  char *x, *y, *z;
  char *s = foo(argc > 1 ? &x : &y, argc > 2 ? &x : &z, &y, argc > 3);
  free(x);
  free(y);
  free(z);
  free(s);
  return 0;
}
