// Variable arguments behind which a function of the library writes. NOT RUN: needs a device.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>

struct answer {
  int code;
  int count;
};

int scanned_bad(const char *text) {
  int number = 0;
  char *p = malloc(10);  // LEAK: conditional-leak
  if (!p) return 1;
  sscanf(text, "%d", &number);
  if (number) return 2;
  free(p);
  return 0;
}

int asked_bad(int fd) {
  struct answer answer = {7, 0};
  char *p = malloc(10);  // LEAK: conditional-leak
  if (!p) return 1;
  if (ioctl(fd, 0x1234, &answer) != 0) {
    free(p);
    return 1;
  }
  if (answer.code == 0) return 2;
  free(p);
  return 0;
}

int locked_bad(int fd) {
  struct flock lock = {.l_type = F_WRLCK};
  char *p = malloc(10);  // LEAK: conditional-leak
  if (!p) return 1;
  fcntl(fd, F_GETLK, &lock);
  if (lock.l_type == F_UNLCK) return 2;
  free(p);
  return 0;
}

// Nothing is written behind the first arguments, and not into variables whose value is given.
int text_ok(const char *text) {
  int kept = 0, number = 0;
  char *p = malloc(10);
  if (!p) return 1;
  sscanf(text, "%d", &number);
  prctl(PR_SET_DUMPABLE, kept);
  if (kept) return 2;
  free(p);
  return number;
}
