// What a callee gives may be new, and nobody else's: a block that lies in it is lost with it.
#include <stdlib.h>

struct pair {
  char *first;
  char *second;
};

static struct pair *kept;

static void *make(size_t size) {
  void *made = calloc(1, size);
  if (!made) abort();
  return made;
}

static struct pair *pair_of(char *first, char *second) {
  struct pair *made = make(sizeof *made);
  made->first = first;
  made->second = second;
  return made;
}

static struct pair *kept_pair(char *first, char *second) {
  if (!kept) kept = make(sizeof *kept);
  free(kept->first);
  free(kept->second);
  kept->first = first;
  kept->second = second;
  return kept;
}

int dropped_with_pair_bad(int n) {
  char *text = malloc(10);                  // LEAK: never-freed with its owner
  struct pair *pair = pair_of(text, NULL);  // LEAK: never-freed
  return pair->first[0] == n;
}

int dropped_on_error_bad(int n) {
  char *text = calloc(10, 1);               // LEAK: conditional-leak with its owner
  struct pair *pair = pair_of(text, NULL);  // LEAK: conditional-leak
  if (pair->first[0] == n) return -1;
  free(text);
  free(pair);
  return 0;
}

int freed_with_pair_ok(int n) {
  char *text = calloc(10, 1);
  struct pair *pair = pair_of(text, NULL);
  int same = pair->first[0] == n;
  free(pair->first);
  free(pair);
  return same;
}

int kept_with_pair_ok(int n) {
  char *text = calloc(10, 1);
  struct pair *pair = kept_pair(text, NULL);
  return pair->first[0] == n;
}
