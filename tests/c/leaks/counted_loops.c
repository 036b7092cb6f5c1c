// Loops whose counters start at a constant and go up or down by one: how often they turn is known.
#include <stdlib.h>

int once_ok(int n) {
  char *p = NULL;
  for (int i = 0; i < 1; i++) p = malloc(8);
  for (int j = 0; j < 1; j++) free(p);
  return n;
}

int twice_bad(int n) {
  char *p = NULL;
  for (int i = 0; i < 2; i++) p = malloc(8);  // LEAK: overwritten
  free(p);
  return n;
}

int never_freed_bad(int n) {
  char *p = NULL;
  for (int i = 0; i < 1; i++) p = malloc(8);  // LEAK: never-freed
  for (int j = 1; j < 1; j++) free(p);
  return n;
}

int down_ok(int n) {
  char *p = NULL;
  for (int i = 3; i > 2; i--) p = malloc(8);
  free(p);
  return n;
}

int by_ten_ok(int n) {
  char *p = NULL;
  for (int i = 0; i < 10; i += 10) p = malloc(8);
  free(p);
  return n;
}

int until_ok(int n) {
  char *p = NULL;
  int i = 0;
  do {
    p = malloc(8);
  } while (++i < 1);
  free(p);
  return n;
}

int until_bad(int n) {
  char *p = NULL;
  int i = 0;
  do {
    p = malloc(8);  // LEAK: overwritten
  } while (++i < 2);
  free(p);
  return n;
}

int not_equal_ok(int n) {
  char *p = NULL;
  for (int i = 0; i != 1; i++) p = malloc(8);
  free(p);
  return n;
}

// The inner loop surely runs, so that the next turn of the outer one loses the block.
int nested_bad(int n) {
  char *p = NULL;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 1; j++) p = malloc(8);  // LEAK: overwritten
  }
  free(p);
  return n;
}

int nested_ok(int n) {
  char *p = NULL;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 1; j++) {
      free(p);
      p = malloc(8);
    }
  }
  free(p);
  return n;
}
