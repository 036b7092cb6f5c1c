// What is stored into a new block does not change what was there before.
#include <stdlib.h>
#include <string.h>

struct arena {
  size_t used, size;
  char *base;
};

struct cache {
  struct arena *arena;
  int hits;
};

struct node {
  char *name;
  char *value;
};

static void *arena_get(struct arena *arena, size_t n) {
  if (arena->used + n > arena->size) return 0;
  char *p = arena->base + arena->used;
  arena->used += n;
  return p;
}

static void *get(struct cache *cache, size_t n) {
  if (cache->arena) return arena_get(cache->arena, n);
  return calloc(1, n);
}

static void put(struct cache *cache, void *p) {
  if (cache->arena) {
    if ((size_t)((char *)p - cache->arena->base) < cache->arena->used)
      cache->arena->used = (size_t)((char *)p - cache->arena->base);
  } else {
    free(p);
  }
}

static int node_count(struct cache *cache, const char *s) {
  struct node *node = get(cache, sizeof *node);
  if (!node) return -1;
  node->name = (char *)s;
  node->value = 0;
  int result = node->name[0];
  put(cache, node);
  return result;
}

static int node_count_unless_hit(struct cache *cache, const char *s) {
  struct node *node = get(cache, sizeof *node);  // LEAK: conditional-leak
  if (!node) return -1;
  node->name = (char *)s;
  int result = node->name[0];
  if (result == 'a') return result;
  put(cache, node);
  return result;
}

int cache_chooses_ok(const char *s, int n) {
  char room[64];
  struct arena arena = {0, sizeof room, room};
  struct cache cache = {n > 1 ? &arena : 0, 0};
  return node_count(&cache, s);
}

int cache_chooses_bad(const char *s, int n) {
  char room[64];
  struct arena arena = {0, sizeof room, room};
  struct cache cache = {n > 1 ? &arena : 0, 0};
  return node_count_unless_hit(&cache, s);
}

// The field that is tested again is changed between.
int cache_changed_bad(int n) {
  char room[64];
  struct arena arena = {0, sizeof room, room};
  struct cache cache = {0, n};
  struct node *node = get(&cache, sizeof *node);  // LEAK: conditional-leak
  if (!node) return -1;
  node->name = 0;
  if (n > 1) cache.arena = &arena;
  int result = node->name != 0;
  put(&cache, node);
  return result;
}
