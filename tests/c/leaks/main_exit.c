// What is lost only when `main` returns has its own rule: the system takes it back at once.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
  char *name;
};

static char *program_name;

static struct options *options_new(const char *name) {
  struct options *options = malloc(sizeof *options);
  if (!options) exit(1);
  options->name = strdup(name);
  return options;
}

// Lost while the program goes on: no matter that main is the caller.
static int count_words(const char *s) {
  char *copy = strdup(s);  // LEAK: never-freed
  int words = 0;
  if (!copy) return 0;
  for (const char *at = copy; *at; at++) words += *at == ' ';
  return words;
}

static int count_letters(const char *s) {
  char *copy = strdup(s);
  int letters = copy ? (int)strlen(copy) : 0;
  free(copy);
  return letters;
}

int main(void) {
  struct options *options = options_new("test");  // LEAK: leak-at-exit
  char *line = malloc(80);                         // LEAK: leak-at-exit
  char *freed = malloc(80);
  program_name = strdup("still held by a global");
  if (!line || !freed) exit(1);
  if (!options->name) abort();
  strcpy(line, "three short words");
  printf("%d %d\n", count_words(line), count_letters(line));
  free(freed);
  return 0;
}
