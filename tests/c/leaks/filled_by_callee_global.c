// One function fills a global variable's memory and a local one's.
#include <stdlib.h>
#include <string.h>

struct text {
  char *data;
};

static int text_set(struct text *text, const char *s) {
  free(text->data);
  text->data = strdup(s);
  return text->data ? 0 : -1;
}

static struct text shared;

int global_ok(const char *s) { return text_set(&shared, s); }

int local_ok(const char *s) {
  struct text text = {NULL};
  text_set(&text, s);
  free(text.data);
  return 0;
}

int local_bad(const char *s) {
  struct text text = {NULL};
  return text_set(&text, s);  // LEAK: never-freed
}
