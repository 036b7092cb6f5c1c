// A callee that keeps the block, unless something is amiss that its caller has no reason to expect, or
// that ends the program.
#include <stdlib.h>
#include <string.h>

struct item {
  struct item *next;
  char *key;
};

struct variable {
  struct item **table;
  int is_table;
};

static struct item *list;

static void drop_all(void) {
  while (list) {
    struct item *next = list->next;
    free(list->key);
    free(list);
    list = next;
  }
}

// Keeps the key, or ends the program; without a table it does nothing.
static int insert(struct item **table, char *key) {
  struct item *item;
  if (table == NULL) return -1;
  item = malloc(sizeof *item);
  if (!item) abort();
  item->key = key;
  item->next = *table;
  *table = item;
  return 0;
}

static void bind(struct variable *variable, const char *s) {
  if (variable->is_table) {
    char *key = strdup(s);
    if (!key) abort();
    insert(variable->table, key);
  } else if (variable->table) {
    variable->table = NULL;
  }
}

int table_is_there_ok(const char *s, int n) {
  struct variable variable = {&list, n > 0};
  bind(&variable, s);
  drop_all();
  return 0;
}

// Here the function has seen that there may be no table.
static int bind_or_not(struct variable *variable, const char *s) {
  int is_missing = variable->table == NULL;
  char *key = strdup(s);  // LEAK: conditional-leak
  if (!key) abort();
  insert(variable->table, key);
  return is_missing;
}

int table_is_missing_bad(const char *s, int n) {
  struct variable variable = {n > 0 ? &list : NULL, 1};
  int is_missing = bind_or_not(&variable, s);
  drop_all();
  return is_missing;
}

// Found, or made and put in; the program ends if it cannot be made.
struct holder {
  struct item *items;
};
static struct holder *holder;

static void add(struct holder **slot, struct item *item) {
  struct holder *found = *slot;
  if (found == NULL) {
    found = calloc(1, sizeof *found);
    if (found == NULL) exit(1);
    *slot = found;
  }
  item->next = found->items;
  found->items = item;
}

static void clear(void) {
  while (holder && holder->items) {
    struct item *next = holder->items->next;
    free(holder->items);
    holder->items = next;
  }
  free(holder);
  holder = NULL;
}

int found_or_made_ok(int n) {
  struct item *item = calloc(1, sizeof *item);
  if (item == NULL) exit(1);
  add(&holder, item);
  clear();
  return n;
}

static void add_if(struct holder **slot, struct item *item, int n) {
  if (n > 0) add(slot, item);
}

int found_or_not_added_bad(int n) {
  struct item *item = calloc(1, sizeof *item);  // LEAK: conditional-leak
  if (item == NULL) exit(1);
  add_if(&holder, item, n);
  clear();
  return n;
}

static void put(struct holder **slot) {
  struct item *item = calloc(1, sizeof *item);
  if (item == NULL) exit(1);
  add(slot, item);
}

int put_by_callee_ok(int n) {
  put(&holder);
  clear();
  return n;
}
