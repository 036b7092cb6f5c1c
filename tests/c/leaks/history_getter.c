// Leak-fix histories: a string returned by a getter that callers must free, and one caller does not.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct config {
  char *name;
};

static struct config config = {NULL};

// Two getters that look alike in their callers: one copies, one does not.
static char *config_dup_name(const struct config *c) { return strdup(c->name ? c->name : "none"); }
static const char *config_name(const struct config *c) { return c->name ? c->name : "none"; }

size_t name_length_bad(void) {
  char *name = config_dup_name(&config);  // LEAK: never-freed
  return name ? strlen(name) : 0;
}

size_t name_length_ok(void) {
  char *name = config_dup_name(&config);
  size_t length = name ? strlen(name) : 0;
  free(name);
  return length;
}

size_t borrowed_length_ok(void) { return strlen(config_name(&config)); }

int matches_bad(const char *s) {
  char *name = config_dup_name(&config);  // LEAK: conditional-leak
  if (!name) return 0;
  if (strlen(name) > strlen(s)) return 1;
  if (s[0] == '\0') {
    free(name);
    return 0;
  }
  free(name);
  return -1;
}

int matches_ok(const char *s) {
  char *name = config_dup_name(&config);
  if (!name) return 0;
  int same = strcmp(name, s) == 0;
  free(name);
  return same;
}

// A getter that returns a copy or a constant, and says which.
static const char *describe(int n, int *owned) {
  if (n < 0) {
    *owned = 0;
    return "negative";
  }
  char *text = malloc(16);
  *owned = text != NULL;
  if (!text) return "out of memory";
  snprintf(text, 16, "%d", n);
  return text;
}

int owned_flag_ok(int n) {
  int owned;
  const char *text = describe(n, &owned);
  int first = text[0];
  if (owned) free((void *)text);
  return first;
}

int owned_flag_bad(int n) {
  int owned;
  const char *text = describe(n, &owned);  // LEAK: conditional-leak
  int first = text[0];
  if (owned && n > 1) free((void *)text);
  return first;
}

// Chained getters: the middle one hands on what the inner one allocated.
static char *inner_path(const char *s) { return strdup(s); }
static char *middle_path(const char *s) { return s[0] ? inner_path(s) : NULL; }

int chained_bad(const char *s) {
  char *path = middle_path(s);  // LEAK: never-freed
  return path ? path[0] : 0;
}

int chained_ok(const char *s) {
  char *path = middle_path(s);
  int first = path ? path[0] : 0;
  free(path);
  return first;
}

// setters and getters together: the getter's copy handed to the setter, which copies again.
static void config_set_name(const char *name) {
  free(config.name);
  config.name = strdup(name);
}

void rename_bad(const char *s) {
  config_set_name(s);
  if (!config.name) return;
  char *copy = config_dup_name(&config);  // LEAK: never-freed
  if (copy) config_set_name(copy);
}

void rename_ok(const char *s) {
  config_set_name(s);
  if (!config.name) return;
  char *copy = config_dup_name(&config);
  if (copy) config_set_name(copy);
  free(copy);
}
