// Lists of a library: one cell of the model stands for all elements. NOT RUN: nobody here defines them.
#include <stdlib.h>

typedef struct _GList {
  void *data;
  struct _GList *next, *prev;
} GList;
extern GList *g_list_append(GList *, void *);
static GList *all;

int appended_ok(int n) {
  int *first = malloc(sizeof *first);
  if (first == NULL) return -1;
  *first = n;
  all = g_list_append(all, first);
  int *second = malloc(sizeof *second);
  if (second == NULL) return -1;
  *second = n + 1;
  all = g_list_append(all, second);
  return 0;
}

int appended_bad(int n) {
  int *first = malloc(sizeof *first);  // LEAK: conditional-leak
  if (first == NULL) return -1;
  *first = n;
  if (n < 0) return -1;
  all = g_list_append(all, first);
  return 0;
}
