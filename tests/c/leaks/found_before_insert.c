// NOT RUN: lists of names.
// A name is looked for before it is put in: what the search gives when it comes to the end of the list says that the second search
// does not find it either. Tried the other way, the search gives a node with contents that are made up; that they may be NULL is no
// reason to take the block for lost whatever was found.
#include <stdlib.h>
#include <string.h>

struct symbol {
  const char *name;
  int uses;
};

struct node {
  struct symbol *symbol;
  const char *name;
  struct node *next;
};

static struct table {
  int count;
  struct node *nodes;
  struct node *first;
} *table;

static int insert(struct symbol *symbol, const char *name) {
  for (struct node *node = table->first; node; node = node->next)
    if (strcmp(node->name, name) == 0) return 0;
  if (table->count == 100) exit(1);
  struct node *node = &table->nodes[table->count++];
  node->name = name;
  node->symbol = symbol;
  node->next = table->first;
  table->first = node;
  return 1;
}

static struct symbol *find(const char *name) {
  struct node *node = table->first;
  while (node) {
    if (strcmp(node->name, name) == 0) break;
    node = node->next;
  }
  return node ? node->symbol : NULL;
}

static struct symbol *intern(const char *name) {
  struct symbol *symbol = find(name);
  if (!symbol) {
    symbol = calloc(1, sizeof *symbol);
    if (!symbol) exit(1);
    symbol->name = name;
    insert(symbol, symbol->name);
  }
  return symbol;
}

int main(int argc, char **argv) {
  (void)argc;
  table = calloc(1, sizeof *table);
  if (!table) return 1;
  table->nodes = calloc(100, sizeof(struct node));
  if (!table->nodes) return 1;
  char **again = argv;
  while (*++argv) (void)intern(*argv);
  while (*++again) (void)intern(*again);
  return table->count;
}
