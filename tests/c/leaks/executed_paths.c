// What only an execution of the path tells: addresses, bytes, texts that are asked twice.
#include <stdlib.h>
#include <string.h>

// What lies behind a pointer that is not NULL is not NULL either.
int behind_a_pointer_ok(const char *s) {
  char *copy = malloc(8);
  if (!copy) return -1;
  const char *rest = s + 1;
  if (rest == NULL) return -2;
  copy[0] = s[0];
  int first = copy[0];
  free(copy);
  return first;
}

int before_the_end_bad(const char *s) {
  char *copy = malloc(8);  // LEAK: conditional-leak
  if (!copy) return -1;
  const char *rest = s;
  if (*rest == '\0') return -2;
  copy[0] = s[0];
  int first = copy[0];
  free(copy);
  return first;
}

// A header in front of what the caller sees.
struct header {
  size_t size;
  size_t used;
};

static char *with_header(size_t size) {
  struct header *header = malloc(sizeof *header + size);
  if (!header) return NULL;
  header->size = size;
  header->used = 0;
  return (char *)(header + 1);
}

static void drop_with_header(char *text) {
  if (text) free((struct header *)(void *)text - 1);
}

int header_in_front_ok(int n) {
  char *text = with_header(16);
  if (!text) return -1;
  struct header *header = (struct header *)(void *)text - 1;
  int fits = n < 16 && header->size == 16;
  drop_with_header(text);
  return fits;
}

int header_in_front_bad(int n) {
  char *text = with_header(16);  // LEAK: conditional-leak
  if (!text) return -1;
  struct header *header = (struct header *)(void *)text - 1;
  if (header->size == 16 && n == 3) return 0;
  drop_with_header(text);
  return 1;
}

// One text, asked twice.
int asked_twice_ok(const char *s) {
  char *copy = NULL;
  if (strcmp(s, "yes") == 0) copy = strdup(s);
  if (strcmp(s, "no") == 0) return copy != NULL;
  int found = copy != NULL;
  if (strcmp(s, "yes") == 0) free(copy);
  return found;
}

int asked_twice_bad(const char *s) {
  char *copy = NULL;
  if (strlen(s) > 1) copy = strdup(s);  // LEAK: conditional-leak
  if (s[0] == 'a') return copy != NULL;
  int found = copy != NULL;
  free(copy);
  return found;
}

// Two blocks from one call, and two calls in one macro, are two findings.
static int make_both(char **first, char **second) {
  *first = malloc(3);
  *second = malloc(4);
  return 0;
}

int both_results_bad(int n) {
  char *first = NULL, *second = NULL;
  make_both(&first, &second);  // LEAK: never-freed
  return n + (first == second);
}

#define BOTH(a, b) \
  (a) = malloc(1); \
  (b) = malloc(2)

int both_in_a_macro_bad(int n) {
  char *first, *second;
  BOTH(first, second);  // LEAK: never-freed
  return n + (first == second);
}

// A function that only reads answers the same, as long as nothing is written.
static int weigh(const int *numbers, int count) {
  int total = 0;
  for (int i = 0; i < count; i++) {
    if (numbers[i] > 100) total += 3;
    else if (numbers[i] > 10) total += 2;
    else if (numbers[i] < -4) total -= 7;
    else total ^= numbers[i];
  }
  return total & 1;
}

int weighed_twice_ok(int *numbers, int count) {
  char *p = NULL;
  if (weigh(numbers, count)) p = malloc(8);
  int sum = p ? p[0] = 1 : 0;
  if (weigh(numbers, count)) free(p);
  return sum;
}

// NOT RUN: needs numbers whose weight becomes even
int weighed_anew_bad(int *numbers, int count) {
  char *p = NULL;
  if (count < 1) return 0;
  if (weigh(numbers, count)) p = malloc(8);  // LEAK: conditional-leak
  numbers[0]++;
  int sum = p ? p[0] = 1 : 0;
  if (weigh(numbers, count)) free(p);
  return sum;
}

// The next turn of the loop would lose it in the same way: the callee's result decides all the same.
static char *rows[40][3];
static int extend(char **row, int size) {
  char *grown = calloc(1, size + 8);
  if (!grown) return -1;
  for (int i = 0; i < size + 8; i++)
    if (i < size && *row && (*row)[i]) grown[i] = 1;
  free(*row);
  *row = grown;
  return 0;
}

struct user {
  char *word;
};

int every_row_bad(const char *word, int size, struct user **out) {
  struct user *user = calloc(1, sizeof *user);
  if (!user) return -1;
  user->word = strdup(word);  // LEAK: leak-if-allocation-fails
  if (!user->word) {
    free(user);
    return -1;
  }
  if (size < 0 || size > 9) size = 0;
  for (int j = 0; j < 40; j++)
    for (int i = 0; i < 3; i++)
      if (extend(&rows[j][i], size)) {
        free(user);
        return -1;
      }
  *out = user;
  return 0;
}
