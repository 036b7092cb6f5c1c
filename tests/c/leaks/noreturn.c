// Paths that end in a function that does not return lose nothing.
#include <assert.h>
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int exit_ok(const char *s, int n) {
  char *p = strdup(s);
  if (n < 0) exit(1);
  free(p);
  return n;
}

int underscore_exit_ok(const char *s, int n) {
  char *p = strdup(s);
  if (n < 0) _exit(1);
  free(p);
  return n;
}

int abort_ok(const char *s, int n) {
  char *p = strdup(s);
  if (n < 0) abort();
  free(p);
  return n;
}

int assert_ok(const char *s, int n) {
  char *p = strdup(s);
  assert(n >= 0);
  free(p);
  return n;
}

int exec_ok(const char *s, int n) {
  char *p = strdup(s);
  if (n < 0) {
    char *args[] = {"true", p, NULL};
    execv("/bin/true", args);
    _exit(127);
  }
  free(p);
  return n;
}

// exec returns if it fails.
int exec_fails_bad(const char *s, int n) {
  char *p = strdup(s);  // LEAK: conditional-leak
  if (n < 0) {
    char *args[] = {"none", NULL};
    execv("/nonexistent/none", args);
    return -1;
  }
  free(p);
  return n;
}

static void __attribute__((noreturn)) die(const char *message) {
  fprintf(stderr, "%s\n", message);
  exit(2);
}

int noreturn_attribute_ok(const char *s, int n) {
  char *p = strdup(s);
  if (n < 0) die("negative");
  free(p);
  return n;
}

// No attribute: the body says it.
static void give_up(const char *message) {
  fprintf(stderr, "%s\n", message);
  exit(2);
}

int inferred_noreturn_ok(const char *s, int n) {
  char *p = strdup(s);
  if (n < 0) give_up("negative");
  free(p);
  return n;
}

// Two levels, and a condition inside: does not return for level >= 2.
static void report(int level, const char *message) {
  fprintf(stderr, "%s\n", message);
  if (level >= 2) give_up(message);
}

int fatal_level_ok(const char *s, int n) {
  char *p = strdup(s);
  if (n < 0) {
    report(2, "fatal");
    return -1;
  }
  free(p);
  return n;
}

int warning_level_bad(const char *s, int n) {
  char *p = strdup(s);  // LEAK: conditional-leak
  if (n < 0) {
    report(1, "warning");
    return -1;
  }
  free(p);
  return n;
}

int err_ok(const char *s, int n) {
  char *p = strdup(s);
  if (n < 0) errx(1, "negative");
  free(p);
  return n;
}

int warn_bad(const char *s, int n) {
  char *p = strdup(s);  // LEAK: conditional-leak
  if (n < 0) {
    warnx("negative");
    return -1;
  }
  free(p);
  return n;
}

// An allocation wrapper that ends the program instead of returning NULL.
static void *must_malloc(size_t size) {
  void *p = malloc(size);
  if (!p) die("out of memory");
  return p;
}

int two_wrapped_ok(int n) {
  char *a = must_malloc(4);
  char *b = must_malloc(8);
  free(a);
  free(b);
  return n;
}

int two_wrapped_bad(int n) {
  char *a = must_malloc(4);  // LEAK: never-freed
  char *b = must_malloc(8);
  a[0] = (char)n;
  free(b);
  return a[0];
}

int unreachable_ok(const char *s, int n) {
  char *p = strdup(s);
  switch (n & 1) {
    case 0:
    case 1:
      free(p);
      return n;
    default:
      __builtin_unreachable();
  }
}

// A loop that never ends holds its memory for good.
int endless_loop_ok(const char *s, int n) {
  char *p = strdup(s);
  if (n > 5) {
    for (;;) pause();
  }
  free(p);
  return n;
}

// A child process that leaves through _exit: what it holds is not lost.
int forked_child_ok(const char *s) {
  char *p = strdup(s);
  pid_t pid = fork();
  if (pid == 0) {
    if (p) puts(p);
    _exit(0);
  }
  free(p);
  return pid < 0;
}

// Two functions that call each other, neither of which comes back.
static void surrender(int code);

static void tidy_up(int code) {
  if (code == 3) surrender(4);
  exit(code);
}

static void surrender(int code) {
  fprintf(stderr, "giving up\n");
  tidy_up(code);
}

int each_other_ok(const char *s, int n) {
  char *p = strdup(s);
  if (n < 0) tidy_up(1);
  char *q = strdup(s);
  if (n > 99) surrender(2);
  free(p);
  free(q);
  return n;
}

// Here one of them does.
static void warn_twice(int code);

static void note(int code) {
  if (code == 3) return;
  warn_twice(code + 1);
}

static void warn_twice(int code) {
  fprintf(stderr, "warning\n");
  note(code > 3 ? 3 : code);
}

int each_other_bad(const char *s, int n) {
  char *p = strdup(s);  // LEAK: conditional-leak
  if (n < 0) {
    warn_twice(2);
    return -1;
  }
  free(p);
  return n;
}

// An allocator that ends the program by way of functions which allocate is no recursion: it hands its
// blocks over to all of them.
void end_it(const char *what, int code);

char *obtain(size_t size) {
  char *p = malloc(size);
  if (!p) end_it("memory", 2);
  return p;
}

char *last_words(const char *what) {
  char *text = obtain(strlen(what) + 1);
  return strcpy(text, what);
}

void tell_bad(const char *what) {
  char *text = last_words(what);  // LEAK: never-freed
  puts(text);
}

void tell_ok(const char *what) {
  char *text = last_words(what);
  puts(text);
  free(text);
}

void end_it(const char *what, int code) {
  tell_bad(what);
  tell_ok(what);
  exit(code);
}
