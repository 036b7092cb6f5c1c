// A main that frees all it owns, or leaves through exit, or keeps its memory in globals.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char **words;
static int word_count;

static void words_add(const char *word) {
  char **bigger = realloc(words, ((size_t)word_count + 1) * sizeof *words);
  if (!bigger) exit(1);
  words = bigger;
  words[word_count] = strdup(word);
  word_count++;
}

int words_print_ok(int n) {
  for (int i = 0; i < n && i < word_count; i++) puts(words[i]);
  return n;
}

int main(int argc, char **argv) {
  char *buffer = malloc(16);
  (void)argv;
  if (!buffer) return 1;
  words_add("one");
  words_add("two");
  words_print_ok(argc);
  if (argc == 1) exit(0);
  free(buffer);
  return 0;
}
