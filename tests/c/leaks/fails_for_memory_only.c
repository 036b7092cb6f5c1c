// NOT RUN: trees that are filled, sizes beyond all memory.
// Errors that only want of memory gives, also through a recursion, or by a guard against sizes for which there is no room.
#include <stdint.h>
#include <stdlib.h>

struct node {
  struct node *left;
  int *marks;
};

static int mark(struct node *node) {
  int *marks = malloc(40);  // LEAK: leak-if-allocation-fails
  if (!marks) return 12;
  if (node->left) {
    int failed = mark(node->left);
    if (failed) return failed;
  }
  node->marks = marks;
  return 0;
}

int marked_bad(struct node *node) { return mark(node); }

// The same, with an error of its own.
static int mark_some(struct node *node, int depth) {
  int *marks = malloc(40);  // LEAK: conditional-leak
  if (!marks) return 12;
  if (depth > 9) {
    free(marks);
    return 7;
  }
  if (node->left) {
    int failed = mark_some(node->left, depth + 1);
    if (failed) return failed;
  }
  node->marks = marks;
  return 0;
}

int marked_to_a_depth_bad(struct node *node, int depth) { return mark_some(node, depth); }

struct numbers {
  size_t count, room;
  long *all;
};

static int add(struct numbers *numbers, long number) {
  if (numbers->count >= numbers->room) {
    size_t room = numbers->room * 2;
    if (SIZE_MAX / 16 < room) return -1;
    long *all = realloc(numbers->all, room * sizeof(long));
    if (!all) return -1;
    numbers->all = all;
    numbers->room = room;
  }
  numbers->all[numbers->count++] = number;
  return 0;
}

int added_bad(struct numbers *numbers, long number) {
  char *text = malloc(10);  // LEAK: leak-if-allocation-fails
  if (!text) return -1;
  if (add(numbers, number) < 0) return -1;
  free(text);
  return 0;
}

// A size that somebody gives may be as large as it likes.
int given_bad(size_t count) {
  char *text = malloc(10);  // LEAK: conditional-leak
  if (!text) return -1;
  if (SIZE_MAX / 16 < count) return -1;
  free(text);
  return 0;
}
