// In a complete program: a function that `main` runs again and again, with a global as its local.
#include <stdio.h>
#include <stdlib.h>

char *line;

void show_line(void) { printf("%s", line ? line : ""); }

void each(void) {
  line = calloc(1, 8);  // LEAK: never-freed
  show_line();
}

int main(int argc, char **argv) {
  for (int i = 0; i < argc + 2; i++) each();
  return argv[0] == NULL;
}
