// Functions of a library that nobody here calls: one stores a block, another ends the struct. NOT RUN: tests/ownership/test_clients.py runs what these rest on.
#include <stdlib.h>
#include <string.h>

// One field is forgotten, the other is not.
struct song {
  char *title;
  char *samples;
};

struct song *song_new(const char *title) {
  struct song *song = calloc(1, sizeof *song);
  if (song == NULL) return NULL;
  song->title = strdup(title);  // LEAK: never-freed
  song->samples = malloc(64);
  return song;
}

void song_free(struct song *song) {
  if (song == NULL) return;
  free(song->samples);
  free(song);
}

// Both are released, one of them by a helper.
struct film {
  char *title;
  char *frames;
};

struct film *film_new(const char *title) {
  struct film *film = calloc(1, sizeof *film);
  if (film == NULL) return NULL;
  film->title = strdup(title);
  film->frames = malloc(64);
  return film;
}

static void drop(char **text) {
  free(*text);
  *text = NULL;
}

void film_free(struct film *film) {
  if (film == NULL) return;
  drop(&film->title);
  free(film->frames);
  free(film);
}

// The field is filled far below the function that makes the struct.
struct reader {
  unsigned char *ids;
  char *error;
};

static int read_ids(struct reader *reader, const unsigned char *data, int count) {
  if (reader->ids == NULL) {
    reader->ids = malloc(count + 1);  // LEAK: never-freed
    memcpy(reader->ids, data, count);
  }
  return 1;
}

static int read_header(struct reader *reader, const unsigned char *data, int count) {
  return count > 3 ? read_ids(reader, data, count) : 0;
}

struct reader *reader_open(const unsigned char *data, int count) {
  struct reader *reader = calloc(1, sizeof *reader);
  if (reader == NULL) return NULL;
  reader->error = malloc(80);
  read_header(reader, data, count);
  return reader;
}

void reader_close(struct reader *reader) {
  free(reader->error);
  free(reader);
}

// Which fields are the struct's own is told by a flag that the constructor sets.
struct view {
  char *text;
  int owns;
};

struct view *view_of_copy(const char *text) {
  struct view *view = calloc(1, sizeof *view);
  if (view == NULL) return NULL;
  view->text = strdup(text);
  view->owns = 1;
  return view;
}

void view_free(struct view *view) {
  if (view->owns) free(view->text);
  free(view);
}

// One of two destructors forgets what the other releases.
struct job {
  char *command;
  char *output;
};

void job_set_output(struct job *job, const char *text) {
  free(job->output);
  job->output = strdup(text);  // LEAK: conditional-leak
}

void job_set_command(struct job *job, const char *text) {
  free(job->command);
  job->command = strdup(text);
}

void job_free(struct job *job) {
  free(job->command);
  free(job->output);
  free(job);
}

void job_cancel(struct job *job) {
  free(job->command);
  free(job);
}

// An initialiser and its counterpart, for structs that lie in others.
struct buffer {
  char *data;
  char *name;
};

void buffer_init(struct buffer *buffer, const char *name) {
  buffer->data = malloc(32);
  buffer->name = strdup(name);  // LEAK: overwritten
}

void buffer_done(struct buffer *buffer) { free(buffer->data); }

struct stack {
  char *data;
  char *name;
};

void stack_init(struct stack *stack, const char *name) {
  stack->data = malloc(32);
  stack->name = strdup(name);
}

void stack_done(struct stack *stack) {
  free(stack->data);
  free(stack->name);
}

// Callbacks: the second returns early, and the first comes again.
struct listener {
  char *document;
  int count;
};
typedef void on_text(void *, const char *);
typedef void on_close(void *);
void listen_to(void *, on_text *, on_close *);

static void document_begins(void *data, const char *name) {
  ((struct listener *)data)->document = strdup(name);  // LEAK: overwritten
}

static void document_ends(void *data) {
  struct listener *listener = data;
  if (listener->count == 0) return;
  free(listener->document);
  listener->document = NULL;
}

void listen_carelessly(struct listener *l) { listen_to(l, document_begins, document_ends); }

struct careful {
  char *document;
  int count;
};

static void careful_begins(void *data, const char *name) {
  ((struct careful *)data)->document = strdup(name);
}

static void careful_ends(void *data) {
  struct careful *listener = data;
  listener->count++;
  free(listener->document);
  listener->document = NULL;
}

void listen_carefully(struct careful *l) { listen_to(l, careful_begins, careful_ends); }
