// Guards: a test of the tracked pointer against NULL is decided, through copies, fields, out-parameters
// and calls.
#include <stdlib.h>
#include <string.h>

int plain_ok(int n) {
  char *p = malloc(8);
  if (!p) return -1;
  free(p);
  return n;
}

int if_not_null_ok(int n) {
  char *p = malloc(8);
  if (p) free(p);
  return n;
}

int through_copy_ok(int n) {
  char *p = malloc(8);
  char *q = p;
  if (q != NULL) free(p);
  return n;
}

int through_cast_ok(int n) {
  void *p = malloc(8);
  if ((char *)p == (char *)0) return n;
  free(p);
  return n;
}

int conditional_expression_ok(int n) {
  char *p = malloc(8);
  int have = p ? 1 : 0;
  if (have) free(p);
  return n;
}

int double_negation_ok(int n) {
  char *p = malloc(8);
  int have = !!p;
  if (have == 1) free(p);
  return n;
}

struct holder {
  char *text;
};

int through_field_ok(const char *s) {
  struct holder holder = {NULL};
  holder.text = strdup(s);
  if (holder.text) free(holder.text);
  return 0;
}

int through_heap_field_ok(const char *s) {
  struct holder *holder = malloc(sizeof *holder);
  if (!holder) return -1;
  holder->text = strdup(s);
  if (holder->text == NULL) {
    free(holder);
    return -1;
  }
  free(holder->text);
  free(holder);
  return 0;
}

static int make(char **out) {
  *out = malloc(8);
  return *out ? 0 : -1;
}

int through_out_parameter_ok(int n) {
  char *p;
  if (make(&p) != 0) return -1;
  free(p);
  return n;
}

int through_out_parameter_bad(int n) {
  char *p;
  if (make(&p) == 0) return n;  // LEAK: never-freed
  return -1;
}

int out_parameter_tested_ok(int n) {
  char *p = NULL;
  make(&p);
  if (!p) return -1;
  free(p);
  return n;
}

static int is_set(const char *p) { return p != NULL; }

int through_predicate_ok(int n) {
  char *p = malloc(8);
  if (is_set(p)) free(p);
  return n;
}

int through_predicate_bad(int n) {
  char *p = malloc(8);  // LEAK: never-freed
  if (!is_set(p)) free(p);
  return n;
}

static void free_if_set(char **p) {
  if (p && *p) {
    free(*p);
    *p = NULL;
  }
}

int safe_free_ok(int n) {
  char *p = malloc(8);
  free_if_set(&p);
  return n;
}

// Two allocations tested together: if either failed, both are freed; or one is forgotten.
int tested_together_ok(int n) {
  char *a = malloc(8);
  char *b = malloc(8);
  if (!a || !b) {
    free(a);
    free(b);
    return -1;
  }
  free(a);
  free(b);
  return n;
}

int tested_together_bad(int n) {
  char *a = malloc(8);  // LEAK: leak-if-allocation-fails
  char *b = malloc(8);  // LEAK: leak-if-allocation-fails
  if (!a || !b) return -1;
  free(a);
  free(b);
  return n;
}

int second_fails_bad(int n) {
  char *a = malloc(8);  // LEAK: leak-if-allocation-fails
  if (!a) return -1;
  char *b = malloc(8);
  if (!b) return -1;
  free(a);
  free(b);
  return n;
}

int second_fails_ok(int n) {
  char *a = malloc(8);
  if (!a) return -1;
  char *b = malloc(8);
  if (!b) {
    free(a);
    return -1;
  }
  free(a);
  free(b);
  return n;
}

// The test is inverted: freed only when there is nothing to free.
int inverted_bad(int n) {
  char *p = malloc(8);  // LEAK: never-freed
  if (!p) free(p);
  return n;
}

// Assigned in the condition.
int assigned_in_condition_ok(const char *s) {
  char *p;
  if ((p = strdup(s)) == NULL) return -1;
  free(p);
  return 0;
}

int assigned_in_condition_bad(const char *s, int n) {
  char *p;
  if ((p = strdup(s)) == NULL || n > 2) return -1;  // LEAK: conditional-leak
  free(p);
  return 0;
}

// NULL or not tells whether an optional part exists.
int optional_part_ok(const char *s, int n) {
  char *optional = n > 0 ? strdup(s) : NULL;
  int result = optional ? optional[0] : 0;
  if (optional) free(optional);
  return result;
}

int optional_part_bad(const char *s, int n) {
  char *optional = n > 0 ? strdup(s) : NULL;  // LEAK: never-freed
  int result = optional ? optional[0] : 0;
  return result;
}
