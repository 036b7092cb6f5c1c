// A function that is not given releases what lies in the variable whose address it gets. A parameter is a
// copy of what the caller has.
#include <stddef.h>

struct node;
int node_new(const char *name, struct node **out);
void node_delete(struct node **node);
int node_write(struct node *node, const char *name, const void *value, int length);
int node_code(struct node *node, char *out, int *length);

static int write_deleting(struct node *node, const char *value) {
  if (node_write(node, "id", value, 1) != 0) {
    node_delete(&node);
    return -2;
  }
  return 0;
}

int export_bad(const char *value, char *out, int *length) {
  struct node *node = NULL;
  int result = node_new("x", &node);
  if (result != 0) return result;
  result = write_deleting(node, value);
  if (result < 0) goto done;
  result = node_code(node, out, length);
done:
  node_delete(&node);  // RULE: double-free
  return result;
}

static int write_only(struct node *node, const char *value) {
  if (node_write(node, "id", value, 1) != 0) return -1;
  return 0;
}

int export_ok(const char *value, char *out, int *length) {
  struct node *node = NULL;
  int result = node_new("x", &node);
  if (result != 0) return result;
  result = write_only(node, value);
  if (result < 0) goto done;
  result = node_code(node, out, length);
done:
  node_delete(&node);
  return result;
}

int copy_bad(void) {
  struct node *node = NULL, *copy;
  if (node_new("y", &node)) return 1;
  copy = node;
  node_delete(&node);
  node_delete(&copy);  // RULE: double-free
  return 0;
}

int again_ok(void) {
  struct node *node = NULL;
  if (node_new("z", &node)) return 1;
  node_delete(&node);
  node_delete(&node);
  return 0;
}
