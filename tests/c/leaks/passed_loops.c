// Loops that have nothing to do with a block are passed: what they leave is unknown, and what a decision
// rests on is looked into. Executed turn by turn, they take more steps than a search has.
#include <stdlib.h>
#include <string.h>

#define MANY 3000  // turns

struct table {
  int squares[MANY];
  int least, most;
};

static struct table table;

int before_the_block_bad(const char *name, int fails) {
  for (int i = 0; i < MANY; i++) table.squares[i] = i * i;
  char *text = strdup(name);  // LEAK: conditional-leak
  if (!text) return -1;
  if (fails) return -1;
  free(text);
  return 0;
}

int while_it_is_there_bad(const char *name, int fails) {
  char *text = malloc(MANY);  // LEAK: conditional-leak
  if (!text) return -1;
  for (int i = 0; i < MANY; i++) {
    text[i] = (char)i;
    if (i % 7 == 3) text[i / 2] = 'x';
  }
  if (fails) return -1;
  free(text);
  return 0;
}

int in_a_later_turn_bad(const char *name, int fails) {
  for (int i = 0; i < MANY; i++) {
    table.squares[i] += i;
    if (table.squares[i] == 7) {
      char *text = strdup(name);  // LEAK: conditional-leak
      if (!text) return -1;
      if (fails) continue;
      free(text);
    }
  }
  return 0;
}

// What a loop counts up is not below zero.
int counted_up_ok(const char *name) {
  int count = 0;
  for (int i = 0; i < MANY; i++)
    if (table.squares[i] > i) count += 2;
  char *text = strdup(name);
  if (count < -1) return -1;
  free(text);
  return 0;
}

int counted_up_bad(const char *name) {
  int count = 0;
  for (int i = 0; i < MANY; i++)
    if (table.squares[i] >= 0) count += 2;
  char *text = strdup(name);  // LEAK: conditional-leak
  if (count > 3) return -1;
  free(text);
  return 0;
}

// A loop that releases the block in some turn is not passed.
int released_in_a_turn_ok(const char *name) {
  char *text = strdup(name);
  for (int i = 0; i < MANY; i++)
    if (i == 5) {
      free(text);
      text = NULL;
    }
  return 0;
}

// Nor is one that stores it.
int kept_in_a_turn_ok(const char *name, char **where) {
  char *text = strdup(name);
  for (int i = 0; i < MANY; i++)
    if (i == 5) *where = text;
  return 0;
}

// Nor one that gives it to somebody who may do either.
static void release_fifth(char *text, int i) {
  if (i == 5) free(text);
}

int released_by_callee_ok(const char *name) {
  char *text = strdup(name);
  for (int i = 0; i < MANY; i++) release_fifth(text, i);
  return 0;
}

static int is_x(const char *text, int i) { return i < 3 && text[i] == 'x'; }

// One that only looks at it.
int looked_at_by_callee_bad(int fails) {
  char *text = calloc(4, 1);  // LEAK: conditional-leak
  if (!text) return -1;
  int count = 0;
  for (int i = 0; i < MANY && !table.most; i++) count += is_x(text, i);
  if (fails) return -1;
  free(text);
  return count;
}

// What leads to the block in memory stays what it is.
struct holder {
  char *text;
  int count;
};

int beside_the_pointer_ok(const char *name) {
  struct holder *holder = calloc(1, sizeof *holder);
  if (!holder) return -1;
  holder->text = strdup(name);
  for (int i = 0; i < MANY; i++) holder->count += table.squares[i];
  free(holder->text);
  free(holder);
  return 0;
}
