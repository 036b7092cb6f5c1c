// vfork returns twice, as setjmp does, and has no buffer to jump to.
#include <setjmp.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

static jmp_buf back;

static void give_up(int n) {
  if (n > 5) longjmp(back, 1);
}

// NOT RUN: starts a process
int started_bad(int n) {
  char *p = malloc(8);  // FN: conditional-leak a function that returns twice is taken for one that jumps lead to
  if (!p) return -1;
  pid_t child = vfork();
  if (child == 0) _exit(0);
  if (child < 0) return -1;
  free(p);
  return n;
}

int jumps_ok(int n) {
  char *p = malloc(8);
  if (!p) return -1;
  if (setjmp(back)) {
    free(p);
    return 1;
  }
  give_up(n);
  free(p);
  return 0;
}
