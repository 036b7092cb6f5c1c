// Context: one helper, many callers; each caller is judged by what it does itself.
#include <stdlib.h>
#include <string.h>

static char *identity(char *p) { return p; }

int identity_one_freed_bad(const char *s) {
  char *a = strdup(s);  // LEAK: never-freed
  char *b = strdup(s);
  char *same_a = identity(a);
  char *same_b = identity(b);
  free(same_b);
  return same_a != NULL;
}

int identity_both_freed_ok(const char *s) {
  char *a = strdup(s);
  char *b = strdup(s);
  free(identity(a));
  free(identity(b));
  return 0;
}

static void store(char **where, char *p) { *where = p; }

int stored_two_places_bad(const char *s) {
  char *first, *second;
  store(&first, strdup(s));
  store(&second, strdup(s));  // LEAK: never-freed
  free(first);
  return second != NULL;
}

int stored_two_places_ok(const char *s) {
  char *first, *second;
  store(&first, strdup(s));
  store(&second, strdup(s));
  free(first);
  free(second);
  return 0;
}

// The constructor is shared, the fault is in one caller.
struct point {
  char *label;
};

static struct point *point_new(const char *s) {
  struct point *point = malloc(sizeof *point);
  if (!point) return NULL;
  point->label = strdup(s);
  return point;
}

static void point_free(struct point *point) {
  if (!point) return;
  free(point->label);
  free(point);
}

int shared_constructor_ok(const char *s) {
  struct point *point = point_new(s);
  point_free(point);
  return 0;
}

int shared_constructor_bad(const char *s) {
  struct point *point = point_new(s);  // LEAK: never-freed
  return point != NULL;
}

int shared_constructor_shallow_bad(const char *s) {
  struct point *point = point_new(s);  // LEAK: never-freed
  free(point);
  return 0;
}

int two_points_one_lost_bad(const char *s) {
  struct point *a = point_new(s);
  struct point *b = point_new(s);  // LEAK: never-freed
  point_free(a);
  return b != NULL;
}

int two_points_one_variable_ok(const char *s) {
  struct point *point = point_new(s);
  point_free(point);
  point = point_new(s);
  point_free(point);
  return 0;
}

// Behaviour chosen by a constant argument.
static char *copy_or_borrow(const char *s, int copy) { return copy ? strdup(s) : (char *)s; }

int borrow_ok(const char *s) { return copy_or_borrow(s, 0)[0]; }

int copy_ok(const char *s) {
  char *p = copy_or_borrow(s, 1);
  free(p);
  return 0;
}

int copy_bad(const char *s) {
  char *p = copy_or_borrow(s, 1);  // LEAK: never-freed
  return p != NULL;
}

int copy_by_variable_ok(const char *s, int n) {
  char *p = copy_or_borrow(s, n > 1);
  if (n > 1) free(p);
  return 0;
}

int copy_by_variable_bad(const char *s, int n) {
  char *p = copy_or_borrow(s, n > 1);  // LEAK: never-freed
  if (n <= 1) p = NULL;
  return p != NULL;
}

// A helper that frees the old value and returns the new one.
static char *replace(char *old, const char *s) {
  free(old);
  return strdup(s);
}

int replace_ok(const char *s) {
  char *p = replace(NULL, s);
  p = replace(p, "b");
  free(p);
  return 0;
}

int replace_bad(const char *s) {
  char *p = replace(NULL, s);  // LEAK: overwritten
  p = replace(NULL, "b");
  free(p);
  return 0;
}

// A helper that appends in place and returns its argument.
static char *upper(char *s) {
  if (s) s[0] = 'U';
  return s;
}

int chained_calls_ok(const char *s) {
  free(upper(upper(strdup(s))));
  return 0;
}

int chained_calls_bad(const char *s) {
  return upper(upper(strdup(s))) != NULL;  // LEAK: never-freed
}

// Result through a parameter and failure through the result, one level further up.
static int load(const char *s, char **out) {
  char *text = strdup(s);
  if (!text) return -1;
  if (text[0] == 'k') {
    free(text);
    return -1;
  }
  *out = text;
  return 0;
}

static int load_twice(const char *s, char **a, char **b) {
  if (load(s, a) != 0) return -1;
  if (load(s, b) != 0) {
    free(*a);
    return -1;
  }
  return 0;
}

int load_twice_ok(const char *s) {
  char *a, *b;
  if (load_twice(s, &a, &b) != 0) return -1;
  free(a);
  free(b);
  return 0;
}

static int load_twice_carelessly(const char *s, char **a, char **b) {
  if (load(s, a) != 0) return -1;  // LEAK: leak-if-allocation-fails
  if (load(s, b) != 0) return -1;
  return 0;
}

int load_twice_bad(const char *s) {
  char *a, *b;
  if (load_twice_carelessly(s, &a, &b) != 0) return -1;
  free(a);
  free(b);
  return 0;
}
