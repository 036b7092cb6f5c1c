// What is known after a callee that was not looked into. NOT RUN: nobody here defines what the callees call.
#include <stdlib.h>
#include <string.h>

// Who comes back from a callee that follows its argument in any case did not give NULL.
struct text {
  char *bytes;
  int kind;
};

int report(int n);

static int weight(const struct text *t) {
  int i, sum = 0;
  for (i = 0; t->bytes[i]; i++) {
    sum += t->bytes[i];
    if (sum > 1000) sum = report(sum);
  }
  return sum;
}

static int maybe_weight(const struct text *t) { return t ? weight(t) : report(0); }

int tested_too_late_ok(const struct text *t) {
  char *copy = malloc(10);
  int sum = weight(t);
  if (t == NULL) return -1;
  free(copy);
  return sum;
}

int tested_in_callee_bad(const struct text *t) {
  char *copy = malloc(10);  // LEAK: conditional-leak
  int sum = maybe_weight(t);
  if (t == NULL) return -1;
  free(copy);
  return sum;
}

// A callee that writes somewhere in a structure leaves a new block where it was put.
struct leaf {
  char *key;
  struct leaf *next;
};

struct forest {
  struct leaf *first;
  int depth, widest, turns;
};

int measure(int depth, int turn);

static void rebalance(struct forest *f, int turns) {
  for (int i = 0; i < turns; i++) {
    f->depth = measure(f->depth, i);
    if (f->depth > f->widest) f->widest = f->depth;
    f->turns++;
  }
}

int put_after_call_ok(struct forest *f, const char *key) {
  struct leaf *fresh = calloc(1, sizeof *fresh);
  if (!fresh) return -1;
  fresh->next = f->first;
  f->first = fresh;
  rebalance(f, 3);
  fresh->key = strdup(key);
  return 0;
}

int put_and_dropped_bad(struct forest *f, const char *key) {
  struct leaf *fresh = calloc(1, sizeof *fresh);
  if (!fresh) return -1;
  rebalance(f, 3);
  fresh->key = strdup(key);  // LEAK: conditional-leak|never-freed
  free(fresh);
  return 0;
}
