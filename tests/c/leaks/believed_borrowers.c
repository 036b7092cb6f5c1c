// Functions of which only calls are seen: what they can keep, and where. NOT RUN: nobody here defines them.
#include <stdlib.h>

struct text {
  char *start;
  int size;
};

// It gets nothing else to write to, and the caller goes on with it: lent.
int replace_all(struct text *text, const char *what, const char *with);

int replaced_bad(void) {
  struct text *text = calloc(1, sizeof *text);  // LEAK: never-freed
  if (!text) return -1;
  replace_all(text, "a", "b");
  return text->size;
}

int replaced_ok(void) {
  struct text *text = calloc(1, sizeof *text);
  if (!text) return -1;
  replace_all(text, "a", "b");
  int size = text->size;
  free(text);
  return size;
}

// The name says that it is kept.
int register_text(struct text *text, const char *name);

int registered_ok(void) {
  struct text *text = calloc(1, sizeof *text);
  if (!text) return -1;
  register_text(text, "a");
  return text->size;
}

// There is something that it may be put into.
struct shelf;
int shelve(struct shelf *shelf, struct text *text);

int shelved_ok(struct shelf *shelf) {
  struct text *text = calloc(1, sizeof *text);
  if (!text) return -1;
  shelve(shelf, text);
  return text->size;
}
