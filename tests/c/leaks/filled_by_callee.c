// One function fills many callers' memory: only what a call is given is meant at that call.
#include <stdlib.h>
#include <string.h>

struct text {
  char *data;
};

static int text_set(struct text *text, const char *s) {
  free(text->data);
  text->data = strdup(s);
  return text->data ? 0 : -1;
}

static struct text *text_new(void) { return calloc(1, sizeof(struct text)); }

static void text_free(struct text *text) {
  if (text) free(text->data);
  free(text);
}

int kept_by_others_ok(const char *s) {
  struct text *text = text_new();
  if (!text) return -1;
  text_set(text, s);
  text_free(text);
  return 0;
}

int on_the_stack_ok(const char *s) {
  struct text text = {NULL};
  text_set(&text, s);
  free(text.data);
  return 0;
}

int on_the_stack_bad(const char *s) {
  struct text text = {NULL};
  return text_set(&text, s);  // LEAK: never-freed|conditional-leak
}

int in_freed_block_bad(const char *s) {
  struct text *text = malloc(sizeof *text);
  if (!text) return -1;
  text->data = NULL;
  text_set(text, s);  // LEAK: never-freed|conditional-leak
  free(text);
  return 0;
}

// What it is given may lead to what it fills.
struct page {
  struct text *title;
};

static int page_set(struct page *page, const char *s) { return text_set(page->title, s); }

int behind_an_argument_ok(const char *s) {
  struct page page = {text_new()};
  if (!page.title) return -1;
  page_set(&page, s);
  text_free(page.title);
  return 0;
}

int behind_an_argument_bad(const char *s) {
  struct page page = {text_new()};
  if (!page.title) return -1;
  page_set(&page, s);  // LEAK: never-freed|conditional-leak
  free(page.title);
  return 0;
}

// The unknown caller's.
int unknown_callers_ok(struct page *page, const char *s) {
  return page->title ? page_set(page, s) : 0;
}

// The callee grows what it keeps in its caller's memory, and loses it if there is no more: one fault.
struct buffer {
  char *data;
  size_t length;
};

static int buffer_add(struct buffer *buffer, const char *s) {
  size_t more = strlen(s) + 1;
  buffer->data = realloc(buffer->data, buffer->length + more);  // LEAK: leak-if-allocation-fails
  if (!buffer->data) return -1;
  memcpy(buffer->data + buffer->length, s, more);
  buffer->length += more;
  return 0;
}

int grown_in_callee_bad(const char *s) {
  struct buffer buffer = {NULL, 0};
  buffer_add(&buffer, s);
  buffer_add(&buffer, s);
  buffer_add(&buffer, s);
  free(buffer.data);
  return 0;
}
