#include <stdlib.h>
#include <string.h>
struct node { struct node *next; char *text; };
struct node *read_all(char **lines, int count) {
  struct node *first = NULL;
  for (int i = 0; i < count; i++) {
    struct node *node = malloc(sizeof *node);
    if (!node) break;
    node->text = strdup(lines[i]);
    if (!node->text) break;
    node->next = first;
    first = node;
  }
  return first;
}
