// Functions without a body and without a model: what their declarations and callers say of arguments. NOT RUN: nobody defines them.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// const: the argument is read.
int use_text(const char *text);

int const_argument_bad(void) {
  char *p = malloc(4);  // LEAK: never-freed
  if (p == NULL) return 0;
  p[0] = '\0';
  return use_text(p);
}

int const_argument_ok(void) {
  char *p = malloc(4);
  if (p == NULL) return 0;
  p[0] = '\0';
  int n = use_text(p);
  free(p);
  return n;
}

// A logger: what follows the format is printed.
void message(const char *format, ...);

void logged_bad(const char *name, int state) {
  char *copy = strdup(name);  // LEAK: conditional-leak
  if (copy == NULL) return;
  message("%s: state %d", copy, state);
  if (state == 2) return;
  free(copy);
}

void logged_ok(const char *name, int state) {
  char *copy = strdup(name);
  if (copy == NULL) return;
  message("%s: state %d", copy, state);
  free(copy);
}

// A table may keep a `const void *` as its key, and its callers never release what they give to it.
int table_put(void *table, const void *key, int number);

int key_is_kept_ok(void *table, const char *name) {
  char *key = strdup(name);
  if (key == NULL) return -1;
  return table_put(table, key, 1);
}

int key_is_kept_too_ok(void *table, const char *name) {
  char *key = strdup(name);
  if (key == NULL) return -1;
  return table_put(table, key, 2);
}

// Not const; callers release what they gave: it was lent.
int fill(char *buffer, int size);

int lent_ok(void) {
  char *buffer = malloc(100);
  if (buffer == NULL) return -1;
  int n = fill(buffer, 100);
  free(buffer);
  return n;
}

int lent_bad(int limit) {
  char *buffer = malloc(100);  // LEAK: conditional-leak
  if (buffer == NULL) return -1;
  int n = fill(buffer, 100);
  if (n > limit) return -1;
  free(buffer);
  return n;
}

// Not const; callers give what they made and never touch it again: it was given away.
void submit(char *text);

void given_ok(const char *text) {
  char *copy = strdup(text);
  if (copy != NULL) submit(copy);
}

void given_and_printed_ok(const char *text) {
  char *copy = strdup(text);
  if (copy == NULL) return;
  submit(copy);
  printf("%zu\n", strlen(text));
}

// One caller prints what it gave away: a debug print is no proof of a loan.
void given_and_looked_at_ok(const char *text) {
  char *copy = strdup(text);
  if (copy == NULL) return;
  submit(copy);
  puts(copy);
}

// Released where it failed, and only there: taken if it worked.
int queue_put(void *queue, char *text);

int taken_ok(void *queue, const char *text) {
  char *copy = strdup(text);
  if (copy == NULL) return -1;
  if (queue_put(queue, copy) < 0) {
    free(copy);
    return -1;
  }
  return 0;
}

int taken_unless_it_failed_bad(void *queue, const char *text) {
  char *copy = strdup(text);  // LEAK: conditional-leak
  if (copy == NULL) return -1;
  if (queue_put(queue, copy) < 0) return -1;
  return 0;
}

// Who does not ask takes it that it worked.
void taken_unasked_ok(void *queue, const char *text) {
  char *copy = strdup(text);
  if (copy != NULL) queue_put(queue, copy);
}

// A function that gets a function keeps what the other one is called with.
void at_end(void (*call)(char *), char *with);
void forget(char *text);

void kept_for_later_ok(const char *text) {
  char *copy = strdup(text);
  char local[4] = "abc";
  at_end(forget, local);
  if (copy != NULL) at_end(forget, copy);
}

// A result may be the argument, or point into it.
char *skip_blanks(char *text);

char *lives_on_ok(const char *text) {
  char *copy = strdup(text);
  if (copy == NULL) return NULL;
  return skip_blanks(copy);
}

char *lives_on_in_buffer_ok(void) {
  char buffer[100] = "  x";
  return strdup(skip_blanks(buffer));
}

// A name that says that it releases, and nothing else is given: the const of what it leads to is no loan.
struct context;
void names_free(struct context *context, char *const *names);

void names_ended_ok(struct context *context) {
  char **names = calloc(2, sizeof *names);
  if (!names) return;
  names_free(context, names);
}

// Numbers or text that go in with their length, to a function that has no place to keep them.
int convert(unsigned short *to, int room, const char *from, int length);
static int widen(unsigned short *to, int room, const char *from) { return convert(to, room, from, -1); }

static unsigned short *widened(const char *text, size_t *count) {
  int length = widen(NULL, 0, text);
  if (length <= 0) return NULL;
  unsigned short *made = calloc(length + 1, sizeof *made);
  if (made == NULL) return NULL;
  if (widen(made, length + 1, text) != length) {
    free(made);
    return NULL;
  }
  *count = length;
  return made;
}

int widened_bad(const char *text) {
  size_t count = 0;
  widened(text, &count);  // LEAK: never-freed
  return count > 3;
}

int widened_ok(const char *text) {
  size_t count = 0;
  unsigned short *made = widened(text, &count);
  int result = made != NULL && made[0] > 3;
  free(made);
  return result;
}
