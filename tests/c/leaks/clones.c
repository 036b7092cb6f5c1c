// A block in a field of what a constructor makes, and callers that do not agree on it.
#include <stdlib.h>
#include <string.h>

struct node {
  struct node *next;
  char *name;
};

static struct node *named_node(const char *name) {
  struct node *node = calloc(1, sizeof *node);
  if (node) node->name = strdup(name);  // LEAK: never-freed
  return node;
}

void forgets_the_name_bad(const char *name) {
  struct node *node = named_node(name);
  free(node);
}

void frees_the_name_ok(const char *name) {
  struct node *node = named_node(name);
  if (node) free(node->name);
  free(node);
}

static struct node *other_node(const char *name) {
  struct node *node = calloc(1, sizeof *node);
  if (node) node->name = strdup(name);
  return node;
}

static void node_free(struct node *node) {
  if (!node) return;
  free(node->name);
  free(node);
}

void one_caller_ok(const char *name) {
  struct node *node = other_node(name);
  node_free(node);
}

void links_two_ok(const char *name) {
  struct node *first = other_node(name);
  struct node *second = other_node(name);
  if (first) first->next = second;
  if (first) node_free(first->next);
  else node_free(second);
  node_free(first);
}
