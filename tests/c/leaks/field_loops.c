// The same field gets a block in every turn of a loop. NOT RUN: tests/ownership/test_clients.py runs what these rest on.
#include <stdlib.h>
#include <string.h>

#define COUNT 8
struct options {
  char *values[COUNT];
  char *last;
};
int index_of(const char *);

static void destroy(struct options *options) {
  for (int i = 0; i < COUNT; i++) free(options->values[i]);
  free(options->last);
  free(options);
}

struct options *options_read(const char **args) {
  const char *name, *value;
  struct options *options = calloc(1, sizeof *options);
  if (options == NULL) return NULL;
  while ((name = *args++) != NULL) {
    int i = index_of(name);
    if (i < 0 || i >= COUNT || (value = *args++) == NULL) {
      destroy(options);
      return NULL;
    }
    options->values[i] = strdup(value);  // LEAK: overwritten
  }
  return options;
}

struct options *options_replace(const char **args) {
  const char *name, *value;
  struct options *options = calloc(1, sizeof *options);
  if (options == NULL) return NULL;
  while ((name = *args++) != NULL) {
    int i = index_of(name);
    if (i < 0 || i >= COUNT || (value = *args++) == NULL) {
      destroy(options);
      return NULL;
    }
    free(options->values[i]);
    options->values[i] = strdup(value);
  }
  return options;
}

struct options *options_last(const char **args) {
  const char *value;
  struct options *options = calloc(1, sizeof *options);
  if (options == NULL) return NULL;
  while ((value = *args++) != NULL) options->last = strdup(value);  // LEAK: overwritten
  return options;
}

struct options *options_first(const char **args) {
  const char *value;
  struct options *options = calloc(1, sizeof *options);
  if (options == NULL) return NULL;
  while ((value = *args++) != NULL)
    if (options->last == NULL) options->last = strdup(value);
  return options;
}

void options_free(struct options *options) { destroy(options); }
