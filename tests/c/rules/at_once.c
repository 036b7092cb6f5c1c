// What follows whenever a function comes to the release: that callers do come there is taken for granted.
// Where something that is decided from the release on could be otherwise, it is not.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile int sink;

/* A global that holds a setting decides whether the function goes on. */
struct settings {
  char *program;
};
extern struct settings settings;
int run(const char *command);
int listed_bad(void) {
  if (settings.program[0] == '\0') return 1;
  char *command = malloc(strlen(settings.program) + 6);
  if (!command) return 1;
  sprintf(command, "%s list", settings.program);
  if (run(command) != 0) {
    free(command);
    printf("cannot run %s\n", command); // RULE: use-after-free
    return 1;
  }
  free(command);
  return 0;
}

/* A static function whose callers are too long to be followed: a parser that calls itself. */
struct expression {
  int magic, kind, constant;
  struct expression *next;
};
struct tokens {
  int *at;
};
static void parse_sum(struct tokens *t, struct expression **e, int depth);
static struct expression *make(int kind) {
  struct expression *e = calloc(1, sizeof *e);
  if (!e) abort();
  e->magic = 1234;
  e->kind = kind;
  return e;
}
static void destroy(struct expression *e) {
  if (e->magic != 1234) abort();
  free(e);
}
static struct expression *join(struct expression *a, struct expression *b) {
  struct expression *e = make(a->kind + b->kind);
  destroy(a);
  destroy(b);
  return e;
}
static void parse_one(struct tokens *t, struct expression **e, int depth) {
  if (*t->at == '(') {
    t->at++;
    parse_sum(t, e, depth + 1);
    if (*t->at == ')') t->at++;
    return;
  }
  *e = make(*t->at);
  if (*t->at >= '0' && *t->at <= '9') (*e)->constant = 1;
  if (*t->at == '"') (*e)->constant = 2;
  t->at++;
}
static void parse_product(struct tokens *t, struct expression **e, int depth) {
  struct expression *e2;
  parse_one(t, e, depth);
  while (*t->at == '*' || *t->at == '/') {
    t->at++;
    parse_one(t, &e2, depth);
    *e = join(*e, e2);
  }
}
static void parse_sum(struct tokens *t, struct expression **e, int depth) {
  struct expression *e2;
  parse_product(t, e, depth);
  while (*t->at == '+') {
    t->at++;
    parse_product(t, &e2, depth);
    if ((*e)->constant && e2->constant) {
      *e = join(*e, e2);
      if (e2->constant == 2) (*e)->constant = 2; // RULE: use-after-free
    } else {
      *e = join(*e, e2);
    }
  }
}
int parsed(int *text) {
  struct tokens t = {text};
  struct expression *e;
  parse_sum(&t, &e, 0);
  int kind = e->kind;
  destroy(e);
  return kind;
}

/* Whether the callee releases depends on what the object says: the caller may know better. */
struct job {
  int keeps;
  int state;
};
static struct job *current;
static void done(struct job *job) {
  if (!job->keeps) free(job);
}
void finished_ok(void) {
  done(current);
  sink = current->state;
}

/* What was decided after the release keeps the two apart. */
static int flush(struct job *job) {
  if (job->state < 0) {
    free(job);
    return -1;
  }
  return 0;
}
int flushed_ok(struct job *job) {
  int result = flush(job);
  if (result == 0) sink = job->state;
  return result;
}
