// Lists whose elements are held by older ones, or by each other: what keeps all of them alive?
#include <stdlib.h>
#include <string.h>

struct node {
  struct node *next, *prev;
  char *text;
};

struct book {
  struct node *first, *last;
};

static int book_add(struct book *book, const char *s) {
  struct node *node = calloc(1, sizeof *node);
  if (!node) return -1;
  node->text = strdup(s);
  if (book->last) {
    node->prev = book->last;
    book->last->next = node;
  } else {
    book->first = node;
  }
  book->last = node;
  return 0;
}

static void book_clear(struct book *book) {
  struct node *node = book->first;
  while (node) {
    struct node *next = node->next;
    free(node->text);
    free(node);
    node = next;
  }
  book->first = book->last = NULL;
}

int local_book_ok(const char *s, int n) {
  struct book book = {NULL, NULL};
  for (int i = 0; i < n; i++) book_add(&book, s);
  book_clear(&book);
  return n;
}

// The list is the unknown caller's, who may have got it from `book_new`.
struct book *book_new(void) { return calloc(1, sizeof(struct book)); }

int add_to_callers_book_ok(struct book *book, const char *s) { return book_add(book, s); }

int through_one_more_ok(struct book *book, const char *s) { return add_to_callers_book_ok(book, s); }

// A caller further up has it.
static int add_twice(struct book *book, const char *s) {
  return book_add(book, s) != 0 ? -1 : book_add(book, s);
}

int further_up_ok(const char *s) {
  struct book *book = book_new();
  if (!book) return -1;
  int result = add_twice(book, s);
  book_clear(book);
  free(book);
  return result;
}

int further_up_bad(const char *s) {
  struct book *book = book_new();
  if (!book) return -1;
  int result = add_twice(book, s);  // LEAK: never-freed|conditional-leak
  free(book);
  return result;
}

// Two kinds of objects that know each other.
struct owner;
struct thing {
  struct owner *owner;
};
struct owner {
  struct thing *thing;
};

int know_each_other_bad(int n) {
  struct owner *owner = calloc(1, sizeof *owner);  // LEAK: never-freed|conditional-leak
  if (!owner) return -1;
  owner->thing = calloc(1, sizeof *owner->thing);  // LEAK: never-freed|conditional-leak with its owner
  if (owner->thing) owner->thing->owner = owner;
  return n;
}

int know_each_other_ok(int n) {
  struct owner *owner = calloc(1, sizeof *owner);
  if (!owner) return -1;
  owner->thing = calloc(1, sizeof *owner->thing);
  if (owner->thing) owner->thing->owner = owner;
  free(owner->thing);
  free(owner);
  return n;
}

static struct thing *known;

int one_of_them_is_global_ok(int n) {
  if (known) return 0;
  struct owner *owner = calloc(1, sizeof *owner);
  if (!owner) return -1;
  owner->thing = calloc(1, sizeof *owner->thing);
  if (!owner->thing) {
    free(owner);
    return -1;
  }
  owner->thing->owner = owner;
  known = owner->thing;
  return n;
}

// Each activation of a recursive function has variables: the list hangs on the first one's.
static int collect(struct book *into, const char *s, int depth) {
  struct book own = {NULL, NULL};
  if (!into) into = &own;
  if (depth > 0) {
    book_add(into, s);
    collect(into, s, depth - 1);
  }
  int found = into->first != NULL;
  if (into == &own) book_clear(&own);
  return found;
}

int recursive_ok(const char *s, int n) { return collect(NULL, s, n); }
