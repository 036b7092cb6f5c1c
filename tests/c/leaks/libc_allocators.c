// getline, getdelim, asprintf, strndup, realpath, open_memstream, scandir-like and posix_memalign.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *text_stream(const char *s) { return s[0] ? fmemopen((void *)s, strlen(s), "r") : NULL; }

int getline_ok(const char *s) {
  FILE *in = text_stream(s);
  char *line = NULL;
  size_t size = 0;
  int lines = 0;
  if (!in) return -1;
  while (getline(&line, &size, in) > 0) lines++;
  free(line);
  fclose(in);
  return lines;
}

int getline_bad(const char *s) {
  FILE *in = text_stream(s);
  char *line = NULL;
  size_t size = 0;
  int lines = 0;
  if (!in) return -1;
  while (getline(&line, &size, in) > 0) lines++;  // LEAK: never-freed
  fclose(in);
  return lines;
}

int getline_early_return_bad(const char *s) {
  FILE *in = text_stream(s);
  char *line = NULL;
  size_t size = 0;
  if (!in) return -1;
  while (getline(&line, &size, in) > 0) {  // LEAK: conditional-leak
    if (line[0] == 'k') {
      fclose(in);
      return 1;
    }
  }
  free(line);
  fclose(in);
  return 0;
}

// A new buffer in each turn.
int getline_per_line_bad(const char *s) {
  FILE *in = text_stream(s);
  int lines = 0;
  if (!in) return -1;
  for (;;) {
    char *line = NULL;
    size_t size = 0;
    if (getdelim(&line, &size, '=', in) <= 0) {  // LEAK: overwritten
      free(line);
      break;
    }
    lines++;
  }
  fclose(in);
  return lines;
}

int getline_per_line_ok(const char *s) {
  FILE *in = text_stream(s);
  int lines = 0, more = 1;
  if (!in) return -1;
  while (more) {
    char *line = NULL;
    size_t size = 0;
    more = getdelim(&line, &size, '=', in) > 0;
    lines += more;
    free(line);
  }
  fclose(in);
  return lines;
}

int asprintf_ok(const char *s, int n) {
  char *text;
  if (asprintf(&text, "%s-%d", s, n) < 0) return -1;
  int length = (int)strlen(text);
  free(text);
  return length;
}

int asprintf_bad(const char *s, int n) {
  char *text;
  if (asprintf(&text, "%s-%d", s, n) < 0) return -1;  // LEAK: never-freed
  return (int)strlen(text);
}

int asprintf_conditional_bad(const char *s, int n) {
  char *text = NULL;
  int length = asprintf(&text, "%s-%d", s, n);  // LEAK: conditional-leak
  if (length < 0 || n > 2) return -1;
  free(text);
  return length;
}

// In a loop, over the same variable.
int asprintf_loop_bad(const char *s) {
  char *text = NULL;
  for (int i = 0; i < 2; i++)
    if (asprintf(&text, "%s-%d", s, i) < 0) return -1;  // LEAK: overwritten
  free(text);
  return 0;
}

int asprintf_loop_ok(const char *s) {
  for (int i = 0; i < 2; i++) {
    char *text;
    if (asprintf(&text, "%s-%d", s, i) < 0) return -1;
    free(text);
  }
  return 0;
}

// Built up: each round wraps the text of the round before.
int asprintf_chain_bad(const char *s) {
  char *text = strdup(s);  // LEAK: overwritten
  char *longer;
  if (!text) return -1;
  if (asprintf(&longer, "(%s)", text) < 0) {
    free(text);
    return -1;
  }
  text = longer;
  free(text);
  return 0;
}

int asprintf_chain_ok(const char *s) {
  char *text = strdup(s);
  char *longer;
  if (!text) return -1;
  if (asprintf(&longer, "(%s)", text) < 0) {
    free(text);
    return -1;
  }
  free(text);
  text = longer;
  free(text);
  return 0;
}

int strndup_bad(const char *s) {
  char *head = strndup(s, 3);  // LEAK: never-freed
  return head && head[0];
}

int strndup_ok(const char *s) {
  char *head = strndup(s, 3);
  int first = head && head[0];
  free(head);
  return first;
}

// With NULL as its second argument realpath allocates; with a buffer it does not.
int realpath_bad(void) {
  char *path = realpath("/", NULL);  // LEAK: never-freed
  return path != NULL;
}

int realpath_ok(void) {
  char *path = realpath("/", NULL);
  int found = path != NULL;
  free(path);
  return found;
}

int realpath_buffer_ok(void) {
  char buffer[4096];
  char *path = realpath("/", buffer);
  return path != NULL;
}

int memstream_ok(const char *s) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (!out) return -1;
  fputs(s, out);
  fclose(out);
  free(text);
  return (int)size;
}

int aligned_ok(int n) {
  void *block = NULL;
  if (posix_memalign(&block, 64, 128) != 0) return -1;
  free(block);
  return n;
}

int aligned_bad(int n) {
  void *block = NULL;
  if (posix_memalign(&block, 64, 128) != 0) return -1;  // LEAK: conditional-leak
  if (n > 0) free(block);
  return n;
}

// What looks like an allocation and is none.
int not_allocators_ok(const char *s) {
  char *at = strchr(s, '=');
  char *home = getenv("HOME");
  char *message = strerror(2);
  return (at != NULL) + (home != NULL) + (message != NULL);
}

int alloca_ok(int n) {
  char *p = __builtin_alloca(16);
  p[0] = (char)n;
  return p[0];
}
