// Objects that meet at one φ: made in cases that exclude each other, or not.
#include <stdlib.h>
#include <string.h>

static char *small(void) { return malloc(8); }
static char *medium(void) { return malloc(64); }
static char *large(void) { return malloc(512); }

void all_cases_are_freed_ok(int kind, const char *text) {
  char *p;
  switch (kind) {
    case 1: p = small(); break;
    case 2: p = medium(); break;
    case 3: p = large(); break;
    case 4: p = strdup(text); break;
    default: p = malloc(3); break;
  }
  free(p);
}

void one_case_is_forgotten_bad(int kind, const char *text) {
  char *p;
  switch (kind) {
    case 1: p = small(); break;
    case 2: p = medium(); break;  // LEAK: never-freed
    case 3: p = large(); break;
    case 4: p = strdup(text); break;
    default: p = malloc(3); break;
  }
  if (kind != 2) free(p);
}

void all_cases_are_forgotten_bad(int kind, const char *text) {
  char *p;
  switch (kind) {
    case 1: p = small(); break;       // LEAK: never-freed
    case 2: p = medium(); break;      // LEAK: never-freed
    case 3: p = large(); break;       // LEAK: never-freed
    case 0: p = strdup(text); break;  // LEAK: never-freed
    default: return;
  }
  if (p) p[0] = 0;
}

// All three are made; one is freed.
void one_is_chosen_bad(int kind) {
  char *a = small();   // LEAK: conditional-leak
  char *b = medium();  // LEAK: conditional-leak
  char *c = large();   // LEAK: conditional-leak
  char *p;
  switch (kind) {
    case 1: p = a; break;
    case 2: p = b; break;
    default: p = c; break;
  }
  free(p);
}

// What one turn makes is lost in the next.
void overwritten_in_the_next_turn_bad(int n, int first) {
  char *p = NULL;
  for (int i = 0; i < n; i++) {
    switch ((i + first) % 3) {
      case 1: p = small(); break;   // LEAK: overwritten
      case 2: p = medium(); break;  // LEAK: overwritten
      default: p = large(); break;  // LEAK: overwritten
    }
  }
  free(p);
}

void freed_in_each_turn_ok(int n, const char *text) {
  for (int i = 0; i < n; i++) {
    char *p;
    switch (i % 4) {
      case 1: p = small(); break;
      case 2: p = medium(); break;
      case 3: p = large(); break;
      default: p = strdup(text); break;
    }
    if (p) p[0] = 0;
    free(p);
  }
}

// One of them is handed to the caller, where it may be lost.
static char *any_kind(int kind) {
  char *p;
  switch (kind) {
    case 1: p = small(); break;
    case 2: p = medium(); break;
    case 3: p = large(); break;
    default: p = malloc(3); break;
  }
  return p;
}

void keeps_ok(int kind) {
  char *p = any_kind(kind);
  if (p) p[0] = 0;
  free(p);
}

void drops_the_large_bad(int kind) {
  char *p = any_kind(kind);  // FN: conditional-leak the candidate names another member of the switch
  if (kind != 3) free(p);
}

struct node {
  struct node *next;
  char *name;
};

static struct node *new_node(void) { return calloc(1, sizeof(struct node)); }
static struct node *named_node(const char *name) {
  struct node *node = calloc(1, sizeof *node);
  if (node) node->name = strdup(name);  // LEAK: never-freed
  return node;
}

void frees_what_it_holds_ok(int kind, const char *name) {
  struct node *node;
  switch (kind) {
    case 1: node = new_node(); break;
    case 2: node = named_node(name); break;
    case 3: node = calloc(2, sizeof *node); break;
    default: return;
  }
  if (node) free(node->name);
  free(node);
}

void forgets_what_it_holds_bad(int kind, const char *name) {
  struct node *node;
  switch (kind) {
    case 1: node = new_node(); break;
    case 2: node = named_node(name); break;
    case 3: node = calloc(2, sizeof *node); break;
    default: return;
  }
  free(node);
}
