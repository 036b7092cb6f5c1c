// The number 0 is that of a standard stream; blocks of memory have none.
#include <stdlib.h>
#include <unistd.h>

int block_bad(void) {
  char *text = malloc(3);  // LEAK: never-freed
  if (!text) return 1;
  close(0);
  return text[0] == 3;
}

int block_ok(int n) {
  char *text = malloc(3);
  if (!text) return 1;
  close(n);
  free(text);
  return 0;
}
