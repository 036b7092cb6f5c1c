// Elements of an array that loops with constant bounds fill and release: what is not released is lost.
#include <stdlib.h>
#include <string.h>

int last_is_kept_bad(int n) {
  char *slots[4];
  for (int i = 0; i < 4; i++) slots[i] = malloc(4);  // LEAK: conditional-leak
  for (int i = 0; i < 3; i++) free(slots[i]);
  return n;
}

int first_is_kept_bad(int n) {
  char *slots[4];
  for (int i = 0; i < 4; i++) slots[i] = malloc(4);  // LEAK: conditional-leak
  for (int i = 1; i <= 3; i++) free(slots[i]);
  return n;
}

int all_ok(int n) {
  char *slots[4];
  for (int i = 0; i <= 3; i++) slots[i] = malloc(4);
  for (int i = 0; i < 4; i++) free(slots[i]);
  return n;
}

int in_two_parts_ok(int n) {
  char *slots[4];
  for (int i = 0; i < 4; i++) slots[i] = malloc(4);
  for (int i = 0; i < 2; i++) free(slots[i]);
  for (int i = 2; i < 4; i++) free(slots[i]);
  return n;
}

int gap_bad(int n) {
  char *slots[4];
  for (int i = 0; i < 4; i++) slots[i] = malloc(4);  // LEAK: conditional-leak
  for (int i = 0; i < 1; i++) free(slots[i]);
  for (int i = 2; i < 4; i++) free(slots[i]);
  return n;
}

int one_by_one_ok(int n) {
  char *slots[3];
  for (int i = 0; i < 3; i++) slots[i] = malloc(4);
  free(slots[0]);
  free(slots[1]);
  free(slots[2]);
  return n;
}

int one_by_one_bad(int n) {
  char *slots[3];
  for (int i = 0; i < 3; i++) slots[i] = malloc(4);  // LEAK: conditional-leak
  free(slots[0]);
  free(slots[2]);
  return n;
}

int single_ok(int n) {
  char *slots[3] = {NULL};
  slots[1] = malloc(4);
  for (int i = 0; i < 3; i++) free(slots[i]);
  return n;
}

int single_bad(int n) {
  char *slots[3] = {NULL};
  slots[2] = malloc(4);  // LEAK: never-freed
  for (int i = 0; i < 2; i++) free(slots[i]);
  return n;
}

// The counter of the first loop decides itself which elements it fills.
int filled_in_part_ok(int n) {
  char *slots[4] = {NULL};
  for (int i = 0; i < 4; i++)
    if (i < 2) slots[i] = malloc(4);
  for (int i = 0; i < 2; i++) free(slots[i]);
  return n;
}

int failing_ok(int n) {
  char *slots[4] = {NULL};
  int result = n, i;
  for (i = 0; i < 4; i++) {
    slots[i] = malloc(4);
    if (!slots[i]) {
      result = -1;
      break;
    }
  }
  for (i = 0; i < 4; i++) free(slots[i]);
  return result;
}

int unrolled_ok(int n) {
  char *slots[4];
  int i;
  for (i = 0; i < 4; i++) {
    slots[i] = malloc(4);
    if (!slots[i]) goto fail;
  }
  for (i = 0; i < 4; i++) free(slots[i]);
  return n;
fail:
  while (--i >= 0) free(slots[i]);
  return -1;
}

int heap_array_bad(int n) {
  char **rows = malloc(3 * sizeof *rows);
  if (!rows) return -1;
  for (int i = 0; i < 3; i++) rows[i] = malloc(4);  // LEAK: conditional-leak
  for (int i = 0; i < 2; i++) free(rows[i]);
  free(rows);
  return n;
}

int heap_array_ok(int n) {
  char **rows = calloc(3, sizeof *rows);
  if (!rows) return -1;
  for (int i = 0; i < 3; i++) rows[i] = malloc(4);
  for (int i = 0; i < 3; i++) free(rows[i]);
  free(rows);
  return n;
}

struct pair {
  char *key, *value;
};

int fields_ok(const char *s) {
  struct pair pairs[3];
  for (int i = 0; i < 3; i++) {
    pairs[i].key = strdup(s);
    pairs[i].value = strdup(s);
  }
  for (int i = 0; i < 3; i++) {
    free(pairs[i].value);
    free(pairs[i].key);
  }
  return 0;
}

int fields_bad(const char *s) {
  struct pair pairs[3];
  for (int i = 0; i < 3; i++) {
    pairs[i].key = strdup(s);
    pairs[i].value = strdup(s);  // LEAK: conditional-leak
  }
  for (int i = 0; i < 3; i++) free(pairs[i].key);
  for (int i = 0; i < 2; i++) free(pairs[i].value);
  return 0;
}

// Elements that are moved have another index then.
int moved_ok(const char *s) {
  char *slots[3];
  for (int i = 0; i < 3; i++) slots[i] = strdup(s);
  free(slots[0]);
  slots[0] = slots[2];
  for (int i = 0; i < 2; i++) free(slots[i]);
  return 0;
}
