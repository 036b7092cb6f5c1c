// What `main` loses just before it returns, the system closes. What a function loses before is lost.
#include <stdio.h>
#include <unistd.h>

int is_there_bad(const char *name) {
  FILE *file = fopen(name, "r");  // RULE: resource-leak
  return file != NULL;
}

int main(int argc, char **argv) {
  if (argc < 3 || !is_there_bad(argv[1])) return 1;
  if (fopen(argv[2], "r"))
    execv(argv[2], argv);
  else
    fprintf(stderr, "cannot be read\n");
  return 3;
}
