// Elements that a callee loses which was given the container: the callee alone never sees them made.
#include <stdlib.h>

struct node {
  struct node *next;
  char *text;
};

static struct node *push(struct node *head) {
  struct node *n = malloc(sizeof *n);
  if (!n) return head;
  n->text = malloc(4);
  if (!n->text) {
    free(n);
    return head;
  }
  n->next = head;
  return n;
}

static void drop_all_but_last(struct node *n) {
  while (n && n->next) {
    struct node *next = n->next;
    free(n->text);
    free(n);
    n = next;
  }
}

static void drop_all(struct node *n) {
  while (n) {
    struct node *next = n->next;
    free(n->text);
    free(n);
    n = next;
  }
}

int last_element_bad(void) {
  struct node *head = NULL;
  for (int i = 0; i < 3; i++) head = push(head);  // LEAK: conditional-leak
  drop_all_but_last(head);
  return 0;
}

int last_element_ok(void) {
  struct node *head = NULL;
  for (int i = 0; i < 3; i++) head = push(head);
  drop_all(head);
  return 0;
}

struct slot {
  int key;
  char *value;
};

static void put(struct slot *s, int key, char *value) {
  if (s->value && s->key == key) {
    s->value = value;
    return;
  }
  free(s->value);
  s->key = key;
  s->value = value;
}

static void replace(struct slot *s, int key, char *value) {
  free(s->value);
  s->key = key;
  s->value = value;
}

int same_key_bad(int n) {
  struct slot s = {0, NULL};
  for (int i = 0; i < n; i++) {
    char *value = malloc(3);  // LEAK: overwritten
    if (!value) break;
    put(&s, n, value);
  }
  free(s.value);
  return 0;
}

int same_key_ok(int n) {
  struct slot s = {0, NULL};
  for (int i = 0; i < n; i++) {
    char *value = malloc(3);
    if (!value) break;
    replace(&s, n, value);
  }
  free(s.value);
  return 0;
}

// What a recursion returns hangs on what its first turn gave, and is not the result itself.
struct tree {
  struct tree *left, *right;
  int key;
};

static struct tree *insert(struct tree *t, int key) {
  if (!t) {
    t = malloc(sizeof *t);
    if (!t) return NULL;
    t->left = t->right = NULL;
    t->key = key;
    return t;
  }
  if (key < t->key) t->left = insert(t->left, key);
  if (key > t->key) t->right = insert(t->right, key);
  return t;
}

static void drop_left(struct tree *t) {
  if (!t) return;
  drop_left(t->left);
  free(t);
}

static void drop_both(struct tree *t) {
  if (!t) return;
  drop_both(t->left);
  drop_both(t->right);
  free(t);
}

int one_side_bad(int n) {
  struct tree *t = NULL;
  for (int i = 0; i < n; i++) t = insert(t, i);  // LEAK: conditional-leak
  drop_left(t);
  return 0;
}

int one_side_ok(int n) {
  struct tree *t = NULL;
  for (int i = 0; i < n; i++) t = insert(t, i);
  drop_both(t);
  return 0;
}

// A few elements in two buckets take more than 200 instructions until one of them is lost.
struct entry {
  struct entry *next;
  int key;
};

static void add(struct entry **bucket, int key) {
  struct entry **at = &bucket[(unsigned)key % 2];
  for (struct entry *e = *at; e; e = e->next)
    if (e->key == key) return;
  struct entry *e = malloc(sizeof *e);
  if (!e) return;
  e->key = key;
  e->next = *at;
  *at = e;
}

static void clear_first(struct entry **bucket) {
  for (int i = 0; i < 2; i++) free(bucket[i]);
}

static void clear(struct entry **bucket) {
  for (int i = 0; i < 2; i++)
    for (struct entry *e = bucket[i]; e;) {
      struct entry *next = e->next;
      free(e);
      e = next;
    }
}

int second_of_bucket_bad(int b) {
  struct entry *bucket[2] = {NULL, NULL};
  for (int i = 0; i < 4; i++) add(bucket, i * b);  // LEAK: conditional-leak
  clear_first(bucket);
  return 0;
}

int second_of_bucket_ok(int b) {
  struct entry *bucket[2] = {NULL, NULL};
  for (int i = 0; i < 4; i++) add(bucket, i * b);
  clear(bucket);
  return 0;
}
