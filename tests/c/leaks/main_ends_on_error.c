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
  for (int i = 1; i < argc; i++)
    if (read_some(in)) complain(argv[i]);
  for (int i = 0; i < argc; i++) free(rows[i]);
  fclose(in);
  return 0;
}
