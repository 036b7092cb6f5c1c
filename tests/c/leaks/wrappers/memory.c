// The usual wrappers, in a file of their own.
#include "memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void out_of_memory(void) {
  fputs("out of memory\n", stderr);
  exit(1);
}

void *x_malloc(size_t size) {
  void *p = malloc(size ? size : 1);
  if (!p) out_of_memory();
  return p;
}

void *x_realloc(void *old, size_t size) {
  void *p = realloc(old, size);
  if (!p) out_of_memory();
  return p;
}

char *x_strdup(const char *s) { return strcpy(x_malloc(strlen(s) + 1), s); }

void x_free(void *p) {
  if (p) free(p);
}

char *x_join(const char *a, const char *b) {
  char *joined = x_malloc(strlen(a) + strlen(b) + 1);
  strcpy(joined, a);
  strcat(joined, b);
  return joined;
}

void x_free_array(char **items) {
  if (!items) return;
  for (char **at = items; *at; at++) x_free(*at);
  x_free(items);
}

char **x_split(const char *s, char separator) {
  size_t count = 0;
  char **items = x_malloc(sizeof *items);
  for (;;) {
    const char *end = strchr(s, separator);
    size_t length = end ? (size_t)(end - s) : strlen(s);
    char *item = x_malloc(length + 1);
    memcpy(item, s, length);
    item[length] = '\0';
    items = x_realloc(items, (count + 2) * sizeof *items);
    items[count++] = item;
    if (!end) break;
    s = end + 1;
  }
  items[count] = NULL;
  return items;
}
