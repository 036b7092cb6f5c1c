// Lists built through a pointer to where the next element goes: the caller's variable, then a field.
#include <stdlib.h>

struct piece {
  struct piece *next;
  int n;
};

static int build(struct piece **tail, int n) {
  while (n-- > 0) {
    struct piece *p = malloc(sizeof *p);
    if (!p) return -1;
    p->n = n;
    p->next = NULL;
    *tail = p;
    tail = &p->next;
  }
  return 0;
}

static void drop(struct piece *p) {
  while (p) {
    struct piece *next = p->next;
    free(p);
    p = next;
  }
}

int tail_forgotten_bad(int n) {
  struct piece *first = NULL;
  return build(&first, n + 1);  // LEAK: never-freed
}

int tail_dropped_ok(int n) {
  struct piece *first = NULL;
  int result = build(&first, n + 1);
  drop(first);
  return result;
}

// A second way out that forgets the list.
int tail_early_bad(int n) {
  struct piece *first = NULL;
  build(&first, 3);  // LEAK: conditional-leak
  if (n > 0) return -1;
  drop(first);
  return 0;
}

struct piece *tail_returned_ok(int n) {
  struct piece *first = NULL;
  build(&first, n);
  return first;
}

// Elements are strings of one kind; the out-parameter may be a field that holds such a string.
static int copy_word(const char *from, char **to) {
  *to = malloc(8);
  if (!*to) return 0;
  (*to)[0] = from[0];
  (*to)[1] = 0;
  return 1;
}

struct entry {
  char *name;
};

int word_forgotten_bad(const char *text) {
  char *word = NULL;
  if (!copy_word(text, &word)) return -1;  // LEAK: never-freed
  return word[0];
}

int word_freed_ok(const char *text) {
  char *word = NULL;
  if (!copy_word(text, &word)) return -1;
  int first = word[0];
  free(word);
  return first;
}

int word_in_entry_ok(struct entry *entry, const char *text) {
  return copy_word(text, &entry->name);
}
