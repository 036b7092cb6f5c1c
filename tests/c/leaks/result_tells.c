// A callee hands a block over with one result only, 0 mostly, among results that are computed.
#include <stdlib.h>
#include <string.h>

struct box {
  char *text;
  int size;
};

static const char *const inputs[] = {"", "22210140", "222101", "2x"};
static const char *rest;  // of the input

static void begin(int i) { rest = inputs[i & 3]; }

static int number(int *out) {
  int c = *rest;
  if (c == 0) return -3;
  rest++;
  if (c < '0') return -4;
  if (c == 'x' || c == 'y') return -5;
  if (c > 'z') return -6;
  *out = c - '0';
  return 0;
}

static void box_free(struct box *box) {
  if (box == NULL) return;
  free(box->text);
  free(box);
}

// Many ways to fail, with codes of its own and of others; the box only with 0.
static int box_read(struct box **out) {
  struct box *box = NULL;
  int r, kind, size, flags, level;
  if ((r = number(&kind)) != 0) goto done;
  if ((r = number(&size)) != 0) goto done;
  if (kind == 7) {
    r = -7;
    goto done;
  }
  if ((r = number(&flags)) != 0) goto done;
  if (flags & 1) {
    r = -8;
    goto done;
  }
  if ((r = number(&level)) != 0) goto done;
  if ((box = calloc(1, sizeof *box)) == NULL || (box->text = calloc(1, size + 1)) == NULL) {
    r = -2;
    goto done;
  }
  for (box->size = 0; box->size < size; box->size++) {
    if ((r = number(&kind)) != 0) goto done;
    box->text[box->size] = (char)kind;
  }
  *out = box;
  box = NULL;
  r = 0;
done:
  box_free(box);
  return r;
}

int only_with_zero_ok(int i) {
  begin(i);
  struct box *box = NULL;
  int r, size;
  if ((r = box_read(&box)) != 0) return r;
  size = box->size;
  box_free(box);
  return size;
}

int zero_is_tested_bad(int i) {
  begin(i);
  struct box *box = NULL;
  int r = box_read(&box);  // LEAK: never-freed
  if (r == 0) return 1;
  box_free(box);
  return r;
}

int failure_after_it_bad(int i) {
  begin(i);
  struct box *box = NULL;
  int r, level;
  if ((r = box_read(&box)) != 0) return r;  // LEAK: conditional-leak
  if ((r = number(&level)) != 0) return r;
  box_free(box);
  return level;
}

// Through a second function that gives the result on, as it is or with one of its own.
static int box_first(struct box **out) {
  int r;
  if (*rest == 0) return -9;
  if ((r = box_read(out)) == 0) return r;
  begin(1);
  return box_read(out);
}

int through_another_ok(int i) {
  begin(i);
  struct box *box = NULL;
  if (box_first(&box) != 0) return 1;
  box_free(box);
  return 0;
}

int through_another_bad(int i) {
  begin(i);
  struct box *box = NULL;
  if (box_first(&box) == 0) return 1;  // LEAK: never-freed|conditional-leak
  box_free(box);
  return 0;
}

// The block stays with the caller, whatever the result is.
static int text_read(char **out) {
  int r, size;
  if ((r = number(&size)) != 0) return r;
  if ((*out = malloc(size + 1)) == NULL) return -2;
  if ((r = number(&size)) != 0) return r;
  (*out)[0] = (char)size;
  return 0;
}

int failed_later_bad(int i) {
  begin(i);
  char *text = NULL;
  int r;
  if ((r = text_read(&text)) != 0) return r;  // LEAK: conditional-leak
  r = text[0];
  free(text);
  return r;
}

int failed_later_ok(int i) {
  begin(i);
  char *text = NULL;
  int r;
  if ((r = text_read(&text)) == 0) r = text[0];
  free(text);
  return r;
}

// A later turn fails, when an earlier one has handed its block over.
static int last_read(char **out, int count) {
  int r, i, size;
  for (i = 0; i < count; i++) {
    if ((r = number(&size)) != 0) return r;
    free(*out);
    if ((*out = malloc(size + 1)) == NULL) return -2;
    (*out)[0] = 0;
  }
  return 0;
}

int later_turn_fails_bad(int i, int count) {
  begin(i);
  char *text = NULL;
  int r;
  if ((r = last_read(&text, count)) != 0) return r;  // LEAK: conditional-leak
  r = text ? text[0] : 0;
  free(text);
  return r;
}

int later_turn_fails_ok(int i, int count) {
  begin(i);
  char *text = NULL;
  int r = last_read(&text, count);
  free(text);
  return r;
}
