// Streams, directories, descriptors, mappings that are lost.
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

struct connection {
  int fd;
};

int stream_bad(const char *name, int n) {
  FILE *stream = fopen(name, "r");  // RULE: resource-leak
  if (!stream) return -1;
  if (n) return 1;
  return fclose(stream);
}

int stream_ok(const char *name) {
  FILE *stream = fopen(name, "r");
  return stream ? fclose(stream) : -1;
}

int directory_bad(const char *name) {
  DIR *directory = opendir(name);  // RULE: resource-leak
  if (!directory) return -1;
  if (!readdir(directory)) return 0;
  closedir(directory);
  return 1;
}

int descriptor_bad(const char *name) {
  char byte;
  int fd = open(name, O_RDONLY);  // RULE: resource-leak
  if (fd < 0) return -1;
  if (read(fd, &byte, 1) != 1) return -1;
  close(fd);
  return byte;
}

int descriptor_ok(const char *name) {
  char byte;
  int fd = open(name, O_RDONLY);
  if (fd == -1) return -1;
  if (read(fd, &byte, 1) != 1) byte = 0;
  close(fd);
  return byte;
}

int in_structure_ok(struct connection *connection, const char *name) {
  connection->fd = open(name, O_RDONLY);
  return connection->fd < 0 ? -1 : 0;
}

struct connection *with_owner_bad(const char *name) {
  char byte;
  struct connection *made = malloc(sizeof *made);
  if (!made) return NULL;
  made->fd = open(name, O_RDONLY);  // RULE: resource-leak
  if (made->fd < 0 || read(made->fd, &byte, 1) != 1) {
    free(made);
    return NULL;
  }
  return made;
}

struct connection *with_owner_ok(const char *name) {
  char byte;
  struct connection *made = malloc(sizeof *made);
  if (!made) return NULL;
  made->fd = open(name, O_RDONLY);
  if (made->fd < 0) {
    free(made);
    return NULL;
  }
  if (read(made->fd, &byte, 1) != 1) {
    close(made->fd);
    free(made);
    return NULL;
  }
  return made;
}

static int open_quietly(const char *name) {
  int fd = open(name, O_RDONLY);
  if (fd == -1) perror(name);
  return fd;
}

int from_callee_bad(const char *name, int n) {
  int fd = open_quietly(name);  // RULE: resource-leak
  if (fd == -1) return -1;
  if (n) return -2;
  close(fd);
  return 0;
}

static int open_into(const char *name, int *result) {
  int fd = open(name, O_RDONLY);
  if (fd < 0) return -1;
  *result = fd;
  return 0;
}

int out_parameter_bad(const char *name, int n) {
  int fd;
  if (open_into(name, &fd) < 0) return -1;  // RULE: resource-leak
  if (n) return 1;
  close(fd);
  return 0;
}

int out_parameter_ok(const char *name) {
  int fd;
  if (open_into(name, &fd) < 0) return -1;
  close(fd);
  return 0;
}

int pipe_bad(int n) {
  int ends[2];
  if (pipe(ends) < 0) return -1;  // RULE: resource-leak
  close(ends[0]);
  if (n) return 1;
  close(ends[1]);
  return 0;
}

int pipe_ok(void) {
  int ends[2];
  if (pipe(ends) < 0) return -1;
  close(ends[0]);
  close(ends[1]);
  return 0;
}

int taken_over_ok(const char *name) {
  int fd = open(name, O_RDONLY);
  if (fd < 0) return -1;
  FILE *stream = fdopen(fd, "r");
  if (!stream) {
    close(fd);
    return -1;
  }
  return fclose(stream);
}

int not_taken_over_without_memory(const char *name) {
  int fd = open(name, O_RDONLY);  // a note: only if fdopen has no memory
  if (fd < 0) return -1;
  FILE *stream = fdopen(fd, "r");
  if (!stream) return -1;
  return fclose(stream);
}

int overwritten_bad(int server) {
  int fd = accept(server, NULL, NULL);  // RULE: resource-leak
  if (fd < 0) return -1;
  fd = dup(fd);
  if (fd >= 0) close(fd);
  return 0;
}

int standard_input_ok(const char *name) {
  char byte = 0;
  int fd = name ? open(name, O_RDONLY) : 0;
  if (fd < 0) return -1;
  if (read(fd, &byte, 1) < 0) byte = 1;
  if (fd != 0) close(fd);
  return byte;
}

void in_place_of_standard_streams_ok(void) {
  close(0);
  close(1);
  close(2);
  open("/dev/null", O_RDWR);
  dup(0);
  dup(0);
}

void to_standard_streams_ok(void) {
  int fd = open("/dev/null", O_RDWR);
  if (fd < 0) return;
  dup2(fd, 0);
  dup2(fd, 1);
  if (fd > 2) close(fd);
}

void given_to_unknown_code(int fd);

int given_away_ok(const char *name) {
  int fd = open(name, O_RDONLY);
  if (fd < 0) return -1;
  given_to_unknown_code(fd);
  return 0;
}

int mapping_bad(int fd, int n) {
  char *map = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);  // RULE: resource-leak
  if (map == MAP_FAILED) return -1;
  if (n) return map[0];
  munmap(map, 4096);
  return 0;
}

int mapping_ok(int fd) {
  char *map = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
  if (map == MAP_FAILED) return -1;
  munmap(map, 4096);
  return 0;
}

struct reader {
  int fd;
  char bytes[64];
  int used;
};

// What is written into one member leaves the others alone.
int into_a_member_ok(struct reader *reader, const char *name, int n) {
  reader->fd = open(name, O_RDONLY);
  if (reader->fd < 0) return -1;
  int got = read(reader->fd, &reader->bytes[reader->used], n);
  int fd = reader->fd;
  reader->fd = -1;
  close(fd);
  return got;
}

struct table {
  int *fds;
  int used;
};

// An index that is not known: one of the elements has it.
int into_an_element_ok(struct table *table, const char *name) {
  int fd = open(name, O_RDONLY);
  if (fd < 0) return -1;
  table->fds[table->used++] = fd;
  return 0;
}

int into_an_element_bad(const char *name, int n) {
  int fds[4];
  if (n < 0 || n > 3) return -1;
  fds[n] = open(name, O_RDONLY);  // RULE: resource-leak
  return fds[n] < 0 ? -1 : 0;
}

// 0 is a failure here, so it is the number plus one that is handed up.
int beside_ok(const char *name) {
  int fd = open(name, O_RDONLY);
  if (fd >= 0) return fd + 1;
  return 0;
}

static int safe_dup(int fd) {
  int copy;
  while ((copy = dup(fd)) < 0)
    if (fd == 7) return -1;
  return copy;
}

// A place that was free is filled: nobody has to remember the number.
void fills_input_ok(int fd) {
  close(STDIN_FILENO);
  safe_dup(fd);
  close(fd);
}

// The caller has closed it.
void fills_closed_ok(int fd) {
  dup(fd);
  close(fd);
}

int fills_null_ok(void) {
  if (open("/dev/null", O_RDWR) < 0) return -1;
  return 0;
}

int only_looked_at_bad(const char *name) {
  int fd = open(name, O_RDONLY);  // RULE: resource-leak
  return fd < 0 ? -1 : 0;
}

// dup fails because standard output is not open: the next one takes its place.
int moved_away_ok(void) {
  int saved = dup(STDOUT_FILENO);
  if (saved < 0) {
    saved = open("/dev/null", O_WRONLY);
    if (saved < 0) return -1;
    saved = -1;
  }
  return saved;
}

// The table of mounts is a stream like any other.
#include <mntent.h>
int mounts_ok(const char *name) {
  FILE *table = fopen(name, "r");
  if (table == NULL) return -1;
  int any = getmntent(table) != NULL;
  endmntent(table);
  return any;
}

int mounts_bad(const char *name) {
  FILE *table = setmntent(name, "r");  // RULE: resource-leak
  if (table == NULL) return -1;
  return getmntent(table) != NULL;
}

// One end and the other.
int either_end_ok(int side) {
  int ends[2];
  if (pipe(ends) < 0) return -1;
  close(ends[!side]);
  close(ends[!!side]);
  return 0;
}

int one_end_bad(int side) {
  int ends[2];
  if (pipe(ends) < 0) return -1;  // RULE: resource-leak
  close(ends[!side]);
  return 0;
}

// Lost where it is opened: whoever calls that has no fault of its own.
#include <sys/ioctl.h>
static int find_device(const char *name, int wanted) {
  int id = 0, fd = open(name, O_RDONLY);  // RULE: resource-leak
  if (fd < 0) return -1;
  if (ioctl(fd, 0x5382, &id) < 0) return -2;
  if (id == wanted) return fd;
  close(fd);
  return -1;
}

static int map_device(const char *name, int wanted) {
  if (access(name, R_OK) < 0) return -1;
  return find_device(name, wanted);
}

int use_device_ok(const char *name, int wanted) {
  int fd = map_device(name, wanted);
  if (fd < 0) return -1;
  close(fd);
  return 0;
}

// What cannot be duplicated once cannot be duplicated the next time.
static int try_dup(int from) {
  int fd;
  while ((fd = dup(from)) < 0)
    if (errno != ENFILE) break;
  return fd;
}

int moved_away_later_ok(void) {
  int saved;
  while ((saved = try_dup(STDOUT_FILENO)) <= STDERR_FILENO) {
    saved = open("/dev/null", O_WRONLY);
    if (saved < 0) return -1;
  }
  return saved;
}

// A library that writes the number into a text does not keep it; one that gets it otherwise may.
char *g_strdup_printf(const char *format, ...);
void g_free(void *);
typedef struct _GIOChannel GIOChannel;
GIOChannel *g_io_channel_unix_new(int);
int told_bad(const char *name) {
  int fd = open(name, O_RDONLY);  // RULE: resource-leak
  char *text;
  if (fd < 0) return -1;
  text = g_strdup_printf("/proc/self/fd/%d", fd);
  g_free(text);
  return 0;
}
GIOChannel *channel_ok(const char *name) {
  int fd = open(name, O_RDONLY);
  return fd < 0 ? NULL : g_io_channel_unix_new(fd);
}

// Variables that lead to a literal, and whose addresses go to a function that is not given: it fills them,
// also where its prototype ends with a format.
int read_arguments(const char *format, ...);
int read_pair(const char **name, const char **mode);
int dump_to(const char *name);
int filled_by_format_bad(void) {
  const char *name = "", *mode = "w";
  FILE *stream;
  if (!read_arguments("|ss", &name, &mode)) return -1;
  stream = name[0] == '\0' ? stdout : fopen(name, mode);  // RULE: resource-leak
  if (!stream) return -1;
  if (!dump_to(name)) return -1;
  if (stream != stdout) fclose(stream);
  return 0;
}
int filled_bad(void) {
  const char *name = "", *mode = "w";
  FILE *stream;
  if (!read_pair(&name, &mode)) return -1;
  stream = name[0] == '\0' ? stdout : fopen(name, mode);  // RULE: resource-leak
  if (!stream) return -1;
  if (!dump_to(name)) return -1;
  if (stream != stdout) fclose(stream);
  return 0;
}
int filled_ok(void) {
  const char *name = "", *mode = "w";
  FILE *stream;
  if (!read_pair(&name, &mode)) return -1;
  stream = name[0] == '\0' ? stdout : fopen(name, mode);
  if (!stream) return -1;
  if (!dump_to(name)) mode = "";
  if (stream != stdout) fclose(stream);
  return mode[0] ? 0 : -1;
}
// Nobody else gets this one: it stays what it is.
int not_filled_ok(void) {
  const char *name = "", *mode = "w";
  FILE *stream;
  if (!read_pair(NULL, &mode)) return -1;
  stream = name[0] == '\0' ? stdout : fopen(name, mode);
  if (!stream) return -1;
  return dump_to(name) ? 0 : -1;
}

// A copy of a descriptor that is at least so large is a descriptor of its own.
int copied_bad(int fd, int n) {
  int copy = fcntl(fd, F_DUPFD_CLOEXEC, 10);  // RULE: resource-leak
  if (copy < 0) return -1;
  if (n) return 1;
  close(copy);
  return 0;
}

int copied_ok(int fd) {
  int copy = fcntl(fd, F_DUPFD, 10);
  return copy < 0 ? -1 : close(copy);
}

int flags_ok(int fd) {
  int flags = fcntl(fd, F_GETFL);
  if (flags < 0) return -1;
  return fcntl(fd, F_SETFL, flags | O_NONBLOCK);
}

// Standard streams stay closed: the copy replaces the stream, which is released once.
static DIR *directory_beyond(const char *name) {
  DIR *directory = opendir(name);
  if (!directory || dirfd(directory) > 2) return directory;
  DIR *other = NULL;
  int copy = fcntl(dirfd(directory), F_DUPFD, 3);
  if (copy >= 0) {
    other = fdopendir(copy);
    if (!other) close(copy);
  }
  closedir(directory);
  return other;
}

int directory_beyond_ok(const char *name) {
  DIR *directory = directory_beyond(name);
  if (!directory) return -1;
  int found = readdir(directory) != NULL;
  closedir(directory);
  return found;
}

// Who keeps a symbol keeps its library; who only calls it does not.
static int (*loaded_run)(int);
int symbol_kept_ok(void) {
  if (loaded_run) return 0;
  void *library = dlopen("libx.so", RTLD_NOW);
  if (!library) return -1;
  int (*run)(int) = (int (*)(int))dlsym(library, "run");
  if (!run) {
    dlclose(library);
    return -1;
  }
  loaded_run = run;
  return 0;
}

int symbol_called_bad(void) {
  void *library = dlopen("libx.so", RTLD_NOW);  // RULE: resource-leak
  if (!library) return -1;
  int (*run)(int) = (int (*)(int))dlsym(library, "run");
  if (!run) {
    dlclose(library);
    return -1;
  }
  return run(3);
}

int run_loaded(int n) { return loaded_run ? loaded_run(n) : 0; }

// A number that the caller has is not that of a descriptor that is new: its own would be in use.
int kept_number_ok(const char *name, int kept) {
  int fd = open(name, O_RDONLY);
  if (fd < 0) return -1;
  if (fd != kept) close(fd);
  return 0;
}

int moved_ok(const char *name, struct connection *connection) {
  int fd = open(name, O_RDONLY);
  if (fd == -1) return -1;
  if (fd != connection->fd) {
    dup2(fd, connection->fd);
    close(fd);
  }
  return 0;
}

int smaller_bad(const char *name, int kept) {
  int fd = open(name, O_RDONLY);  // RULE: resource-leak
  if (fd < 0) return -1;
  if (fd > kept) close(fd);
  return 0;
}

int with_stream_bad(const char *name, int n) {
  int fd = open(name, O_RDONLY);  // RULE: resource-leak
  close(0);
  if (fd >= 0 && n) close(fd);
  return n;
}

int with_stream_ok(int n) {
  int *number = calloc(1, sizeof *number);
  if (!number) return -1;
  close(*number);
  *number = n;
  free(number);
  return n;
}
