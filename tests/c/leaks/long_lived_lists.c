// What callees put into a list that global variables lead to, and that their callers did not make.
#include <stdlib.h>
#include <string.h>

struct node {
  struct node *next;
  char *name;
  int count;
};

struct table {
  struct node *first;
};

static struct table *all;

void set_up(void) {
  if (!all) all = calloc(1, sizeof *all);
}

static int add(struct table *table, const char *name) {
  struct node *node = malloc(sizeof *node);
  if (!node) return -1;
  node->name = strdup(name);
  node->next = table->first;
  table->first = node;
  return 0;
}

int load_ok(const char *name) {
  if (!all) return -1;
  return add(all, name);
}

static struct node *get(struct table *table, const char *name) {
  struct node *node = table->first;
  for (; node; node = node->next)
    if (!strcmp(node->name, name)) return node;
  node = calloc(1, sizeof *node);
  if (!node) return NULL;
  node->name = strdup(name);
  node->next = table->first;
  table->first = node;
  return node;
}

int count_ok(const char *name) {
  if (!all) return -1;
  struct node *node = get(all, name);
  if (!node) return -1;
  return ++node->count;
}

static int name_it(struct node *node, const char *name) {
  char *copy = strdup(name);
  if (!copy) return -1;
  free(node->name);
  node->name = copy;
  return 0;
}

int rename_ok(const char *name) {
  for (struct node *node = all ? all->first : NULL; node; node = node->next)
    if (node->count) return name_it(node, name);
  return 0;
}
