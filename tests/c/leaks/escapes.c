// Escapes: what leaves the function is somebody else's; what leaves on one path only is lost on the other.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *last_name;
static char *table[4];

struct node {
  char *text;
  struct node *next;
};

static struct node *nodes;

int into_global_ok(const char *s) {
  free(last_name);
  last_name = strdup(s);
  return 0;
}

int into_global_one_path_bad(const char *s, int n) {
  char *p = strdup(s);  // LEAK: conditional-leak
  if (n > 1) {
    free(last_name);
    last_name = p;
  }
  return 0;
}

int into_global_array_ok(const char *s, int n) {
  int at = n & 3;
  free(table[at]);
  table[at] = strdup(s);
  return 0;
}

int into_global_list_ok(const char *s) {
  struct node *node = malloc(sizeof *node);
  if (!node) return -1;
  node->text = strdup(s);
  node->next = nodes;
  nodes = node;
  return 0;
}

// The node goes into the list; another block that it does not hold stays behind.
int into_global_list_bad(const char *s) {
  struct node *node = malloc(sizeof *node);
  char *copy = strdup(s);  // LEAK: never-freed
  if (!node) return -1;
  node->text = NULL;
  node->next = nodes;
  nodes = node;
  return copy != NULL;
}

char *returned_ok(const char *s) { return strdup(s); }

char *returned_one_path_bad(const char *s, int n) {
  char *p = strdup(s);  // LEAK: conditional-leak
  if (n < 0) return NULL;
  return p;
}

char *returned_one_path_ok(const char *s, int n) {
  char *p = strdup(s);
  if (n < 0) {
    free(p);
    return NULL;
  }
  return p;
}

// Returned inside something else.
struct node *returned_in_owner_ok(const char *s) {
  struct node *node = calloc(1, sizeof *node);
  if (node) node->text = strdup(s);
  return node;
}

// Returned as a part of itself.
char *returned_middle_ok(const char *s) {
  char *p = malloc(strlen(s) + 9);
  if (!p) return NULL;
  strcpy(p + 8, s);
  return p + 8;
}

void out_parameter_ok(const char *s, char **out) { *out = strdup(s); }

int out_parameter_one_path_bad(const char *s, int n, char **out) {
  char *p = strdup(s);  // LEAK: conditional-leak
  if (n > 2) return -1;
  *out = p;
  return 0;
}

int out_parameter_one_path_ok(const char *s, int n, char **out) {
  if (n > 2) return -1;
  *out = strdup(s);
  return 0;
}

void into_parameter_field_ok(struct node *node, const char *s) {
  if (!node->text) node->text = strdup(s);
}

int into_parameter_list_ok(struct node **head, const char *s) {
  struct node *node = calloc(1, sizeof *node);
  if (!node) return -1;
  node->text = strdup(s);
  node->next = *head;
  *head = node;
  return 0;
}

// Into a local container that dies: no escape.
int into_local_container_bad(const char *s) {
  struct node local = {NULL, NULL};
  local.next = calloc(1, sizeof *local.next);  // LEAK: never-freed
  if (!local.next) return -1;
  local.next->text = strdup(s);  // LEAK: never-freed with its owner
  return 0;
}

int into_local_container_ok(const char *s) {
  struct node local = {NULL, NULL};
  local.next = calloc(1, sizeof *local.next);
  if (!local.next) return -1;
  local.next->text = strdup(s);
  free(local.next->text);
  free(local.next);
  return 0;
}

// Into a heap container that is itself lost, or freed.
int into_freed_container_bad(const char *s) {
  struct node *node = calloc(1, sizeof *node);
  if (!node) return -1;
  node->text = strdup(s);  // LEAK: never-freed
  free(node);
  return 0;
}

// Into a local container that escapes later.
int container_escapes_later_ok(const char *s) {
  struct node *node = calloc(1, sizeof *node);
  if (!node) return -1;
  node->text = strdup(s);
  struct node *copy = node;
  copy->next = nodes;
  nodes = copy;
  return 0;
}

// An external function that is known to borrow does not take over.
int borrowed_by_library_bad(const char *s) {
  char *p = strdup(s);  // LEAK: never-freed
  if (!p) return -1;
  return (int)strlen(p) + puts(p);
}

// An unknown external function may keep what it is given.
void unknown_consumer(char *text) __attribute__((weak));

int unknown_external_ok(const char *s) {
  char *p = strdup(s);
  if (!p) return -1;
  if (unknown_consumer)
    unknown_consumer(p);
  else
    free(p);
  return 0;
}

// Stored as an integer in a global: no longer visible as a pointer, but still held. LeakSanitizer sees
// it because the value is the address itself.
static unsigned long handle;

unsigned long as_integer_ok(const char *s) {
  free((void *)handle);
  handle = (unsigned long)strdup(s);
  return 0;
}

// Put away and taken back.
static char *stash;

int stash_and_take_ok(const char *s) {
  free(stash);
  stash = strdup(s);
  char *p = stash;
  stash = NULL;
  free(p);
  return 0;
}

// Taken back from the global, and then lost. Arguable: reported only by a tool that follows a block out
// of a global again.
int stash_and_lose_bad(const char *s) {
  free(stash);
  stash = strdup(s);  // LEAK: overwritten
  stash = NULL;
  return 0;
}

// A block that holds itself is not held.
struct self {
  struct self *me;
};

int self_reference_bad(int n) {
  struct self *self = malloc(sizeof *self);  // LEAK: never-freed
  if (self) self->me = self;
  return n;
}
