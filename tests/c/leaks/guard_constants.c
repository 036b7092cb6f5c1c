// Guards: φ and select over constants, call results under the callee's conditions, statics that nobody
// writes, enums and switch, flags.
#include <stdlib.h>
#include <string.h>

// A flag set where the block is made.
int flag_ok(int n) {
  char *p = NULL;
  int allocated = 0;
  if (n > 1) {
    p = malloc(8);
    allocated = 1;
  }
  if (allocated) free(p);
  return n;
}

int flag_bad(int n, int m) {
  char *p = NULL;
  int allocated = 0;
  if (n > 1) {
    p = malloc(8);  // LEAK: conditional-leak
    if (m > 1) allocated = 1;
  }
  if (allocated) free(p);
  return n;
}

int select_ok(int n) {
  int mode = n > 1 ? 7 : 3;
  char *p = NULL;
  if (mode == 7) p = malloc(8);
  if (n > 1) free(p);
  return mode;
}

int select_bad(int n) {
  int mode = n > 1 ? 7 : 3;
  char *p = NULL;
  if (mode == 3) p = malloc(8);  // LEAK: never-freed
  if (n > 1) free(p);
  return mode;
}

// An error code decides.
int error_code_ok(const char *s) {
  int err = 0;
  char *p = strdup(s);
  if (!p) return -1;
  if (s[0] == 'a')
    err = -1;
  else if (s[0] == 'k')
    err = -2;
  if (err) {
    free(p);
    return err;
  }
  free(p);
  return 0;
}

int error_code_bad(const char *s) {
  int err = 0;
  char *p = strdup(s);  // LEAK: conditional-leak
  if (!p) return -1;
  if (s[0] == 'a')
    err = -1;
  else if (s[0] == 'k')
    err = 2;
  if (err < 0) {
    free(p);
    return err;
  }
  if (err == 0) free(p);
  return 0;
}

// Result of a call: 0 means that it kept the block, -1 that it did not.
static char *slot;

static int keep(char *p, int n) {
  if (n < 1) return -1;
  free(slot);
  slot = p;
  return 0;
}

int callee_result_ok(int n) {
  char *p = malloc(8);
  if (keep(p, n) < 0) free(p);
  return n;
}

int callee_result_stored_ok(int n) {
  char *p = malloc(8);
  int result = keep(p, n);
  if (result != 0) {
    free(p);
    return result;
  }
  return 0;
}

int callee_result_bad(int n) {
  char *p = malloc(8);  // LEAK: conditional-leak
  if (keep(p, n) < 0) return -1;
  return 0;
}

// Three results, two of which leave the block with the caller.
enum outcome { OUTCOME_TAKEN, OUTCOME_REFUSED, OUTCOME_FAILED };

static enum outcome offer(char *p, int n) {
  if (n == 0) return OUTCOME_REFUSED;
  if (n < 0) return OUTCOME_FAILED;
  free(p);
  return OUTCOME_TAKEN;
}

int enum_result_ok(int n) {
  char *p = malloc(8);
  switch (offer(p, n)) {
    case OUTCOME_TAKEN:
      return 0;
    case OUTCOME_REFUSED:
    case OUTCOME_FAILED:
      free(p);
      return -1;
  }
  return -2;
}

int enum_result_bad(int n) {
  char *p = malloc(8);  // LEAK: conditional-leak
  switch (offer(p, n)) {
    case OUTCOME_TAKEN:
      return 0;
    case OUTCOME_REFUSED:
      free(p);
      return -1;
    case OUTCOME_FAILED:
      return -1;
  }
  return -2;
}

// Two calls deep: the result is passed through.
static int keep_indirectly(char *p, int n) { return keep(p, n) == 0 ? 1 : 0; }

int result_two_deep_ok(int n) {
  char *p = malloc(8);
  if (!keep_indirectly(p, n)) free(p);
  return n;
}

int result_two_deep_bad(int n) {
  char *p = malloc(8);  // LEAK: conditional-leak
  if (keep_indirectly(p, n)) free(slot), slot = NULL;
  return n;
}

// Statics that nobody writes, and constants.
static int debugging;
static const int use_cache = 1;
enum { WANT_COPY = 1 };

int never_written_static_ok(const char *s) {
  char *p = strdup(s);
  if (debugging) return -1;
  free(p);
  return 0;
}

int constant_ok(const char *s) {
  char *p = strdup(s);
  if (use_cache) free(p);
  return 0;
}

int constant_bad(const char *s) {
  char *p = strdup(s);  // LEAK: never-freed
  if (!use_cache) free(p);
  return 0;
}

int enum_constant_ok(const char *s) {
  char *p = NULL;
  if (WANT_COPY) p = strdup(s);
  if (WANT_COPY == 1) free(p);
  return 0;
}

// A switch on the same value, twice.
int switch_twice_ok(int n) {
  char *p = NULL;
  switch (n) {
    case 1:
    case 2:
      p = malloc(8);
      break;
    default:
      break;
  }
  switch (n) {
    case 1:
      free(p);
      break;
    case 2:
      free(p);
      break;
    case 3:
      return 3;
    default:
      break;
  }
  return 0;
}

int switch_twice_bad(int n) {
  char *p = NULL;
  switch (n) {
    case 1:
    case 2:
      p = malloc(8);  // LEAK: conditional-leak
      break;
    default:
      break;
  }
  if (n == 1) free(p);
  return 0;
}

int switch_fallthrough_ok(int n) {
  char *p = malloc(8);
  switch (n) {
    case 0:
      n = 1;
      /* fall through */
    case 1:
      n++;
      /* fall through */
    default:
      free(p);
  }
  return n;
}

int switch_missing_case_bad(int n) {
  char *p = malloc(8);  // LEAK: conditional-leak
  switch (n) {
    case 0:
    case 1:
      free(p);
      break;
    case 2:
      break;
    default:
      free(p);
  }
  return n;
}

// State machine: the state that holds the block is the only one from which the loop ends.
int state_machine_ok(const char *s) {
  enum { START, HOLDING, DONE } state = START;
  char *p = NULL;
  for (int i = 0; state != DONE; i++) {
    switch (state) {
      case START:
        p = strdup(s);
        state = HOLDING;
        break;
      case HOLDING:
        free(p);
        state = DONE;
        break;
      case DONE:
        break;
    }
  }
  return 0;
}
