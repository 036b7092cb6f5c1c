/* A callee puts what it is given where its caller finds it again: two names of one block. */
#include <stdlib.h>
#include <string.h>

static volatile int sink;

struct holder {
  char *text;
  int size;
};

static void holder_set(struct holder *holder, char *text) {
  holder->text = text;
  holder->size = 1;
}
int put_used_bad(const char *from) {
  struct holder holder = {0};
  char *text = strdup(from);
  if (!text) return -1;
  holder_set(&holder, text);
  free(text);
  sink = holder.text[0]; // RULE: use-after-free
  return 0;
}
int put_used_ok(const char *from) {
  struct holder holder = {0};
  char *text = strdup(from);
  if (!text) return -1;
  holder_set(&holder, text);
  sink = holder.text[0];
  free(text);
  return 0;
}

/* Through two calls, and released by the object's own function. */
static void holder_begin(struct holder *holder, char *text) {
  memset(holder, 0, sizeof *holder);
  holder_set(holder, text);
}
static void holder_end(struct holder *holder) {
  free(holder->text);
}
int put_twice_bad(const char *from, int n) {
  struct holder holder;
  char *text = strdup(from);
  if (!text) return -1;
  holder_begin(&holder, text);
  if (n < 0) free(text);
  holder_end(&holder); // RULE: double-free
  return 0;
}
int put_twice_ok(const char *from, int n) {
  struct holder holder;
  char *text = strdup(from);
  if (!text) return -1;
  holder_begin(&holder, text);
  if (n < 0) {
    free(text);
    holder.text = NULL;
  }
  holder_end(&holder);
  return 0;
}

/* Another block was put there since. */
int put_other_ok(const char *from) {
  struct holder holder;
  char *text = strdup(from), *other = strdup("other");
  if (!text || !other) exit(1);
  holder_begin(&holder, text);
  holder_set(&holder, other);
  free(text);
  holder_end(&holder);
  return 0;
}

/* A global is a place, too. */
static char *current;
static void make_current(char *text) {
  current = text;
}
int put_global_bad(const char *from) {
  char *text = strdup(from);
  if (!text) return -1;
  make_current(text);
  free(text);
  sink = current[0]; // RULE: use-after-free
  return 0;
}

/* A counter of references: the setter takes one, or does not. */
struct counted {
  int refs;
};
struct keeper {
  struct counted *one;
};
static void put(struct counted *one) {
  if (--one->refs == 0) free(one);
}
static void keeper_set(struct keeper *keeper, struct counted *one) {
  if (keeper->one) put(keeper->one);
  keeper->one = one;
}
int kept_without_reference_bad(void) {
  struct keeper keeper = {0};
  struct counted *one = calloc(1, sizeof *one);
  if (!one) return -1;
  one->refs = 1;
  keeper_set(&keeper, one);
  put(one);
  sink = keeper.one->refs; // RULE: use-after-free
  return 0;
}
int kept_with_reference_ok(void) {
  struct keeper keeper = {0};
  struct counted *one = calloc(1, sizeof *one);
  if (!one) return -1;
  one->refs = 2;
  keeper_set(&keeper, one);
  put(one);
  sink = keeper.one->refs;
  put(keeper.one);
  return 0;
}
