// Allocators that take plain memory only if they get no pool.
#include <stdlib.h>
#include <string.h>

struct chunk {
  struct chunk *next;
};
struct pool {
  struct chunk *chunks;
};
struct letter {
  struct pool *pool;
  const char *state;
};

static struct pool *pool_new(void) {
  struct pool *pool = calloc(1, sizeof *pool);
  if (!pool) exit(2);
  return pool;
}

static void pool_free(struct pool *pool) {
  struct chunk *chunk = pool->chunks;
  while (chunk) {
    struct chunk *next = chunk->next;
    free(chunk);
    chunk = next;
  }
  free(pool);
}

static char *pool_copy(struct pool *pool, const char *s) {
  if (!pool) {
    char *copy = strdup(s);
    if (!copy) exit(2);
    return copy;
  }
  struct chunk *chunk = malloc(sizeof *chunk + strlen(s) + 1);
  if (!chunk) exit(2);
  chunk->next = pool->chunks;
  pool->chunks = chunk;
  return strcpy((char *)(chunk + 1), s);
}

// The pool of a letter.
static void send_letter(struct letter *letter, const char *s) {
  char *coding = pool_copy(letter->pool, s);
  if (strcmp(coding, "base64") == 0) letter->state = "sent";
}

int pool_in_memory_ok(const char *s) {
  struct letter letter = {pool_new(), ""};
  send_letter(&letter, s);
  pool_free(letter.pool);
  return letter.state[0];
}

// A pool that is passed on.
static int is_base64(struct pool *pool, const char *s) {
  char *coding = pool_copy(pool, s);
  return strcmp(coding, "base64") == 0;
}

int pool_passed_on_ok(const char *s) {
  struct pool *pool = pool_new();
  int found = is_base64(pool, s);
  pool_free(pool);
  return found;
}

int no_pool_bad(const char *s) {
  char *copy = pool_copy(NULL, s);  // LEAK: never-freed
  return copy[0];
}

static int starts_with(struct pool *pool, const char *s, char c) {
  char *copy = pool_copy(pool, s);  // LEAK: never-freed
  return copy[0] == c;
}

int sometimes_no_pool_bad(const char *s, int n) {
  struct pool *pool = n > 1 ? pool_new() : NULL;
  int found = starts_with(pool, s, 'a');
  if (pool) pool_free(pool);
  return found;
}

// Here NULL is how one asks for a block.
static char *filled(char *buffer, const char *s) {
  if (!buffer) buffer = malloc(16);
  if (!buffer) exit(2);
  strncpy(buffer, s, 15);
  buffer[15] = '\0';
  return buffer;
}

struct line {
  char *text;
};

int buffer_in_memory_ok(const char *s) {
  struct line line = {NULL};
  line.text = filled(line.text, s);
  int first = line.text[0];
  free(line.text);
  return first;
}

static int first_of(struct line *line, const char *s) {
  char *text = filled(line->text, s);  // FN: never-freed a block instead of a pointer from memory
  return text[0];
}

int buffer_in_memory_bad(const char *s) {
  struct line line = {NULL};
  return first_of(&line, s);
}
