// Lists that a callee builds in a loop: the elements behind the first are the caller's to free, too.
#include <stdlib.h>
#include <string.h>

struct word {
  struct word *next, *prev;
  char *text;
};

static struct word *word_new(void) {
  struct word *word = calloc(1, sizeof *word);
  if (!word) abort();
  return word;
}

static struct word *pushed(int n) {
  struct word *head = NULL;
  for (int i = 0; i < n; i++) {
    struct word *word = word_new();
    word->next = head;
    head = word;
  }
  return head;
}

static struct word *appended(int n) {
  struct word *head = NULL, *tail = NULL;
  for (int i = 0; i < n; i++) {
    struct word *word = word_new();
    if (tail) {
      tail->next = word;
      word->prev = tail;
    } else {
      head = word;
    }
    tail = word;
  }
  return head;
}

static void words_free(struct word *word) {
  while (word) {
    struct word *next = word->next;
    free(word);
    word = next;
  }
}

static void words_free_recursively(struct word *word) {
  if (!word) return;
  words_free_recursively(word->next);
  free(word);
}

int pushed_and_freed_ok(int n) {
  words_free(pushed(n));
  return n;
}

int pushed_and_freed_recursively_ok(int n) {
  words_free_recursively(pushed(n));
  return n;
}

int pushed_and_freed_here_ok(int n) {
  struct word *word, *next;
  for (word = pushed(n); word; word = next) {
    next = word->next;
    free(word);
  }
  return n;
}

int pushed_and_popped_ok(int n) {
  struct word *words = pushed(n);
  while (words) {
    struct word *first = words;
    words = first->next;
    free(first);
  }
  return n;
}

int pushed_only_first_freed_bad(int n) {
  struct word *words = pushed(n);  // LEAK: never-freed
  int empty = !words;
  free(words);
  return empty;
}

int appended_and_freed_ok(int n) {
  struct word *words = appended(n);
  words_free(words);
  return n;
}

int appended_only_first_freed_bad(int n) {
  struct word *words = appended(n);  // LEAK: never-freed
  free(words);
  return n;
}

int freed_on_one_way_only_first_bad(int n) {
  struct word *words = pushed(2);  // LEAK: conditional-leak
  if (n > 1) {
    free(words);
    return -1;
  }
  words_free(words);
  return n;
}

// Handed on: whoever has the first has the rest.
static struct word *twice(int n) { return pushed(2 * n); }

int handed_on_ok(int n) {
  struct word *words = twice(n);
  words_free(words);
  return n;
}

int handed_on_only_first_freed_bad(int n) {
  free(twice(n));  // LEAK: never-freed
  return n;
}

struct text {
  struct word *words;
};

int in_a_struct_ok(int n) {
  struct text text = {pushed(n)};
  words_free(text.words);
  return n;
}

int in_a_struct_only_first_freed_bad(int n) {
  struct text text = {pushed(n)};  // LEAK: never-freed
  free(text.words);
  return n;
}

// The first is taken off, the others go elsewhere.
int first_taken_off_ok(int n) {
  struct word *words = pushed(n);
  if (!words) return 0;
  struct word *rest = words->next;
  free(words);
  words_free(rest);
  return n;
}

// One element at most.
static struct word *at_most_one(int n) {
  struct word *found = NULL;
  for (int i = 0; i < n; i++) {
    if (found) break;
    found = word_new();
  }
  return found;
}

int at_most_one_ok(int n) {
  free(at_most_one(n));
  return n;
}

// The first is stored in what the caller got from its own caller.
struct settings {
  struct word *words;
};

static void read_words(struct settings *settings, int n) {
  struct word *last = NULL;
  for (int i = 0; i < n; i++) {
    struct word *word = word_new();
    if (last)
      last->next = word;
    else
      settings->words = word;
    last = word;
  }
}

static void read_settings(struct settings *settings, int n) {
  do {
    if (n & 1) read_words(settings, n);  // FP: overwritten n = 5 reads twice; the driver does not call it so
  } while (--n > 2);
}

int stored_in_settings_ok(int n) {
  struct settings settings = {NULL};
  read_settings(&settings, n);
  words_free(settings.words);
  return n;
}

int stored_in_settings_only_first_freed_bad(int n) {
  struct settings settings = {NULL};
  read_settings(&settings, n);  // LEAK: never-freed
  free(settings.words);
  return n;
}
