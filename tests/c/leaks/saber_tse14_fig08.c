// TSE'14 Fig. 8: guards of a value that is used inside a loop, after it, or not at all because the
// function returns from the middle of the loop.
#include <stdlib.h>
#include <string.h>

// guard(release after the loop) = ¬C1 ∨ (C1 ∧ C2): the early return is not covered.
int copy_until_negative_bad(int n) {
  int *v = malloc(10 * sizeof *v);  // LEAK: conditional-leak
  if (!v) return -1;
  for (int k = 0; k < 10; k++) {
    if (n < 2)
      v[k] = n;
    else
      return -1;
  }
  free(v);
  return 0;
}

int copy_until_negative_ok(int n) {
  int *v = malloc(10 * sizeof *v);
  if (!v) return -1;
  for (int k = 0; k < 10; k++) {
    if (n < 2) {
      v[k] = n;
    } else {
      free(v);
      return -1;
    }
  }
  free(v);
  return 0;
}

// The loop may run zero times or once or more: after it the value is the same.
int zero_or_more_turns_ok(int n) {
  char *v = malloc(16);
  if (!v) return -1;
  memset(v, 0, 16);
  int sum = 0;
  for (int k = 0; k < n; k++) sum += v[k];
  free(v);
  return sum;
}

// Released in the loop only, and the loop may not run.
int released_inside_bad(int n) {
  char *v = malloc(16);  // LEAK: conditional-leak
  if (!v) return -1;
  for (int k = 0; k < n; k++) {
    if (k == 0) {
      free(v);
      v = NULL;
    }
  }
  return n;
}

int released_on_break_ok(int n) {
  char *v = malloc(16);
  if (!v) return -1;
  for (int k = 0; k < 10; k++) {
    if (k >= n) break;
    v[k] = (char)k;
  }
  free(v);
  return 0;
}

int nested_return_bad(int n, int m) {
  char *v = malloc(16);  // LEAK: conditional-leak
  if (!v) return -1;
  for (int i = 0; i < n; i++)
    for (int k = 0; k < m; k++)
      if (i + k == 3) return i;
  free(v);
  return -1;
}

int nested_return_ok(int n, int m) {
  char *v = malloc(16);
  int found = -1;
  if (!v) return -1;
  for (int i = 0; i < n && found < 0; i++)
    for (int k = 0; k < m; k++)
      if (i + k == 3) found = i;
  free(v);
  return found;
}
