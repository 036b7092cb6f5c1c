// Function pointers: allocators, deallocators and operations behind tables.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void (*release_fn)(void *);
typedef char *(*make_fn)(const char *);

static char *make_copy(const char *s) { return strdup(s); }
static const char *borrowed;
static char *borrow(const char *s) {
  borrowed = s;
  return (char *)s;
}
static void release(void *p) { free(p); }
static void ignore(void *p) { (void)p; }

int through_pointer_ok(const char *s) {
  release_fn drop = release;
  char *p = strdup(s);
  drop(p);
  return 0;
}

int through_pointer_bad(const char *s) {
  release_fn drop = ignore;
  char *p = strdup(s);  // LEAK: never-freed
  drop(p);
  return 0;
}

int library_free_pointer_ok(const char *s) {
  void (*drop)(void *) = free;
  char *p = strdup(s);
  drop(p);
  return 0;
}

int chosen_pointer_bad(const char *s, int n) {
  release_fn drop = n > 1 ? release : ignore;
  char *p = strdup(s);  // LEAK: conditional-leak
  drop(p);
  return 0;
}

int chosen_pointer_ok(const char *s, int n) {
  release_fn drop = n > 1 ? release : free;
  char *p = strdup(s);
  drop(p);
  return 0;
}

int made_through_pointer_bad(const char *s) {
  make_fn make = make_copy;
  char *p = make(s);  // LEAK: never-freed
  return p != NULL;
}

int made_through_pointer_ok(const char *s) {
  make_fn make = make_copy;
  char *p = make(s);
  free(p);
  return 0;
}

// Correlated: the pointer that allocates and the flag that frees are chosen together.
int correlated_pointer_ok(const char *s, int n) {
  make_fn make = borrow;
  int owned = 0;
  if (n > 1) {
    make = make_copy;
    owned = 1;
  }
  char *p = make(s);
  if (owned) free(p);
  return 0;
}

// A table of operations in an object.
struct operations {
  void *(*open)(const char *);
  int (*use)(void *);
  void (*close)(void *);
};

struct handle {
  char *path;
};

static void *handle_open(const char *path) {
  struct handle *handle = malloc(sizeof *handle);
  if (!handle) return NULL;
  handle->path = strdup(path);
  return handle;
}

static int handle_use(void *object) {
  struct handle *handle = object;
  return handle->path ? handle->path[0] : 0;
}

static void handle_close(void *object) {
  struct handle *handle = object;
  free(handle->path);
  free(handle);
}

static void handle_close_shallow(void *object) { free(object); }

static const struct operations deep = {handle_open, handle_use, handle_close};
static const struct operations shallow = {handle_open, handle_use, handle_close_shallow};

int table_ok(const char *s) {
  void *object = deep.open(s);
  if (!object) return -1;
  int first = deep.use(object);
  deep.close(object);
  return first;
}

int table_bad(const char *s) {
  void *object = shallow.open(s);  // LEAK: never-freed
  if (!object) return -1;
  int first = shallow.use(object);
  shallow.close(object);
  return first;
}

int table_error_path_bad(const char *s, int n) {
  void *object = deep.open(s);  // LEAK: conditional-leak
  if (!object) return -1;
  if (n < 0) return -2;
  deep.close(object);
  return 0;
}

// Dispatch over an array of commands.
static int command_print(const char *s) {
  char *p = strdup(s);
  if (!p) return -1;
  puts(p);
  free(p);
  return 0;
}

static int command_count(const char *s) {
  char *p = strdup(s);  // LEAK: conditional-leak
  if (!p) return -1;
  if (p[0] == 'k') return 1;
  free(p);
  return 0;
}

static int (*const commands[])(const char *) = {command_print, command_count};

int dispatch_bad(const char *s, int n) { return commands[n & 1](s); }
int dispatch_ok(const char *s) { return commands[0](s); }

// Visitors: called back for each element, with state.
static void each(char **items, int count, void (*visit)(char *, void *), void *state) {
  for (int i = 0; i < count; i++) visit(items[i], state);
}

static void free_item(char *item, void *state) {
  (void)state;
  free(item);
}

static void count_item(char *item, void *state) {
  if (item) ++*(int *)state;
}

int visitor_ok(const char *s) {
  char *items[2] = {strdup(s), strdup(s)};
  int count = 0;
  each(items, 2, count_item, &count);
  each(items, 2, free_item, NULL);
  return count;
}

int visitor_bad(const char *s) {
  char *items[1] = {strdup(s)};  // LEAK: never-freed
  int count = 0;
  each(items, 1, count_item, &count);
  return count;
}

// The destructor travels with the object.
struct boxed {
  void *object;
  release_fn destroy;
};

static void boxed_clear(struct boxed *boxed) {
  if (boxed->destroy) boxed->destroy(boxed->object);
}

int boxed_ok(const char *s) {
  struct boxed boxed = {strdup(s), release};
  boxed_clear(&boxed);
  return 0;
}

int boxed_without_destructor_bad(const char *s) {
  struct boxed boxed = {strdup(s), NULL};  // LEAK: never-freed
  boxed_clear(&boxed);
  return 0;
}
