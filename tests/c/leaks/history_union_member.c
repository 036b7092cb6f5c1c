// Leak-fix histories: what a union member holds.
#include <stdlib.h>
#include <string.h>

enum kind { KIND_NUMBER, KIND_TEXT, KIND_LIST };

struct value {
  int kind;
  union {
    long number;
    char *text;
    struct value *list;
  } as;
};

static struct value *value_text(const char *text) {
  struct value *value = calloc(1, sizeof *value);
  if (!value) return NULL;
  value->kind = KIND_TEXT;
  value->as.text = strdup(text);
  return value;
}

static void value_free(struct value *value) {
  if (!value) return;
  switch (value->kind) {
    case KIND_TEXT:
      free(value->as.text);
      break;
    case KIND_LIST:
      value_free(value->as.list);
      break;
    default:
      break;
  }
  free(value);
}

int text_value_ok(const char *s) {
  struct value *value = value_text(s);
  value_free(value);
  return 0;
}

int text_value_bad(const char *s) {
  struct value *value = value_text(s);  // LEAK: never-freed
  free(value);
  return 0;
}

int nested_value_ok(const char *s) {
  struct value *list = calloc(1, sizeof *list);
  if (!list) return -1;
  list->kind = KIND_LIST;
  list->as.list = value_text(s);
  value_free(list);
  return 0;
}

// The kind says number, so the destructor skips the text.
int mislabelled_value_bad(const char *s) {
  struct value *value = calloc(1, sizeof *value);
  if (!value) return -1;
  value->kind = KIND_NUMBER;
  value->as.text = strdup(s);  // LEAK: never-freed
  value_free(value);
  return 0;
}

// Another member of the union is written over the pointer.
int reused_union_bad(const char *s) {
  struct value value = {0};
  value.as.text = strdup(s);  // LEAK: overwritten
  value.as.number = 7;
  return (int)value.as.number;
}

int reused_union_ok(const char *s) {
  struct value value = {0};
  value.as.text = strdup(s);
  free(value.as.text);
  value.as.number = 7;
  return (int)value.as.number;
}

// The same pointer, read through another member of the same type.
union view {
  char *bytes;
  void *block;
};

int other_member_ok(const char *s) {
  union view view;
  view.bytes = strdup(s);
  free(view.block);
  return 0;
}

int other_member_bad(const char *s, int n) {
  union view view;
  view.bytes = strdup(s);  // LEAK: conditional-leak
  if (n > 0) free(view.block);
  return 0;
}
