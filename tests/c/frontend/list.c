// A small, ordinary unit: what the golden dump of the tables shows.
#include <stdlib.h>
#include <string.h>

struct node {
  struct node *next;
  char *name;
  union { int number; void *data; } value;
};

static struct node *head;
static int (*const compare)(const char *, const char *) = strcmp;

struct node *push(const char *name, int number) {
  struct node *fresh = malloc(sizeof *fresh);
  if (!fresh)
    return NULL;
  fresh->name = strdup(name);
  fresh->value.number = number;
  fresh->next = head;
  head = fresh;
  return fresh;
}

int count(const char *name) {
  int found = 0;
  for (struct node *at = head; at; at = at->next)
    switch (compare(at->name, name)) {
    case 0: found++; break;
    case -1: exit(2);
    default: break;
    }
  return found;
}
