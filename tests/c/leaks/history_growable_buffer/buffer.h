#ifndef BUFFER_H
#define BUFFER_H

#include <stddef.h>

struct buffer {
  char *data;
  size_t length, capacity;
};

void buffer_init(struct buffer *buffer);
int buffer_add_char(struct buffer *buffer, char c);
int buffer_add_text(struct buffer *buffer, const char *text);
int buffer_add_quoted(struct buffer *buffer, const char *text);
void buffer_release(struct buffer *buffer);
char *buffer_detach(struct buffer *buffer);

#endif
