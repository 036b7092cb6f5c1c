// Blocks that are released twice, or used after their release; and what looks like it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct item {
  char *name;
  int references;
  struct item *next;
};

void twice_bad(int n) {
  char *p = malloc(8);
  if (!p) return;
  if (n) free(p);
  free(p);  // RULE: double-free
}

void cleared_ok(int n) {
  char *p = malloc(8);
  if (!p) return;
  if (n) {
    free(p);
    p = NULL;
  }
  free(p);
}

void correlated_ok(int n) {
  char *p = malloc(8);
  if (!p) return;
  if (n > 1) free(p);
  if (n <= 1) free(p);
}

void written_bad(int n) {
  char *p = malloc(8);
  if (!p) return;
  free(p);
  p[n & 1] = 1;  // RULE: use-after-free
}

void read_bad(int n) {
  struct item *item = calloc(1, sizeof *item);
  if (!item) return;
  item->references = n;
  free(item);
  printf("%d\n", item->references);  // RULE: use-after-free
}

void address_only_ok(int n) {
  char *p = malloc(8);
  if (!p) return;
  free(p);
  if (n) printf("%p\n", (void *)p);
}

void text_bad(int n) {
  char *p = strdup("text");
  if (!p) return;
  free(p);
  if (n) printf("%d %s\n", n, p);  // RULE: use-after-free
}

static void release_name(struct item *item) { free(item->name); }

static void forget_name(struct item *item) {
  free(item->name);
  item->name = NULL;
}

void in_callee_bad(int n) {
  struct item item = {strdup("a"), n, NULL};
  release_name(&item);
  free(item.name);  // RULE: double-free
}

void in_callee_ok(int n) {
  struct item item = {strdup("a"), n, NULL};
  forget_name(&item);
  free(item.name);
}

static void xfree(void *p) {
  if (p) free(p);
}

void through_wrapper_bad(int n) {
  char *p = malloc(8);
  xfree(p);
  if (n) xfree(p);  // RULE: double-free
}

void list_bad(int n) {
  struct item *list = NULL;
  for (int i = 0; i < 2; i++) {
    struct item *item = calloc(1, sizeof *item);
    if (!item) abort();
    item->next = list;
    list = item;
  }
  for (struct item *item = list; item; item = item->next)  // RULE: use-after-free
    free(item);
  (void)n;
}

void list_ok(int n) {
  struct item *list = NULL;
  for (int i = 0; i < 2; i++) {
    struct item *item = calloc(1, sizeof *item);
    if (!item) abort();
    item->next = list;
    list = item;
  }
  while (list) {
    struct item *next = list->next;
    free(list);
    list = next;
  }
  (void)n;
}

static void put(struct item *item) {
  if (--item->references == 0) free(item);
}

void counted_ok(int n) {
  struct item *item = calloc(1, sizeof *item);
  if (!item) return;
  item->references = 2;
  put(item);
  item->references += n & 0;
  put(item);
}

void counted_parameter_ok(struct item *item) {
  put(item);
  printf("%d\n", item->references);
}

void moved_bad(int n) {
  char *p = malloc(8);
  if (!p) return;
  char *q = realloc(p, 64 + n);
  if (!q) {
    free(p);
    return;
  }
  p[0] = 1;  // RULE: use-after-free
  free(q);
}

void moved_ok(int n) {
  char *p = malloc(8);
  if (!p) return;
  char *q = realloc(p, 64 + n);
  if (!q) {
    free(p);
    return;
  }
  q[0] = 1;
  free(q);
}

// The old block is still there if it could not be moved.
void not_moved_ok(int n) {
  char *p = malloc(8);
  if (!p) return;
  char *q = realloc(p, 64 + n);
  if (q) p = q;
  p[0] = 1;
  free(p);
}

void not_moved_bad(int n) {
  char *p = malloc(8);
  if (!p) return;
  char *q = realloc(p, 64 + n);
  if (q) p[0] = 1;  // RULE: use-after-free
  free(q ? q : p);
}

// A flag says whether it was released.
void flagged_ok(int n) {
  char *p = malloc(8);
  int is_released = 0;
  if (!p) return;
  if (n == 1) {
    free(p);
    is_released = 1;
  }
  if (!is_released) free(p);
}

void flagged_bad(int n) {
  char *p = malloc(8);
  int is_released = 0;
  if (!p) return;
  if (n == 1) {
    free(p);
    is_released = 1;
  }
  if (is_released || n == 2) free(p);  // RULE: double-free
}

static struct item *kept;

static int keep(struct item *item, int n) {
  if (n < 2) return -1;
  kept = item;
  return 0;
}

void given_away_ok(int n) {
  struct item *item = calloc(1, sizeof *item);
  if (!item) return;
  if (keep(item, n) < 0) {
    free(item);
    return;
  }
  item->references = 1;
  free(kept);
  kept = NULL;
}

static char *shorten(char *text, int n) {
  if (n) {
    free(text);
    return NULL;
  }
  return text;
}

void result_tells_ok(int n) {
  char *text = strdup("abc");
  if (!text) return;
  if (!shorten(text, n)) return;
  text[0] = 'x';
  free(text);
}

void result_ignored_bad(int n) {
  char *text = strdup("abc");
  if (!text) return;
  shorten(text, n);
  text[0] = 'x';  // RULE: use-after-free
  free(text);
}

void loop_bad(int n) {
  char *p = malloc(8);
  if (!p) return;
  for (int i = 0; i <= n; i++) free(p);  // RULE: double-free
}

void elements_ok(int n) {
  char *all[3];
  for (int i = 0; i < 3; i++) all[i] = malloc(4);
  for (int i = 0; i < 3; i++) free(all[i]);
  (void)n;
}

char *returned_bad(int n) {
  char *p = strdup("a");
  free(p);
  return n ? p : NULL;  // RULE: use-after-free
}

struct queue {
  struct entry *first;
};
struct entry {
  struct entry *next, **previous;
};

void drain_parameter_ok(struct queue *queue) {
  struct entry *entry;
  while ((entry = queue->first)) {
    if (entry->next) entry->next->previous = entry->previous;
    *entry->previous = entry->next;
    free(entry);
  }
}
