/* Pointers into a block that a function of the library found go when the block does. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int found_bad(const char *from) {
  char *copy = strdup(from);
  if (!copy) return -1;
  char *at = strchr(copy, '=');
  free(copy);
  return at ? *at : 0; // RULE: use-after-free
}
int found_ok(const char *from) {
  char *copy = strdup(from);
  if (!copy) return -1;
  char *at = strchr(copy, '=');
  int found = at ? *at : 0;
  free(copy);
  return at ? found : 0;
}

/* The end of a number. */
int number_bad(const char *from, long *number) {
  char *copy = strdup(from), *end;
  if (!copy) return -1;
  *number = strtol(copy, &end, 0);
  free(copy);
  return *end == '\0'; // RULE: use-after-free
}
int number_ok(const char *from, long *number) {
  char *copy = strdup(from), *end;
  if (!copy) return -1;
  *number = strtol(copy, &end, 0);
  int is_whole = *end == '\0';
  free(copy);
  *number += strtol(from, &end, 0);
  return is_whole && *end == '\0';
}

/* What is computed from it, given to a function. */
int behind_bad(const char *from) {
  char *copy = strdup(from);
  if (!copy) return -1;
  char *name = strrchr(copy, '/');
  if (!name) {
    free(copy);
    return 0;
  }
  name++;
  free(copy);
  puts(name); // RULE: use-after-free
  return 0;
}
int behind_ok(const char *from) {
  char *copy = strdup(from);
  if (!copy) return -1;
  char *name = strrchr(copy, '/');
  name = name ? name + 1 : copy;
  puts(name);
  free(copy);
  return 0;
}

/* A callee releases what a global leads to. */
static char *directory;
static int change(const char *to) {
  char *copy = strdup(to);
  if (!copy) return -1;
  free(directory);
  directory = copy;
  return 0;
}
size_t global_bad(const char *to) {
  char *name = strrchr(directory, '/');
  if (!name || change(to) < 0) return 0;
  return strlen(name); // RULE: use-after-free
}
size_t global_ok(const char *to) {
  char *name = strrchr(directory, '/');
  if (!name || change(to) < 0) return 0;
  name = strrchr(directory, '/');
  return name ? strlen(name) : 0;
}

/* A block that was moved. */
int moved_bad(const char *from, size_t size) {
  char *block = malloc(size);
  if (!block) return -1;
  memcpy(block, from, size);
  char *line = memchr(block, '\n', size);
  char *more = line ? realloc(block, size + 20) : NULL;
  if (!more) {
    free(block);
    return -1;
  }
  more[0] = *line; // RULE: use-after-free
  free(more);
  return 0;
}
int moved_ok(const char *from, size_t size) {
  char *block = malloc(size);
  if (!block) return -1;
  memcpy(block, from, size);
  char *line = memchr(block, '\n', size);
  size_t at = line ? line - block : 0;
  char *more = realloc(block, size + 20);
  if (!more) {
    free(block);
    return -1;
  }
  line = more + at;
  more[0] = *line;
  free(more);
  return 0;
}
