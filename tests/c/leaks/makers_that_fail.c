// Functions that are not known and make something of what they get: one that fails keeps nothing. NOT RUN: nobody here defines them.
#include <stdlib.h>
#include <string.h>

struct reader;
struct hooks {
  int (*read)(struct hooks *, char *, int);
};
struct reader *reader_new(struct hooks *hooks, const char *from);
void reader_free(struct reader *reader);

struct state {
  struct hooks hooks;
  struct reader *reader;
  char *name;
};

struct state *state_open_bad(const char *from) {
  struct state *state = calloc(1, sizeof *state);  // LEAK: conditional-leak
  if (state == NULL) return NULL;
  state->reader = reader_new(&state->hooks, from);
  if (state->reader == NULL) return NULL;
  return state;
}

struct state *state_open_ok(const char *from) {
  struct state *state = calloc(1, sizeof *state);
  if (state == NULL) return NULL;
  state->reader = reader_new(&state->hooks, from);
  if (state->reader == NULL) {
    free(state);
    return NULL;
  }
  return state;
}

void state_close_ok(struct state *state) {
  reader_free(state->reader);
  free(state);
}

// Where it works, it has what it got.
int state_lend_ok(const char *from) {
  struct state *state = calloc(1, sizeof *state);
  if (state == NULL) return -1;
  struct reader *reader = reader_new(&state->hooks, from);
  if (reader == NULL) {
    free(state);
    return -1;
  }
  reader_free(reader);
  return 0;
}

// Two names that say what happens, and one caller who forgets it.
struct chunk;
struct chunk *alloc_chunk(void);
void free_chunk(struct chunk *chunk);
int fill_chunk(struct chunk *chunk, int what);

int answer_bad(int what) {
  struct chunk *chunk = alloc_chunk();  // LEAK: conditional-leak
  if (chunk == NULL) return -1;
  if (!fill_chunk(chunk, what)) return 2;
  free_chunk(chunk);
  return 1;
}

int answer_ok(int what) {
  struct chunk *chunk = alloc_chunk();
  if (chunk == NULL) return -1;
  int filled = fill_chunk(chunk, what);
  free_chunk(chunk);
  return filled ? 1 : 2;
}

// What is looked up belongs to a table, though it can be taken out and ended.
struct item;
struct item *find_item(const char *name);
void free_item(struct item *item);
int is_old(struct item *item);

int look_up_ok(const char *name) {
  struct item *item = find_item(name);
  if (item == NULL) return -1;
  if (!is_old(item)) return 2;
  free_item(item);
  return 1;
}

// Four callers end what they have, one goes on with the same variable in the next turn of its loop.
char *text_alloc(int size);
void text_free(char *text);
int text_next(char **text);

int texts_bad(int count) {
  char *codes = NULL, *text = NULL;
  int found = 0;
  while (text_next(&text)) {
    found += text[0] == 'x';
    text_free(text);
    codes = text_alloc(10);  // LEAK: overwritten
    if (codes == NULL) return -1;
    codes[0] = (char)found;
  }
  text_free(codes);
  return found + count;
}

int texts_ok(int count) {
  char *codes = text_alloc(10), *text = NULL;
  int found = 0;
  if (codes == NULL) return -1;
  while (text_next(&text)) {
    found += text[0] == 'x';
    text_free(text);
  }
  codes[0] = (char)found;
  text_free(codes);
  return found + count;
}

// Kept in a list by whom it works for, ended on one way, forgotten on another.
void *pool_alloc(unsigned long size, const char *file, int line);
void pool_free(void *block, const char *file, int line);

struct key {
  int first;
  struct key *next;
};
static struct key *keys;

int key_forgotten_bad(const char *text) {
  struct key *key = pool_alloc(sizeof *key, "a", 1);  // LEAK: conditional-leak
  if (key == NULL) return -1;
  key->first = text[0];
  if (text[0] == 'x') return -1;
  key->next = keys;
  keys = key;
  return 0;
}

int key_ended_ok(const char *text) {
  struct key *key = pool_alloc(sizeof *key, "a", 1);
  if (key == NULL) return -1;
  key->first = text[0];
  if (text[0] == 'x') {
    pool_free(key, "a", 3);
    return -1;
  }
  key->next = keys;
  keys = key;
  return 0;
}

// Given to a function that may keep it.
void keys_add(struct key *key);

int key_given_ok(const char *text) {
  struct key *key = pool_alloc(sizeof *key, "a", 1);
  if (key == NULL) return -1;
  key->first = text[0];
  if (text[0] == 'x') {
    pool_free(key, "a", 3);
    return -1;
  }
  keys_add(key);
  return 0;
}
