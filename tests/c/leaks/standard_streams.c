// The standard streams are there.
#include <stdio.h>
#include <stdlib.h>

struct options {
  FILE *out;
  int verbose;
};

static int run(const struct options *options) {
  char *text = malloc(10);
  if (!text) return -1;
  if (!options->out) return -1;
  fputs("run\n", options->out);
  free(text);
  return 0;
}

static int run_quiet(const struct options *options) {
  char *text = malloc(10);  // LEAK: conditional-leak
  if (!text) return -1;
  if (!options->verbose) return -1;
  fputs("run\n", options->out);
  free(text);
  return 0;
}

int to_stdout_ok(int verbose) {
  struct options options = {stdout, verbose};
  return run(&options);
}

int to_stderr_bad(int verbose) {
  struct options options = {stderr, verbose};
  return run_quiet(&options);
}
