#include <stdlib.h>
#include "truth.h"
struct node { struct node *next; struct node **back; void *data; };
static struct node *head, **tail = &head;
static void push(void *data) {
  struct node *n = malloc(sizeof *n);
  OBJ("node", n, sizeof *n);
  n->data = data;
  n->next = 0;
  n->back = tail;
  *tail = n;
  tail = &n->next;
}
struct payload { struct payload *self; int n; };
int main(void) {
  struct payload a = {&a, 1}, b = {&a, 2};
  OBJ("a", &a, sizeof a); OBJ("b", &b, sizeof b); OBJ("head", &head, sizeof head);
  push(&a); push(&b); push(&a);
  for (struct node *n = head; n; n = n->next) {
    LOG(1, n);
    LOG(2, n->data);
    struct payload *p = n->data;
    LOG(3, p->self);
    LOG(4, n->back);
  }
  LOG(5, tail);
  LOG(6, *head->back);
  return 0;
}
