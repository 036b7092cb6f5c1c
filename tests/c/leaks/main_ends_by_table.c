// What only main's table calls ends with the program. NOT RUN: needs arguments of main.
// What a library may call as well, or somebody calls in a loop, need not.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int parse(const char *path) {
  FILE *in = fopen(path, "r");
  char line[80];
  int count = 0;
  if (!in) return -1;
  while (fgets(line, sizeof line, in)) count++;
  fclose(in);
  return count;
}

static int list(int argc, char **argv) {
  char *name = strdup(argv[0]);  // LEAK: leak-at-exit
  int count = argc > 1 ? parse(argv[1]) : -1;
  if (count < 0) return 1;
  puts(name);
  free(name);
  return 0;
}

static int each(int argc, char **argv) {
  char *name = strdup(argv[0]);  // LEAK: conditional-leak
  int count = argc > 1 ? parse(argv[1]) : -1;
  if (count < 0) return 1;
  puts(name);
  free(name);
  return 0;
}

static int compare(const void *one, const void *other) {
  char *copy = strdup(one);  // LEAK: conditional-leak
  if (*copy == *(const char *)other) return 0;
  free(copy);
  return 1;
}

static const struct command {
  const char *name;
  int (*run)(int, char **);
} commands[] = {{"list", list}};
static int (*steps[])(int, char **) = {each};

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  for (int i = 1; i < argc; i++)
    if (steps[argc & 0](argc, argv + i)) puts("failed");
  qsort(argv[1], strlen(argv[1]), 1, compare);
  for (unsigned i = 0; i < sizeof commands / sizeof *commands; i++)
    if (!strcmp(argv[1], commands[i].name)) return commands[i].run(argc - 1, argv + 1);
  return 2;
}
