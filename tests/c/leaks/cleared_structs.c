// A struct that is cleared as a whole: what its fields held is gone, though nothing was stored there.
#include <stdlib.h>
#include <string.h>

struct buffer {
  char *data;
  size_t length;
  int fixed;
};

static void buffer_init(struct buffer *buffer) { memset(buffer, 0, sizeof *buffer); }

static void buffer_release(struct buffer *buffer) {
  free(buffer->data);
  buffer_init(buffer);
}

int cleared_before_free_bad(int n) {
  struct buffer buffer;
  buffer_init(&buffer);
  buffer.data = malloc(8);  // LEAK: never-freed
  buffer_init(&buffer);
  free(buffer.data);
  return n;
}

int cleared_before_release_bad(int n) {
  struct buffer buffer;
  buffer_init(&buffer);
  buffer.data = malloc(8);  // LEAK: never-freed
  buffer_init(&buffer);
  buffer_release(&buffer);
  return n;
}

int released_and_cleared_ok(int n) {
  struct buffer buffer;
  buffer_init(&buffer);
  buffer.data = malloc(8);
  buffer_release(&buffer);
  buffer_release(&buffer);
  return n;
}

int cleared_on_one_way_ok(int n) {
  struct buffer buffer;
  buffer_init(&buffer);
  buffer.data = malloc(8);
  if (n > 1) {
    free(buffer.data);
    buffer_init(&buffer);
  }
  buffer_release(&buffer);
  return n;
}

int moved_then_cleared_ok(int n) {
  struct buffer from, to;
  buffer_init(&from);
  from.data = malloc(8);
  to = from;
  buffer_init(&from);
  buffer_release(&from);
  buffer_release(&to);
  return n;
}

// A pointer to the variable is kept, and filled through by a later call.
struct writer {
  char **result;
};

static struct writer *writer_new(char **result) {
  struct writer *writer = malloc(sizeof *writer);
  if (!writer) abort();
  writer->result = result;
  return writer;
}

static void writer_close(struct writer *writer) {
  *writer->result = strdup("text");
  free(writer);
}

int filled_through_kept_pointer_ok(int n) {
  char *result = NULL;
  struct writer *writer = writer_new(&result);
  writer_close(writer);
  free(result);
  return n;
}

// What failed has set nothing, but that is not known of the block.
static int buffer_fill(struct buffer *buffer, int n) {
  buffer->data = malloc(8);
  if (!buffer->data) return -1;
  buffer->length = 8;
  return n > 1 ? -2 : 0;
}

int filled_or_failed_ok(int n) {
  struct buffer buffer;
  buffer_init(&buffer);
  if (buffer_fill(&buffer, n) < 0) {
    buffer_release(&buffer);
    return -1;
  }
  buffer_release(&buffer);
  return n;
}
