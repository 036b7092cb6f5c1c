// Leak-fix histories: list, tree and hash elements whose payload is not freed.
#include <stdlib.h>
#include <string.h>

struct entry {
  char *key;
  struct entry *next;
};

static int list_push(struct entry **head, const char *key) {
  struct entry *entry = malloc(sizeof *entry);
  if (!entry) return -1;
  entry->key = strdup(key);  // LEAK: never-freed
  entry->next = *head;
  *head = entry;
  return 0;
}

int list_payload_bad(const char *s, int n) {
  struct entry *head = NULL;
  for (int i = 0; i < n; i++) list_push(&head, s);
  while (head) {
    struct entry *next = head->next;
    free(head);
    head = next;
  }
  return n;
}

static int list_add(struct entry **head, const char *key) {
  struct entry *entry = malloc(sizeof *entry);
  if (!entry) return -1;
  entry->key = strdup(key);
  entry->next = *head;
  *head = entry;
  return 0;
}

static void list_destroy(struct entry *head) {
  while (head) {
    struct entry *next = head->next;
    free(head->key);
    free(head);
    head = next;
  }
}

int list_payload_ok(const char *s, int n) {
  struct entry *head = NULL;
  for (int i = 0; i < n; i++) list_add(&head, s);
  list_destroy(head);
  return n;
}

// A tree freed recursively, without and with its payload.
struct tree {
  char *label;
  struct tree *left, *right;
};

static struct tree *tree_build(int depth, const char *label) {
  if (depth <= 0) return NULL;
  struct tree *tree = calloc(1, sizeof *tree);
  if (!tree) return NULL;
  tree->label = strdup(label);  // LEAK: never-freed
  tree->left = tree_build(depth - 1, label);
  tree->right = tree_build(depth - 1, label);
  return tree;
}

static void tree_free_nodes(struct tree *tree) {
  if (!tree) return;
  tree_free_nodes(tree->left);
  tree_free_nodes(tree->right);
  free(tree);
}

int tree_payload_bad(int depth, const char *s) {
  struct tree *tree = tree_build(depth, s);
  tree_free_nodes(tree);
  return depth;
}

static struct tree *tree_grow(int depth, const char *label) {
  if (depth <= 0) return NULL;
  struct tree *tree = calloc(1, sizeof *tree);
  if (!tree) return NULL;
  tree->label = strdup(label);
  tree->left = tree_grow(depth - 1, label);
  tree->right = tree_grow(depth - 1, label);
  return tree;
}

static void tree_free_all(struct tree *tree) {
  if (!tree) return;
  tree_free_all(tree->left);
  tree_free_all(tree->right);
  free(tree->label);
  free(tree);
}

int tree_payload_ok(int depth, const char *s) {
  struct tree *tree = tree_grow(depth, s);
  tree_free_all(tree);
  return depth;
}

// A hash table: buckets, chains, keys.
enum { BUCKETS = 4 };

struct hash {
  struct entry *buckets[BUCKETS];
};

static unsigned hash_of(const char *key) { return (unsigned char)key[0] % BUCKETS; }

static int hash_put(struct hash *hash, const char *key) {
  return list_add(&hash->buckets[hash_of(key)], key);
}

int hash_payload_ok(const char *s, int n) {
  struct hash *hash = calloc(1, sizeof *hash);
  if (!hash) return -1;
  for (int i = 0; i < n; i++) hash_put(hash, s);
  for (int b = 0; b < BUCKETS; b++) list_destroy(hash->buckets[b]);
  free(hash);
  return n;
}

int hash_buckets_bad(const char *s, int n) {
  struct hash *hash = calloc(1, sizeof *hash);
  if (!hash) return -1;
  for (int i = 0; i < n; i++) hash_put(hash, s);  // LEAK: never-freed
  free(hash);
  return n;
}

// Chains freed, keys forgotten.
int hash_keys_bad(const char *s, int n) {
  struct hash hash = {{NULL}};
  for (int i = 0; i < n; i++) hash_put(&hash, s);  // LEAK: never-freed
  for (int b = 0; b < BUCKETS; b++) {
    struct entry *at = hash.buckets[b];
    while (at) {
      struct entry *next = at->next;
      free(at);
      at = next;
    }
  }
  return n;
}

// An array of owners.
struct column {
  char *title;
};

int array_payload_bad(int n, const char *s) {
  if (n <= 0) return 0;
  struct column *columns = calloc((size_t)n, sizeof *columns);
  if (!columns) return -1;
  for (int i = 0; i < n; i++) columns[i].title = strdup(s);  // LEAK: never-freed
  free(columns);
  return n;
}

int array_payload_ok(int n, const char *s) {
  if (n <= 0) return 0;
  struct column *columns = calloc((size_t)n, sizeof *columns);
  if (!columns) return -1;
  for (int i = 0; i < n; i++) columns[i].title = strdup(s);
  for (int i = 0; i < n; i++) free(columns[i].title);
  free(columns);
  return n;
}

// One element removed from a list: unlinked, not freed.
static struct entry *unlink_first(struct entry **head) {
  struct entry *first = *head;
  if (first) *head = first->next;
  return first;
}

int removed_element_bad(const char *s) {
  struct entry *head = NULL;
  if (list_add(&head, s) != 0) return -1;
  if (list_add(&head, s) != 0) {  // LEAK: never-freed
    list_destroy(head);
    return -1;
  }
  unlink_first(&head);
  list_destroy(head);
  return 0;
}

int removed_element_ok(const char *s) {
  struct entry *head = NULL;
  if (list_add(&head, s) != 0) return -1;
  if (list_add(&head, s) != 0) {
    list_destroy(head);
    return -1;
  }
  struct entry *first = unlink_first(&head);
  first->next = NULL;
  list_destroy(first);
  list_destroy(head);
  return 0;
}
