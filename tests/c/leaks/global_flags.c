// Global flags: written or not, by whom, and between what.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int always_on = 1;
static int always_off;
static int set_somewhere;
int visible_flag = 1;

// Never written: its initial value counts.
int static_true_ok(int n) {
  char *p = malloc(8);
  if (always_on) free(p);
  return n;
}

int static_true_bad(int n) {
  char *p = malloc(8);  // LEAK: never-freed
  if (!always_on) free(p);
  return n;
}

int static_false_ok(int n) {
  char *p = malloc(8);
  if (!always_off) free(p);
  return n;
}

int static_five_ok(int n) {
  static int five = 5;
  char *p = NULL;
  if (five == 5) p = malloc(8);
  if (five != 5)
    puts("never");
  else
    free(p);
  return n;
}

int static_five_bad(int n) {
  static int five = 5;
  char *p = NULL;
  if (five == 5) p = malloc(8);  // LEAK: never-freed
  if (five != 5) free(p);
  return n;
}

// Written elsewhere in the file: either value, but the same one twice in a row.
void set_flag_ok(int n) { set_somewhere = n; }

int unknown_flag_twice_ok(int n) {
  char *p = NULL;
  set_somewhere = n > 1;
  if (set_somewhere) p = malloc(8);
  if (set_somewhere) free(p);
  return n;
}

int unknown_flag_changed_bad(int n) {
  char *p = NULL;
  set_somewhere = 1;
  if (set_somewhere) p = malloc(8);  // LEAK: conditional-leak
  set_flag_ok(n);
  if (set_somewhere) free(p);
  return n;
}

int unknown_flag_once_bad(int n) {
  char *p = malloc(8);  // LEAK: conditional-leak
  set_flag_ok(n);
  if (set_somewhere) free(p);
  return n;
}

// Visible to other files, which may write it: then it can be anything. Arguable: if these files are the
// whole program, nobody does, and there is no leak.
// NOT RUN: the leak needs another program part that clears visible_flag
int visible_flag_bad(int n) {
  char *p = malloc(8);  // FN: conditional-leak what no analysed file writes is taken for constant
  if (visible_flag) free(p);
  return n;
}

int visible_flag_twice_ok(int n) {
  char *p = NULL;
  if (visible_flag) p = malloc(8);
  if (visible_flag) free(p);
  return n;
}

// A function that always says the same.
static int returns_true(void) { return 1; }
static int returns_false(void) { return 0; }

int constant_function_ok(int n) {
  char *p = malloc(8);
  if (returns_true()) free(p);
  return n;
}

int constant_function_bad(int n) {
  char *p = malloc(8);  // LEAK: never-freed
  if (returns_false()) free(p);
  return n;
}

// The flag lives in a structure that is written once.
static struct {
  int keep_going;
  int level;
} state = {1, 3};

int struct_flag_ok(int n) {
  char *p = malloc(8);
  if (state.level > 2) free(p);
  return n;
}

// The global pointer itself says whether it is set: lazily made, once.
static char *lazy;

int lazy_global_ok(int n) {
  if (!lazy) lazy = malloc(8);
  return lazy != NULL && n;
}

int release_global_ok(int n) {
  if (n > 1) {
    free(lazy);
    lazy = NULL;
  }
  return lazy_global_ok(n);
}
