// This plugin's destroy forgets the copy that run makes on its first call.
#include "plugin.h"

#include <stdlib.h>
#include <string.h>

struct count {
  const char *text;
  char *copy;
};

static void *count_create(const char *argument) {
  struct count *count = calloc(1, sizeof *count);
  if (count) count->text = argument;
  return count;
}

static int count_run(void *state) {
  struct count *count = state;
  if (!count->copy) count->copy = strdup(count->text);  // LEAK: never-freed|conditional-leak
  return count->copy ? (int)strlen(count->copy) : -1;
}

static void count_destroy(void *state) { free(state); }

const struct plugin plugin_count = {"count", count_create, count_run, count_destroy};
