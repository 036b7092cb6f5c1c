// Shapes of real programs that tools report falsely: kept, grown, parsed, registered, cleaned at exit.
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A static buffer grown on demand and returned (shells and lexers do this).
static char *word_buffer;
static size_t word_size;

static char *expand_word(const char *s) {
  size_t need = strlen(s) + 1;
  if (need > word_size) {
    char *bigger = realloc(word_buffer, need);
    if (!bigger) return NULL;
    word_buffer = bigger;
    word_size = need;
  }
  return strcpy(word_buffer, s);
}

int grown_static_ok(const char *s) {
  char *word = expand_word(s);
  return word ? word[0] : -1;
}

// Options into globals.
static char *opt_output;
static char *opt_name;

int options_ok(int n) {
  char *argv[] = {"prog", "-o", "out", "-n", "name", NULL};
  int c;
  optind = 1;
  while ((c = getopt(5, argv, "o:n:")) != -1) {
    switch (c) {
      case 'o':
        free(opt_output);
        opt_output = strdup(optarg);
        break;
      case 'n':
        free(opt_name);
        opt_name = strdup(optarg);
        break;
      default:
        return -1;
    }
  }
  return n;
}

int options_local_bad(int n) {
  char *argv[] = {"prog", "-o", "out", "-o", "again", NULL};
  char *output = NULL;
  int c;
  optind = 1;
  while ((c = getopt(5, argv, "o:")) != -1) {
    if (c == 'o') output = strdup(optarg);  // LEAK: overwritten
  }
  free(output);
  return n;
}

// Freed at exit by a handler.
static char *scratch_file;

static void remove_scratch(void) {
  free(scratch_file);
  scratch_file = NULL;
}

int atexit_ok(const char *s) {
  static int registered;
  if (!registered) {
    registered = 1;
    atexit(remove_scratch);
  }
  free(scratch_file);
  scratch_file = strdup(s);
  return 0;
}

// A parser that builds on one path and frees on every other.
struct expression {
  char op;
  struct expression *left, *right;
};

static void expression_free(struct expression *e) {
  if (!e) return;
  expression_free(e->left);
  expression_free(e->right);
  free(e);
}

static struct expression *node(char op, struct expression *left, struct expression *right) {
  struct expression *e = malloc(sizeof *e);
  if (!e) {
    expression_free(left);
    expression_free(right);
    return NULL;
  }
  e->op = op;
  e->left = left;
  e->right = right;
  return e;
}

static struct expression *parse(const char **s) {
  struct expression *left;
  if (!**s) return NULL;
  left = node(*(*s)++, NULL, NULL);
  while (left && **s == '=') {
    ++*s;
    struct expression *right = parse(s);
    if (!right) {
      expression_free(left);
      return NULL;
    }
    left = node('=', left, right);
  }
  return left;
}

int parser_ok(const char *s) {
  const char *at = s;
  struct expression *e = parse(&at);
  int op = e ? e->op : 0;
  expression_free(e);
  return op;
}

int parser_bad(const char *s) {
  const char *at = s;
  struct expression *e = parse(&at);  // LEAK: conditional-leak
  if (!e) return -1;
  if (*at) return -1;
  expression_free(e);
  return 0;
}

// Two results of one call, freed together or kept together.
struct pair {
  char *key, *value;
};

static struct pair *pairs[16];
static int pair_count;

static struct pair *pair_parse(const char *s) {
  const char *equals = strchr(s, '=');
  struct pair *pair;
  if (!equals) return NULL;
  pair = malloc(sizeof *pair);
  if (!pair) return NULL;
  pair->key = strndup(s, (size_t)(equals - s));
  pair->value = strdup(equals + 1);
  if (!pair->key || !pair->value) {
    free(pair->key);
    free(pair->value);
    free(pair);
    return NULL;
  }
  return pair;
}

static int pair_register(struct pair *pair) {
  if (pair_count == 16) return -1;
  pairs[pair_count++] = pair;
  return 0;
}

static void pair_free(struct pair *pair) {
  free(pair->key);
  free(pair->value);
  free(pair);
}

int registered_ok(const char *s) {
  struct pair *pair = pair_parse(s);
  if (!pair) return -1;
  if (pair_register(pair) != 0) {
    pair_free(pair);
    return -1;
  }
  return 0;
}

int registered_bad(const char *s, int n) {
  struct pair *pair = pair_parse(s);  // LEAK: conditional-leak
  if (!pair) return -1;
  if (n == 2) return -1;
  if (pair_register(pair) != 0) pair_free(pair);
  return 0;
}

// Nested structures, all freed by one destructor that takes the address of the owner's pointer.
struct window {
  char *title;
  struct pane {
    char *text;
  } *panes;
  int count;
};

static void window_destroy(struct window **windowp) {
  struct window *window = *windowp;
  if (!window) return;
  for (int i = 0; i < window->count; i++) free(window->panes[i].text);
  free(window->panes);
  free(window->title);
  free(window);
  *windowp = NULL;
}

static struct window *window_create(const char *title, int count) {
  struct window *window = calloc(1, sizeof *window);
  if (!window) return NULL;
  window->title = strdup(title);
  window->panes = calloc(count > 0 ? (size_t)count : 1, sizeof *window->panes);
  if (!window->title || !window->panes) goto fail;
  for (; window->count < count; window->count++) {
    window->panes[window->count].text = strdup(title);
    if (!window->panes[window->count].text) goto fail;
  }
  return window;
fail:
  window_destroy(&window);
  return NULL;
}

int window_ok(const char *s, int n) {
  struct window *window = window_create(s, n);
  if (!window) return -1;
  window_destroy(&window);
  return 0;
}

int window_resize_bad(const char *s, int n) {
  struct window *window = window_create(s, 2);  // LEAK: conditional-leak
  if (!window) return -1;
  if (n > 1) window->count = 1;
  window_destroy(&window);
  return 0;
}

int window_resize_ok(const char *s, int n) {
  struct window *window = window_create(s, 2);
  if (!window) return -1;
  if (n > 1) free(window->panes[--window->count].text);
  window_destroy(&window);
  return 0;
}

// Files: the block belongs to the stream until it is closed; the copy does not.
int stream_buffer_ok(const char *s) {
  char *buffer = malloc(BUFSIZ);
  FILE *out = fopen("/dev/null", "w");
  if (!buffer || !out) {
    if (out) fclose(out);
    free(buffer);
    return -1;
  }
  setvbuf(out, buffer, _IOFBF, BUFSIZ);
  fputs(s, out);
  fclose(out);
  free(buffer);
  return 0;
}

int open_failure_bad(const char *s) {
  char *path = malloc(strlen(s) + 16);  // LEAK: conditional-leak
  if (!path) return -1;
  sprintf(path, "/nonexistent/%s", s);
  FILE *in = fopen(path, "r");
  if (!in) return -1;
  fclose(in);
  free(path);
  return 0;
}

int open_failure_ok(const char *s) {
  char *path = malloc(strlen(s) + 16);
  if (!path) return -1;
  sprintf(path, "/nonexistent/%s", s);
  FILE *in = fopen(path, "r");
  free(path);
  if (!in) return -1;
  fclose(in);
  return 0;
}
