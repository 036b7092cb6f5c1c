// A released block is used on every path: what is lost on the way (LOST) is lost all the same.
#include <stdlib.h>

struct network {
  int *arcs;
  int *stops;
};

void before_use_bad(int n) {
  struct network *net = malloc(sizeof *net);
  if (!net) return;
  net->arcs = malloc(10);
  net->stops = malloc(10);  // LOST
  free(net);
  free(net->arcs);  // RULE: use-after-free
}

void behind_use_bad(int n) {
  struct network *net = malloc(sizeof *net);
  int *other = malloc(10);  // LOST
  if (!net || !other) exit(1);
  net->arcs = malloc(10);  // LOST
  free(net);
  if (net->arcs == other) exit(1);  // RULE: use-after-free
}

// Freed on the way that is defined: on the other nobody knows what happens.
void freed_elsewhere_bad(int n) {
  struct network *net = malloc(sizeof *net);
  int *other = malloc(10);
  if (!net || !other) exit(1);
  net->arcs = NULL;
  free(net);
  if (n && net->arcs == other) exit(1);  // RULE: use-after-free
  if (!n) free(other);
}
