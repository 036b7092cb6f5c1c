// SPARROW (ISMM'08): Figs. 1, 2, 3-9, 12, 13, 15, the `foo(&p) == 0` idiom of §3, and what §3 gives up.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct list {
  struct list *next;
  int *val;
};

// Fig. 1: one allocation in the result, another in the argument; the caller keeps only the result.
static int *alloc_one_of_two(struct list *p, int n) {
  if (n) return malloc(4);
  p->next = malloc(sizeof *p->next);
  return NULL;
}

int *fig1_caller_bad(int n) {
  struct list k = {NULL, NULL};
  int *a = alloc_one_of_two(&k, n);  // LEAK: never-freed
  return a;
}

int *fig1_caller_ok(int n) {
  struct list k = {NULL, NULL};
  int *a = alloc_one_of_two(&k, n);
  free(k.next);
  return a;
}

// Fig. 2: two arguments that are the same block in the caller.
static void free_two(struct list *x, struct list *y) {
  free(y->next);
  free(x);
}

void fig2_aliased_arguments_ok(void) {
  struct list *a = calloc(1, sizeof *a);
  if (!a) return;
  struct list *b = a;
  a->next = calloc(1, sizeof *a);
  free_two(a, b);
}

void fig2_distinct_arguments_bad(void) {
  struct list *a = calloc(1, sizeof *a);
  struct list *b = calloc(1, sizeof *b);  // LEAK: conditional-leak
  if (!a || !b) {
    free(a);
    free(b);
    return;
  }
  b->next = calloc(1, sizeof *b);
  free_two(a, b);
}

// Figs. 3-8: one procedure for each category of summary.
static int *global_int;
static struct list global_list;

static void free_next(struct list *list) { free(list->next); }

static void attach_global(int *p1, int ***p2) {
  global_int = p1;
  *p2 = &global_list.val;
}

static void make_array(int **p) { *p = malloc(sizeof **p); }

static struct list *make_two_lists(void) {
  struct list *list = calloc(1, sizeof *list);
  list->val = malloc(sizeof *list->val);
  list->next = calloc(1, sizeof *list);
  list->next->val = malloc(sizeof *list->val);
  return list;
}

static struct list *pass_argument(struct list *from, struct list **to) {
  *to = from;
  return &global_list;
}

static struct list *renew_list(struct list *list) {
  struct list *fresh = calloc(1, sizeof *fresh);
  fresh->next = list->next;
  free(list->val);
  free(list);
  return fresh;
}

// Fig. 9: five procedures, exactly one block lost: the one that lst2 points to.
void fig9_leak_bad(void) {
  int **ptr;
  struct list *lst1 = make_two_lists();
  struct list *lst2 = renew_list(lst1);  // LEAK: never-freed
  attach_global(lst2->next->val, &ptr);
  make_array(ptr);
  free_next(lst2);
}

void fig9_leak_ok(void) {
  int **ptr;
  struct list *lst1 = make_two_lists();
  struct list *lst2 = renew_list(lst1);
  attach_global(lst2->next->val, &ptr);
  make_array(ptr);
  free_next(lst2);
  free(lst2);
}

// Fig. 7: a block hung into an object of a global table, and one passed from argument to argument.
void fig7_global_object_ok(void) {
  struct list *mine = calloc(1, sizeof *mine);
  struct list *same;
  struct list *shared = pass_argument(mine, &same);
  if (!shared->val) shared->val = malloc(sizeof *shared->val);
  free(same);
}

void fig7_global_object_bad(void) {
  struct list *mine = calloc(1, sizeof *mine);  // LEAK: never-freed
  struct list *same;
  struct list *shared = pass_argument(mine, &same);
  if (!shared->val) shared->val = malloc(sizeof *shared->val);
  if (same) same->val = NULL;
}

// Fig. 12: a list freed in a loop, from elements pushed in another.
static void free_list(struct list *p) {
  struct list *t = p;
  while (t != NULL) {
    p = t->next;
    free(t);
    t = p;
  }
}

static struct list *list_of(int n) {
  struct list *head = NULL;
  for (int i = 0; i < n; i++) {
    struct list *element = calloc(1, sizeof *element);
    if (!element) break;
    element->next = head;
    head = element;
  }
  return head;
}

int fig12_free_list_ok(int n) {
  struct list *head = list_of(n);
  int empty = head == NULL;
  free_list(head);
  return empty;
}

int fig12_free_head_only_bad(int n) {
  struct list *head = list_of(n);  // LEAK: never-freed
  int empty = head == NULL;
  free(head);
  return empty;
}

// Fig. 13: a loop with a constant count runs at least once.
int fig13_free_in_counted_loop_ok(void) {
  int *p = malloc(sizeof *p);
  int sum = 0;
  for (int i = 0; i < 10; i++) {
    sum += i;
    if (i == 0) free(p);
  }
  return sum;
}

int fig13_free_in_first_turn_ok(void) {
  int *p = malloc(sizeof *p);
  int i;
  for (i = 0; i < 10; i++) {
    free(p);
    break;
  }
  return i;
}

int fig13_loop_may_not_run_bad(int n) {
  int *p = malloc(sizeof *p);  // LEAK: conditional-leak
  int i;
  for (i = 0; i < n; i++) {
    free(p);
    break;
  }
  return i;
}

// Fig. 15: the object itself lost when its first member cannot be made.
struct drawing {
  void *visual;
  void *context;
  void *buffer;
};

static void *create_visual(int depth) { return depth > 0 ? malloc(16) : NULL; }
static void destroy_visual(void *visual) { free(visual); }

struct drawing *fig15_create_bad(int depth) {
  struct drawing *drawing = calloc(1, sizeof *drawing);  // LEAK: conditional-leak
  if (drawing) {
    drawing->visual = create_visual(depth);
    if (!drawing->visual) return NULL;
    drawing->context = malloc(16);
    if (!drawing->context) {
      destroy_visual(drawing->visual);
      free(drawing);
      return NULL;
    }
  }
  return drawing;
}

struct drawing *fig15_create_ok(int depth) {
  struct drawing *drawing = calloc(1, sizeof *drawing);
  if (drawing) {
    drawing->visual = create_visual(depth);
    if (!drawing->visual) {
      free(drawing);
      return NULL;
    }
    drawing->context = malloc(16);
    if (!drawing->context) {
      destroy_visual(drawing->visual);
      free(drawing);
      return NULL;
    }
  }
  return drawing;
}

// §3: the result tells whether the allocation took place.
static int fill(int **pp, int n) {
  if (n == 0) return 0;
  *pp = malloc(sizeof **pp);
  return 1;
}

int result_tells_ok(int n) {
  int *p;
  if (fill(&p, n) == 0) return 0;
  free(p);
  return 1;
}

int result_tells_negated_ok(int n) {
  int *p;
  int filled = fill(&p, n);
  if (!filled) return 0;
  free(p);
  return 1;
}

int result_tells_wrongly_bad(int n) {
  int *p;
  if (fill(&p, n) == 1) return 0;  // LEAK: never-freed
  p = NULL;
  free(p);
  return 1;
}

int result_and_more_bad(int n, int quick) {
  int *p;
  if (fill(&p, n) == 0 || quick > 0) return 0;  // LEAK: conditional-leak
  free(p);
  return 1;
}

// §3: the same block in the result and in the argument is one block.
static int *result_and_argument(int **p) {
  int *ret = malloc(sizeof *ret);
  *p = ret;
  return ret;
}

void one_block_two_names_ok(void) {
  int *q;
  int *p = result_and_argument(&q);
  if (p == q) free(p);
}

// §3, given up there: freed on one path of the callee only.
static void free_if(int *p, int n) {
  if (n) free(p);
}

void free_if_bad(int n) {
  int *p = malloc(sizeof *p);  // LEAK: conditional-leak
  free_if(p, n);
}

void free_if_ok(int n) {
  int *p = malloc(sizeof *p);
  free_if(p, n);
  if (!n) free(p);
}

void free_if_constant_ok(void) {
  int *p = malloc(sizeof *p);
  free_if(p, 1);
}

void free_if_constant_bad(void) {
  int *p = malloc(sizeof *p);  // LEAK: never-freed
  free_if(p, 0);
}

// §3, given up there: one of two is freed.
void free_one_of_two_bad(int n) {
  int *x = malloc(sizeof *x);  // LEAK: conditional-leak
  int *y = malloc(sizeof *y);  // LEAK: conditional-leak
  int *p = x;
  if (n) p = y;
  free(p);
}

void free_one_then_other_ok(int n) {
  int *x = malloc(sizeof *x);
  int *y = malloc(sizeof *y);
  int *p = n ? y : x;
  int *q = n ? x : y;
  free(p);
  free(q);
}

// §3, given up there: stored into a global on one path only.
static int *kept;

void keep_if_bad(int n) {
  int *p = malloc(sizeof *p);  // LEAK: conditional-leak
  if (n == 1) {
    free(kept);
    kept = p;
  }
}

void keep_if_ok(int n) {
  int *p = malloc(sizeof *p);
  if (n == 1) {
    free(kept);
    kept = p;
  } else {
    free(p);
  }
}

// §3, given up there: a global overwritten by the next call. Arguable: every paper says that what a
// global holds is never reported; but here nobody can have read it in between.
static int *latest;
static void remember(int *p) { latest = p; }

void remember_twice_bad(void) {
  int *p = malloc(4);  // FN: overwritten elements of a list are one object to us
  free(latest);
  remember(p);
  p = malloc(8);
  remember(p);
}
