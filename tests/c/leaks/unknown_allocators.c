// Functions without a body and without a model: callers release their results, so they allocate. NOT RUN: nobody defines them.
#include <stdlib.h>
#include <string.h>

// Released by `free`.
char *get_name(int number);

size_t released_ok(int number) {
  char *name = get_name(number);
  if (name == NULL) return 0;
  size_t length = strlen(name);
  free(name);
  return length;
}

size_t released_unless_bad(int number) {
  char *name = get_name(number);  // LEAK: conditional-leak
  if (name == NULL) return 0;
  if (number == 3) return 1;
  size_t length = strlen(name);
  free(name);
  return length;
}

// A family of its own: one function makes it, another one is the last that anybody does with it.
struct node;
struct node *node_new(int number);
int node_run(struct node *node, int number);
void node_end(struct node *node);

int ended_ok(int number) {
  struct node *node = node_new(number);
  if (node == NULL) return -1;
  if (node_run(node, 1) < 0) {
    node_end(node);
    return -1;
  }
  node_end(node);
  return 0;
}

int ended_unless_bad(int number) {
  struct node *node = node_new(number);  // LEAK: conditional-leak
  if (node == NULL) return -1;
  if (node_run(node, 1) < 0) {
    node_end(node);
    return -1;
  }
  if (node_run(node, 2) < 0) return -1;
  node_end(node);
  return 0;
}

// Left in a variable of the caller.
int read_value(const char *key, char **value);

size_t left_ok(const char *key) {
  char *value = NULL;
  if (read_value(key, &value) != 0) return 0;
  size_t length = strlen(value);
  free(value);
  return length;
}

size_t left_unless_bad(const char *key) {
  char *value;
  if (read_value(key, &value) < 0) return 0;  // LEAK: conditional-leak
  if (value[0] == 'x') return 1;
  size_t length = strlen(value);
  free(value);
  return length;
}

// Nobody releases what a getter returns.
struct table;
char *table_find(struct table *table, int number);

size_t found_ok(struct table *table, int number) {
  char *text = table_find(table, number);
  return text ? strlen(text) : 0;
}

int found_too_ok(struct table *table, int number) {
  char *text = table_find(table, number);
  return text != NULL && text[0] == 'x';
}

// The end of what was found on some way only: what goes wrong ends it, its owner ends it otherwise.
struct client {
  int state;
};
struct client *connection_client(void *connection);

int found_and_ended_ok(void *connection, int state) {
  struct client *client = connection_client(connection);
  if (state < 0) {
    free(client);
    return -1;
  }
  if (state == 0) {
    free(client);
    return 0;
  }
  client->state = state;
  return 1;
}

// The result may be the caller's own buffer.
char *number_text(int number, char *buffer, size_t size);

size_t own_buffer_ok(int number) {
  char buffer[20];
  char *text = number_text(number, buffer, sizeof buffer);
  return strlen(text);
}

// What one call leaves in a variable takes the place of what another one left in a second variable.
int fetch_body(char **body);
int expand_body(char **out, const char *text);
int is_plausible(const char *text);

int expanded_ok(int packed) {
  char *body = NULL;
  if (fetch_body(&body) < 0) return -1;
  if (packed || is_plausible(body)) {
    char *other = NULL;
    expand_body(&other, body);
    if (other == NULL) {
      free(body);
      return -1;
    }
    free(body);
    body = other;
  }
  int found = is_plausible(body);
  free(body);
  return found;
}
