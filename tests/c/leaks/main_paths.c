// main itself: early returns, exit, and a loop that loses a block in each turn.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int run(const char *s) { return (int)strlen(s); }

int main(int argc, char **argv) {
  const char *first = argv && argc > 3 ? argv[0] : "none";
  char *config = strdup("config");  // LEAK: leak-at-exit
  char *report;
  if (!config) return 1;
  if (argc < 0) return 2;
  if (argc == 0) exit(3);
  // Overwritten long before main returns: an ordinary leak.
  report = NULL;
  for (int i = 0; i < 3; i++) report = strdup(config);  // LEAK: overwritten
  free(report);
  // Lost in each turn: an ordinary leak, too.
  for (int i = 0; i < 2; i++) {
    char *turn = strdup("turn");  // LEAK: conditional-leak
    if (!turn) exit(1);
    if (run(turn) == 4 && i == 1) continue;
    free(turn);
  }
  printf("%d\n", run(first));
  if (argc == 2) return 4;
  free(config);
  return 0;
}
