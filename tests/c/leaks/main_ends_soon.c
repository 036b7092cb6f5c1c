// Lost, and then the program ends at once: whoever calls the function sees to that. NOT RUN: needs arguments of main.
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct config {
  char *name, *url;
};

// Its only caller exits if there is no result.
static struct config *parse(const char *s) {
  struct config *config = calloc(1, sizeof *config);
  if (!config) return NULL;
  config->url = strdup(s);  // LEAK: leak-at-exit
  if (strlen(s) < 5) {
    free(config);
    return NULL;
  }
  return config;
}

static int is_wrong(const char *s) {
  char *copy = strdup(s);  // LEAK: leak-at-exit
  if (copy[1] == 'a') return 1;
  free(copy);
  return 0;
}

// What it returns is what main returns, whatever that is: the place of the call says nothing of it.
static int last(const char *s) {
  char *copy = strdup(s);  // LEAK: conditional-leak
  if (copy[2] == 'b') return -1;
  free(copy);
  return 0;
}

// The same two, but the program goes on.
static int early(const char *s) {
  char *copy = strdup(s);  // LEAK: conditional-leak
  if (copy[3] == 'c') return -1;
  free(copy);
  return 0;
}

static int each(const char *s) {
  char *copy = strdup(s);  // LEAK: conditional-leak
  if (copy[0] == 'd') return -1;
  free(copy);
  return 0;
}

static void warned(const char *s) {
  char *copy = strdup(s);  // LEAK: never-freed
  if (copy) fprintf(stderr, "%s\n", copy);
}

static void usage(const char *name) {
  fprintf(stderr, "usage: %s text...\n", name);
  exit(2);
}

int main(int argc, char **argv) {
  if (argc < 2) usage(argv[0]);
  struct config *config = parse(argv[1]);
  if (config == NULL) {
    fprintf(stderr, "%s: too short\n", argv[1]);
    exit(1);
  }
  if (is_wrong(argv[1])) errx(1, "wrong");
  if (early(argv[1]) < 0) warned("early");
  for (int i = 1; i < argc; i++) each(argv[i]);
  free(config->url);
  free(config);
  return last(argv[1]);
}
