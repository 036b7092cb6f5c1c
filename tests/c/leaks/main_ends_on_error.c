// An error that every caller hands up ends the program, also out of loops. NOT RUN: needs arguments of main.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void complain(const char *what) { fprintf(stderr, "error: %s\n", what); }

// Each call is in a loop, which an error ends.
static int read_one(FILE *in) {
  char *line = malloc(80);  // LEAK: leak-at-exit
  if (fread(line, 1, 80, in) != 80) {
    complain("no line");
    return -1;
  }
  free(line);
  return 0;
}

static int read_all(FILE *in, int count) {
  for (int i = 0; i < count; i++) {
    if (read_one(in) == -1) {
      complain("cannot read");
      return -1;
    }
  }
  return 0;
}

// The same, but the next file comes.
static int read_some(FILE *in) {
  char *line = malloc(80);  // LEAK: conditional-leak
  if (fread(line, 1, 80, in) != 80) return -1;
  free(line);
  return 0;
}

// Lost in a callee, in the middle of a loop; the result is an error whatever it was.
struct table {
  char **rows;
  int count;
};

static int fill(struct table *table, FILE *in) {
  for (int i = 0; i < table->count; i++) {
    char *row = malloc(10);  // LEAK: leak-at-exit
    int got = (int)fread(row, 1, 10, in);
    if (got < 10) return got - 10;
    table->rows[i] = row;
  }
  return 0;
}

// Handed up through a recursion.
static int walk(FILE *in, int depth) {
  char *name = malloc(20);  // LEAK: leak-at-exit
  if (fread(name, 1, 20, in) != 20) return -1;
  if (depth > 0 && name[0] == '/') {
    if (walk(in, depth - 1) == -1) {
      free(name);
      return -1;
    }
  }
  free(name);
  return 0;
}

// The same, but one of the callers goes on.
static int stroll(FILE *in, int depth) {
  char *name = malloc(20);  // LEAK: conditional-leak
  if (fread(name, 1, 20, in) != 20) return -1;
  if (depth > 0 && name[0] == '/' && stroll(in, depth - 1) == -1) complain("below");
  free(name);
  return 0;
}

// The caller clears up before it exits.
struct word {
  struct word *next;
};

static void clear(struct word *words) {
  while (words) {
    struct word *next = words->next;
    free(words);
    words = next;
  }
}

static int read_word(FILE *in, struct word **words) {
  char *text = malloc(20);  // LEAK: leak-at-exit
  struct word *word = calloc(1, sizeof *word);
  if (!text || !word) abort();
  word->next = *words;
  *words = word;
  if (fread(text, 1, 20, in) != 20) return -1;
  free(text);
  return 0;
}

int main(int argc, char **argv) {
  struct table table = {NULL, argc};
  char *rows[8];
  if (argc < 2 || argc > 8) return 1;
  table.rows = rows;
  FILE *in = fopen(argv[1], "r");
  if (!in) return 1;
  if (fill(&table, in) < 0) {
    complain("table");
    return 1;
  }
  if (read_all(in, argc) < 0) exit(1);
  if (walk(in, 3) < 0) return 2;
  struct word *words = NULL;
  for (int i = 0; i < argc; i++)
    if (read_word(in, &words) < 0) {
      clear(words);
      return 2;
    }
  clear(words);
  if (stroll(in, 3) < 0) return 2;
  for (int i = 1; i < argc; i++)
    if (read_some(in)) complain(argv[i]);
  for (int i = 0; i < argc; i++) free(rows[i]);
  fclose(in);
  return 0;
}
