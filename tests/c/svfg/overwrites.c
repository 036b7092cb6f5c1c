/* A second store through the same pointer value replaces what the first one stored. */
#include <stdlib.h>

struct item {
  char *name, *other;
  struct item *next;
};

void overwritten(struct item *s) {
  s->name = malloc(1);
  s->name = malloc(2);
}

void kept_in_another_field(struct item *s) {
  s->name = malloc(1);
  s->other = malloc(2);
}

void overwritten_on_one_path(struct item *s, int c) {
  s->name = malloc(1);
  if (c)
    s->name = malloc(2);
}

void cleared(struct item *s) {
  s->name = malloc(1);
  free(s->name);
  s->name = NULL;
}

/* Each round has its own block: nothing is replaced. */
struct item *chain(int n) {
  struct item *head = NULL;
  while (n--) {
    struct item *s = malloc(sizeof *s);
    s->name = malloc(1);
    s->next = head;
    head = s;
  }
  return head;
}

/* The same block in every round. */
void same_block(struct item *s, int n) {
  while (n--)
    s->name = malloc(1);
}

void use(void) {
  struct item *s = chain(3);
  overwritten(s);
  kept_in_another_field(s);
  overwritten_on_one_path(s, 1);
  cleared(s);
  same_block(s, 3);
  free(s->name);
  free(s->other);
}
