// The largest cause of SVF's false reports: functions that return a block which they have also stored
// where it outlives the call. They hand over nothing: their callers own nothing.
#include <stdlib.h>
#include <string.h>

// A static buffer, allocated on first use.
static char *scratch(void) {
  static char *buffer;
  if (!buffer) buffer = malloc(64);
  return buffer;
}

int static_buffer_ok(const char *s) {
  char *text = scratch();
  if (!text) return -1;
  strncpy(text, s, 63);
  text[63] = '\0';
  return text[0];
}

// The same, per turn of a ring.
static char *ring_next(void) {
  static char *ring[4];
  static int at;
  at = (at + 1) % 4;
  if (!ring[at]) ring[at] = malloc(32);
  return ring[at];
}

int ring_buffer_ok(int n) {
  char *a = ring_next();
  char *b = ring_next();
  return a == b ? n : 0;
}

// A singleton.
struct registry {
  int users;
};

static struct registry *the_registry;

static struct registry *registry_get(void) {
  if (the_registry == NULL) {
    the_registry = calloc(1, sizeof *the_registry);
    if (!the_registry) abort();
  }
  the_registry->users++;
  return the_registry;
}

int singleton_ok(int n) {
  struct registry *registry = registry_get();
  return registry->users + n;
}

// A cache: found or made, and in both cases kept.
struct symbol {
  char *name;
  struct symbol *next;
};

static struct symbol *symbols;

static struct symbol *intern(const char *name) {
  for (struct symbol *s = symbols; s; s = s->next)
    if (strcmp(s->name, name) == 0) return s;
  struct symbol *fresh = malloc(sizeof *fresh);
  if (!fresh) return NULL;
  fresh->name = strdup(name);
  if (!fresh->name) {
    free(fresh);
    return NULL;
  }
  fresh->next = symbols;
  symbols = fresh;
  return fresh;
}

int intern_ok(const char *s) {
  struct symbol *symbol = intern(s);
  return symbol ? symbol->name[0] : 0;
}

// Insert-and-return into a container of the caller's.
struct table {
  struct symbol *first;
};

static struct symbol *table_add(struct table *table, const char *name) {
  struct symbol *symbol = malloc(sizeof *symbol);
  if (!symbol) return NULL;
  symbol->name = strdup(name);
  symbol->next = table->first;
  table->first = symbol;
  return symbol;
}

static void table_clear(struct table *table) {
  while (table->first) {
    struct symbol *next = table->first->next;
    free(table->first->name);
    free(table->first);
    table->first = next;
  }
}

int insert_and_return_ok(const char *s) {
  struct table table = {NULL};
  struct symbol *symbol = table_add(&table, s);
  int result = symbol != NULL;
  table_clear(&table);
  return result;
}

// The same function, whose container dies unfreed: now it is a leak of this caller.
int insert_and_return_bad(const char *s) {
  struct table table = {NULL};
  struct symbol *symbol = table_add(&table, s);  // LEAK: never-freed
  return symbol != NULL;
}

// Insert-and-return into memory that this function's own caller holds.
int insert_for_caller_ok(struct table *table, const char *s) {
  struct symbol *symbol = table_add(table, s);
  return symbol ? 0 : -1;
}

// A lazily computed field of the caller's object.
struct document {
  char *title;
};

static const char *document_title(struct document *document) {
  if (!document->title) document->title = strdup("untitled");
  return document->title;
}

int lazy_field_ok(struct document *document) {
  const char *title = document_title(document);
  return title ? title[0] : 0;
}

int lazy_field_of_local_bad(void) {
  struct document document = {NULL};
  const char *title = document_title(&document);  // LEAK: never-freed
  return title ? title[0] : 0;
}

int lazy_field_of_local_ok(void) {
  struct document document = {NULL};
  const char *title = document_title(&document);
  int first = title ? title[0] : 0;
  free(document.title);
  return first;
}

// An accessor that replaces what it keeps: owned by the static, freed by the next call.
static const char *last_message(const char *s) {
  static char *message;
  free(message);
  message = strdup(s);
  return message ? message : "";
}

int replaced_static_ok(const char *s) { return last_message(s)[0]; }

// A real allocator beside all these accessors.
static char *message_copy(const char *s) { return strdup(last_message(s)); }

int real_allocator_bad(const char *s) {
  char *copy = message_copy(s);  // LEAK: never-freed
  return copy ? copy[0] : 0;
}

int real_allocator_ok(const char *s) {
  char *copy = message_copy(s);
  int first = copy ? copy[0] : 0;
  free(copy);
  return first;
}

// An allocator that frees its block itself on an error path, and links what it returns.
static struct symbol *all_symbols;

static struct symbol *symbol_make(const char *name) {
  struct symbol *symbol = calloc(1, sizeof *symbol);
  if (!symbol) return NULL;
  symbol->name = strdup(name);
  if (!symbol->name || !name[0]) {
    free(symbol->name);
    free(symbol);
    return NULL;
  }
  symbol->next = all_symbols;
  all_symbols = symbol;
  return symbol;
}

int linked_by_allocator_ok(const char *s) {
  struct symbol *symbol = symbol_make(s);
  return symbol ? 0 : -1;
}
