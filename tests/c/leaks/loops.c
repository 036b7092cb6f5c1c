// Loops: overwritten in the next turn, allocation loop and release loop of the same shape.
#include <stdlib.h>
#include <string.h>

enum { COUNT = 5 };

int alloc_loop_free_loop_ok(int n) {
  char *slots[COUNT];
  for (int i = 0; i < COUNT; i++) slots[i] = malloc(4);
  for (int i = 0; i < COUNT; i++) free(slots[i]);
  return n;
}

int alloc_loop_bad(int n) {
  char *slots[COUNT];
  for (int i = 0; i < COUNT; i++) slots[i] = malloc(4);  // LEAK: never-freed
  return slots[n & 3] != NULL;
}

int variable_bound_ok(int n) {
  char *slots[COUNT];
  for (int i = 0; i < n; i++) slots[i] = malloc(4);
  for (int i = 0; i < n; i++) free(slots[i]);
  return n;
}

int backwards_ok(int n) {
  char *slots[COUNT];
  for (int i = 0; i < n; i++) slots[i] = malloc(4);
  while (n > 0) free(slots[--n]);
  return 0;
}

// Freed as far as it got.
int partly_filled_ok(int n) {
  char *slots[COUNT];
  int filled;
  for (filled = 0; filled < n; filled++) {
    slots[filled] = malloc(4);
    if (!slots[filled]) break;
  }
  for (int i = 0; i < filled; i++) free(slots[i]);
  return filled;
}

int partly_filled_bad(int n) {
  char *slots[COUNT];
  for (int i = 0; i < n; i++) {
    slots[i] = malloc(4);  // LEAK: leak-if-allocation-fails
    if (!slots[i]) return -1;
  }
  for (int i = 0; i < n; i++) free(slots[i]);
  return n;
}

int one_short_bad(int n) {
  char *slots[COUNT];
  for (int i = 0; i < COUNT; i++) slots[i] = malloc(4);  // LEAK: conditional-leak
  for (int i = 1; i < COUNT; i++) free(slots[i]);
  return n;
}

int overwritten_in_loop_bad(int n) {
  char *p = NULL;
  for (int i = 0; i < n; i++) p = malloc(4);  // LEAK: overwritten
  free(p);
  return n;
}

int overwritten_in_loop_ok(int n) {
  char *p = NULL;
  for (int i = 0; i < n; i++) {
    free(p);
    p = malloc(4);
  }
  free(p);
  return n;
}

int freed_in_each_turn_ok(int n) {
  for (int i = 0; i < n; i++) {
    char *p = malloc(4);
    if (!p) break;
    p[0] = (char)i;
    free(p);
  }
  return n;
}

int break_before_free_bad(int n) {
  for (int i = 0; i < n; i++) {
    char *p = malloc(4);  // LEAK: conditional-leak
    if (i == 2) break;
    free(p);
  }
  return n;
}

int break_before_free_ok(int n) {
  for (int i = 0; i < n; i++) {
    char *p = malloc(4);
    int last = i == 2;
    free(p);
    if (last) break;
  }
  return n;
}

int continue_before_free_bad(int n) {
  int odd = 0;
  for (int i = 0; i < n; i++) {
    char *p = malloc(4);  // LEAK: conditional-leak
    if (i % 2) {
      odd++;
      continue;
    }
    free(p);
  }
  return odd;
}

int do_while_ok(int n) {
  char *p;
  do {
    p = malloc(4);
    n--;
    free(p);
  } while (n > 0);
  return n;
}

int while_retry_bad(int n) {
  char *p = malloc(4);  // LEAK: overwritten
  while (n-- > 0) p = malloc(8);  // LEAK: overwritten
  free(p);
  return n;
}

int while_retry_ok(int n) {
  char *p = malloc(4);
  while (n-- > 0) {
    free(p);
    p = malloc(8);
  }
  free(p);
  return n;
}

// Only the first turn allocates.
int first_turn_only_ok(int n) {
  char *p = NULL;
  for (int i = 0; i < n; i++) {
    if (p == NULL) p = malloc(4);
  }
  free(p);
  return n;
}

int first_turn_by_index_ok(int n) {
  char *p = NULL;
  for (int i = 0; i < n; i++) {
    if (i == 0) p = malloc(4);
  }
  free(p);
  return n;
}

// Only the last turn allocates: it leaves the loop.
int found_then_break_ok(const char *s) {
  char *p = NULL;
  for (; *s; s++) {
    if (*s == '=') {
      p = strdup(s);
      break;
    }
  }
  free(p);
  return 0;
}

int found_without_break_bad(const char *s) {
  char *p = NULL;
  for (; *s; s++) {
    if (*s == '=') p = strdup(s);  // LEAK: overwritten
  }
  free(p);
  return 0;
}

// A list built at its tail through a pointer to the last link.
struct node {
  int value;
  struct node *next;
};

int tail_insertion_ok(int n) {
  struct node *head = NULL, **tail = &head;
  for (int i = 0; i < n; i++) {
    struct node *node = malloc(sizeof *node);
    if (!node) break;
    node->value = i;
    node->next = NULL;
    *tail = node;
    tail = &node->next;
  }
  while (head) {
    struct node *next = head->next;
    free(head);
    head = next;
  }
  return n;
}

int tail_insertion_bad(int n) {
  struct node *head = NULL, **tail = &head;
  for (int i = 0; i < n; i++) {
    struct node *node = malloc(sizeof *node);  // LEAK: leak-if-allocation-fails
    if (!node) return -1;
    node->value = i;
    node->next = NULL;
    *tail = node;
    tail = &node->next;
  }
  while (head) {
    struct node *next = head->next;
    free(head);
    head = next;
  }
  return n;
}

// Walking a list does not lose it: another pointer holds its head.
int walk_ok(int n) {
  struct node *head = NULL;
  int sum = 0;
  for (int i = 0; i < n; i++) {
    struct node *node = malloc(sizeof *node);
    if (!node) break;
    node->value = i;
    node->next = head;
    head = node;
  }
  for (struct node *at = head; at; at = at->next) sum += at->value;
  for (struct node *at = head, *next; at; at = next) {
    next = at->next;
    free(at);
  }
  return sum;
}

// Rotating two buffers: both are freed at the end.
int swap_buffers_ok(int n) {
  char *current = malloc(8), *previous = malloc(8);
  for (int i = 0; i < n; i++) {
    char *t = current;
    current = previous;
    previous = t;
  }
  free(current);
  free(previous);
  return n;
}

int sliding_window_bad(int n) {
  char *current = NULL, *previous = NULL;
  for (int i = 0; i < n; i++) {
    previous = current;
    current = malloc(8);  // LEAK: overwritten
  }
  free(current);
  free(previous);
  return n;
}

int sliding_window_ok(int n) {
  char *current = NULL, *previous = NULL;
  for (int i = 0; i < n; i++) {
    free(previous);
    previous = current;
    current = malloc(8);
  }
  free(current);
  free(previous);
  return n;
}
