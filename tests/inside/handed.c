#include <stdlib.h>
#include <string.h>
struct item { char *name; int n; };
struct item *make(const char *name, int n) {
  struct item *item = malloc(sizeof *item);
  if (!item) return NULL;
  item->name = strdup(name);
  if (n < 0) return NULL;
  item->n = n;
  return item;
}
void drop(struct item *item) { if (item) { free(item->name); free(item); } }
int main(int argc, char **argv) {
  struct item *item = make(argv[0], argc);
  if (item && argc > 3) return 1;
  drop(item);
  return 0;
}
