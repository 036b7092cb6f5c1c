// Variables of other files that hold functions: a call through one is a call of a function that is not known, named as the variable. NOT RUN: nobody defines them.
#include <stddef.h>

typedef void *(*alloc_hook)(size_t);
typedef void (*free_hook)(void *);
extern alloc_hook lib_alloc;
extern free_hook lib_free;
int decrypt(const unsigned char *data, unsigned char *key);

int key_ok(const unsigned char *data, unsigned char *out) {
  unsigned char *key = lib_alloc(48);
  if (key == NULL) return -1;
  int result = decrypt(data, key);
  if (result >= 0) out[0] = key[0];
  lib_free(key);
  return result;
}

int key_unless_bad(const unsigned char *data, unsigned char *out) {
  unsigned char *key = lib_alloc(48);  // LEAK: conditional-leak
  if (key == NULL) return -1;
  if (decrypt(data, key) < 0) return -2;
  out[0] = key[0];
  lib_free(key);
  return 0;
}

// Members of a variable; the pool that a block lies in comes first.
struct pool {
  void *(*take)(void *pool, size_t size);
  void (*pool_free)(void *pool, void *block);
  void *area;
};
extern struct pool shared;

void *area_of(struct pool *pool) { return pool->take != NULL ? pool->area : NULL; }

int pooled_ok(const unsigned char *data) {
  unsigned char *key = shared.take(shared.area, 48);
  if (key == NULL) return -1;
  int result = decrypt(data, key);
  shared.pool_free(shared.area, key);
  return result;
}

int pooled_unless_bad(const unsigned char *data) {
  unsigned char *key = shared.take(shared.area, 48);  // LEAK: conditional-leak
  if (key == NULL) return -1;
  if (decrypt(data, key) < 0) return -2;
  shared.pool_free(shared.area, key);
  return 0;
}

// A variable that this file sets holds what it was set to.
extern free_hook own_hook;
static void keep(void *block) {
  static void *kept;
  kept = block;
}
void set_hook(void) { own_hook = keep; }

int set_here(void) {
  void *block = lib_alloc(8);
  if (block == NULL) return -1;
  own_hook(block);
  return 0;
}
