// What a library puts somewhere into a container lies beside what it put there before. NOT RUN: needs GLib.
typedef struct _GHashTable GHashTable;
typedef char gchar;
typedef void *gpointer;
typedef int gboolean;
gboolean g_hash_table_insert(GHashTable *, gpointer, gpointer);
gchar *g_strdup(const gchar *);
void g_free(gpointer);

struct versions {
  GHashTable *table;
};

void version_added_ok(struct versions *versions, const gchar *name, const gchar *text) {
  if (versions->table == 0) return;
  g_hash_table_insert(versions->table, g_strdup(name), g_strdup(text));
}

int version_forgotten_bad(struct versions *versions, const gchar *name, const gchar *text) {
  gchar *key = g_strdup(name);  // LEAK: conditional-leak
  if (versions->table == 0) return -1;
  g_hash_table_insert(versions->table, key, g_strdup(text));
  return 0;
}
