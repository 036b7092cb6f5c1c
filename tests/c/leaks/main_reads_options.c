// What an option's text is like is asked of the user, and not made up. NOT RUN: needs arguments of main.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *expanded(const char *name) {
  char *full;
  if (name[0] == '~' && asprintf(&full, "%s%s", getenv("HOME"), name + 1) != -1) return full;
  return strdup(name);
}

static int read_list(const char *name) {
  char line[80];
  char *full = expanded(name);  // LEAK: conditional-leak
  FILE *in = fopen(full, "r");
  if (!in) {
    free(full);
    return -1;
  }
  if (fgets(line, sizeof line, in) && strcmp(line, "[list]\n") != 0) {
    fclose(in);
    return -1;
  }
  fclose(in);
  free(full);
  return 0;
}

static int load(int argc, char **argv) {
  int option, failed = 0;
  while ((option = getopt(argc, argv, "l:")) != -1)
    if (option == 'l' && read_list(optarg) != 0) failed++;
  return failed;
}

static int (*commands[])(int, char **) = {load};

int main(int argc, char **argv) {
  while (argc-- > 1) commands[argc & 0](argc, argv);
  return 0;
}
