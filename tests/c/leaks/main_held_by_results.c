// The same at the end of `main`: what lies in a block that a callee made ends with it.
#include <stdlib.h>

struct pair {
  char *first;
  char *second;
};

static void *make(size_t size) { return malloc(size); }

static struct pair *pair_of(char *first, char *second) {
  struct pair *made = make(sizeof *made);
  made->first = first;
  made->second = second;
  return made;
}

int main(void) {
  char *first = make(10);                    // LEAK: leak-at-exit
  char *second = make(10);                   // LEAK: leak-at-exit
  struct pair *pair = pair_of(first, second);  // LEAK: leak-at-exit
  return pair == NULL;
}
