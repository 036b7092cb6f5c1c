// Ownership that moves: shells of structures, swaps, lists joined, pointers with tags, var-args wrappers.
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct name {
  char *first, *last;
};

static struct name *name_new(const char *s) {
  struct name *name = calloc(1, sizeof *name);
  if (!name) return NULL;
  name->first = strdup(s);
  name->last = strdup(s);
  return name;
}

static void name_clear(struct name *name) {
  free(name->first);
  free(name->last);
}

// Contents moved out, shell freed.
int moved_out_ok(const char *s) {
  struct name *heap = name_new(s);
  if (!heap) return -1;
  struct name local = *heap;
  free(heap);
  name_clear(&local);
  return 0;
}

int moved_out_bad(const char *s) {
  struct name *heap = name_new(s);  // LEAK: never-freed
  if (!heap) return -1;
  struct name local = *heap;
  free(heap);
  free(local.first);
  return 0;
}

// One member stolen, the rest freed.
char *steal_member_ok(const char *s) {
  struct name *name = name_new(s);
  if (!name) return NULL;
  char *first = name->first;
  free(name->last);
  free(name);
  return first;
}

char *steal_member_bad(const char *s) {
  struct name *name = name_new(s);  // FN: never-freed a moved owner counts as holding
  if (!name) return NULL;
  char *first = name->first;
  free(name);
  return first;
}

static void swap(char **a, char **b) {
  char *t = *a;
  *a = *b;
  *b = t;
}

int swapped_ok(const char *s) {
  char *a = strdup(s), *b = strdup(s);
  swap(&a, &b);
  free(a);
  free(b);
  return 0;
}

int swapped_bad(const char *s) {
  char *a = strdup(s), *b = NULL;  // LEAK: never-freed
  swap(&a, &b);
  free(a);
  return b != NULL;
}

// Free macros.
#define FREE_AND_NULL(p) \
  do {                   \
    free(p);             \
    (p) = NULL;          \
  } while (0)

int free_macro_ok(const char *s) {
  char *p = strdup(s);
  FREE_AND_NULL(p);
  FREE_AND_NULL(p);
  return 0;
}

// NULL before free.
int null_then_free_bad(const char *s) {
  char *p = strdup(s);  // LEAK: overwritten
  p = NULL;
  free(p);
  return 0;
}

// Lists joined: the elements of the second list belong to the first.
struct cell {
  struct cell *next;
};

static struct cell *cells(int n) {
  struct cell *head = NULL;
  for (int i = 0; i < n; i++) {
    struct cell *cell = malloc(sizeof *cell);
    if (!cell) break;
    cell->next = head;
    head = cell;
  }
  return head;
}

static void cells_free(struct cell *head) {
  while (head) {
    struct cell *next = head->next;
    free(head);
    head = next;
  }
}

static struct cell *join(struct cell *a, struct cell *b) {
  if (!a) return b;
  struct cell *last = a;
  while (last->next) last = last->next;
  last->next = b;
  return a;
}

int joined_ok(int n) {
  struct cell *all = join(cells(n), cells(2));
  cells_free(all);
  return n;
}

int not_joined_bad(int n) {
  struct cell *a = cells(n);
  struct cell *b = cells(2);  // LEAK: conditional-leak
  cells_free(a);
  if (n > 1) cells_free(b);
  return n;
}

// A tag in the low bit of the pointer.
int tagged_ok(const char *s) {
  char *p = strdup(s);
  uintptr_t tagged = (uintptr_t)p | 1;
  free((char *)(tagged & ~(uintptr_t)1));
  return 0;
}

// A formatting wrapper with variable arguments.
static char *format(const char *pattern, ...) {
  va_list args;
  char *text;
  va_start(args, pattern);
  int length = vasprintf(&text, pattern, args);
  va_end(args);
  if (length < 0) abort();
  return text;
}

int formatted_ok(const char *s, int n) {
  char *text = format("%s %d", s, n);
  puts(text);
  free(text);
  return 0;
}

int formatted_bad(const char *s, int n) {
  char *text = format("%s %d", s, n);  // LEAK: conditional-leak
  if (n < 0) return -1;
  free(text);
  return 0;
}

// Freed by a function that takes a list of blocks, ended by NULL.
static void free_all(void *first, ...) {
  va_list args;
  va_start(args, first);
  for (void *p = first; p; p = va_arg(args, void *)) free(p);
  va_end(args);
}

int free_all_ok(const char *s) {
  char *a = strdup(s);
  if (!a) return -1;
  char *b = strdup(s);
  free_all(a, b, NULL);
  return 0;
}

// Replaced by a copy of itself.
int replaced_by_copy_ok(const char *s) {
  char *text = strdup(s);
  char *copy = text ? strdup(text) : NULL;
  free(text);
  text = copy;
  free(text);
  return 0;
}

int replaced_by_copy_bad(const char *s) {
  char *text = strdup(s);  // LEAK: overwritten
  if (!text) return -1;
  text = strdup(text);
  free(text);
  return 0;
}

// Taken only if it was not there before.
struct set {
  char *members[4];
  int count;
};

static int set_take(struct set *set, char *member) {
  for (int i = 0; i < set->count; i++)
    if (strcmp(set->members[i], member) == 0) return 0;
  if (set->count == 4) return 0;
  set->members[set->count++] = member;
  return 1;
}

static void set_clear(struct set *set) {
  for (int i = 0; i < set->count; i++) free(set->members[i]);
}

int set_ok(const char *s) {
  struct set set = {{NULL}, 0};
  for (int i = 0; i < 2; i++) {
    char *member = strdup(s);
    if (!member) break;
    if (!set_take(&set, member)) free(member);
  }
  set_clear(&set);
  return 0;
}

int set_bad(const char *s) {
  struct set set = {{NULL}, 0};
  for (int i = 0; i < 2; i++) {
    char *member = strdup(s);  // LEAK: conditional-leak
    if (!member) break;
    set_take(&set, member);
  }
  set_clear(&set);
  return 0;
}
