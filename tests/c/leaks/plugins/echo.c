// Operations tables across files: this plugin's destroy releases all that create made.
#include "plugin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct echo {
  char *text;
};

static void *echo_create(const char *argument) {
  struct echo *echo = malloc(sizeof *echo);
  if (!echo) return NULL;
  echo->text = strdup(argument);
  if (!echo->text) {
    free(echo);
    return NULL;
  }
  return echo;
}

static int echo_run(void *state) { return puts(((struct echo *)state)->text); }

static void echo_destroy(void *state) {
  struct echo *echo = state;
  free(echo->text);
  free(echo);
}

const struct plugin plugin_echo = {"echo", echo_create, echo_run, echo_destroy};
