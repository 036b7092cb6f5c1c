// Search trees that give back an equal element instead of inserting, and accessors built on them.
#include <stdlib.h>
#include <string.h>

struct node {
  struct node *left, *right;
  char *name;
  int value;
};

struct tree {
  struct node *top;
};

static struct tree registry;

static struct node *insert(struct tree *tree, struct node *node) {
  struct node *at = tree->top, *parent = NULL;
  int order = 0;
  while (at) {
    parent = at;
    order = strcmp(node->name, parent->name);
    if (order < 0)
      at = at->left;
    else if (order > 0)
      at = at->right;
    else
      return at;
  }
  node->left = node->right = NULL;
  if (!parent)
    tree->top = node;
  else if (order < 0)
    parent->left = node;
  else
    parent->right = node;
  return NULL;
}

static struct node *find(struct tree *tree, const char *name) {
  struct node *at = tree->top;
  while (at) {
    int order = strcmp(name, at->name);
    if (order == 0) return at;
    at = order < 0 ? at->left : at->right;
  }
  return NULL;
}

static struct node *node_new(const char *name) {
  struct node *node = calloc(1, sizeof *node);
  if (!node) abort();
  node->name = strdup(name);
  if (!node->name) abort();
  return node;
}

// Get or create: the tree owns what the caller sees.
static struct node *get(struct tree *tree, const char *name) {
  struct node *node = find(tree, name);
  if (node) return node;
  node = node_new(name);
  insert(tree, node);
  return node;
}

static struct node *set(struct tree *tree, const char *name, int value) {
  struct node *node = get(tree, name);
  node->value = value;
  return node;
}

void accessor_ignored_ok(int n) { set(&registry, "one", n); }

int accessor_used_ok(const char *s) { return set(&registry, s, 2)->value; }

void absent_then_inserted_ok(const char *s) {
  struct node *node = find(&registry, s);
  if (node) {
    node->value++;
    return;
  }
  node = node_new(s);
  insert(&registry, node);
}

// Who looks at the result must act on it.
int duplicate_bad(const char *s) {
  get(&registry, s);
  struct node *node = node_new(s);  // LEAK: conditional-leak
  if (insert(&registry, node)) return -1;
  return 0;
}

int duplicate_ok(const char *s) {
  get(&registry, s);
  struct node *node = node_new(s);
  if (insert(&registry, node)) {
    free(node->name);
    free(node);
    return -1;
  }
  return 0;
}
