// TSE'14 Fig. 2 (ISSTA'12 Fig. 2): a buffer of two objects, lost on `continue`.
// With `--memory-model top-level` only the outer block is found: the inner one is reached through
// memory only.
#include <stdio.h>
#include <stdlib.h>

static char **line_new(char c) {
  char **line = malloc(sizeof *line);  // LEAK: conditional-leak
  *line = malloc(2);                   // LEAK: conditional-leak with its owner
  (*line)[0] = c;
  (*line)[1] = '\0';
  return line;
}

static void line_free(char **line) {
  char *text = *line;
  free(text);
  free(line);
}

void print_lines_bad(const char *text) {
  for (int n = 0; text[n] != '\0'; n++) {
    char **line = line_new(text[n]);
    char *first = *line;
    if (*first != 'e')
      printf("%s", first);
    else
      continue;
    line_free(line);
  }
}

static char **row_new(char c) {
  char **row = malloc(sizeof *row);
  *row = malloc(2);
  (*row)[0] = c;
  (*row)[1] = '\0';
  return row;
}

static void row_free(char **row) {
  free(*row);
  free(row);
}

void print_rows_ok(const char *text) {
  for (int n = 0; text[n] != '\0'; n++) {
    char **row = row_new(text[n]);
    if (**row == 'e') {
      row_free(row);
      continue;
    }
    printf("%s", *row);
    row_free(row);
  }
}

static char **cell_new(char c) {
  char **cell = malloc(sizeof *cell);
  *cell = malloc(2);  // LEAK: never-freed
  (*cell)[0] = c;
  (*cell)[1] = '\0';
  return cell;
}

// Only the outer object is released: exactly one of the two leaks.
void print_cells_bad(const char *text) {
  for (int n = 0; text[n] != '\0'; n++) {
    char **cell = cell_new(text[n]);
    printf("%s", *cell);
    free(cell);
  }
}
