// goto-out chains: one exit that releases everything, or labels in reverse order of acquisition.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int single_exit_ok(const char *s) {
  int result = -1;
  char *a = NULL, *b = NULL, *c = NULL;
  a = strdup(s);
  if (!a) goto out;
  b = strdup(s);
  if (!b) goto out;
  c = strdup(s);
  if (!c) goto out;
  result = 0;
out:
  free(a);
  free(b);
  free(c);
  return result;
}

int single_exit_bad(const char *s) {
  int result = -1;
  char *a = NULL, *b = NULL, *c = NULL;
  a = strdup(s);
  if (!a) goto out;
  b = strdup(s);  // LEAK: never-freed
  if (!b) goto out;
  c = strdup(s);
  if (!c) goto out;
  result = 0;
out:
  free(a);
  free(c);
  return result;
}

int reverse_labels_ok(const char *s) {
  int result = -1;
  char *a = strdup(s);
  if (!a) goto fail_a;
  char *b = strdup(s);
  if (!b) goto fail_b;
  char *c = strdup(s);
  if (!c) goto fail_c;
  result = 0;
  free(c);
fail_c:
  free(b);
fail_b:
  free(a);
fail_a:
  return result;
}

// The label is one too far down.
int wrong_label_bad(const char *s) {
  int result = -1;
  char *a = strdup(s);  // LEAK: leak-if-allocation-fails
  if (!a) goto fail_a;
  char *b = strdup(s);
  if (!b) goto fail_a;
  char *c = strdup(s);
  if (!c) goto fail_c;
  result = 0;
  free(c);
fail_c:
  free(b);
  free(a);
fail_a:
  return result;
}

// A return in the middle passes the label by.
int return_passes_label_bad(const char *s, int n) {
  int result = -1;
  char *a = strdup(s);  // LEAK: conditional-leak
  if (!a) goto out;
  if (n == 2) return -2;
  result = 0;
out:
  free(a);
  return result;
}

int return_passes_label_ok(const char *s, int n) {
  int result = -1;
  char *a = strdup(s);
  if (!a) goto out;
  if (n == 2) {
    result = -2;
    goto out;
  }
  result = 0;
out:
  free(a);
  return result;
}

// Success skips the release: the result keeps the block.
char *error_label_ok(const char *s, int n) {
  char *a = strdup(s);
  if (!a) return NULL;
  if (n < 0) goto error;
  if (n > 2) goto error;
  return a;
error:
  free(a);
  return NULL;
}

char *error_label_bad(const char *s, int n) {
  char *a = strdup(s);  // LEAK: conditional-leak
  if (!a) return NULL;
  if (n < 0) goto error;
  if (n > 2) goto error;
  return a;
error:
  return NULL;
}

// The result is moved to the caller before the common exit frees what is left.
int moved_before_exit_ok(const char *s, int n, char **out) {
  int result = -1;
  char *text = strdup(s);
  if (!text) goto out;
  if (n < 0) goto out;
  *out = text;
  text = NULL;
  result = 0;
out:
  free(text);
  return result;
}

// "if (error)" at the common exit.
struct parts {
  char *head, *tail;
};

struct parts *error_flag_ok(const char *s, int n) {
  int error = 1;
  struct parts *parts = calloc(1, sizeof *parts);
  if (!parts) return NULL;
  parts->head = strdup(s);
  if (!parts->head) goto out;
  parts->tail = strdup(s);
  if (!parts->tail || n < 0) goto out;
  error = 0;
out:
  if (error) {
    free(parts->head);
    free(parts->tail);
    free(parts);
    parts = NULL;
  }
  return parts;
}

struct parts *error_flag_bad(const char *s, int n) {
  int error = 1;
  struct parts *parts = calloc(1, sizeof *parts);
  if (!parts) return NULL;
  parts->head = strdup(s);
  if (!parts->head) goto out;
  parts->tail = strdup(s);  // LEAK: conditional-leak
  if (!parts->tail || n < 0) goto out;
  error = 0;
out:
  if (error) {
    free(parts->head);
    free(parts);
    parts = NULL;
  }
  return parts;
}

// Retry by jumping back.
int retry_bad(const char *s) {
  int tries = 0;
  char *p;
again:
  p = strdup(s);  // LEAK: overwritten
  if (++tries < 3 && s[0] == 'a') goto again;
  free(p);
  return tries;
}

int retry_ok(const char *s) {
  int tries = 0;
  char *p;
again:
  p = strdup(s);
  if (++tries < 3 && s[0] == 'a') {
    free(p);
    goto again;
  }
  free(p);
  return tries;
}

// do { … } while (0) with breaks instead of gotos.
int do_while_zero_ok(const char *s) {
  char *a = NULL, *b = NULL;
  int result = -1;
  do {
    if (!(a = strdup(s))) break;
    if (!(b = strdup(s))) break;
    result = 0;
  } while (0);
  free(b);
  free(a);
  return result;
}

// Macros that hide the return.
#define CHECK(condition) \
  do {                   \
    if (!(condition)) {  \
      puts(#condition);  \
      return -1;         \
    }                    \
  } while (0)

int hidden_return_bad(const char *s, int n) {
  char *p = strdup(s);  // LEAK: conditional-leak
  CHECK(p != NULL);
  CHECK(n >= 0);
  free(p);
  return 0;
}

int hidden_return_ok(const char *s, int n) {
  CHECK(n >= 0);
  char *p = strdup(s);
  CHECK(p != NULL);
  free(p);
  return 0;
}
