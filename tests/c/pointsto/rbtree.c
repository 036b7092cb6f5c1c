#include <stdlib.h>
#include "truth.h"
struct link { struct link *left, *right, *parent; int red; };
struct root { struct link *top; };
struct session { struct session *owner; struct link by_name; struct link by_id; int id; };
#define OWNER(l, m) ((struct session *)((char *)(l) - offsetof(struct session, m)))
static void insert(struct root *r, struct link *l, int (*cmp)(struct link *, struct link *)) {
  struct link **at = &r->top, *parent = 0;
  while (*at) { parent = *at; at = cmp(l, parent) < 0 ? &parent->left : &parent->right; }
  l->left = l->right = 0;
  l->parent = parent;
  *at = l;
}
static int by_id(struct link *a, struct link *b) {
  LOG(1, OWNER(a, by_id));
  return OWNER(a, by_id)->id - OWNER(b, by_id)->id;
}
static int by_name(struct link *a, struct link *b) {
  LOG(2, OWNER(b, by_name));
  return OWNER(b, by_name)->id - OWNER(a, by_name)->id;
}
static void walk(struct link *l) {
  if (!l) return;
  walk(l->left);
  LOG(3, l); LOG(4, l->parent);
  walk(l->right);
}
int main(void) {
  struct root ids = {0}, names = {0};
  struct session *prev = 0;
  for (int i = 0; i < 5; i++) {
    struct session *s = calloc(1, sizeof *s);
    OBJ("session", s, sizeof *s);
    s->id = (i * 3) % 5; s->owner = prev; prev = s;
    insert(&ids, &s->by_id, by_id);
    insert(&names, &s->by_name, by_name);
  }
  walk(ids.top); walk(names.top);
  struct session *found = OWNER(ids.top, by_id);
  LOG(5, found); LOG(6, found->owner); LOG(7, OWNER(names.top, by_name)->by_id.parent);
  return 0;
}
