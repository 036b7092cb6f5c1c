// Functions of which only calls are seen: what callers do with results shows who makes and ends them. NOT RUN: nobody here defines them.
// Results are followed through fields, variables whose address is taken and functions that hand on.
#include <stdlib.h>
#include <string.h>

struct key {
  char *name;
  void *data;
  int size;
};

// Kept in fields; the fields go to the same function as what they belong to.
void *take_bytes(size_t size, const char *why);
void drop(void *block);

struct key *key_made_bad(const char *text) {
  struct key *key = take_bytes(sizeof *key, "key");  // LEAK: conditional-leak
  key->size = 0;
  if (strlen(text) > 4) return NULL;
  key->data = take_bytes(4, "data");
  return key;
}

struct key *key_made_ok(const char *text) {
  struct key *key = take_bytes(sizeof *key, "key");
  key->size = 0;
  if (strlen(text) > 4) {
    drop(key);
    return NULL;
  }
  key->data = take_bytes(4, "data");
  return key;
}

void key_dropped_ok(struct key *key) {
  drop(key->data);
  drop(key->name);
  drop(key);
}

// The result might be what one caller lends; those who lend nothing release it.
char *next_word(void *state, char *quote);

char *word_or_nothing_bad(void *state) {
  char quote;
  char *word = next_word(state, &quote);  // LEAK: conditional-leak
  if (!word) return NULL;
  if (*word == '\0') return NULL;
  return word;
}

char *word_or_nothing_ok(void *state) {
  char quote;
  char *word = next_word(state, &quote);
  if (!word) return NULL;
  if (*word == '\0') {
    free(word);
    return NULL;
  }
  return word;
}

void word_skipped_ok(void *state) { free(next_word(state, NULL)); }

// The releaser gets the variable's address.
char *make_path(const char *name);
void free_path(char **path);
int known(const char *path);

int path_known_bad(const char *name) {
  char *path = make_path(name);  // LEAK: conditional-leak
  if (known(name)) return 1;
  int result = known(path);
  free_path(&path);
  return result;
}

int path_known_ok(const char *name) {
  char *path = make_path(name);
  int result = known(name);
  if (!result) result = known(path);
  free_path(&path);
  return result;
}

// A wrapper returns it; its callers release it.
void *pool_bytes(size_t size, int *log);
static void *block(size_t size) {
  static int log;
  return pool_bytes(size, &log);
}

int two_blocks_bad(void) {
  char *first = block(8);  // LEAK: conditional-leak
  if (!first) return -1;
  char *second = block(8);
  if (!second) return -1;
  first[0] = second[0] = 1;
  free(second);
  free(first);
  return 0;
}

int two_blocks_ok(void) {
  char *first = block(8);
  if (!first) return -1;
  char *second = block(8);
  if (!second) {
    free(first);
    return -1;
  }
  first[0] = second[0] = 1;
  free(second);
  free(first);
  return 0;
}

// A getter: what it returns is read in more places than it is ended in.
struct node;
struct node *current(void);
void node_free(struct node *node);
int node_size(const struct node *node);

int current_size_ok(void) { return node_size(current()); }
int current_twice_ok(void) {
  struct node *node = current();
  return node ? 2 * node_size(node) : 0;
}
void current_ended_ok(void) { node_free(current()); }

// What is believed to be left in a variable need not be there; and it may fail.
int pick(const char *name, char **extra);

int extra_is_optional_bad(const char *name) {
  char *extra = NULL;
  char *copy = strdup(name);  // LEAK: conditional-leak
  if (!copy) return 1;
  if (pick(name, &extra) != 0) {
    free(copy);
    return 1;
  }
  if (extra) {
    free(extra);
    free(copy);
    return 0;
  }
  return 2;
}

int extra_is_optional_ok(const char *name) {
  char *extra = NULL;
  if (pick(name, &extra) != 0) return 1;
  free(extra);
  return 0;
}

// The result is the argument, perhaps.
char *checked(char *text);
char *text_made(const char *name) {
  return checked(strdup(name));
}
void text_ended_ok(char *text) { free(checked(text)); }
int text_length_ok(char *text) {
  char *same = checked(text);
  return same ? (int)strlen(same) : 0;
}

// What is made for an object stays with it: more places keep it for ever, or do not look at it, than end it.
struct port;
struct port *port_new(struct node *of, int kind);
void port_free(struct port *port);
struct meter {
  struct port *in;
};
struct mixer {
  struct port *left, *right;
};
void meter_open_ok(struct meter *meter, struct node *of) { meter->in = port_new(of, 1); }
void meter_close_ok(struct meter *meter) { port_free(meter->in); }
void mixer_open_ok(struct mixer *mixer, struct node *of) {
  mixer->left = port_new(of, 1);
  mixer->right = port_new(of, 2);
}
void sink_open_ok(struct node *of) { port_new(of, 3); }
