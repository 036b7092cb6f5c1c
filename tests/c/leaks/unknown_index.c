// Data that goes to an index which is not known, and decides later what is released.
#include <stdlib.h>

struct slot {
  int used;
  int key;
  char *value;
};

static void put(struct slot *table, unsigned key, char *value) {
  struct slot *slot = &table[key % 2];
  slot->used = 1;
  slot->key = (int)key;
  slot->value = value;
}

static void drop(struct slot *table) {
  for (int i = 0; i < 2; i++)
    if (table[i].used) free(table[i].value);
  free(table);
}

static void drop_even(struct slot *table) {
  for (int i = 0; i < 2; i++)
    if (table[i].used && table[i].key % 2 == 0) free(table[i].value);
  free(table);
}

int table_ok(unsigned key) {
  struct slot *table = calloc(2, sizeof *table);
  if (!table) return -1;
  char *value = malloc(3);
  if (value) put(table, key, value);
  drop(table);
  return 0;
}

int table_bad(unsigned key) {
  struct slot *table = calloc(2, sizeof *table);
  if (!table) return -1;
  char *value = malloc(3);  // LEAK: conditional-leak
  if (value) put(table, key, value);
  drop_even(table);
  return 0;
}

int marks_ok(unsigned which) {
  char marks[4] = {0};
  char *text = malloc(9);
  if (!text) return -1;
  marks[which % 4] = 1;
  if (marks[which % 4]) free(text);
  return 0;
}

int marks_bad(unsigned which) {
  char marks[4] = {0};
  char *text = malloc(9);  // LEAK: conditional-leak
  if (!text) return -1;
  marks[which % 4] = 1;
  if (marks[2]) free(text);
  return 0;
}

int zeroes_ok(unsigned which) {
  int *counts = calloc(4, sizeof *counts);
  if (!counts) return -1;
  char *text = malloc(9);
  if (counts[which % 4] == 0) free(text);
  free(counts);
  return 0;
}
