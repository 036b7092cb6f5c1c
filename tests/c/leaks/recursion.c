// Recursion: trees, lists, and recursive constructors and destructors.
#include <stdlib.h>
#include <string.h>

struct tree {
  char *label;
  struct tree *children[2];
};

static void tree_free(struct tree *tree) {
  if (tree == NULL) return;
  for (int i = 0; i < 2; i++) tree_free(tree->children[i]);
  free(tree->label);
  free(tree);
}

static struct tree *tree_make(int depth) {
  if (depth <= 0) return NULL;
  struct tree *tree = calloc(1, sizeof *tree);
  if (!tree) return NULL;
  tree->label = strdup("node");
  for (int i = 0; i < 2; i++) tree->children[i] = tree_make(depth - 1);
  return tree;
}

int tree_ok(int depth) {
  struct tree *tree = tree_make(depth);
  tree_free(tree);
  return depth;
}

int tree_not_freed_bad(int depth) {
  struct tree *tree = tree_make(depth);  // LEAK: never-freed
  return tree != NULL;
}

int tree_root_only_bad(int depth) {
  struct tree *tree = tree_make(depth);  // LEAK: conditional-leak
  if (tree) free(tree->label);
  free(tree);
  return depth;
}

int tree_error_path_bad(int depth) {
  struct tree *tree = tree_make(depth);  // LEAK: conditional-leak
  if (depth > 2) return -1;
  tree_free(tree);
  return depth;
}

// Insertion by recursion: the node is linked in, or the caller still has it.
static int tree_insert(struct tree **at, struct tree *fresh) {
  if (*at == NULL) {
    *at = fresh;
    return 0;
  }
  int order = strcmp(fresh->label, (*at)->label);
  if (order == 0) return -1;
  return tree_insert(&(*at)->children[order > 0], fresh);
}

int insert_ok(const char *a, const char *b) {
  const char *labels[] = {a, b};
  struct tree *root = NULL;
  for (int i = 0; i < 2; i++) {
    struct tree *fresh = calloc(1, sizeof *fresh);
    if (!fresh) break;
    fresh->label = strdup(labels[i]);
    if (!fresh->label || tree_insert(&root, fresh) != 0) tree_free(fresh);
  }
  tree_free(root);
  return 0;
}

int insert_bad(const char *a, const char *b) {
  const char *labels[] = {a, b};
  struct tree *root = NULL;
  for (int i = 0; i < 2; i++) {
    struct tree *fresh = calloc(1, sizeof *fresh);  // LEAK: conditional-leak
    if (!fresh) break;
    fresh->label = strdup(labels[i]);  // LEAK: conditional-leak with its owner
    if (!fresh->label) {
      tree_free(fresh);
      break;
    }
    tree_insert(&root, fresh);
  }
  tree_free(root);
  return 0;
}

// A list freed recursively.
struct cell {
  struct cell *next;
};

static void cells_free(struct cell *cell) {
  if (!cell) return;
  cells_free(cell->next);
  free(cell);
}

static struct cell *cells_make(int n) {
  if (n <= 0) return NULL;
  struct cell *cell = malloc(sizeof *cell);
  if (!cell) return NULL;
  cell->next = cells_make(n - 1);
  return cell;
}

int cells_ok(int n) {
  cells_free(cells_make(n));
  return n;
}

int cells_second_bad(int n) {
  struct cell *first = cells_make(n);  // LEAK: never-freed|conditional-leak
  if (first) cells_free(first->next);
  return n;
}

// A local block in a recursive function, freed or lost on the way down.
int descend_ok(int n) {
  if (n <= 0) return 0;
  char *scratch = malloc(4);
  int result = descend_ok(n - 1) + 1;
  free(scratch);
  return result;
}

int descend_bad(int n) {
  char *scratch = malloc(4);  // LEAK: conditional-leak
  if (n <= 0) return 0;
  int result = descend_bad(n - 1) + 1;
  free(scratch);
  return result;
}

// Mutual recursion: each half frees what the other made.
static int odd(int n, char *text);

static int even(int n, char *text) {
  free(text);
  if (n <= 0) return 1;
  return odd(n - 1, malloc(4));
}

static int odd(int n, char *text) {
  free(text);
  if (n <= 0) return 0;
  return even(n - 1, malloc(4));
}

int mutual_ok(int n) { return even(n, malloc(4)); }

static int pong(int n, char *text);

static int ping(int n, char *text) {
  if (n <= 0) return 1;
  free(text);
  return pong(n - 1, malloc(4));  // LEAK: conditional-leak
}

static int pong(int n, char *text) {
  if (n <= 0) return 0;
  free(text);
  return ping(n - 1, malloc(4));  // LEAK: conditional-leak
}

int mutual_bad(int n) {
  return ping(n, malloc(4));  // LEAK: conditional-leak
}
