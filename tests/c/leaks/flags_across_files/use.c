// The flags are visible to other program parts; as a whole program (no unknown parts) their initial
// values hold. Arguable when the analysed files are a library: then anything may write them.
#include "flags.h"

#include <stdlib.h>

int const_flag_ok(int n) {
  char *p = malloc(8);
  if (flag_const_five == 5) sink_free(p);
  return n;
}

int const_flag_bad(int n) {
  char *p = malloc(8);  // LEAK: never-freed
  if (flag_const_five != 5) sink_free(p);
  return n;
}

int same_flag_twice_ok(int n) {
  char *p = NULL;
  if (flag_true) p = malloc(8);
  if (flag_true) free(p);
  return n;
}

int always_true_ok(int n) {
  char *p = malloc(8);
  if (always_true()) sink_free(p);
  return n;
}

int always_false_bad(int n) {
  char *p = malloc(8);  // LEAK: never-freed
  if (always_false()) sink_free(p);
  return n;
}

int written_flag_bad(int n) {
  char *p = malloc(8);  // LEAK: conditional-leak
  flag_write(n);
  if (flag_written) sink_free(p);
  return n;
}

int written_flag_ok(int n) {
  char *p = NULL;
  flag_write(n);
  if (flag_written) p = malloc(8);
  if (flag_written) sink_free(p);
  return n;
}

int empty_sink_bad(int n) {
  char *p = malloc(8);  // LEAK: never-freed
  sink_nothing(p);
  return n;
}
