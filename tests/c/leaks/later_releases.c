// Functions that are not known: what becomes of an argument beyond the function that gives it. NOT RUN: nobody here defines them.
#include <stdlib.h>
#include <string.h>

// The caller gets the block through a parameter, and releases it: it was lent.
int decode(char *into, int size);
int matches(int number);

static int unpack(int number, char **out) {
  *out = malloc(100);
  if (*out == NULL) return 2;
  (*out)[0] = (char)number;
  decode(*out, 100);
  return 0;
}

int unpack_all_bad(void) {
  char *text = NULL;
  int count = 0;
  for (int i = 0; i < 20; i++) {
    if (!matches(i)) continue;
    if (unpack(i, &text) == 0) count++;  // LEAK: overwritten
  }
  free(text);
  return count;
}

int unpack_all_ok(void) {
  char *text = NULL;
  int count = 0;
  for (int i = 0; i < 20; i++) {
    if (!matches(i)) continue;
    free(text);
    text = NULL;
    if (unpack(i, &text) == 0) count++;
  }
  free(text);
  return count;
}

// The caller gets it as a result.
void colour(char *text, int size);

static char *coloured(int size) {
  char *text = malloc(size);
  if (text == NULL) return NULL;
  colour(text, size);
  return text;
}

int coloured_bad(int size) {
  char *text = coloured(size);  // LEAK: conditional-leak
  if (text == NULL) return -1;
  if (size > 100) return 1;
  free(text);
  return 0;
}

int coloured_ok(int size) {
  char *text = coloured(size);
  if (text == NULL) return -1;
  int found = size > 100;
  free(text);
  return found;
}

// Released by the caller only where the function failed: it was taken where it worked.
int enqueue(char *text);

static int offer(const char *from, char **out) {
  *out = strdup(from);
  if (*out == NULL) return -1;
  return enqueue(*out);
}

int offer_ok(const char *from) {
  char *text = NULL;
  if (offer(from, &text) < 0) {
    free(text);
    return -1;
  }
  return 0;
}

// It lies in a field that is released when its struct ends: it was lent.
struct reader {
  char *buffer;
  int size;
};
int fill_bytes(char *buffer, int size);

static void reader_end(struct reader *reader) {
  free(reader->buffer);
  free(reader);
}

struct reader *reader_again_bad(int size) {
  struct reader *reader = calloc(1, sizeof *reader);
  if (reader == NULL) return NULL;
  do {
    reader->buffer = malloc(size);  // LEAK: overwritten
    if (reader->buffer == NULL || fill_bytes(reader->buffer, size) < 0) {
      reader_end(reader);
      return NULL;
    }
    reader->size = reader->buffer[0];
  } while (reader->size == 0);
  return reader;
}

struct reader *reader_again_ok(int size) {
  struct reader *reader = calloc(1, sizeof *reader);
  if (reader == NULL) return NULL;
  do {
    free(reader->buffer);
    reader->buffer = malloc(size);
    if (reader->buffer == NULL || fill_bytes(reader->buffer, size) < 0) {
      reader_end(reader);
      return NULL;
    }
    reader->size = reader->buffer[0];
  } while (reader->size == 0);
  return reader;
}

// It is cleared there afterwards: it was given away.
int post_bytes(char *buffer, int size);

struct reader *reader_posts_ok(int size) {
  struct reader *reader = calloc(1, sizeof *reader);
  if (reader == NULL) return NULL;
  do {
    reader->buffer = malloc(size);
    if (reader->buffer == NULL) {
      reader_end(reader);
      return NULL;
    }
    post_bytes(reader->buffer, size);
    reader->buffer = NULL;
  } while (matches(size--));
  return reader;
}

// The struct itself is given to functions that are not known: what this file releases stays in it.
struct stream {
  int samples;
  char *data;
};
int read_header(struct stream *stream);
int reset_stream(struct stream *stream);

static void stream_end(struct stream *stream) {
  free(stream->data);
  free(stream);
}

struct stream *stream_open_bad(void) {
  struct stream *stream = calloc(1, sizeof *stream);
  if (stream == NULL) return NULL;
  while (!stream->samples) {
    if (read_header(stream) < 0) {
      stream_end(stream);
      return NULL;
    }
    stream->data = malloc(100);  // LEAK: overwritten
  }
  return stream;
}

struct stream *stream_open_ok(void) {
  struct stream *stream = calloc(1, sizeof *stream);
  if (stream == NULL) return NULL;
  while (!stream->samples) {
    if (read_header(stream) < 0) {
      stream_end(stream);
      return NULL;
    }
    free(stream->data);
    stream->data = malloc(100);
  }
  return stream;
}

// … unless a name says that the function empties it.
struct stream *stream_reset_ok(void) {
  struct stream *stream = calloc(1, sizeof *stream);
  if (stream == NULL) return NULL;
  while (!stream->samples) {
    if (reset_stream(stream) < 0) {
      stream_end(stream);
      return NULL;
    }
    stream->data = malloc(100);
  }
  return stream;
}

// Nobody here releases what lies in the struct: whoever gets it may.
struct parcel {
  int weight;
  char *label;
};
int send_off(struct parcel *parcel);
int weigh(struct parcel *parcel);

int parcels_ok(struct parcel *parcel) {
  while (!parcel->weight) {
    parcel->label = malloc(100);
    if (weigh(parcel) < 0) return -1;
  }
  return send_off(parcel);
}

// A function that is not known might write the count that says whether there is a block: it kept the block, then.
struct source {
  int count;
  int *data;
};
int check_source(struct source *source, int magic);

struct source *source_new(void) { return calloc(1, sizeof(struct source)); }

int source_set_ok(struct source *source, int value) {
  if (check_source(source, 7) < 0) return -1;
  if (source->count == 0) {
    source->data = calloc(1, sizeof *source->data);
    if (source->data == NULL) return -1;
    source->count = 1;
  }
  source->data[0] = value;
  return 0;
}

int source_grow_ok(struct source *source, int value) {
  if (check_source(source, 8) < 0) return -1;
  int *data = realloc(source->data, (source->count + 1) * sizeof *data);
  if (data == NULL) return -1;
  source->data = data;
  source->data[source->count++] = value;
  return 0;
}

void source_free_ok(struct source *source) {
  free(source->data);
  free(source);
}
