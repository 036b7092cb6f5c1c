// The ways that a block takes from the function that makes it to the one that should free it: one level
// or several, by value, by address, in a structure, a union, an array, a list, a static, a cast.
#include <stdlib.h>
#include <string.h>

// Handed down: the sink is a callee.
static void sink_frees(char *data) { free(data); }
static void sink_forgets(char *data) { data[0] = 'x'; }

int down_ok(void) {
  char *data = malloc(4);
  if (!data) return -1;
  sink_frees(data);
  return 0;
}

int down_bad(void) {
  char *data = malloc(4);  // LEAK: never-freed
  if (!data) return -1;
  sink_forgets(data);
  return 0;
}

// Five levels down.
static void e_frees(char *data) { free(data); }
static void d_frees(char *data) { e_frees(data); }
static void c_frees(char *data) { d_frees(data); }
static void b_frees(char *data) { c_frees(data); }
static void e_reads(const char *data) { (void)data[0]; }
static void d_reads(const char *data) { e_reads(data); }
static void c_reads(const char *data) { d_reads(data); }
static void b_reads(const char *data) { c_reads(data); }

int five_down_ok(void) {
  char *data = calloc(1, 4);
  if (!data) return -1;
  b_frees(data);
  return 0;
}

int five_down_bad(void) {
  char *data = calloc(1, 4);  // LEAK: never-freed
  if (!data) return -1;
  b_reads(data);
  return 0;
}

// By address.
static void address_frees(char **data) { free(*data); }
static void address_clears(char **data) { *data = NULL; }

int by_address_ok(void) {
  char *data = malloc(4);
  address_frees(&data);
  return 0;
}

int by_address_bad(void) {
  char *data = malloc(4);  // LEAK: overwritten
  address_clears(&data);
  free(data);
  return 0;
}

// In a structure by value, in an array, as void pointer to a pointer, in a union.
struct carrier {
  int pad;
  char *data;
};

static void struct_frees(struct carrier carrier) { free(carrier.data); }
static void struct_ignores(struct carrier carrier) { (void)carrier.pad; }

int in_struct_ok(void) {
  struct carrier carrier = {1, malloc(4)};
  struct_frees(carrier);
  return 0;
}

int in_struct_bad(void) {
  struct carrier carrier = {1, malloc(4)};  // LEAK: never-freed
  struct_ignores(carrier);
  return 0;
}

static void array_frees(char *array[]) { free(array[2]); }
static void array_frees_other(char *array[]) { free(array[1]); }

int in_array_ok(void) {
  char *array[4] = {NULL};
  array[2] = malloc(4);
  array_frees(array);
  return 0;
}

int in_array_bad(void) {
  char *array[4] = {NULL};
  array[2] = malloc(4);  // LEAK: conditional-leak
  array_frees_other(array);
  return 0;
}

static void void_frees(void *pointer) { free(*(char **)pointer); }

int through_void_ok(void) {
  char *data = malloc(4);
  void_frees(&data);
  return 0;
}

static void void_ignores(void *pointer) { (void)*(char **)pointer; }

int through_void_bad(void) {
  char *data = malloc(4);  // LEAK: never-freed
  void_ignores(&data);
  return 0;
}

// Through a static between two functions.
static char *parked;

static void unpark_frees(void) {
  free(parked);
  parked = NULL;
}

int through_static_ok(void) {
  char *data = malloc(4);
  parked = data;
  unpark_frees();
  return 0;
}

// Three stars.
static void make_deep(char ***out) {
  *out = malloc(sizeof **out);
  if (*out) **out = malloc(4);
}

int three_stars_ok(void) {
  char **data = NULL;
  make_deep(&data);
  if (data) free(*data);
  free(data);
  return 0;
}

int three_stars_bad(void) {
  char **data = NULL;
  make_deep(&data);  // LEAK: never-freed
  free(data);
  return 0;
}

// Control flow that always goes one way.
int for_ever_break_ok(void) {
  char *data = malloc(4);
  for (;;) {
    free(data);
    break;
  }
  return 0;
}

int while_true_break_bad(int n) {
  char *data = malloc(4);  // LEAK: conditional-leak
  while (1) {
    if (n > 1) break;
    free(data);
    break;
  }
  return 0;
}

int do_once_ok(void) {
  char *data;
  do {
    data = malloc(4);
  } while (0);
  do {
    free(data);
  } while (0);
  return 0;
}

int switch_constant_ok(void) {
  char *data = malloc(4);
  switch (6) {
    case 6:
      free(data);
      break;
    default:
      break;
  }
  return 0;
}

int switch_constant_bad(void) {
  char *data = malloc(4);  // LEAK: never-freed
  switch (5) {
    case 6:
      free(data);
      break;
    default:
      break;
  }
  return 0;
}

int goto_over_ok(void) {
  char *data = malloc(4);
  goto sink;
sink:
  free(data);
  return 0;
}

int if_one_ok(void) {
  char *data = malloc(4);
  if (1) free(data);
  return 0;
}

int if_zero_bad(void) {
  char *data = malloc(4);  // LEAK: never-freed
  if (0) free(data);
  return 0;
}

// Random choice on both sides, independent: a leak; dependent: none.
int independent_bad(int n, int m) {
  char *data = NULL;
  if (n > 0) data = malloc(4);  // LEAK: conditional-leak
  if (m > 0) free(data);
  return 0;
}

int stack_or_heap_ok(int n) {
  char local[4];
  char *data = n > 0 ? malloc(4) : local;
  int on_heap = n > 0;
  if (on_heap) free(data);
  return 0;
}

// Through a cast to another type and back, and through an integer.
int through_cast_ok(void) {
  struct carrier *carrier = malloc(sizeof *carrier);
  char *bytes = (char *)carrier;
  free((void *)bytes);
  return 0;
}

int through_integer_ok(void) {
  char *data = malloc(4);
  unsigned long number = (unsigned long)data;
  free((void *)number);
  return 0;
}

int through_integer_bad(int n) {
  char *data = malloc(4);  // LEAK: conditional-leak
  unsigned long number = (unsigned long)data;
  if (n > 0) free((void *)number);
  return 0;
}
