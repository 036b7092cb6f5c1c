// Hints about what is likely say nothing about what is.
#include <stdlib.h>

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

int checked_ok(int n) {
  char *p = malloc(8);
  if (unlikely(!p)) return -1;
  if (likely(n > 3)) n = 3;
  free(p);
  return n;
}

int early_bad(int n) {
  char *p = malloc(8);  // LEAK: conditional-leak
  if (unlikely(!p)) return -1;
  if (unlikely(n > 1)) return 3;
  free(p);
  return n;
}

int twice_ok(int n) {
  char *p = NULL;
  if (likely(n > 3)) p = malloc(8);
  if (n > 3) free(p);
  return n;
}

int expected_switch_ok(int n) {
  char *p = malloc(8);
  switch (__builtin_expect(n, 1)) {
  case 1: free(p); return 1;
  default: free(p); return 0;
  }
}

int expected_value_bad(long n) {
  char *p = malloc(8);  // LEAK: conditional-leak
  if (__builtin_expect_with_probability(n, 2, 0.75) == 2) return 2;
  free(p);
  return 0;
}
