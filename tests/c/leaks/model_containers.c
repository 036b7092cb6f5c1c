// Containers of a library are executed node by node. NOT RUN: nobody here defines them.
#include <stdlib.h>
#include <string.h>

typedef struct _GList {
  void *data;
  struct _GList *next, *prev;
} GList;
typedef struct {
  GList *head, *tail;
  unsigned length;
} GQueue;
typedef struct {
  void **pdata;
  unsigned len;
} GPtrArray;
typedef struct _GHashTable GHashTable;
typedef struct {
  void *dummy[6];
} GHashTableIter;
typedef void (*Ends)(void *);
typedef void (*Func)(void *, void *);
typedef void (*PairFunc)(void *, void *, void *);
extern GList *g_list_append(GList *, void *), *g_list_prepend(GList *, void *);
extern GList *g_list_delete_link(GList *, GList *), *g_list_remove_link(GList *, GList *);
extern GList *g_list_remove(GList *, const void *), *g_list_concat(GList *, GList *);
extern GList *g_list_reverse(GList *), *g_list_copy(GList *), *g_list_find(GList *, const void *);
extern void *g_list_nth_data(GList *, unsigned);
extern void g_list_foreach(GList *, Func, void *), g_list_free(GList *), g_list_free_1(GList *);
extern void g_list_free_full(GList *, Ends);
extern GQueue *g_queue_new(void);
extern void g_queue_push_tail(GQueue *, void *), *g_queue_pop_head(GQueue *), g_queue_free(GQueue *);
extern void g_queue_free_full(GQueue *, Ends);
extern GPtrArray *g_ptr_array_new(void), *g_ptr_array_new_with_free_func(Ends);
extern void g_ptr_array_add(GPtrArray *, void *), **g_ptr_array_free(GPtrArray *, int);
extern void *g_ptr_array_remove_index(GPtrArray *, unsigned);
extern GHashTable *g_hash_table_new(unsigned (*)(const void *), int (*)(const void *, const void *));
extern int g_hash_table_insert(GHashTable *, void *, void *);
extern void *g_hash_table_lookup(GHashTable *, const void *);
extern void g_hash_table_foreach(GHashTable *, PairFunc, void *), g_hash_table_destroy(GHashTable *);
extern void g_hash_table_iter_init(GHashTableIter *, GHashTable *);
extern int g_hash_table_iter_next(GHashTableIter *, void **, void **);
extern void *g_malloc(unsigned long), *g_realloc(void *, unsigned long), g_free(void *);
extern unsigned hash(const void *);
extern int equal(const void *, const void *);

typedef struct {
  int *value;
} Item;
static Item *make(int n) {
  Item *item = g_malloc(sizeof *item);
  item->value = g_malloc(sizeof n);
  *item->value = n;
  return item;
}
static void end(void *p) {
  Item *item = p;
  g_free(item->value);
  g_free(item);
}

GList *all;

void delete_first_ok(void) {
  while (all) {
    end(all->data);
    all = g_list_delete_link(all, all);
  }
}
void delete_while_walking_ok(int n) {
  GList *node = all;
  while (node) {
    GList *next = node->next;
    Item *item = node->data;
    if (*item->value == n) {
      end(item);
      all = g_list_delete_link(all, node);
    }
    node = next;
  }
}
void built_and_deleted_ok(int n) {
  GList *list = NULL;
  for (int i = 0; i < n; i++) list = g_list_append(list, make(i));
  while (list) {
    end(list->data);
    list = g_list_delete_link(list, list);
  }
}
void built_and_deleted_bad(int n) {
  GList *list = NULL;
  list = g_list_append(list, malloc(n));  // LEAK: never-freed
  list = g_list_delete_link(list, list);
  while (list) list = g_list_delete_link(list, list);
}
void removed_ok(int n) {
  GList *list = NULL;
  for (int i = 0; i < n; i++) list = g_list_prepend(list, make(i));
  while (list) {
    Item *item = list->data;
    list = g_list_remove(list, item);
    end(item);
  }
}
void freed_full_ok(int n) {
  GList *list = NULL;
  for (int i = 0; i < n; i++) list = g_list_prepend(list, make(i));
  list = g_list_reverse(list);
  g_list_free_full(list, end);
}
void for_each_ok(int n) {
  GList *list = NULL;
  for (int i = 0; i < n; i++) list = g_list_prepend(list, make(i));
  g_list_foreach(list, (Func)end, NULL);
  g_list_free(list);
}
void nodes_only_bad(int n) {
  GList *list = g_list_prepend(NULL, malloc(n));  // LEAK: conditional-leak
  g_list_free(list);
}
void unlinked_ok(int n) {
  GList *list = g_list_append(NULL, make(n)), *node;
  list = g_list_append(list, make(n + 1));
  node = list->next;
  list = g_list_remove_link(list, node);
  end(node->data);
  g_list_free_1(node);
  g_list_free_full(list, end);
}
void unlinked_bad(int n) {
  GList *list = g_list_append(NULL, &all), *node;
  list = g_list_append(list, &n);  // FN: never-freed value flow has no block for a node that is appended to others
  node = list->next;
  list = g_list_remove_link(list, node);
  g_list_free(list);
}
void joined_ok(int n) {
  GList *list = g_list_append(NULL, make(n)), *other = g_list_append(NULL, make(n + 1));
  g_list_free_full(g_list_concat(list, other), end);
}
void copied_bad(void) {
  GList *copy = g_list_copy(all);  // LEAK: never-freed
  if (copy) copy->data = NULL;
}
void by_number_ok(void) {
  GList *list = NULL;
  for (int i = 0; i < 3; i++) list = g_list_append(list, make(i));
  for (int i = 0; i < 3; i++) end(g_list_nth_data(list, i));
  g_list_free(list);
}
void found_ok(Item *item) {
  GList *node = g_list_find(all, item);
  if (node) {
    end(node->data);
    all = g_list_delete_link(all, node);
  }
}

extern GQueue *queue;
void pushed_ok(int n) { g_queue_push_tail(queue, make(n)); }
void popped_ok(void) {
  Item *item;
  while ((item = g_queue_pop_head(queue))) end(item);
}
void queue_ok(int n) {
  GQueue *mine = g_queue_new();
  for (int i = 0; i < n; i++) g_queue_push_tail(mine, make(i));
  Item *item;
  while ((item = g_queue_pop_head(mine))) end(item);
  g_queue_free(mine);
}
void queue_full_ok(int n) {
  GQueue *mine = g_queue_new();
  for (int i = 0; i < n; i++) g_queue_push_tail(mine, make(i));
  g_queue_free_full(mine, end);
}
void queue_bad(int n) {
  GQueue *mine = g_queue_new();
  g_queue_push_tail(mine, malloc(n));  // LEAK: never-freed
  g_queue_free(mine);
}

void array_ok(int n) {
  GPtrArray *array = g_ptr_array_new_with_free_func(end);
  for (int i = 0; i < n; i++) g_ptr_array_add(array, make(i));
  g_ptr_array_free(array, 1);
}
void array_walked_ok(int n) {
  GPtrArray *array = g_ptr_array_new();
  for (int i = 0; i < n; i++) g_ptr_array_add(array, make(i));
  for (unsigned i = 0; i < array->len; i++) end(array->pdata[i]);
  g_ptr_array_free(array, 1);
}
void array_emptied_ok(int n) {
  GPtrArray *array = g_ptr_array_new();
  g_ptr_array_add(array, make(n));
  while (array->len) end(g_ptr_array_remove_index(array, 0));
  g_ptr_array_free(array, 1);
}
void **array_given_away_ok(int n) {
  GPtrArray *array = g_ptr_array_new();
  for (int i = 0; i < n; i++) g_ptr_array_add(array, malloc(4));
  g_ptr_array_add(array, NULL);
  return g_ptr_array_free(array, 0);
}
void array_bad(int n) {
  GPtrArray *array = g_ptr_array_new();
  g_ptr_array_add(array, malloc(n));  // LEAK: never-freed
  g_ptr_array_free(array, 1);
}

extern GHashTable *table;
static void end_both(void *key, void *value, void *data) {
  g_free(key);
  end(value);
}
void entry_ok(int n) { g_hash_table_insert(table, g_malloc(4), make(n)); }
void entries_ok(int n) {
  GHashTable *mine = g_hash_table_new(hash, equal);
  g_hash_table_insert(mine, g_malloc(4), make(n));
  g_hash_table_foreach(mine, end_both, NULL);
  g_hash_table_destroy(mine);
}
void iterated_ok(int n) {
  GHashTable *mine = g_hash_table_new(hash, equal);
  for (int i = 0; i < n; i++) g_hash_table_insert(mine, g_malloc(4), make(i));
  GHashTableIter iter;
  void *key, *value;
  g_hash_table_iter_init(&iter, mine);
  while (g_hash_table_iter_next(&iter, &key, &value)) end_both(key, value, NULL);
  g_hash_table_destroy(mine);
}
void others_ok(void) {
  GHashTableIter iter;
  void *key, *value;
  g_hash_table_iter_init(&iter, table);
  while (g_hash_table_iter_next(&iter, &key, &value)) end_both(key, value, NULL);
}

void resized_ok(int n) {
  int *numbers = g_malloc(8);
  numbers = g_realloc(numbers, n);
  g_free(numbers);
}

// What a function leaves in a variable, it leaves nowhere if there is none.
extern int g_file_get_contents(const char *, char **, unsigned long *, void **);
int contents_ok(void) {
  char *text;
  if (!g_file_get_contents("a", &text, NULL, NULL)) return -1;
  g_free(text);
  return 0;
}

extern void g_strfreev(char **);
extern char *g_strdup(const char *);
void vector_ok(void) {
  char **words = g_malloc(4 * sizeof *words);
  words[0] = g_strdup("a");
  words[1] = g_strdup("b");
  words[2] = g_strdup("c");
  words[3] = NULL;
  g_strfreev(words);
}
void vector_bad(void) {
  char **words = g_malloc(2 * sizeof *words);
  words[0] = g_strdup("a");  // LEAK: never-freed
  words[1] = NULL;
  g_free(words);
}

// What an array of values gets a copy of, it holds with all that hangs on it.
typedef struct _GArray GArray;
extern GArray *g_array_append_vals(GArray *, const void *, unsigned);
void copied_into_array_ok(GArray *array, int n) {
  Item *item = make(n);
  g_array_append_vals(array, &item, 1);
}
void filled_in_array_ok(GArray *array, int n) {
  Item *item = g_malloc(sizeof *item);
  g_array_append_vals(array, &item, 1);
  item->value = g_malloc(sizeof n);
  *item->value = n;
}
