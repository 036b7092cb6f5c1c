// setjmp and longjmp: a block allocated in between is lost when the jump goes past its owner.
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

static jmp_buf failure;

static void check(int n) {
  if (n < 0) longjmp(failure, 1);
}

// The owner's frame is jumped over. Arguable for a tool that takes longjmp for a call that does not
// return: it then sees no leaking path. The block is lost all the same.
static int convert(const char *s, int n) {
  char *copy = strdup(s);  // LEAK: conditional-leak
  check(n);
  free(copy);
  return n;
}

int jumped_over_bad(const char *s, int n) {
  if (setjmp(failure)) return -1;
  return convert(s, n);
}

// The owner is in the frame that is jumped back to; volatile keeps its value.
int caught_and_freed_ok(const char *s, int n) {
  char *volatile copy = NULL;
  int result = 0;
  if (setjmp(failure) == 0) {
    copy = strdup(s);
    check(n);
  } else {
    result = -1;
  }
  free(copy);
  return result;
}

int caught_and_lost_bad(const char *s, int n) {
  char *volatile copy = NULL;
  if (setjmp(failure)) return -1;
  copy = strdup(s);  // LEAK: conditional-leak
  check(n);
  free(copy);
  return 0;
}

// Kept where the handler finds it.
static char *in_flight;

static int convert_tracked(const char *s, int n) {
  in_flight = strdup(s);
  check(n);
  free(in_flight);
  in_flight = NULL;
  return n;
}

int tracked_ok(const char *s, int n) {
  if (setjmp(failure)) {
    free(in_flight);
    in_flight = NULL;
    return -1;
  }
  return convert_tracked(s, n);
}

// setjmp around code that never jumps.
int never_jumps_ok(const char *s) {
  char *copy = strdup(s);
  if (setjmp(failure)) return -1;
  free(copy);
  return 0;
}

int never_jumps_bad(const char *s, int n) {
  char *copy = strdup(s);  // LEAK: conditional-leak
  if (setjmp(failure)) return -1;
  if (n > 0) free(copy);
  return 0;
}

// A callee that takes the block and may jump: it has the block in hand when it does.
static char *running;

static void run_string(char *s, int n) {
  running = s;
  if (n < 0) longjmp(failure, 1);
  running = NULL;
  free(s);
}

int given_away_ok(const char *s, int n) {
  char *copy = strdup(s);
  int status = setjmp(failure);
  if (status == 0) {
    run_string(copy, n);
  } else {
    free(running);
    running = NULL;
  }
  return status;
}

// Freed by the function itself, behind the call that jumps.
int freed_too_late_bad(const char *s, int n) {
  char *copy = strdup(s);  // LEAK: conditional-leak
  if (setjmp(failure)) return -1;
  check(n);
  free(copy);
  return 0;
}

// The result of setjmp in a variable that is volatile, as it has to be.
static int nested;

int volatile_code_ok(const char *s, int n) {
  char *copy = strdup(s);
  volatile int code = 0;
  nested = n < 0;
  if (nested) code = setjmp(failure);
  if (code == 0) {
    run_string(copy, nested ? n : 0);
  } else {
    free(running);
    running = NULL;
  }
  return code;
}

int volatile_code_bad(const char *s, int n) {
  char *copy = strdup(s);  // LEAK: conditional-leak
  volatile int code = 0;
  nested = n < 0;
  if (nested) code = setjmp(failure);
  if (code == 0 && n > 0) run_string(copy, 1);
  return code;
}

// The same in a callee.
static int run_nested(char *s, int n) {
  volatile int code = 0;
  if (nested) code = setjmp(failure);
  if (code) {
    free(running);
    running = NULL;
    return code;
  }
  run_string(s, nested ? n : 0);
  return 0;
}

int given_to_catcher_ok(const char *s, int n) {
  char *copy = strdup(s);
  nested = n < 0;
  return run_nested(copy, n);
}

int not_given_to_catcher_bad(const char *s, int n) {
  char *copy = strdup(s);  // LEAK: conditional-leak
  nested = n < 0;
  if (n == 1) return 1;
  return run_nested(copy, n);
}

// What is stored after the first return is there after the second.
int stored_in_between_bad(const char *s, int n) {
  char *copy = strdup(s);  // LEAK: conditional-leak
  volatile int is_done = 0;
  if (setjmp(failure) == 0) {
    is_done = 1;
    check(n);
  }
  if (is_done && n < 1) return -1;
  free(copy);
  return 0;
}
