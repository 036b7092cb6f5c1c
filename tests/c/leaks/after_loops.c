// What a loop's variables are once the loop is done: the last turn's, or the first value without a turn.
// Variables that change together; the test that ended the loop.
#include <stdlib.h>
#include <string.h>

static void *xrealloc(void *old, size_t size) {
  void *block = realloc(old, size);
  if (!block) exit(1);
  return block;
}

static int is_odd(int i) { return i & 1; }

// The pointer is NULL only if the loop did not turn.
int null_after_loop_ok(int n) {
  char *current = NULL;
  for (int i = 0; i < n; i++) {
    free(current);
    current = malloc(8);
    if (!current) return -1;
  }
  if (current != NULL) free(current);
  return 0;
}

int null_after_loop_bad(int n, int keep) {
  char *current = NULL;
  for (int i = 0; i < n; i++) {
    free(current);
    current = malloc(8);  // LEAK: conditional-leak
    if (!current) return -1;
  }
  if (current != NULL && !keep) free(current);
  return 0;
}

// A counter beside a grown array: zero exactly if the array is NULL.
int counted_array_ok(int n) {
  int *list = NULL, count = 0;
  for (int i = 0; i < n; i++) {
    if (!is_odd(i)) continue;
    list = xrealloc(list, (count + 1) * sizeof *list);
    list[count++] = i;
  }
  if (count == 0) return 0;
  n = list[0];
  free(list);
  return n;
}

int counted_array_bad(int n) {
  int *list = NULL, count = 0;
  for (int i = 0; i < n; i++) {
    if (!is_odd(i)) continue;
    list = xrealloc(list, (count + 1) * sizeof *list);  // LEAK: conditional-leak
    list[count++] = i;
  }
  if (count == 1) return 0;
  if (count) n = list[0];
  free(list);
  return n;
}

// Head and tail of a list are set together.
struct item {
  struct item *next;
};

static void drop(struct item *item) {
  while (item) {
    struct item *next = item->next;
    free(item);
    item = next;
  }
}

int head_and_tail_ok(int n) {
  struct item *first = NULL, *last = NULL;
  for (int i = 0; i < n; i++) {
    struct item *item = calloc(1, sizeof *item);
    if (!item) exit(1);
    if (first == NULL) first = item;
    if (last != NULL) last->next = item;
    last = item;
  }
  drop(first);
  return n;
}

int head_without_tail_bad(int n) {
  struct item *first = NULL;
  for (int i = 0; i < n; i++) {
    struct item *item = calloc(1, sizeof *item);  // LEAK: conditional-leak
    if (!item) exit(1);
    if (first == NULL) first = item;
  }
  drop(first);
  return n;
}

// A cursor: the loop ends only where there is nothing left, so what follows it runs.
int cursor_ok(const char *s) {
  char *copy = strdup(s), *at = copy;
  if (!copy) return -1;
  do {
    if (*at == ';') continue;
    if (*at == 'z') {
      free(copy);
      return 1;
    }
  } while (*at && *++at);
  free(copy);
  return 0;
}

// The variable that ends the loop is set before `continue`.
char *flag_ends_loop_ok(int n) {
  char *block = NULL;
  int running = 1;
  while (running) {
    if (n-- < 0) break;
    block = malloc(10);
    if (is_odd(n)) {
      running = 0;
      continue;
    }
    if (block) break;
  }
  return block;
}

char *flag_does_not_end_loop_bad(int n) {
  char *block = NULL;
  int running = 1;
  while (running) {
    if (n-- < 0) break;
    block = malloc(10);  // LEAK: overwritten
    if (is_odd(n)) {
      running = 2;
      continue;
    }
    if (block) break;
  }
  return block;
}

// A non-empty list: the loop turns, and leaves its last element behind.
struct entry {
  struct entry *next;
  char *key;
};

int append_ok(struct entry *list, const char *key) {
  struct entry *last = NULL;
  if (!list) return 0;
  while (list) {
    last = list;
    list = list->next;
  }
  list = calloc(1, sizeof *list);
  if (!list) return -1;
  if (last) last->next = list;
  return key != NULL;
}

// Made when first needed, in a loop without a test.
int lazy_ok(int n) {
  char *buffer = NULL;
  for (;;) {
    if (!buffer) buffer = malloc(16);
    if (n-- <= 0) break;
  }
  free(buffer);
  return n;
}

int lazy_bad(int n) {
  char *buffer = NULL;
  for (;;) {
    if (!buffer || n == 2) buffer = malloc(16);  // LEAK: overwritten
    if (n-- <= 0) break;
  }
  free(buffer);
  return n;
}

// A block that grows at two places of a loop: after the loop it is one of several, or NULL without a turn.
static char *grown_by(char *old, size_t size) {
  char *p = old ? realloc(old, size) : malloc(size);
  if (!p) exit(2);
  return p;
}

int grows_at_two_places_ok(const char *s, int n) {
  size_t length = 0, size = 0;
  char *out = NULL;
  for (; *s; s++) {
    if (*s == 'a') {
      if (length + 2 >= size) out = grown_by(out, size += 32);
      out[length++] = '#';
    } else {
      if (length + 1 >= size) out = grown_by(out, size += 16);
    }
    out[length++] = *s;
  }
  if (out)
    out[length] = '\0';
  else
    out = strdup("");
  free(out);
  return n;
}

int grows_at_two_places_bad(const char *s, int n) {
  size_t length = 0, size = 0;
  char *out = NULL;
  for (; *s; s++) {
    if (*s == 'a') {
      if (length + 2 >= size) out = grown_by(out, size += 32);  // FN: conditional-leak needs more turns than are followed
      out[length++] = '#';
    } else {
      if (length + 1 >= size) out = grown_by(out, size += 16);  // FN: conditional-leak needs more turns than are followed
    }
    out[length++] = *s;
  }
  if (n > 1) return n;
  free(out);
  return n;
}
