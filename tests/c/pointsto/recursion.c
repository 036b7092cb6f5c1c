#include <stdlib.h>
#include "truth.h"
struct tree { struct tree *left, *right; int key; };
static struct tree *insert(struct tree *t, int key) {
  if (!t) {
    t = calloc(1, sizeof *t);
    OBJ("node", t, sizeof *t);
    t->key = key;
    return t;
  }
  if (key < t->key) t->left = insert(t->left, key);
  else t->right = insert(t->right, key);
  return t;
}
static struct tree *smallest(struct tree *t) { return t->left ? smallest(t->left) : t; }
static void release(struct tree *t) {
  if (!t) return;
  release(t->left);
  release(t->right);
  LOG(3, t);
  free(t);
}
int main(void) {
  struct tree *root = 0;
  for (int i = 0; i < 7; i++) root = insert(root, (i * 5) % 7);
  LOG(1, root);
  LOG(2, smallest(root));
  release(root);
  return 0;
}
