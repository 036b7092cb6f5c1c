#include <stdarg.h>
#include <stdlib.h>
#include "truth.h"
struct thing { struct thing *other; int n; };
static struct thing *pick(int n, ...) {
  va_list ap;
  struct thing *found = 0;
  va_start(ap, n);
  while (n-- > 0) found = va_arg(ap, struct thing *);
  va_end(ap);
  LOG(1, found);
  return found;
}
static struct thing *last_of(int n, va_list ap) {
  struct thing *found = 0;
  while (n-- > 0) found = va_arg(ap, struct thing *);
  return found;
}
static struct thing *forward(int n, ...) {
  va_list ap, copy;
  va_start(ap, n);
  va_copy(copy, ap);
  struct thing *found = last_of(n, copy);
  va_end(copy);
  va_end(ap);
  return found;
}
int main(void) {
  struct thing a = {0, 1}, b = {&a, 2}, c = {&b, 3};
  OBJ("a", &a, sizeof a); OBJ("b", &b, sizeof b); OBJ("c", &c, sizeof c);
  LOG(2, pick(2, &a, &b));
  LOG(3, pick(8, &a, &b, &a, &b, &a, &b, &a, &c));
  LOG(4, forward(3, &a, &b, &c));
  return 0;
}
