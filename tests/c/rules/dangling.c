/* What decides a release, and who fills what was released, is not all in the file. */
#include <stdlib.h>

struct text {
  char *bytes;
  int size, room;
};

/* Sizes that lie in the object lead to its release, and the function goes on with it. */
int grow_bad(char **string, int length) {
  struct text *text = (struct text *)string;
  if (text->size + length > text->room) {
    free(text->bytes);
    free(text);
    *string = NULL; // RULE: use-after-free
    return 0;
  }
  text->size += length;
  return 1;
}
int grow_ok(char **string, int length) {
  struct text *text = (struct text *)string;
  if (text->size + length > text->room) {
    free(text->bytes);
    free(text);
    return 0;
  }
  text->size += length;
  return 1;
}

/* Code that is not given fills a variable, in each turn. */
struct name {
  char *first, *last;
};
int next_name(struct name *name, const char **from);
int names_ok(const char *from) {
  struct name name;
  int n = 0;
  while (*from == 'a') {
    if (next_name(&name, &from) < 0) return -1;
    n += name.first[0] == name.last[0];
    free(name.first);
    free(name.last);
  }
  return n;
}
int names_bad(const char *from) {
  struct name name;
  if (next_name(&name, &from) < 0) return -1;
  while (*from == 'a') {
    free(name.first); // RULE: double-free
    free(name.last); // RULE: double-free
    from++;
  }
  return 0;
}
