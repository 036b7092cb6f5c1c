/* NOT RUN: it has a `main` of its own. A static that only one function sets and reads again: from its callers' view it may keep a block until
   the program ends, as it does where only the last call makes one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *name_in_use;

static void complain(const char *what) { fprintf(stderr, "%s: %s\n", name_in_use, what); }

static char *default_name(void) {
  char *p = malloc(20);
  if (!p) exit(1);
  strcpy(p, "x");
  return p;
}

int read_named_ok(char *in) {
  if (in == NULL) in = default_name();
  name_in_use = in;
  if (strcmp(in, "-") == 0) complain("bad");
  return 0;
}

static int read_given(char *name) {
  if (name == NULL) return -1;
  return read_named_ok(name);
}

int main(int argc, char **argv) {
  int failed = 0;
  while (argc-- > 1) failed += read_given(*++argv);
  failed += read_named_ok(NULL);
  return failed;
}
