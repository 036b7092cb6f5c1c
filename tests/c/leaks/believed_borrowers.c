// Functions of which only calls are seen: what they can keep, and where. NOT RUN: nobody here defines them.
#include <stdlib.h>

struct text {
  char *start;
  int size;
};

// It gets nothing else to write to, and the caller goes on with it: lent.
int replace_all(struct text *text, const char *what, const char *with);

int replaced_bad(void) {
  struct text *text = calloc(1, sizeof *text);  // LEAK: never-freed
  if (!text) return -1;
  replace_all(text, "a", "b");
  return text->size;
}

int replaced_ok(void) {
  struct text *text = calloc(1, sizeof *text);
  if (!text) return -1;
  replace_all(text, "a", "b");
  int size = text->size;
  free(text);
  return size;
}

// The name says that it is kept.
int register_text(struct text *text, const char *name);

int registered_ok(void) {
  struct text *text = calloc(1, sizeof *text);
  if (!text) return -1;
  register_text(text, "a");
  return text->size;
}

// There is something that it may be put into.
struct shelf;
int shelve(struct shelf *shelf, struct text *text);

int shelved_ok(struct shelf *shelf) {
  struct text *text = calloc(1, sizeof *text);
  if (!text) return -1;
  shelve(shelf, text);
  return text->size;
}

// Text that a struct keeps, while somebody is asked about it.
struct page { char *text; int number; };
int readable(char *text);
int sealed(char *text);

int page_looked_at_ok(struct page *page) { return readable(page->text) ? page->number : 0; }

struct page *page_kept_ok(int number) {
  struct page *page = malloc(sizeof *page);
  if (page == NULL) return NULL;
  page->number = number;
  page->text = malloc(100);
  return page;
}

struct page *page_unreadable_bad(int number) {
  struct page *page = malloc(sizeof *page);
  if (page == NULL) return NULL;
  page->number = number;
  page->text = malloc(100);  // LEAK: conditional-leak
  if (page->text != NULL && readable(page->text)) return page;
  free(page);
  return NULL;
}

// Nobody asks what came of it, and the pointer is cleared.
void page_closed_ok(struct page *page) {
  sealed(page->text);
  page->text = NULL;
}

struct page *page_sealed_ok(int number) {
  struct page *page = malloc(sizeof *page);
  if (page == NULL) return NULL;
  page->number = number;
  page->text = malloc(100);
  if (page->text != NULL && number) return page;
  sealed(page->text);
  free(page);
  return NULL;
}

// Who releases a block where a call worked, and not where it failed, forgot it: it was not given away.
struct channel;
long send_text(struct channel *channel, char *text);
int take_text(struct channel *channel, char *text);

int sent_bad(struct channel *channel) {
  char *text = malloc(100);  // LEAK: conditional-leak
  if (text == NULL) return -1;
  text[0] = 0;
  if (send_text(channel, text) < 0) return -1;
  free(text);
  return 0;
}

int taken_ok(struct channel *channel) {
  char *text = malloc(100);
  if (text == NULL) return -1;
  text[0] = 0;
  if (take_text(channel, text) < 0) {
    free(text);
    return -1;
  }
  return 0;
}
