// __attribute__((cleanup)): freed at the end of the scope, on every way out of it.
#include <stdlib.h>
#include <string.h>

static void free_char(char **p) { free(*p); }
static void forget_char(char **p) { (void)p; }
#define autofree __attribute__((cleanup(free_char)))

int cleanup_ok(const char *s) {
  autofree char *p = strdup(s);
  if (!p) return -1;
  if (p[0] == 'a') return 1;
  return 0;
}

int cleanup_in_loop_ok(int n) {
  for (int i = 0; i < n; i++) {
    autofree char *p = malloc(4);
    if (i == 1) continue;
    if (i == 2) break;
    if (!p) return -1;
  }
  return n;
}

// Ownership taken out of the variable before the scope ends.
char *cleanup_steal_ok(const char *s) {
  autofree char *p = strdup(s);
  char *stolen = p;
  p = NULL;
  return stolen;
}

int cleanup_steal_bad(const char *s) {
  autofree char *p = strdup(s);  // LEAK: never-freed
  char *stolen = p;
  p = NULL;
  return stolen != NULL;
}

// The clean-up function does nothing.
int cleanup_wrong_bad(const char *s) {
  __attribute__((cleanup(forget_char))) char *p = strdup(s);  // LEAK: never-freed
  return p != NULL;
}

// Assigned again: the clean-up sees the second block only.
int cleanup_overwritten_bad(const char *s) {
  autofree char *p = strdup(s);  // LEAK: overwritten
  p = strdup("b");
  return p != NULL;
}

int cleanup_overwritten_ok(const char *s) {
  autofree char *p = strdup(s);
  free(p);
  p = strdup("b");
  return p != NULL;
}

// goto out of the scope runs the clean-up, too.
int cleanup_goto_ok(const char *s, int n) {
  {
    autofree char *p = strdup(s);
    if (n > 1) goto done;
    if (!p) return -1;
  }
  n = 0;
done:
  return n;
}
