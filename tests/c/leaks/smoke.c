// SMOKE Figs. 1, 2, 3, 5, 6, 8 (escape on one path only) and 9's single-file form.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Fig. 1: an early exit behind the second of two branches.
void fig1_early_exit_bad(int verbose, int quit) {
  char *p = malloc(16);  // LEAK: conditional-leak
  if (verbose > 0) printf("started\n");
  if (quit > 0) return;
  free(p);
}

void fig1_early_exit_ok(int verbose, int quit) {
  char *p = malloc(16);
  if (verbose > 0) printf("started\n");
  if (quit > 0) {
    free(p);
    return;
  }
  free(p);
}

// Fig. 2: freed in both arms.
int fig2_both_arms_ok(int y) {
  char *p = malloc(16);
  int result = y;
  if (y) {
    result += 1;
    free(p);
  } else {
    result += 2;
    free(p);
  }
  return result;
}

int fig2_one_arm_bad(int y) {
  char *p = malloc(16);  // LEAK: conditional-leak
  int result = y;
  if (y) {
    result += 1;
    free(p);
  } else {
    result += 2;
  }
  return result;
}

// Fig. 3: allocated and freed under the same condition.
void fig3_same_condition_ok(int y) {
  char *p = NULL;
  if (y) p = malloc(16);
  puts("work");
  if (y) free(p);
}

void fig3_opposite_condition_bad(int y) {
  char *p = NULL;
  if (y) p = malloc(16);  // LEAK: never-freed
  puts("work");
  if (!y) free(p);
}

// Fig. 5: a callee that may free, and a caller that may free.
static int maybe_release(int *p, int keep) {
  if (keep > 1) return 1;
  free(p);
  return 0;
}

void fig5_maybe_bad(int keep, int last) {
  int *t = malloc(sizeof *t);  // LEAK: conditional-leak
  if (maybe_release(t, keep) && last > 0) free(t);
}

void fig5_maybe_ok(int keep) {
  int *t = malloc(sizeof *t);
  if (maybe_release(t, keep)) free(t);
}

// Fig. 6: c, then not c: the leaking path contradicts itself.
void fig6_contradiction_ok(int c) {
  int *t = malloc(sizeof *t);
  if (c) free(t);
  puts("between");
  if (!c) free(t);
}

void fig6_no_contradiction_bad(int c, int d) {
  int *t = malloc(sizeof *t);  // LEAK: conditional-leak
  if (c) free(t);
  puts("between");
  if (!c && d) free(t);
}

// Fig. 8: a name that one path puts into a list held by a global, and another path drops.
struct import {
  char *full_name;
  const char *dll_name;
  struct import *next;
};

static struct import *imports;
static struct import *delayed;

static int read_spec(const struct import *import) { return import->full_name[0] != '\0'; }

static void free_import(struct import *import) {
  free(import->full_name);
  free(import);
}

void fig8_add_import_bad(const char *name, const char *file) {
  char *dll_name = strdup(name);                  // LEAK: conditional-leak
  struct import *import = calloc(1, sizeof *import);
  import->full_name = strdup(file);
  if (!read_spec(import)) {
    free_import(import);
    return;
  }
  import->dll_name = dll_name;
  if (dll_name[0] == 'a') {
    import->next = delayed;
    delayed = import;
  } else {
    import->next = imports;
    imports = import;
  }
}

void fig8_add_import_ok(const char *name, const char *file) {
  char *dll_name = strdup(name);
  struct import *import = calloc(1, sizeof *import);
  import->full_name = strdup(file);
  if (!read_spec(import)) {
    free_import(import);
    free(dll_name);
    return;
  }
  import->dll_name = dll_name;
  if (dll_name[0] == 'a') {
    import->next = delayed;
    delayed = import;
  } else {
    import->next = imports;
    imports = import;
  }
}

// Fig. 9: a mapped path, forgotten when nothing was named before (two files: see fig9_ftp/).
static const char *pending_name;

static char *map_path(const char *path) {
  char *result = malloc(strlen(path) + 6);
  if (!result) return NULL;
  char *copy = strdup(path);
  if (!copy) {
    free(result);
    return NULL;
  }
  strcpy(result, "/srv/");
  strcat(result, copy);
  free(copy);
  return result;
}

void fig9_rename_bad(const char *new_name, int named) {
  pending_name = named > 0 ? "old" : NULL;
  char *mapped = map_path(new_name);  // LEAK: conditional-leak
  if (!mapped || !pending_name) {
    puts("451 Error: Unable to rename file.");
    return;
  }
  puts(mapped);
  free(mapped);
}

void fig9_rename_ok(const char *new_name, int named) {
  pending_name = named > 0 ? "old" : NULL;
  char *mapped = map_path(new_name);
  if (!mapped || !pending_name) {
    puts("451 Error: Unable to rename file.");
    free(mapped);
    return;
  }
  puts(mapped);
  free(mapped);
}
