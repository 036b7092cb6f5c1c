// Leak-fix histories: out-parameters: overwritten on the next turn of a loop, or partly filled by a
// callee that fails.
#include <stdlib.h>
#include <string.h>

static int read_field(const char *s, int index, char **out) {
  if (!s[0] || index > 2) return -1;
  *out = strdup(s);
  return *out ? 0 : -1;
}

int loop_overwrites_bad(const char *s) {
  char *field = NULL;
  int count = 0;
  while (read_field(s, count, &field) == 0) count++;  // LEAK: overwritten
  free(field);
  return count;
}

int loop_overwrites_ok(const char *s) {
  char *field = NULL;
  int count = 0;
  while (read_field(s, count, &field) == 0) {
    count++;
    free(field);
    field = NULL;
  }
  free(field);
  return count;
}

int loop_scope_bad(const char *s, int stop) {
  for (int i = 0; i < 3; i++) {
    char *field;
    if (read_field(s, i, &field) != 0) return -1;  // LEAK: conditional-leak
    if (i == stop) break;
    free(field);
  }
  return 0;
}

int loop_scope_ok(const char *s, int stop) {
  for (int i = 0; i < 3; i++) {
    char *field;
    if (read_field(s, i, &field) != 0) return -1;
    free(field);
    if (i == stop) break;
  }
  return 0;
}

// A callee that fails after it has filled the first of two out-parameters.
static int split_partly(const char *s, char **key, char **value) {
  const char *equals = strchr(s, '=');
  *key = strdup(s);
  if (!*key || !equals) return -1;
  *value = strdup(equals + 1);
  if (!*value) return -1;
  return 0;
}

int partly_filled_bad(const char *s) {
  char *key = NULL, *value = NULL;
  if (split_partly(s, &key, &value) != 0) return -1;  // LEAK: conditional-leak
  free(key);
  free(value);
  return 0;
}

int partly_filled_ok(const char *s) {
  char *key = NULL, *value = NULL;
  int result = split_partly(s, &key, &value);
  free(key);
  free(value);
  return result;
}

// The same callee, written so that failure leaves nothing behind.
static int split_cleanly(const char *s, char **key, char **value) {
  const char *equals = strchr(s, '=');
  if (!equals) return -1;
  *key = strdup(s);
  if (!*key) return -1;
  *value = strdup(equals + 1);
  if (!*value) {
    free(*key);
    *key = NULL;
    return -1;
  }
  return 0;
}

int all_or_nothing_ok(const char *s) {
  char *key, *value;
  if (split_cleanly(s, &key, &value) != 0) return -1;
  free(key);
  free(value);
  return 0;
}

int all_or_nothing_bad(const char *s) {
  char *key, *value;
  if (split_cleanly(s, &key, &value) != 0) return -1;  // LEAK: never-freed
  free(key);
  return 0;
}

// A struct as out-parameter.
struct pair {
  char *key;
  char *value;
};

static int pair_parse(const char *s, struct pair *pair) {
  pair->key = strdup(s);
  pair->value = NULL;
  if (!pair->key) return -1;
  if (!strchr(s, '=')) return -1;
  pair->value = strdup(strchr(s, '=') + 1);
  return 0;
}

static void pair_clear(struct pair *pair) {
  free(pair->key);
  free(pair->value);
}

int struct_filled_bad(const char *s) {
  struct pair pair;
  if (pair_parse(s, &pair) < 0) return -1;  // LEAK: conditional-leak
  pair_clear(&pair);
  return 0;
}

int struct_filled_ok(const char *s) {
  struct pair pair;
  int result = pair_parse(s, &pair);
  pair_clear(&pair);
  return result;
}

// An out-parameter passed on by the caller's own out-parameter: the caller's caller owns it.
int passes_on_ok(const char *s, char **out) { return *out ? 0 : read_field(s, 0, out); }

int three_levels_ok(const char *s) {
  char *field = NULL;
  int result = passes_on_ok(s, &field);
  free(field);
  return result;
}

int three_levels_bad(const char *s) {
  char *field = NULL;
  int result = passes_on_ok(s, &field);  // LEAK: never-freed
  return result;
}
