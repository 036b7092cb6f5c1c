// A program's own functions that are called as the C library's, with other parameters. NOT RUN: nobody defines them.
#include <stdlib.h>

// Not `error(3)`, which ends the program where its first argument is not 0.
int error(const char *format, ...);

int complains_bad(int number) {
  char *block = malloc(10);  // LEAK: conditional-leak
  if (block == NULL) return -1;
  if (number < 0) {
    error("bad %d", number);
    return -1;
  }
  free(block);
  return 0;
}

int complains_ok(int number) {
  char *block = malloc(10);
  if (block == NULL) return -1;
  if (number < 0) {
    free(block);
    error("bad %d", number);
    return -1;
  }
  free(block);
  return 0;
}

// Not the C library's `index(const char *, int)`, either.
struct database;
int index(struct database *database, const char *key, int number);

int indexed_bad(struct database *database) {
  char *block = malloc(10);  // LEAK: conditional-leak
  if (block == NULL) return -1;
  if (index(database, "key", 3) < 0) return -1;
  free(block);
  return 0;
}
