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
