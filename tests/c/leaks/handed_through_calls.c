// Blocks that callees put away: into fields that nobody reads, behind checks, through tables of functions.
#include <stdlib.h>
#include <string.h>

struct reply {
  int kind;
  char *text;  // set, and freed by other programs than this one
};

static struct reply *reply_new(int kind, char *text) {
  struct reply *reply = malloc(sizeof *reply);
  if (!reply) abort();
  reply->kind = kind;
  reply->text = text;
  return reply;
}

struct reply *kept_in_a_field_ok(int n) {
  char *text = strdup("unread");
  if (!text) abort();
  return reply_new(n, text);
}

// A destructor that looks at the object first, and counts its holders.
struct buffer {
  unsigned char *data;
  size_t used, size;
  int readonly;
  unsigned holders;
};

static int is_broken(const struct buffer *b) {
  return !b || b->holders < 1 || b->used > b->size || (!b->readonly && !b->data);
}

static struct buffer *buffer_new(void) {
  struct buffer *b = calloc(1, sizeof *b);
  if (!b) return NULL;
  b->size = 16;
  b->holders = 1;
  b->data = calloc(1, b->size);
  if (!b->data) {
    free(b);
    return NULL;
  }
  return b;
}

static void buffer_free(struct buffer *b) {
  if (!b || is_broken(b)) return;
  b->holders--;
  if (b->holders > 0) return;
  if (!b->readonly) free(b->data);
  free(b);
}

static int buffer_put(struct buffer *b, const char *text) {
  size_t length = strlen(text);
  if (is_broken(b) || b->used + length > b->size) return -1;
  memcpy(b->data + b->used, text, length);
  b->used += length;
  return 0;
}

int checked_destructor_ok(const char *text) {
  struct buffer *b = buffer_new();
  if (!b) return -1;
  int result = buffer_put(b, text);
  buffer_free(b);
  return result;
}

int checked_destructor_bad(const char *text) {
  struct buffer *b = buffer_new();  // LEAK: conditional-leak
  if (!b) return -1;
  if (buffer_put(b, text) != 0) return -1;
  buffer_free(b);
  return 0;
}

// A container behind a table of functions: its result says whether it took the element.
struct list {
  void *(*add)(struct list *, void *);
  void **items;
  size_t count, room;
};

static void *array_add(struct list *list, void *item) {
  if (list->count == list->room) {
    size_t room = list->room ? 2 * list->room : 4;
    void **items = realloc(list->items, room * sizeof *items);
    if (!items) return NULL;
    list->items = items;
    list->room = room;
  }
  list->items[list->count++] = item;
  return list->items;
}

static void *limited_add(struct list *list, void *item) {
  return list->count < 3 ? array_add(list, item) : NULL;
}

static struct list shelf = {array_add, NULL, 0, 0};
static struct list drawer = {limited_add, NULL, 0, 0};

static char *put_away(struct list *list, const char *text) {
  char *copy = strdup(text);
  if (!copy) return NULL;
  if (!list->add(list, copy)) {
    free(copy);
    return NULL;
  }
  return copy;
}

void table_of_functions_ok(const char *text) { put_away(&shelf, text); }

void limited_table_ok(const char *text) { put_away(&drawer, text); }

// A list that grows at its tail.
struct field {
  int id;
  struct field *next;
};

struct field *tail_list_ok(int n) {
  struct field *head = NULL, *tail = NULL;
  while (n-- > 0) {
    struct field *field = malloc(sizeof *field);
    if (!field) abort();
    field->id = n;
    field->next = NULL;
    if (!head)
      head = field;
    else
      tail->next = field;
    tail = field;
  }
  return head;
}

// The innermost call makes the block; the outermost caller has it.
static char *deep_copy(const char *text, int depth) {
  if (depth > 0) return deep_copy(text, depth - 1);
  return strdup(text);
}

int recursive_result_bad(const char *text) {
  char *copy = deep_copy(text, 2);  // LEAK: never-freed
  return copy != NULL;
}

int recursive_result_ok(const char *text) {
  char *copy = deep_copy(text, 2);
  int found = copy != NULL;
  free(copy);
  return found;
}

// An argument that is followed through many calls first, and through few later.
static char *kept_last;

static void keep_last(char *s) {
  free(kept_last);
  kept_last = s;
}

static void hand_on(char *s) { keep_last(s); }

static void level_12(char *s, int n) {
  if (n == 12345) hand_on(s);
}
static void level_11(char *s, int n) { level_12(s, n + 1); }
static void level_10(char *s, int n) { level_11(s, n + 0); }
static void level_9(char *s, int n) { level_10(s, n + 1); }
static void level_8(char *s, int n) { level_9(s, n + 0); }
static void level_7(char *s, int n) { level_8(s, n + 1); }
static void level_6(char *s, int n) { level_7(s, n + 0); }
static void level_5(char *s, int n) { level_6(s, n + 1); }
static void level_4(char *s, int n) { level_5(s, n + 0); }
static void level_3(char *s, int n) { level_4(s, n + 1); }
static void level_2(char *s, int n) { level_3(s, n + 0); }
static void level_1(char *s, int n) { level_2(s, n + 1); }

int many_calls_ok(const char *s, int n) {
  char *p = strdup(s);
  level_1(p, n > 0);
  free(p);
  return n;
}

int few_calls_ok(const char *s) {
  char *p = strdup(s);
  hand_on(p);
  return 0;
}

int few_calls_bad(const char *s, int n) {
  char *p = strdup(s);  // LEAK: conditional-leak
  if (n > 0) hand_on(p);
  return 0;
}
