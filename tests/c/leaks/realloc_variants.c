// realloc: on success the old block is gone, on failure it is still owned.
#include <stdlib.h>
#include <string.h>

// The result assigned to the argument: lost when realloc fails. (It could be called overwritten, too;
// but the other path, where realloc took the block over, is what the reader must know of.)
int grow_in_place_bad(int n) {
  char *buf = malloc(4);  // LEAK: leak-if-allocation-fails
  if (!buf) return -1;
  buf = realloc(buf, 8 + (size_t)(n & 3));
  if (!buf) return -1;
  free(buf);
  return 0;
}

int grow_through_temporary_ok(int n) {
  char *buf = malloc(4);
  if (!buf) return -1;
  char *bigger = realloc(buf, 8 + (size_t)(n & 3));
  if (!bigger) {
    free(buf);
    return -1;
  }
  free(bigger);
  return 0;
}

int grow_through_temporary_bad(int n) {
  char *buf = malloc(4);  // LEAK: leak-if-allocation-fails
  if (!buf) return -1;
  char *bigger = realloc(buf, 8 + (size_t)(n & 3));
  if (!bigger) return -1;
  free(bigger);
  return 0;
}

// The result itself is forgotten.
int result_lost_bad(int n) {
  char *buf = malloc(4);
  if (!buf) return -1;
  char *bigger = realloc(buf, 64);  // LEAK: conditional-leak
  if (!bigger) {
    free(buf);
    return -1;
  }
  if (n > 1) return n;
  free(bigger);
  return 0;
}

// realloc(NULL, n) allocates.
int realloc_null_ok(int n) {
  char *buf = NULL;
  for (int i = 0; i < n; i++) {
    char *bigger = realloc(buf, (size_t)(i + 1) * 4);
    if (!bigger) break;
    buf = bigger;
  }
  free(buf);
  return n;
}

int realloc_null_bad(int n) {
  char *buf = NULL;
  for (int i = 0; i < n; i++) {
    char *bigger = realloc(buf, (size_t)(i + 1) * 4);  // LEAK: leak-if-allocation-fails
    if (!bigger) return -1;
    buf = bigger;
  }
  free(buf);
  return n;
}

// A field that grows.
struct vector {
  int *items;
  size_t count, capacity;
};

static int vector_push(struct vector *v, int item) {
  if (v->count == v->capacity) {
    size_t capacity = v->capacity ? 2 * v->capacity : 2;
    int *items = realloc(v->items, capacity * sizeof *items);
    if (!items) return -1;
    v->items = items;
    v->capacity = capacity;
  }
  v->items[v->count++] = item;
  return 0;
}

int vector_ok(int n) {
  struct vector v = {0};
  for (int i = 0; i < n; i++)
    if (vector_push(&v, i) != 0) break;
  free(v.items);
  return n;
}

int vector_bad(int n) {
  struct vector v = {0};
  for (int i = 0; i < n; i++)
    if (vector_push(&v, i) != 0) return -1;  // LEAK: leak-if-allocation-fails
  free(v.items);
  return n;
}

// A wrapper that never returns NULL: assigning to the argument is right.
static void *must_realloc(void *old, size_t size) {
  void *bigger = realloc(old, size);
  if (!bigger) abort();
  return bigger;
}

int wrapper_in_place_ok(int n) {
  char *buf = NULL;
  for (int i = 0; i < n; i++) buf = must_realloc(buf, (size_t)(i + 1));
  free(buf);
  return n;
}

int wrapper_in_place_bad(int n) {
  char *buf = NULL;
  for (int i = 0; i < n; i++) buf = must_realloc(buf, (size_t)(i + 1));  // LEAK: conditional-leak
  if (n > 2) free(buf);
  return n;
}

// A wrapper that frees the old block on failure.
static void *realloc_or_free(void *old, size_t size) {
  void *bigger = realloc(old, size);
  if (!bigger) free(old);
  return bigger;
}

int realloc_or_free_ok(int n) {
  char *buf = malloc(2);
  if (!buf) return -1;
  buf = realloc_or_free(buf, 8 + (size_t)(n & 3));
  if (!buf) return -1;
  free(buf);
  return 0;
}

// The pointer into the old block is renewed; the array keeps its elements.
int array_of_strings_ok(const char *s, int n) {
  char **names = NULL;
  int count = 0;
  for (int i = 0; i < n; i++) {
    char **bigger = realloc(names, (size_t)(count + 1) * sizeof *names);
    if (!bigger) break;
    names = bigger;
    names[count] = strdup(s);
    count++;
  }
  for (int i = 0; i < count; i++) free(names[i]);
  free(names);
  return count;
}

int array_of_strings_bad(const char *s, int n) {
  char **names = NULL;
  int count = 0;
  for (int i = 0; i < n; i++) {
    char **bigger = realloc(names, (size_t)(count + 1) * sizeof *names);
    if (!bigger) break;
    names = bigger;
    names[count] = strdup(s);  // LEAK: never-freed
    count++;
  }
  free(names);
  return count;
}

// Shrinking what a global holds.
static char *cache;

int grow_global_ok(int n) {
  char *bigger = realloc(cache, 16 + (size_t)(n & 3));
  if (!bigger) return -1;
  cache = bigger;
  return 0;
}
