// Unknown containers: who ends one gets a function for what lies in it, who looks something up gives a `void *`. NOT RUN: nobody defines them.
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct map map_t;
map_t *map_new(void);
void map_free(map_t *map, void (*end)(void *));
void *map_get(const map_t *map, const char *key);
void *map_set(map_t *map, const char *key, void *value);

struct names {
  int count;
  char **name;
};

int unique_bad(struct names *names) {
  map_t *map = map_new();  // LEAK: conditional-leak
  for (int number = 0; number < names->count; number++) {
    if (map_get(map, names->name[number]) != NULL) return -1;
    map_set(map, names->name[number], (void *)1);
  }
  map_free(map, NULL);
  return 0;
}

int unique_ok(struct names *names) {
  int result = 0;
  map_t *map = map_new();
  for (int number = 0; number < names->count && result == 0; number++) {
    if (map_get(map, names->name[number]) != NULL) result = -1;
    else map_set(map, names->name[number], (void *)1);
  }
  map_free(map, NULL);
  return result;
}

// An iterator over a list that is asked for more: named as what is made, and what ends it as that.
struct list;
struct iterator;
struct iterator *iterator_create(struct list *list);
void *iterator_next(struct iterator *iterator);
void iterator_destroy(struct iterator *iterator);
int list_count(struct list *list);
int look_at(void *element);

int all_bad(struct list *list) {
  struct iterator *each = iterator_create(list);  // LEAK: conditional-leak
  for (void *one = iterator_next(each); one != NULL; one = iterator_next(each))
    if (look_at(one) < 0) return -1;
  iterator_destroy(each);
  return list_count(list);
}

int all_ok(struct list *list) {
  int result = 0;
  struct iterator *each = iterator_create(list);
  for (void *one = iterator_next(each); one != NULL; one = iterator_next(each))
    if (look_at(one) < 0) result = -1;
  iterator_destroy(each);
  return result < 0 ? result : list_count(list);
}

// A field is emptied by its address, and overwritten by all that another struct holds.
struct tree;
struct tree *tree_new(void);
struct tree *tree_copy(const struct tree *tree);
void tree_destroy(struct tree **place, void (*end)(void *element, void *data), void *data);

struct owner {
  struct owner *parent;
  struct tree *tree;
};

struct owner *owner_new(struct owner *parent) {
  struct owner *made = malloc(sizeof *made);
  if (made == NULL) return NULL;
  made->parent = parent;
  made->tree = tree_new();  // LEAK: never-freed
  if (made->tree == NULL) {
    free(made);
    return NULL;
  }
  return made;
}

int owner_copy_bad(const struct owner *from, struct owner **to) {
  *to = owner_new(from->parent);
  if (*to == NULL) return -1;
  memcpy(*to, from, sizeof **to);
  (*to)->tree = tree_copy(from->tree);
  if ((*to)->tree == NULL) {
    free(*to);
    *to = NULL;
    return -1;
  }
  return 0;
}

void owner_free(struct owner *owner) {
  tree_destroy(&owner->tree, NULL, NULL);
  free(owner);
}
