// Losses that a search has to be led to: behind a table that is looked through, before a long callee,
// where memory is wanting behind loops.
#include <stdlib.h>
#include <string.h>

enum column { BUS, BUS_OLD, WAY, IDENT, LENGTH, NUMBER, TIME_OLD, TIME, RESERVED, KIND, DATA, NONE };

struct table {
  unsigned char positions[NONE];
};

static enum column column_at(const struct table *table, int position) {
  for (int i = 0; i < NONE; i++)
    if (table->positions[i] == position) return (enum column)i;
  return NONE;
}

// NOT RUN: needs more behind its arguments than zeros
int looked_up_bad(const struct table *table, const char *s, int position) {
  char *text = strdup(s);  // LEAK: conditional-leak
  enum column column = NONE;
  for (int i = 0; i < NONE; i++)
    if (table->positions[i] == position) {
      column = (enum column)i;
      break;
    }
  if (column == KIND) return -1;
  free(text);
  return 0;
}

int looked_up_ok(const struct table *table, const char *s, int position) {
  char *text = strdup(s);
  int found = -1;
  for (int i = 0; i < NONE; i++)
    if (table->positions[i] == position) {
      found = i;
      break;
    }
  if (found > NONE) return -1;
  free(text);
  return 0;
}

// NOT RUN: needs more behind its arguments than zeros
int looked_up_by_callee_bad(const struct table *table, const char *s, int position) {
  char *text = strdup(s);  // LEAK: conditional-leak
  if (column_at(table, position) == DATA) return -1;
  free(text);
  return 0;
}

int looked_up_by_callee_ok(const struct table *table, const char *s, int position) {
  char *text = strdup(s);
  if (column_at(table, position) > NONE) return -1;
  free(text);
  return 0;
}

// Every element is looked at: a sum over a few of them is in range.
int summed_ok(const unsigned char *counts, const char *s) {
  char *text = strdup(s);
  int sum = 0;
  for (int i = 0; i < 6; i++)
    if (counts[i] > 3) sum += 1;
  if (sum > 6) return -1;
  free(text);
  return 0;
}

// NOT RUN: needs more behind its arguments than zeros
int summed_bad(const unsigned char *counts, const char *s) {
  char *text = strdup(s);  // LEAK: conditional-leak
  int sum = 0;
  for (int i = 0; i < 6; i++)
    if (counts[i] > 3) sum += 1;
  if (sum > 5) return -1;
  free(text);
  return 0;
}

// What decides lies in the first callee; the second one has many ways, and none of them matters.
struct proposal {
  int group, cipher, hash, bits, state, errors;
};

static int find_group(struct proposal *proposal, const char *s) {
  const char *mark = strchr(s, ';');
  if (mark != NULL) {
    if (mark[1] != 'm') return 0;
    proposal->group = mark[2];
  }
  return 1;
}

static int scan(struct proposal *proposal, const char *s) {
  int bits = 0;
  for (; *s; s++) {
    switch (proposal->state) {
      case 0:
        if (*s == '-') proposal->state = 1;
        else if (*s >= '0' && *s <= '9') proposal->cipher = *s;
        else if (*s == '_') proposal->errors++;
        break;
      case 1:
        if (*s == '-') proposal->state = 2;
        else if (*s >= '0' && *s <= '9') bits = bits * 10 + *s - '0';
        else if (*s == '+') proposal->hash = 1;
        break;
      case 2:
        if (*s == ',') proposal->state = 0;
        else if (*s == '!') proposal->errors++;
        else if (*s == '+') proposal->hash = 2;
        else if (*s == '*') proposal->bits = bits;
        break;
      default:
        proposal->errors += 2;
    }
    if (proposal->errors > 4) return -1;
  }
  return proposal->state;
}

struct proposal *proposal_bad(const char *s) {
  struct proposal *proposal = calloc(1, sizeof *proposal);  // LEAK: conditional-leak
  if (proposal == NULL) return NULL;
  if (!find_group(proposal, s)) return NULL;
  if (scan(proposal, s) < 0) {
    free(proposal);
    return NULL;
  }
  return proposal;
}

struct proposal *proposal_ok(const char *s) {
  struct proposal *proposal = calloc(1, sizeof *proposal);
  if (proposal == NULL) return NULL;
  if (!find_group(proposal, s) || scan(proposal, s) < 0) {
    free(proposal);
    return NULL;
  }
  return proposal;
}

// Memory that is wanting, behind loops with many ways.
static char *room_for(size_t n) { return malloc(n); }

// NOT RUN: needs more behind its arguments than zeros
char **environment_bad(const char **names, int n) {
  int count = 0, other = 0;
  for (int i = 0; i < n; i++) {
    if (names[i][0] == 'T' && names[i][1] == 'Z') count++;
    else if (names[i][0] == 'L') other++;
  }
  char **table = calloc(count + other + 2, sizeof *table);  // LEAK: leak-if-allocation-fails
  if (table == NULL) return NULL;
  char *own = room_for(8 * (size_t)count + 1);
  if (own == NULL) return NULL;
  for (int i = 0; i < count; i++) own[8 * i] = names[i][0];
  table[count] = own;
  return table;
}

// NOT RUN: needs more behind its arguments than zeros
char **environment_ok(const char **names, int n) {
  int count = 0, other = 0;
  for (int i = 0; i < n; i++) {
    if (names[i][0] == 'T' && names[i][1] == 'Z') count++;
    else if (names[i][0] == 'L') other++;
  }
  char **table = calloc(count + other + 2, sizeof *table);
  if (table == NULL) return NULL;
  char *own = room_for(8 * (size_t)count + 1);
  if (own == NULL) {
    free(table);
    return NULL;
  }
  for (int i = 0; i < count; i++) own[8 * i] = names[i][0];
  table[count] = own;
  return table;
}

// Lost in the first turn of many: what comes then need not be executed to its end.
struct buffer {
  char *text;
};

int many_turns_bad(int n) {
  int sum = 0;
  for (int i = 0; i < 5000; i++) {
    struct buffer *buffer = malloc(sizeof *buffer);
    if (buffer == NULL) return -1;
    buffer->text = malloc(4);  // LEAK: never-freed
    sum += buffer->text != NULL && n > 0;
    free(buffer);
  }
  return sum;
}

int many_turns_ok(int n) {
  int sum = 0;
  for (int i = 0; i < 5000; i++) {
    struct buffer *buffer = malloc(sizeof *buffer);
    if (buffer == NULL) return -1;
    buffer->text = malloc(4);
    sum += buffer->text != NULL && n > 0;
    free(buffer->text);
    free(buffer);
  }
  return sum;
}
