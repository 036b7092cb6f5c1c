// What a library hangs into a structure of the program's lies in a member of its own. NOT RUN: needs zlib and a file system.
#include <glob.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned char Bytef;
typedef struct z_stream_s {
  const Bytef *next_in;
  unsigned avail_in;
  unsigned long total_in;
  Bytef *next_out;
  unsigned avail_out;
  unsigned long total_out;
  const char *msg;
  void *state;
  void *zalloc, *zfree, *opaque;
  int data_type;
  unsigned long adler, reserved;
} z_stream;
typedef z_stream *z_streamp;
int inflateInit_(z_streamp strm, const char *version, int stream_size);
int inflate(z_streamp strm, int flush);
int inflateEnd(z_streamp strm);

int next_in_is_set_ok(const Bytef *data, unsigned length) {
  z_stream z;
  memset(&z, 0, sizeof z);
  if (inflateInit_(&z, "1.2.13", sizeof z) != 0) return -1;
  z.next_in = data;
  z.avail_in = length;
  int result = inflate(&z, 0);
  inflateEnd(&z);
  return result;
}

int never_ended_bad(const Bytef *data, unsigned length) {
  z_stream z;
  memset(&z, 0, sizeof z);
  if (inflateInit_(&z, "1.2.13", sizeof z) != 0) return -1;  // LEAK: never-freed|conditional-leak
  z.next_in = data;
  z.avail_in = length;
  return inflate(&z, 0);
}

int count_matches_ok(const char *pattern) {
  glob_t found;
  if (glob(pattern, 0, NULL, &found) != 0) return -1;
  int any = found.gl_pathc != 0;
  if (any) globfree(&found);
  else globfree(&found);
  return any;
}

// A copy of the structure has it as well.
struct matcher {
  int used;
  regex_t pattern;
};

int copied_ok(struct matcher *m, const char *pattern) {
  regex_t compiled;
  if (regcomp(&compiled, pattern, 0) != 0) return -1;
  m->pattern = compiled;
  m->used = 1;
  return 0;
}

int not_copied_bad(struct matcher *m, const char *pattern) {
  regex_t compiled;
  if (regcomp(&compiled, pattern, 0) != 0) return -1;  // LEAK: never-freed|conditional-leak
  m->used = regexec(&compiled, "text", 0, NULL, 0) == 0;
  return 0;
}
