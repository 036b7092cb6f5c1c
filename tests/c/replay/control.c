// Calls of all kinds, variable arguments, jumps, atomics, local arrays.
#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

struct small {
  int a;
  float b;
};
struct mixed {
  double x;
  long y;
};
struct large {
  long v[5];
};
struct floats {
  float a, b, c;
};

static struct large make_large(int n) {
  struct large made;
  for (int i = 0; i < 5; i++) made.v[i] = n * i;
  return made;
}
static struct mixed make_mixed(double x) { return (struct mixed){x, (long)(x * 2)}; }
static struct small make_small(int a) { return (struct small){a, a * 0.5f}; }
static long changed(struct large given) {
  given.v[1] = 100;
  return given.v[1] + given.v[2];
}

static double sum(int count, ...) {
  va_list list, again;
  va_start(list, count);
  va_copy(again, list);
  double total = 0;
  for (int i = 0; i < count; i++) {
    const char *kind = va_arg(list, const char *);
    switch (*kind) {
      case 'i': total += va_arg(list, int); break;
      case 'd': total += va_arg(list, double); break;
      case 'l': total += va_arg(list, long); break;
      case 'L': total += (double)va_arg(list, long double); break;
      case 's': {
        struct small one = va_arg(list, struct small);
        total += one.a + one.b;
        break;
      }
      case 'm': {
        struct mixed one = va_arg(list, struct mixed);
        total += one.x + one.y;
        break;
      }
      case 'b': total += va_arg(list, struct large).v[4]; break;
      case 'f': {
        struct floats one = va_arg(list, struct floats);
        total += one.a + one.b * 10 + one.c * 100;
        break;
      }
    }
  }
  va_end(list);
  total += *va_arg(again, const char *);
  va_end(again);
  return total;
}

static void print(const char *format, ...) {
  va_list list;
  va_start(list, format);
  vprintf(format, list);
  va_end(list);
}

static jmp_buf place;
static int descend(int n) {
  if (n == 0) longjmp(place, 7);
  return descend(n - 1) + 1;
}

static int computed_goto(int x) {
  static void *targets[] = {&&first, &&second, &&third};
  goto *targets[x % 3];
first:
  return 1;
second:
  return 20;
third:
  return 300;
}

static int twice(int (*function)(int), int x) { return function(function(x)); }
static int next(int x) { return x + 1; }
static int local_array(int n) {
  int squares[n], total = 0;
  for (int i = 0; i < n; i++) squares[i] = i * i;
  for (int i = 0; i < n; i++) total += squares[i];
  return total;
}
static int classify(int n) {
  switch (n) {
    case -1: return 1;
    case 3 ... 5: return 2;
    case 1000000: return 3;
    default: return n > 5 ? 4 : 5;
  }
}
static int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
static void at_the_end(void) { puts("the end"); }

int main(void) {
  struct large large = make_large(3);
  struct mixed mixed = make_mixed(2.25);
  struct small small = make_small(9);
  struct floats floats = {1, 2, 3};
  printf("%ld %ld %g %ld %d %g\n", changed(large), large.v[1], mixed.x, mixed.y, small.a, small.b);
  printf("%g\n", sum(8, "i", 3, "d", 2.5, "l", 1L << 40, "L", 1.25L, "s", small, "m", mixed, "b", large, "f",
                     floats));
  print("%d %s %g %c %Lg %d %d %d %d\n", 1, "two", 3.5, '4', 5.5L, 6, 7, 8, 9);
  volatile int turns = 0;
  int result = setjmp(place);
  turns++;
  printf("setjmp %d %d\n", result, turns);
  if (result == 0) descend(5);
  for (int i = 0; i < 4; i++) printf("%d ", computed_goto(i));
  printf("%d %d\n", twice(next, 5), twice(computed_goto, 0));
  static _Atomic int counter = 5;
  int expected = 24;
  atomic_fetch_add(&counter, 3);
  atomic_fetch_or(&counter, 16);
  int is_same = atomic_compare_exchange_strong(&counter, &expected, 99);
  printf("%d %d", is_same, expected);
  int before = atomic_exchange(&counter, 4), less = atomic_fetch_sub(&counter, 1);
  printf(" %d %d %d\n", before, less, counter);
  printf("%d %d\n", local_array(10), fibonacci(12));
  for (int n = -2; n < 8; n++) printf("%d", classify(n));
  printf("%d\n", classify(1000000));
  assert(turns == 2);
  atexit(at_the_end);
  exit(3);
}
