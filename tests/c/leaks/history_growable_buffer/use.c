// Leak-fix histories: a growable buffer on the stack, filled three calls down and never released.
// (Either name is right where realloc has taken over the earlier blocks and only the last one is lost.)
#include "buffer.h"

#include <stdlib.h>
#include <string.h>

size_t quoted_length_bad(const char *s) {
  struct buffer buffer;
  buffer_init(&buffer);
  buffer_add_quoted(&buffer, s);  // LEAK: never-freed|conditional-leak
  return buffer.length;
}

size_t quoted_length_ok(const char *s) {
  struct buffer buffer;
  buffer_init(&buffer);
  buffer_add_quoted(&buffer, s);
  size_t length = buffer.length;
  buffer_release(&buffer);
  return length;
}

int quoted_or_error_bad(const char *s) {
  struct buffer buffer;
  buffer_init(&buffer);
  if (buffer_add_quoted(&buffer, s) != 0) return -1;  // FN: conditional-leak needs more turns than are followed
  buffer_release(&buffer);
  return 0;
}

int quoted_or_error_ok(const char *s) {
  struct buffer buffer;
  int result;
  buffer_init(&buffer);
  result = buffer_add_quoted(&buffer, s);
  buffer_release(&buffer);
  return result;
}

char *detached_ok(const char *s) {
  struct buffer buffer;
  buffer_init(&buffer);
  buffer_add_quoted(&buffer, s);
  return buffer_detach(&buffer);
}

// Detached, and then dropped.
int detached_bad(const char *s) {
  struct buffer buffer;
  buffer_init(&buffer);
  buffer_add_quoted(&buffer, s);  // LEAK: never-freed|conditional-leak
  char *text = buffer_detach(&buffer);
  buffer_release(&buffer);
  return text != NULL;
}

// Initialised again without having been released.
int reinitialised_bad(const char *s) {
  struct buffer buffer;
  buffer_init(&buffer);
  buffer_add_quoted(&buffer, s);  // LEAK: conditional-leak
  buffer_init(&buffer);
  buffer_add_quoted(&buffer, s);
  buffer_release(&buffer);
  return 0;
}
