// What `%s` reads is not empty.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct table {
  const char *keys[4];
  void *values[4];
  int count;
};

static int put(struct table *table, const char *key, int length, void *value) {
  if (length <= 0 || table->count == 4) return 0;
  table->keys[table->count] = key;
  table->values[table->count++] = value;
  return 1;
}

// NOT RUN: needs a table, which may be full.
int read_ok(struct table *table, const char *line) {
  static char name[80];
  if (table->count >= 4 || sscanf(line, "name %79s", name) != 1) return 0;
  char *value = malloc(10);
  if (!value) return 0;
  return put(table, name, strlen(name), value);
}

// NOT RUN: needs a table, which may be full.
int read_bad(struct table *table, const char *line) {
  static char name[80];
  if (sscanf(line, "name %79s", name) != 1) return 0;
  char *value = malloc(10);  // LEAK: conditional-leak
  if (!value) return 0;
  return put(table, name, strlen(name), value);
}

// NOT RUN: needs a table, which may be full.
int any_bad(struct table *table, const char *line) {
  static char name[80] = "";
  if (table->count >= 4 || sscanf(line, "name %79s", name) > 1) return 0;
  char *value = malloc(10);  // LEAK: conditional-leak
  if (!value) return 0;
  return put(table, name, strlen(name), value);
}
