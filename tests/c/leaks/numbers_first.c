// NOT RUN: nobody defines what is called.
// The number stands first in comparisons: `-1 == pop(&text)` says of the call what `pop(&text) == -1` says.
#include <stdlib.h>

int pop(char **text);
void use(const char *text);
char *next_name(void);

void popped_ok(void) {
  char *text;
  if (-1 == pop(&text)) return;
  use(text);
  free(text);
}

void popped_twice_ok(void) {
  char *text, *other;
  if (-1 == pop(&text)) return;
  if (-1 == pop(&other)) {
    free(text);
    return;
  }
  use(text);
  free(text);
  free(other);
}

void popped_bad(void) {
  char *text = NULL, *other = NULL;
  if (-1 == pop(&text) || -1 == pop(&other)) return;  // LEAK: conditional-leak
  use(text);
  free(text);
  free(other);
}

void named_ok(void) {
  char *name = next_name();
  if (NULL == name) return;
  use(name);
  free(name);
}

void named_bad(int quiet) {
  char *name = next_name();  // LEAK: conditional-leak
  if (NULL == name || 0 != quiet) return;
  use(name);
  free(name);
}
