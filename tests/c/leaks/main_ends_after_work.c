// Lost when the work is over: what follows clears up, and the program ends. NOT RUN: reads its input.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct word {
  struct word *next;
  char *text;
};

struct tree {
  struct tree *left, *right;
};

static void (*print_error)(const char *);

static void to_stderr(const char *what) { fprintf(stderr, "error: %s\n", what); }

static void to_stdout(const char *what) { printf("error: %s\n", what); }

// A block for all lines: nobody needs it when they are read.
static int count_lines(FILE *in) {
  char *line = malloc(1000);  // LEAK: leak-at-exit
  int lines = 0;
  while (fgets(line, 1000, in)) lines++;
  return lines;
}

// Lost before the lines are read.
static int read_title(const char *arg) {
  char *title = strdup(arg);  // LEAK: never-freed
  printf("%s\n", title);
  return (int)strlen(title);
}

// Lost between the lines.
static int check_line(const char *line) {
  char *copy = strdup(line);  // LEAK: conditional-leak
  if (copy[0] == '#') return 0;
  free(copy);
  return 1;
}

// Lost on the way out of the loop; the caller looks at the result, and ends in any case. A list and a
// tree are cleared before that, an error is printed through a pointer.
static int read_words(FILE *in, struct word **words) {
  for (;;) {
    char *text = malloc(80);  // LEAK: leak-at-exit
    if (!fgets(text, 80, in)) {
      print_error("end of file");
      return -1;
    }
    if (!check_line(text)) {
      free(text);
      continue;
    }
    struct word *word = malloc(sizeof *word);
    if (!word) abort();
    word->text = text;
    word->next = *words;
    *words = word;
  }
}

static void clear_words(struct word *words) {
  while (words) {
    struct word *next = words->next;
    free(words->text);
    free(words);
    words = next;
  }
}

static void clear_tree(struct tree *tree) {
  if (!tree) return;
  clear_tree(tree->left);
  clear_tree(tree->right);
  free(tree);
}

// A function without a result, called when all is done.
static void summary(const char *name, int lines) {
  char *text = malloc(strlen(name) + 40);  // LEAK: leak-at-exit
  sprintf(text, "%s: %d\n", name, lines);
  fputs(text, stdout);
}

// The same, and then somebody waits for an answer.
static void question(const char *name) {
  char *text = malloc(strlen(name) + 40);  // LEAK: never-freed
  sprintf(text, "%s?\n", name);
  fputs(text, stdout);
}

// The same, and then everything is printed and the rest is read.
static void heading(const char *name) {
  char *text = malloc(strlen(name) + 40);  // LEAK: never-freed
  sprintf(text, "%s!\n", name);
  fputs(text, stdout);
}

// Lost on the first way out, at which the program ends, and on each turn, at which it goes on.
static int both(FILE *in) {
  for (;;) {
    char *line = malloc(80);  // LEAK: overwritten
    if (!fgets(line, 80, in)) return -1;
    if (line[0] == '+') puts(line);
  }
}

static int finish(FILE *in, struct word *words, struct tree *tree, int status) {
  clear_words(words);
  clear_tree(tree);
  if (fclose(in)) print_error("cannot close");
  return status;
}

int main(int argc, char **argv) {
  struct word *words = NULL;
  print_error = argc > 3 ? to_stderr : to_stdout;
  if (argc < 2) return 1;
  FILE *in = fopen(argv[1], "r");
  if (!in) return 1;
  struct tree *tree = calloc(1, sizeof *tree);
  if (argc == 2 && both(in) < 0) return finish(in, NULL, tree, 2);
  int width = read_title(argv[1]);
  question(argv[1]);
  if (getchar() == 'n') return finish(in, NULL, tree, 0);
  if (argc == 3) {
    if (read_words(in, &words) < 0) print_error("words");
    return finish(in, words, tree, 0);
  }
  if (argc > 4) {
    heading(argv[1]);
    for (int i = 2; i < argc; i++) width += printf("%s", argv[i]);
  }
  summary(argv[1], width + count_lines(in));
  return finish(in, words, tree, 0);
}
