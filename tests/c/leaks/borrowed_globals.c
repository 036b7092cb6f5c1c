// Globals that serve as a local variable: set anew before they are read, by one function and what it
// calls. What such a function leaves in them is lost when it ends.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void use(const char *text) { printf("%s", text ? text : ""); }

// An argument in a global.
static char *passed;

static void passed_sink(void) { use(passed); }

int passed_bad(int n) {
  char *p = malloc(8);  // LEAK: never-freed
  if (!p) return 1;
  p[0] = 0;
  passed = p;
  passed_sink();
  return n;
}

static char *released;

static void released_sink(void) {
  use(released);
  free(released);
}

int passed_ok(int n) {
  char *p = malloc(8);
  if (!p) return 1;
  p[0] = 0;
  released = p;
  released_sink();
  return n;
}

// Also without `static`: no header declares it.
char *shown;

static void shown_sink(int n) {
  if (n > 3) free(shown);
}

int shown_bad(int n) {
  shown = malloc(8);  // LEAK: conditional-leak
  shown_sink(n);
  return n;
}

// A header declares it: files that are not here may read it.
extern char *announced;
char *announced;

static void announced_sink(void) {
  if (announced) announced[0] = 0;
}

int announced_ok(int n) {
  if (announced) return n;
  announced = malloc(8);
  announced_sink();
  return n;
}

// A result in a global.
static char *result;

static void make_result(int n) {
  result = NULL;
  if (n > 1) result = malloc(8);
}

int result_bad(int n) {
  make_result(n);  // LEAK: never-freed
  if (result) result[0] = 0;
  return n;
}

static char *taken;

static void make_taken(int n) {
  taken = NULL;
  if (n > 1) taken = malloc(8);
}

int result_ok(int n) {
  make_taken(n);
  free(taken);
  return n;
}

// The table is freed, what it holds is not.
static char **rows;

static void make_rows(void) {
  rows = calloc(4, sizeof *rows);
  for (int i = 0; rows && i < 4; i++) rows[i] = malloc(8);  // LEAK: never-freed
}

int rows_bad(int n) {
  make_rows();
  free(rows);
  rows = NULL;
  return n;
}

// Made once and kept: read before it is written.
static char *cache;

int kept_ok(int n) {
  if (!cache) cache = malloc(8);
  if (cache) cache[0] = 0;
  return n;
}

// Set by one function for others.
static char *setting;

int set_setting_ok(int n) {
  free(setting);
  setting = malloc(8);
  return n;
}

int get_setting_ok(int n) { return setting && n ? 1 : 0; }

// Read by a function that others may run at any time.
static char *watched;

static void show_watched(void) { use(watched); }

void (*on_change)(void) = show_watched;

int watched_ok(int n) {
  if (on_change) on_change();
  free(watched);
  watched = calloc(1, 8);
  show_watched();
  return n;
}

// Its address is known elsewhere.
static char *lent;
static char **borrower = &lent;

int lent_ok(int n) {
  free(*borrower);
  lent = malloc(8);
  if (lent) lent[0] = 0;
  return n;
}

// The result says whether the variable was set. Here no result leads to the code that frees.
static char *coded;

static int coded_fill(int kind) {
  switch (kind) {
    case 1:
      coded = malloc(8);
      return 1;
    case 2:
      coded = malloc(16);
      return 2;
    default:
      return -1;
  }
}

int coded_never_bad(int kind) {
  int result = coded_fill(kind);  // LEAK: never-freed
  if (result == 0) {
    if (coded) free(coded);
  }
  return result;
}

static char *coded_well;

static int coded_well_fill(int kind) {
  switch (kind) {
    case 1:
      coded_well = malloc(8);
      return 1;
    case 2:
      coded_well = malloc(16);
      return 2;
    default:
      return -1;
  }
}

int coded_freed_ok(int kind) {
  int result = coded_well_fill(kind);
  if (result >= 0) {
    if (coded_well) free(coded_well);
  }
  return result;
}

// One of the two results is forgotten.
static char *coded_half;

static int coded_half_fill(int kind) {
  if (kind < 0) return -1;
  if (kind > 1) {
    coded_half = malloc(8);
    return 2;
  }
  coded_half = malloc(16);
  return 1;
}

int coded_half_bad(int kind) {
  int result = coded_half_fill(kind);  // LEAK: conditional-leak
  if (result == 1) free(coded_half);
  return result;
}

// A result that does not tell whether the variable was set: an earlier block may be read.
static char *coded_kept;

static int coded_kept_fill(int kind) {
  if (kind > 0) {
    if (kind > 2 && !coded_kept) coded_kept = malloc(8);
    return 1;
  }
  return 0;
}

int coded_kept_ok(int kind) {
  if (coded_kept_fill(kind) == 1 && coded_kept) return coded_kept[0] = 1;
  return 0;
}
