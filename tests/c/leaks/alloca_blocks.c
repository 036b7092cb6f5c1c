// Blocks that only memory of the stack holds which no variable names: alloca, arrays of variable length.
#include <alloca.h>
#include <stdlib.h>
#include <string.h>

int one_bad(int n) {
  char **p = alloca(sizeof *p);
  *p = malloc(8);  // LEAK: never-freed
  return n;
}

int one_ok(int n) {
  char **p = alloca(sizeof *p);
  *p = malloc(8);
  free(*p);
  return n;
}

int all_but_one_bad(int n) {
  if (n < 0) return -1;
  char **p = alloca((n + 1) * sizeof *p);
  for (int i = 0; i < n; i++) p[i] = malloc(4);  // LEAK: conditional-leak
  for (int i = 0; i < n; i++)
    if (i != 1) free(p[i]);
  return 0;
}

int all_ok(int n) {
  if (n < 0) return -1;
  char **p = alloca((n + 1) * sizeof *p);
  for (int i = 0; i < n; i++) p[i] = malloc(4);
  for (int i = 0; i < n; i++) free(p[i]);
  return 0;
}

struct node {
  struct node *next;
  char *text;
};

int node_bad(const char *s, int n) {
  struct node *node = alloca(sizeof *node);
  node->next = NULL;
  node->text = strdup(s);  // LEAK: conditional-leak
  if (n < 0) return -1;
  free(node->text);
  return 0;
}

int node_ok(const char *s, int n) {
  struct node *node = alloca(sizeof *node);
  node->next = NULL;
  node->text = strdup(s);
  if (n < 0) {
    free(node->text);
    return -1;
  }
  free(node->text);
  return 0;
}

static void fill(char **to, const char *s) { *to = strdup(s); }

int filled_bad(const char *s) {
  char **p = alloca(sizeof *p);
  fill(p, s);  // LEAK: never-freed
  return p[0] != NULL;
}

int filled_ok(const char *s) {
  char **p = alloca(sizeof *p);
  fill(p, s);
  free(*p);
  return 0;
}

int variable_length_bad(int n) {
  if (n < 1) return 0;
  char *v[n];
  v[0] = malloc(3);  // LEAK: never-freed
  return v[0] != NULL;
}

int variable_length_ok(int n) {
  if (n < 1) return 0;
  char *v[n];
  v[0] = malloc(3);
  free(v[0]);
  return 0;
}

static char **kept;

int kept_elsewhere_ok(int n) {
  char **p = alloca(sizeof *p), **room = malloc(sizeof *room);
  if (!room) return -1;
  if (kept) free(*kept);
  free(kept);
  kept = room;
  *p = malloc(3);
  *kept = *p;
  return n;
}
