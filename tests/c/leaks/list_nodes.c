// A function that ends a list ends its nodes, not what they lead to. NOT RUN: needs GLib.
typedef struct list GSList;
void *g_malloc(unsigned long);
void g_free(void *);
GSList *g_slist_prepend(GSList *, void *);
void g_slist_free(GSList *);

int data_too_ok(int n) {
  char *line = g_malloc(10);
  GSList *lines = g_slist_prepend(0, line);
  if (n) lines = g_slist_prepend(lines, line);
  g_slist_free(lines);
  g_free(line);
  return n;
}

int nodes_only_bad(int n) {
  GSList *lines = g_slist_prepend(0, g_malloc(10));  // LEAK: never-freed
  g_slist_free(lines);
  return n;
}
