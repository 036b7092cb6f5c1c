// Functions of the library that get a descriptor, and leave it to their caller.
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

int joined_bad(const char *name) {
  int fd = open(name, O_RDONLY);  // RULE: resource-leak
  if (fd < 0) return -1;
  if (setns(fd, 0)) return -1;
  return close(fd);
}
int locked_bad(const char *name) {
  int fd = open(name, O_RDONLY);  // RULE: resource-leak
  if (fd < 0) return -1;
  if (flock(fd, LOCK_EX)) return -1;
  return close(fd);
}
int allowed_bad(const char *name) {
  int fd = open(name, O_RDONLY);  // RULE: resource-leak
  if (fd < 0) return -1;
  if (fchmod(fd, 0600) || fchown(fd, 0, 0)) return -1;
  return close(fd);
}
int listening_bad(void) {
  int fd = socket(AF_INET, SOCK_STREAM, 0);  // RULE: resource-leak
  if (fd < 0) return -1;
  if (listen(fd, 5)) return -1;
  return fd;
}
int reserved_bad(const char *name) {
  int fd = open(name, O_WRONLY);  // RULE: resource-leak
  if (fd < 0) return -1;
  posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
  if (posix_fallocate(fd, 0, 10)) return -1;
  return close(fd);
}
int drained_ok(const char *name) {
  int fd = open(name, O_WRONLY);
  if (fd < 0) return -1;
  if (tcdrain(fd) || tcflush(fd, TCIOFLUSH)) {
    close(fd);
    return -1;
  }
  return close(fd);
}
struct state {
  int code;
};
int asked_bad(const char *name) {
  struct state state = {-1};
  int fd = open(name, O_RDONLY);  // RULE: resource-leak
  if (fd < 0) return -1;
  ioctl(fd, 1, &state);
  if (state.code == 3) return 0;
  return close(fd);
}
