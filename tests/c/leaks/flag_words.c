// Words of flags that are put together on the way to the test: single bits are known.
#include <stdlib.h>
#include <string.h>

enum { NO_COPY = 1, COMPLETE = 4, QUIET = 64 };
static int is_quiet, quiet_calls;

static char *parse(const char *s, int flags) {
  if (flags & QUIET) quiet_calls++;
  if (flags & NO_COPY) return NULL;
  char *copy = strdup(s);
  if (!copy) abort();
  return copy;
}

static char *extract(const char *s, int flags) {
  flags |= is_quiet ? QUIET : 0;
  return parse(s, flags);
}

int skipped_ok(const char *s, int n) {
  extract(s, NO_COPY | (n & COMPLETE));
  return n;
}

int skipped_bad(const char *s, int n) {
  extract(s, n & COMPLETE);  // LEAK: never-freed
  return n;
}

// A bit that was cleared, and one that was set.
int cleared_ok(const char *s, int n) {
  int flags = (n | QUIET) & ~NO_COPY;
  char *copy = NULL;
  if (flags & (NO_COPY | QUIET)) copy = strdup(s);
  if ((flags & NO_COPY) == 0) free(copy);
  return n;
}

int cleared_bad(const char *s, int n) {
  int flags = (n | NO_COPY) & ~QUIET;
  char *copy = NULL;
  if (flags & NO_COPY) copy = strdup(s);  // LEAK: never-freed
  if (flags & QUIET) free(copy);
  return n;
}

// Other bits are as they were.
int other_bit_ok(const char *s, int n) {
  char *copy = n & COMPLETE ? strdup(s) : NULL;
  n |= QUIET;
  if (n & COMPLETE) free(copy);
  return n;
}

int other_bit_bad(const char *s, int n) {
  char *copy = n > 0 ? strdup(s) : NULL;  // LEAK: conditional-leak
  if (n & NO_COPY) free(copy);
  return n;
}
