// Declarations that are called, with and without const behind their pointers.
#include <stdlib.h>
#include <string.h>

struct node;
struct pair { long a, b; };
struct large { long a[6]; };
typedef const char *text;
typedef const struct node fixed;

int take(const struct node *a, char *b, char *const *c, const char **d, const void *e, const int f);
int through_typedefs(text a, fixed *b, const int c[4], volatile const int *d, void *restrict e);
const char *named(int a);
struct large large_result(const char *a, char *b);
long split_struct(struct pair a, const char *b);
struct node *make(int size) __attribute__((malloc, returns_nonnull));
int pure_one(const char *a) __attribute__((pure));
int const_one(int a) __attribute__((const));
int without_prototype();
int only_address(const char *a);
static int called(const char *a) { return a[0]; }
int checked(char *a, char *b) __attribute__((nonnull(2)));
int checked(char *a, char *b) { return a ? *a : *b; }

int expected(int *p, int n) {
  if (__builtin_expect(p == 0, 0)) return n;
  return __builtin_expect_with_probability(n, 3, 0.9) ? *p : 0;
}

static inline __attribute__((always_inline)) int doubled(int *p) { return *p * 2; }

void *use(struct node *n, struct pair *p) {
  char b[4];
  int v = take(n, b, 0, 0, 0, 1) + through_typedefs(b, n, 0, 0, 0) + named(1)[0];
  v += large_result("a", b).a[0] + split_struct(*p, "b") + pure_one(b) + const_one(2);
  v += without_prototype(1, "a") + called(b) + (strcmp(b, "c") == 0) + checked(b, b) + doubled(&v);
  memcpy(b, make(v), sizeof b);
  return v ? (void *)only_address : strdup("d");
}
