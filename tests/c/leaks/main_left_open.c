// A variable that no file sets, in a program that reads it, is there for somebody else to set. NOT RUN: nobody does.
#include <stdlib.h>

int left_open;       // nobody sets it
int set_here;        // main does
int switched_off = 0;

static int needs_other_file(int n) {
  char *p = malloc(4);  // LEAK: conditional-leak
  if (n == 5) return -1;
  free(p);
  return 0;
}

static int needs_value(int n) {
  char *p = malloc(4);
  if (n == 5) return -1;
  free(p);
  return 0;
}

int main(void) {
  int sum = needs_other_file(left_open);
  sum += needs_value(set_here);
  sum += needs_value(switched_off);
  set_here = 1;
  return sum;
}
