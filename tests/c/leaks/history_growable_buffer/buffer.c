#include "buffer.h"

#include <stdlib.h>
#include <string.h>

void buffer_init(struct buffer *buffer) { memset(buffer, 0, sizeof *buffer); }

static int buffer_reserve(struct buffer *buffer, size_t more) {
  if (buffer->length + more <= buffer->capacity) return 0;
  size_t capacity = buffer->length + more + 16;
  char *data = realloc(buffer->data, capacity);
  if (!data) return -1;
  buffer->data = data;
  buffer->capacity = capacity;
  return 0;
}

int buffer_add_char(struct buffer *buffer, char c) {
  if (buffer_reserve(buffer, 2) != 0) return -1;
  buffer->data[buffer->length++] = c;
  buffer->data[buffer->length] = '\0';
  return 0;
}

int buffer_add_text(struct buffer *buffer, const char *text) {
  for (; *text; text++)
    if (buffer_add_char(buffer, *text) != 0) return -1;
  return 0;
}

int buffer_add_quoted(struct buffer *buffer, const char *text) {
  if (buffer_add_char(buffer, '"') != 0) return -1;
  if (buffer_add_text(buffer, text) != 0) return -1;
  return buffer_add_char(buffer, '"');
}

void buffer_release(struct buffer *buffer) {
  free(buffer->data);
  buffer_init(buffer);
}

char *buffer_detach(struct buffer *buffer) {
  char *data = buffer->data;
  buffer_init(buffer);
  return data;
}
