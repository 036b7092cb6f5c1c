// Flags in memory that calls leave alone: they write elsewhere, or do not come back.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum type { NOTHING, TEXT };

struct value {
  enum type type;
  char text[24];
  struct value *next;
};

struct list {
  struct value *first;
};

static char last_error[64];
static struct value *last_value;

// Ends the program, and writes a lot before.
static void fatal(const char *message) {
  if (last_value) last_value->type = NOTHING;
  snprintf(last_error, sizeof last_error, "%s", message);
  exit(1);
}

static void *must_have(size_t size) {
  void *p = calloc(1, size);
  if (!p) fatal("out of memory");
  return p;
}

static void must_print(char *text, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(text, 24, format, arguments);
  va_end(arguments);
  if (length < 0) fatal("cannot print");
}

// Keeps a value unless it is nothing.
static void add(struct list *list, struct value *value) {
  if (value->type == NOTHING) return;
  value->next = list->first;
  list->first = value;
}

static void empty(struct list *list) {
  while (list->first) {
    struct value *next = list->first->next;
    free(list->first);
    list->first = next;
  }
}

// The type is still the one that was stored when the value is added.
int printed_into_ok(const char *s, int n) {
  struct list list = {NULL};
  struct value *value = must_have(sizeof *value);
  value->type = TEXT;
  if (n > 0)
    must_print(value->text, "%s-%s", s, s);
  else
    must_print(value->text, "%s", s);
  add(&list, value);
  int found = list.first != NULL;
  empty(&list);
  return found;
}

int printed_into_bad(const char *s, int n) {
  struct list list = {NULL};
  struct value *value = must_have(sizeof *value);  // LEAK: conditional-leak
  value->type = n > 0 ? TEXT : NOTHING;
  must_print(value->text, "%s", s);
  add(&list, value);
  int found = list.first != NULL;
  empty(&list);
  return found;
}

static const char *copy_or_not(const char *s, int *copied) {
  *copied = 0;
  if (s[0] == 'a') return "nothing";
  *copied = 1;
  char *copy = must_have(strlen(s) + 1);
  memcpy(copy, s, strlen(s));
  return copy;
}

// A flag that says whether the result is new.
int flag_of_result_ok(const char *s) {
  int copied;
  const char *word = copy_or_not(s, &copied);
  int length = (int)strlen(word);
  if (copied) free((char *)word);
  return length;
}

int flag_of_result_bad(const char *s) {
  int copied;
  const char *word = copy_or_not(s, &copied);  // LEAK: never-freed
  int length = (int)strlen(word);
  if (!copied && length > 100) free((char *)word);
  return length;
}

// A callee that does not get the job leaves it as it is, though it sets the same field of others.
struct job {
  struct job *next;
  char *name;
  int failed;
};
static struct job *spare;

static int look_up(const char *name) {
  struct job *job = spare;
  if (job) {
    spare = job->next;
  } else {
    job = malloc(sizeof *job);
    if (!job) exit(2);
  }
  job->failed = name[0] == '?';
  int found = job->failed ? 0 : name[0];
  job->next = spare;
  spare = job;
  return found;
}

static int look_up_job(struct job *job) {
  char *name = job->failed ? strdup("failed") : job->name;
  if (!name) return -1;
  int found = look_up(name);
  if (job->failed) free(name);
  return found;
}

int others_of_its_kind_ok(const char *s, int n) {
  struct job job = {NULL, (char *)s, n > 1};
  return look_up_job(&job);
}

// One that gets it may change it, also through what it points to.
static void run(struct job *job) {
  if (job->name[0] == 'a') job->failed = 1;
}

static void run_next(struct job *job) {
  run(job->next);
}

static int run_job(struct job *job) {
  char *copy = strdup(job->name);  // LEAK: conditional-leak
  if (!copy) return -1;
  if (!job->failed) {
    run(job);
    if (job->failed) return -1;
  }
  free(copy);
  return 0;
}

static int run_next_job(struct job *job) {
  char *copy = strdup(job->name);  // LEAK: conditional-leak
  if (!copy) return -1;
  if (!job->next->failed) {
    run_next(job);
    if (job->next->failed) return -1;
  }
  free(copy);
  return 0;
}

int changed_by_callee_bad(const char *s, int n) {
  struct job second = {NULL, (char *)s, n > 1}, first = {&second, (char *)s, n > 1};
  return run_job(&first) + run_next_job(&first);
}

// What a library function writes for a callee lies behind the text that the callee was given.
static int scan(char *text, size_t size) {
  snprintf(text, size, "%s", "scanned");
  return text[0];
}

static int scan_job(struct job *job) {
  char *name = job->next ? calloc(1, 16) : job->name;
  if (!name) return -1;
  int found = scan(name, 1);
  if (job->next) free(name);
  return found;
}

int written_elsewhere_ok(const char *s, int n) {
  char text[16] = "";
  struct job second = {NULL, text, s[0] == 'a'};
  struct job first = {n > 1 ? &second : NULL, text, 0};
  return scan_job(&first);
}

// The same, if the callee is given the flag's own block.
struct reply {
  char text[8];
  int failed;
};

static void fill(struct reply *reply, int n) {
  memset(reply, n, sizeof *reply);
}

static int filled(struct reply *reply, const char *s, int n) {
  char *copy = strdup(s);  // LEAK: conditional-leak
  if (!copy) return -1;
  if (!reply->failed) {
    fill(reply, n);
    if (reply->failed) return -1;
  }
  free(copy);
  return 0;
}

int written_by_library_bad(const char *s, int n) {
  struct reply reply = {"", n > 100};
  return filled(&reply, s, n);
}
