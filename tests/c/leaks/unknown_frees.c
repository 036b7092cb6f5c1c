// A pair that is named as `malloc` and `free` are (`my_calloc`, `my_free`), and gives and gets a `void *`, stands for them. NOT RUN: nobody defines them.
#include <stdlib.h>
#include <string.h>

void *my_calloc(size_t count, size_t size);
void my_free(void *block);
char *get_text(void *reader, const char *name);
int to_number(const char *text);

struct entry {
  int type;
  char *name;
};

// What hangs on the struct is not released with it: a `free` does not know what it gets.
static void entry_free(struct entry *entry) { my_free(entry); }

struct entry *entry_read(void *reader) {
  struct entry *entry = my_calloc(1, sizeof *entry);
  if (entry == NULL) return NULL;
  entry->name = strdup("name");  // LEAK: conditional-leak
  char *type = get_text(reader, "type");
  if (type == NULL) {
    entry_free(entry);
    return NULL;
  }
  entry->type = to_number(type);
  my_free(type);
  return entry;
}

struct entry *entry_read_ok(void *reader) {
  struct entry *entry = my_calloc(1, sizeof *entry);
  if (entry == NULL) return NULL;
  entry->name = strdup("name");
  char *type = get_text(reader, "type");
  if (type == NULL) {
    my_free(entry->name);
    entry_free(entry);
    return NULL;
  }
  entry->type = to_number(type);
  my_free(type);
  return entry;
}

// Nobody releases its result here: its name and the releaser's tell.
struct state {
  char *source;
};
struct module {
  struct state *state;
};

static void module_done(struct module *module) {
  if (module->state == NULL) return;
  my_free(module->state->source);
  my_free(module->state);
}

int module_init(struct module *module) {
  struct state *state = my_calloc(1, sizeof *state);  // LEAK: conditional-leak
  if (state == NULL) return -1;
  state->source = get_text(module, "source");
  if (state->source == NULL) {
    module_done(module);  // does not know it yet
    return -1;
  }
  module->state = state;
  return 0;
}

int module_init_ok(struct module *module) {
  struct state *state = my_calloc(1, sizeof *state);
  if (state == NULL) return -1;
  module->state = state;
  state->source = get_text(module, "source");
  if (state->source == NULL) {
    module_done(module);
    module->state = NULL;
    return -1;
  }
  return 0;
}

// One that is typed releases what hangs on the struct, perhaps.
struct tree;
struct tree *tree_new(void);
void tree_free(struct tree *tree);
void tree_add(struct tree *tree, char *text);

int typed_ok(void) {
  struct tree *tree = tree_new();
  if (tree == NULL) return -1;
  char *text = strdup("text");
  if (text == NULL) {
    tree_free(tree);
    return -1;
  }
  tree_add(tree, text);
  tree_free(tree);
  return 0;
}
