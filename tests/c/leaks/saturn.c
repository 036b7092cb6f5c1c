// SATURN (FSE'05): §4.1 and §4.2 examples, the inheritance idiom of §4.6, and Figs. 8 and 9.
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// §4.1: malloc may fail, and then there is nothing to free.
int allocation_failure_ok(int n) {
  char *p = malloc(n > 0 ? (size_t)n : 1);
  if (p != NULL) {
    p[0] = (char)n;
    free(p);
  }
  return n;
}

// §4.1 fastbuf: a buffer on the stack for short texts, on the heap for long ones.
int fastbuf_ok(const char *s) {
  char fastbuf[10], *p;
  size_t length = strlen(s) + 1;
  if (length < sizeof fastbuf)
    p = fastbuf;
  else
    p = malloc(length);
  if (!p) return -1;
  memcpy(p, s, length);
  int first = p[0];
  if (p != fastbuf) free(p);
  return first;
}

int fastbuf_bad(const char *s) {
  char fastbuf[10], *p;
  size_t length = strlen(s) + 1;
  if (length < sizeof fastbuf)
    p = fastbuf;
  else
    p = malloc(length);  // LEAK: never-freed
  if (!p) return -1;
  memcpy(p, s, length);
  int first = p[0];
  if (p == fastbuf) p[0] = 0;
  return first;
}

// §4.1: the string escapes because its owner does.
struct frame {
  char *name;
  struct frame *next;
};

static struct frame *stack_top;

static void push_on_stack(struct frame *frame) {
  frame->next = stack_top;
  stack_top = frame;
}

static void print_frame(const struct frame *frame) { puts(frame->name); }

int push_name_ok(const char *string) {
  struct frame *p = calloc(1, sizeof *p);
  if (!p) return -1;
  p->name = strdup(string);
  push_on_stack(p);
  return 0;
}

int print_name_bad(const char *string) {
  struct frame *p = calloc(1, sizeof *p);
  if (!p) return -1;
  p->name = strdup(string);  // LEAK: never-freed
  if (p->name) print_frame(p);
  free(p);
  return 0;
}

// §4.2: (*p).data is lost if p is a local structure, not if it is the caller's.
struct state {
  char *data;
};

void set_callers_data_ok(struct state *p) {
  if (!p->data) p->data = malloc(8);
}

void set_local_data_bad(void) {
  struct state local;
  struct state *p = &local;
  p->data = malloc(8);  // LEAK: never-freed
}

// §4.4: two blocks that point to each other keep nobody alive.
struct node {
  struct node *next, *prev;
};

void cyclic_list_bad(void) {
  struct node *s = calloc(1, sizeof *s);  // LEAK: never-freed
  if (!s) return;
  s->next = calloc(1, sizeof *s);  // LEAK: never-freed with its owner
  if (!s->next) return;
  s->next->prev = s;
  s->prev = s->next;
}

void cyclic_list_ok(void) {
  struct node *s = calloc(1, sizeof *s);
  if (!s) return;
  s->next = calloc(1, sizeof *s);
  if (!s->next) {
    free(s);
    return;
  }
  s->next->prev = s;
  s->prev = s->next;
  free(s->next);
  free(s);
}

// §4.5: linked between head and its successor: reachable from the caller's list.
void insert_after_ok(struct node *head) {
  struct node *new = calloc(1, sizeof *new);
  if (!new) return;
  new->next = head->next;
  head->next = new;
}

// §4.6: a pointer to a member keeps the whole: inheritance in C.
struct super {
  int kind;
};

struct sub {
  int value;
  struct super super;
};

struct super *sub_new_ok(int value) {
  struct sub *p = malloc(sizeof *p);
  if (!p) return NULL;
  p->value = value;
  p->super.kind = 1;
  return &p->super;
}

static void sub_free(struct super *super) {
  free((char *)super - offsetof(struct sub, super));
}

int sub_use_ok(int value) {
  struct super *super = sub_new_ok(value);
  if (!super) return -1;
  int kind = super->kind;
  sub_free(super);
  return kind;
}

int sub_use_bad(int value) {
  struct super *super = sub_new_ok(value);  // LEAK: conditional-leak
  if (!super) return -1;
  int kind = super->kind;
  if (value > 2) return kind;
  sub_free(super);
  return kind;
}

// Fig. 8(a): forgotten on an error path.
int leave_realm_bad(const char *hostname, int found) {
  char *host = strdup(hostname);  // LEAK: conditional-leak
  if (!host) return -ENOMEM;
  if (found < 0) return -ENOENT;
  puts(host);
  free(host);
  return 0;
}

int leave_realm_ok(const char *hostname, int found) {
  char *host = strdup(hostname);
  if (!host) return -ENOMEM;
  if (found < 0) {
    free(host);
    return -ENOENT;
  }
  puts(host);
  free(host);
  return 0;
}

// Fig. 8(b): a covert allocator.
static char *long_file_name(const char *directory, const char *file) {
  char *name = malloc(strlen(directory) + strlen(file) + 2);
  if (name) sprintf(name, "%s/%s", directory, file);
  return name;
}

void put_file_bad(const char *file) {
  char *name = long_file_name("/tmp", file);  // LEAK: never-freed
  if (name) puts(name);
}

void put_file_ok(const char *file) {
  char *name = long_file_name("/tmp", file);
  if (name) puts(name);
  free(name);
}

// Fig. 8(c): a misunderstood interface: "delete" deletes what is stored under the name only.
static char stored[64];

static int password_delete(char *domain) {
  if (strcmp(stored, domain) != 0) return 0;
  stored[0] = '\0';
  return 1;
}

int revoke_bad(const char *s) {
  char *domain = strdup(s);  // LEAK: never-freed
  if (!domain) return -1;
  if (!password_delete(domain)) return -1;
  return 0;
}

int revoke_ok(const char *s) {
  char *domain = strdup(s);
  if (!domain) return -1;
  int deleted = password_delete(domain);
  free(domain);
  return deleted ? 0 : -1;
}

// Fig. 9: number_copy returns its first argument, or NULL on failure: SATURN's false positive.
struct number {
  int digits;
};

static struct number *number_new(void) { return calloc(1, sizeof(struct number)); }

static struct number *number_copy(struct number *to, const struct number *from) {
  if (from->digits > 2) return NULL;
  to->digits = from->digits;
  return to;
}

struct number *number_dup_ok(int digits) {
  struct number a = {digits};
  struct number *t = number_new();
  if (t == NULL) return NULL;
  struct number *r = number_copy(t, &a);
  if (r == NULL) free(t);
  return r;
}

struct number *number_dup_bad(int digits) {
  struct number a = {digits};
  struct number *t = number_new();  // LEAK: conditional-leak
  if (t == NULL) return NULL;
  struct number *r = number_copy(t, &a);
  return r;
}
