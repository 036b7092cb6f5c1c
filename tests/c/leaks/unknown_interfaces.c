// Functions in members of structs that no file at hand fills: named as the struct and the member. NOT RUN: nobody defines them.
#include <stddef.h>
#include <string.h>

struct file;
struct item {
  struct item *next;
  char *name;
};

// An interface that a parameter leads to.
struct system {
  struct file *(*open)(struct system *self, const char *name);
  void (*message)(struct file *file, const char *format, ...);
  void *(*alloc)(struct system *self, size_t bytes);
  void (*free)(void *block);
};

static char *read_name(struct system *sys) {
  char *name = sys->alloc(sys, 10);  // LEAK: conditional-leak
  if (name != NULL) name[0] = '\0';
  return name;
}

int headers_bad(struct system *sys, struct file *file, int count, struct item **first, int left_out) {
  struct item *last = NULL;
  for (int number = 0; number < count; number++) {
    struct item *item = sys->alloc(sys, sizeof *item);
    if (item == NULL) return -1;
    item->next = NULL;
    item->name = read_name(sys);
    if (number != left_out) {
      if (last == NULL) *first = item;
      else last->next = item;
      last = item;
    } else {
      sys->free(item);
      sys->message(file, "left out");
    }
  }
  return 0;
}

static char *read_other_name(struct system *sys) {
  char *name = sys->alloc(sys, 10);
  if (name != NULL) name[0] = '\0';
  return name;
}

int headers_ok(struct system *sys, struct file *file, int count, struct item **first, int left_out) {
  struct item *last = NULL;
  for (int number = 0; number < count; number++) {
    struct item *item = sys->alloc(sys, sizeof *item);
    if (item == NULL) return -1;
    item->next = NULL;
    item->name = read_other_name(sys);
    if (number != left_out) {
      if (last == NULL) *first = item;
      else last->next = item;
      last = item;
    } else {
      if (item->name != NULL) sys->free(item->name);
      sys->free(item);
      sys->message(file, "left out");
    }
  }
  return 0;
}

// A variable that another file defines; no variable of its type has debug information here. The place
// of the call in the source is given, too.
typedef struct shared_memory {
  const char *name;
  void *pool;
  void *(*xmalloc)(void *pool, size_t bytes, const char *where);
  void (*xfree)(void *pool, void *block, const char *where);
} shared_memory_t;
extern shared_memory_t shared_memory;
#define shared_malloc(bytes) shared_memory.xmalloc(shared_memory.pool, (bytes), __FILE__)
#define shared_free(block) shared_memory.xfree(shared_memory.pool, (block), __FILE__)
int put(const char *text, int number);

int shared_bad(const char *text) {
  char *copy = shared_malloc(strlen(text) + 1);  // LEAK: conditional-leak
  if (copy == NULL) return -1;
  strcpy(copy, text);
  if (put(copy, 3) < 0) return -1;
  shared_free(copy);
  return 0;
}

int shared_ok(const char *text) {
  char *copy = shared_malloc(strlen(text) + 1);
  if (copy == NULL) return -1;
  strcpy(copy, text);
  int result = put(copy, 3);
  shared_free(copy);
  return result;
}

// Nobody here calls the member that releases: that the struct has it is enough.
struct arena {
  void *(*arena_malloc)(size_t bytes);
  void (*arena_free)(void *block);
};
struct entry {
  int key;
  char text[20];
};
extern struct arena arena;
struct entry *table[16];
int fill(struct entry *entry, const char *text);

struct entry *entry_bad(const char *text, int key) {
  struct entry *entry = arena.arena_malloc(sizeof *entry);  // LEAK: conditional-leak
  if (entry == NULL) return NULL;
  entry->key = key;
  if (fill(entry, text) < 0) return NULL;
  return entry;
}

// A member that this file sets holds what it was set to.
struct chosen {
  void *(*make)(size_t bytes);
  void (*end)(void *block);
};
static void *kept;
static void keep(void *block) { kept = block; }
void choose(struct chosen *chosen) { chosen->end = keep; }

int kept_here(struct chosen *chosen) {
  void *block = arena.arena_malloc(8);
  if (block == NULL) return -1;
  chosen->end(block);
  return 0;
}
