// Everything unusual that C compilers accept, so that the reader meets every record kind.
#include <complex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

typedef float vec4 __attribute__((vector_size(16)));
typedef int ivec4 __attribute__((vector_size(16)));
struct big { long a[8]; char *name; };
struct bits { unsigned a : 3, b : 13; int : 0; long c : 40; };
struct packed { char c; long l; } __attribute__((packed));
union either { int i; double d; struct packed p; };
struct flexible { size_t count; struct big items[]; };

static __thread int per_thread;
_Thread_local long other_thread = 5;
int common_variable;
const wchar_t wide[] = L"wide";
const int numbers[] = {1, 2, 3};
const double floats[] = {1.5, 2.5};
static int (*const table[])(const char *) = {atoi, 0, atoi};
static struct { const char *key; void *where; int (*run)(const char *); } rules[] = {
    {"one", &common_variable, atoi},
    {"two", (char *)&rules[1] + 8, 0},
};
__int128 huge_number = ((__int128)1 << 100);
long double extended = 1.25L;
void *labels_of(int n);

int original(int x) { return x + 1; }
int second_name(int x) __attribute__((alias("original")));
int weak_one(int x) __attribute__((weak));
int weak_one(int x) { return x; }
extern int maybe(int) __attribute__((weak));
static int pick(int x) { return x; }
static int (*resolve_pick(void))(int) { return pick; }
int picked(int x) __attribute__((ifunc("resolve_pick")));

inline __attribute__((always_inline)) static int inlined(int *p) { return *p * 2; }
int uses_inlined(int v) { return inlined(&v); }

int old_style(a, b) int a; char *b; { return a + *b; }

struct big by_value(struct big in) { in.a[0]++; return in; }
int sum(int count, ...) {
  va_list list;
  int total = 0;
  va_start(list, count);
  for (int i = 0; i < count; i++) total += va_arg(list, int);
  struct big one = va_arg(list, struct big);
  va_end(list);
  return total + (int)one.a[0];
}

void *labels_of(int n) {
  static void *const jump[] = {&&first, &&second};
  goto *jump[n & 1];
first:
  return 0;
second:
  return &per_thread;
}

int asm_goto(int x) {
  __asm__ volatile goto("" : : "r"(x) : : out);
  return 1;
out:
  return 0;
}
int assembler(int x) {
  int y;
  __asm__("mov %1, %0" : "=r"(y) : "r"(x));
  return y;
}

int switches(unsigned long x, enum { RED, GREEN = 7 } colour) {
  switch (x) {
  case 0 ... 3: return 1;
  case 0xffffffffffffffffUL: return 2;
  default: break;
  }
  switch (colour) { case RED: return 3; case GREEN: return 4; }
  return x ? (int)x : colour ?: 9;
}

static atomic_int counter;
_Atomic(struct big *) head;
int atomics(struct big *b) {
  struct big *expected = 0;
  atomic_fetch_add(&counter, 1);
  atomic_compare_exchange_strong(&head, &expected, b);
  atomic_thread_fence(memory_order_seq_cst);
  atomic_store(&head, b);
  __sync_lock_test_and_set(&b->a[0], 1);
  return atomic_load(&counter);
}

vec4 vectors(vec4 a, vec4 b, int i) {
  ivec4 less = a < b;
  vec4 mixed = __builtin_shufflevector(a, b, 0, 5, 2, 7);
  mixed[i] = -a[1];
  return less[0] ? mixed : a + b * mixed;
}

double complex complex_numbers(double complex z) { return z * z / (1 + 2 * I); }

int variable_length(int n, char matrix[n][n + 1]) {
  char copy[n * 2];
  memcpy(copy, matrix, (size_t)n);
  void *more = __builtin_alloca((size_t)n);
  memset(more, 0, (size_t)n);
  return copy[0] + matrix[1][n];
}

unsigned bit_fields(struct bits *b) { b->b = 9; b->c--; return b->a + b->b; }
long packed_access(union either *e) { e->p.l = 3; return (long)e->d + e->i; }
__int128 wide_arithmetic(__int128 a, long b) { return a * b + huge_number; }
float casts(long double l, unsigned char c, void *p) {
  return (float)l + (float)c + (float)(long)(size_t)p + (float)(int)(_Bool)p;
}

static void drop(char **p) { free(*p); }
int cleanup(const char *s) {
  __attribute__((cleanup(drop))) char *copy = strdup(s);
  return copy ? copy[0] : maybe ? maybe(1) : 0;
}

static jmp_buf env;
int jumps(int x) {
  volatile int seen = 0;
  if (setjmp(env)) return seen;
  seen = x;
  if (x) longjmp(env, 1);
  abort();
}

size_t flexible_size(struct flexible *f, int i) { return f->items[i].a[2] + sizeof *f; }
int calls_table(int i) { return table[i]("3") + rules[i].run("4") + second_name(1) + picked(2); }
int statement_expression(int x) { return ({ int y = x; while (y > 3) y /= 2; y; }); }
void *container(char **member) { return (char *)member - __builtin_offsetof(struct big, name); }
