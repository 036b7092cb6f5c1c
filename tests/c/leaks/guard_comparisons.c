// Guards: the same comparison of the same values is the same condition, however it is written.
#include <stdlib.h>
#include <string.h>

int same_comparison_ok(int n) {
  char *p = NULL;
  if (n > 1) p = malloc(8);
  if (n > 1) free(p);
  return n;
}

int negated_ok(int n) {
  char *p = NULL;
  if (n > 1) p = malloc(8);
  if (!(n <= 1)) free(p);
  return n;
}

int swapped_operands_ok(int n, int m) {
  char *p = NULL;
  if (n < m) p = malloc(8);
  if (m > n) free(p);
  return n;
}

int other_comparison_bad(int n, int m) {
  char *p = NULL;
  if (n < m) p = malloc(8);  // LEAK: conditional-leak
  if (m > n + 1) free(p);
  return n;
}

int implied_ok(int n) {
  char *p = NULL;
  if (n > 2) p = malloc(8);
  if (n > 1) free(p);
  return n;
}

int implied_other_way_bad(int n) {
  char *p = NULL;
  if (n > 1) p = malloc(8);  // LEAK: conditional-leak
  if (n > 2) free(p);
  return n;
}

int equality_implies_ok(int n) {
  char *p = NULL;
  if (n == 2) p = malloc(8);
  if (n >= 0) free(p);
  return n;
}

int changed_between_bad(int n) {
  char *p = NULL;
  if (n > 1) p = malloc(8);  // LEAK: conditional-leak
  n--;
  if (n > 1) free(p);
  return n;
}

int stored_condition_ok(int n) {
  char *p = NULL;
  int wanted = n > 1;
  if (wanted) p = malloc(8);
  n = 0;
  if (wanted) free(p);
  return n;
}

int copied_variable_ok(int n) {
  char *p = NULL;
  int m = n;
  if (n > 1) p = malloc(8);
  if (m > 1) free(p);
  return n;
}

int mask_ok(int flags) {
  char *p = NULL;
  if (flags & 2) p = malloc(8);
  if ((flags & 2) != 0) free(p);
  return flags;
}

int other_mask_bad(int flags) {
  char *p = NULL;
  if (flags & 2) p = malloc(8);  // LEAK: conditional-leak
  if (flags & 1) free(p);
  return flags;
}

int truth_value_ok(int n) {
  char *p = NULL;
  if (n) p = malloc(8);
  if (n != 0) free(p);
  return n;
}

int complementary_ok(int n) {
  char *p = malloc(8);
  if (n < 2) free(p);
  if (n >= 2) free(p);
  return n;
}

int three_way_ok(int n) {
  char *p = malloc(8);
  if (n < 0)
    free(p);
  else if (n == 0)
    free(p);
  else if (n > 0)
    free(p);
  return n;
}

int three_way_bad(int n) {
  char *p = malloc(8);  // LEAK: conditional-leak
  if (n < 0)
    free(p);
  else if (n > 0)
    free(p);
  return n;
}

int string_test_ok(const char *s) {
  char *p = NULL;
  int is_long = strlen(s) > 4;
  if (is_long) p = strdup(s);
  if (is_long) free(p);
  return is_long;
}

// The same pure call with the same arguments gives the same answer.
int pure_call_ok(const char *s) {
  char *p = NULL;
  if (strcmp(s, "a") == 0) p = strdup(s);
  if (strcmp(s, "a") == 0) free(p);
  return 0;
}

int pure_call_bad(const char *s) {
  char *p = NULL;
  if (strcmp(s, "a") == 0) p = strdup(s);  // LEAK: never-freed|conditional-leak
  if (strcmp(s, "b") == 0) free(p);
  return 0;
}

// Field of the caller's object, read twice and not written in between.
struct settings {
  int verbose;
  int quiet;
};

int field_read_twice_ok(const struct settings *settings) {
  char *p = NULL;
  if (settings->verbose) p = malloc(8);
  if (settings->verbose) free(p);
  return 0;
}

int field_of_local_ok(int n) {
  struct settings settings = {.verbose = n > 0};
  char *p = NULL;
  if (settings.verbose) p = malloc(8);
  settings.quiet = 1;
  if (settings.verbose) free(p);
  return 0;
}

int field_of_local_bad(int n) {
  struct settings settings = {.verbose = n > 0};
  char *p = NULL;
  if (settings.verbose) p = malloc(8);  // LEAK: never-freed
  settings.verbose = 0;
  if (settings.verbose) free(p);
  return 0;
}

// Unsigned and signed views of the same number: -1 is large.
int unsigned_view_ok(int n) {
  char *p = NULL;
  if ((unsigned)n > 2) p = malloc(8);
  if (n < 0 || n > 2) free(p);
  return n;
}

enum { ATTACHED = 4, CONTROL = 1 };

// A bit that is tested, and its complement.
int clear_bit_ok(int flags) {
  char *p = NULL;
  if (~flags & ATTACHED) p = malloc(8);
  if (!(flags & ATTACHED)) free(p);
  return flags;
}

int other_bit_bad(int flags) {
  char *p = NULL;
  if (~flags & ATTACHED) p = malloc(8);  // LEAK: conditional-leak
  if (!(flags & CONTROL)) free(p);
  return flags;
}
