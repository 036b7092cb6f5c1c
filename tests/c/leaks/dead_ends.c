// Functions with so many ways that the conditions of their joins are rounded: the way into a call that
// does not come back is still no way on.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int flags;

static void __attribute__((noreturn)) die(const char *message) {
  fprintf(stderr, "%s\n", message);
  exit(2);
}

// Ways whose conditions are large where they meet, and on which nothing depends.
#define LATE(i) (s[i] > 'm')
#define READ(s)                                                     \
  if (strlen(s) < 16) return -2;                                    \
  int s0 = LATE(0), s1 = LATE(1), s2 = LATE(2), s3 = LATE(3);       \
  int s4 = LATE(4), s5 = LATE(5), s6 = LATE(6), s7 = LATE(7);       \
  int t0 = LATE(8), t1 = LATE(9), t2 = LATE(10), t3 = LATE(11);     \
  int t4 = LATE(12), t5 = LATE(13), t6 = LATE(14), t7 = LATE(15);   \
  if (s0 || s1 || s2 || s3 || s4 || s5 || s6 || s7) flags |= 1;
#define MANY_WAYS                                                   \
  if (s0 == t0 && s1 == t1 && s2 == t2 && s3 == t3 && s4 == t4 &&   \
      s5 == t5 && s6 == t6 && s7 == t7)                             \
    return -1;

// In a loop that is begun again: what dies in it is no block of the loop.
int tried_again_ok(const char *s, int n) {
  READ(s)
  int tries = 0;
again:
  MANY_WAYS
  char *a = strdup(s);  // OPEN: most-nodes
  char *b = n > 1 ? strdup(s) : NULL;  // OPEN: most-nodes
  if (a == NULL || b == NULL) die("no copies");
  flags += a[0] + b[0];
  free(a);
  free(b);
  MANY_WAYS
  if (flags == 99 && tries++ < 3) goto again;
  return flags;
}

int tried_again_bad(const char *s, int n) {
  READ(s)
  int tries = 0;
again:
  MANY_WAYS
  char *a = strdup(s);  // LEAK: conditional-leak
  char *b = n > 1 ? strdup(s) : NULL;  // OPEN: most-nodes
  if (a == NULL) die("no copy");
  if (b == NULL) return -1;
  flags += a[0] + b[0];
  free(a);
  free(b);
  MANY_WAYS
  if (flags == 99 && tries++ < 3) goto again;
  return flags;
}

// Made in a turn of a loop, and kept when the turn is over.
struct item {
  struct item *next;
  char *text;
};

int kept_in_turn_ok(struct item **all, const char *s, int n) {
  READ(s)
  MANY_WAYS
  for (int i = 0; i < n; i++) {
    if (s[i] == '#') continue;
    MANY_WAYS
    struct item *item = calloc(1, sizeof *item);  // OPEN: most-nodes
    if (item == NULL) die("no item");
    if (s[i] == 'l') die("no such letter");
    item->next = *all;
    *all = item;
  }
  return flags;
}

int kept_in_turn_bad(struct item **all, const char *s, int n) {
  READ(s)
  MANY_WAYS
  for (int i = 0; i < n; i++) {
    if (s[i] == '#') continue;
    MANY_WAYS
    struct item *item = calloc(1, sizeof *item);  // LEAK: conditional-leak
    if (item == NULL) die("no item");
    if (s[i] == 'l') return -1;
    item->next = *all;
    *all = item;
  }
  return flags;
}

// Freed at the end of a turn, which an error does not come to.
int freed_in_turn_ok(const char *s, int n) {
  READ(s)
  MANY_WAYS
  for (int i = 0; i < n; i++) {
    char *name = strdup(s);  // OPEN: most-nodes
    if (name == NULL) die("no name");
    for (int k = 0; k < 3; k++)
      if (name[k] == s[i]) flags |= k;
    if (s[i] == 'l') die("no such letter");
    if (s[i] == ' ' && s2 == t2) die("no blanks");
    flags += name[0];
    free(name);
  }
  return flags;
}

int freed_in_turn_bad(const char *s, int n) {
  READ(s)
  MANY_WAYS
  for (int i = 0; i < n; i++) {
    char *name = strdup(s);  // LEAK: conditional-leak
    if (name == NULL) die("no name");
    for (int k = 0; k < 3; k++)
      if (name[k] == s[i]) flags |= k;
    if (s[i] == 'l') die("no such letter");
    if (s[i] == ' ' && s2 == t2) continue;
    flags += name[0];
    free(name);
  }
  return flags;
}

// What a turn leaves in a variable is gone before the next turn comes to the inner loop.
struct names {
  char *first;
  int count;
};

static int find_names(const char *s, struct names *found) {
  if (s[0] == '*') return 3;
  found->first = strdup(s);
  if (found->first == NULL) return 1;
  found->count = s[1];
  return s[2] == 'l' ? 2 : 0;
}

static void forget_names(struct names *found) {
  free(found->first);
  found->first = NULL;
  found->count = 0;
}

int inner_loop_first_ok(const struct item *all, const char *s, int n) {
  READ(s)
  struct names found = {NULL, 0};
  for (int i = 0; i < n; i++) {
    int known = 0;
    MANY_WAYS
    for (const struct item *item = all; item; item = item->next) {
      if (!item->text || strcmp(item->text, s) != 0) continue;
      if (item->next) inner_loop_first_ok(item->next, item->text, n - 1);
      known = 1;
    }
    if (known) continue;
    int code = find_names(s, &found);  // OPEN: most-nodes
    if (code != 0 && code != 3) die("no names");
    if (found.count > 99) die("too many names");
    forget_names(&found);
  }
  return flags;
}

int inner_loop_first_bad(const struct item *all, const char *s, int n) {
  READ(s)
  struct names found = {NULL, 0};
  for (int i = 0; i < n; i++) {
    int known = 0;
    MANY_WAYS
    for (const struct item *item = all; item; item = item->next) {
      if (!item->text || strcmp(item->text, s) != 0) continue;
      if (item->next) inner_loop_first_bad(item->next, item->text, n - 1);
      known = 1;
    }
    if (known) continue;
    int code = find_names(s, &found);  // LEAK: overwritten|conditional-leak
    if (code != 0 && code != 3) continue;
    if (found.count > 99) die("too many names");
    forget_names(&found);
  }
  return flags;
}
