/* One object that is reached by two ways: a callee finds it in a list, or in an array, and releases it. */
#include <stdlib.h>
#include <string.h>

static volatile int sink;

struct mark {
  char *name;
  int number;
  struct mark *next;
};
struct window {
  struct mark *marks;
};

/* A list in which the callee looks for a name. */
static void unmark(struct window *window, const char *name) {
  struct mark **at;
  for (at = &window->marks; *at; at = &(*at)->next)
    if (strcmp((*at)->name, name) == 0) {
      struct mark *mark = *at;
      *at = mark->next;
      free(mark->name);
      free(mark);
      return;
    }
}
void unmark_all_bad(struct window *window) {
  for (struct mark *mark = window->marks; mark; mark = mark->next) // RULE: use-after-free
    unmark(window, mark->name);
}
void unmark_all_ok(struct window *window) {
  while (window->marks) unmark(window, window->marks->name);
}
void unmark_saved_ok(struct window *window) {
  struct mark *next;
  for (struct mark *mark = window->marks; mark; mark = next) {
    next = mark->next;
    unmark(window, mark->name);
  }
}
void unmark_other_ok(struct window *window) {
  for (struct mark *mark = window->marks; mark; mark = mark->next)
    if (strcmp(mark->name, "old") != 0) unmark(window, "old");
}

/* By a number. */
static void drop_number(struct window *window, int number) {
  struct mark *before = NULL, *mark;
  for (mark = window->marks; mark; before = mark, mark = mark->next)
    if (mark->number == number) {
      if (before)
        before->next = mark->next;
      else
        window->marks = mark->next;
      free(mark);
      return;
    }
}
void drop_first_bad(struct window *window) {
  struct mark *first = window->marks;
  if (!first) return;
  drop_number(window, first->number);
  sink = first->number; // RULE: use-after-free
}
void drop_other_ok(struct window *window, int number) {
  struct mark *first = window->marks;
  if (!first || first->number == number) return;
  drop_number(window, number);
  sink = first->number;
}
/* Which one it is, only what made the list knows. */
void drop_some_ok(struct window *window, int number) {
  struct mark *first = window->marks;
  if (!first) return;
  drop_number(window, number);
  sink = first->number;
}

/* Elements of an array: the callee releases what lies in one when it fails, the caller all of them. */
struct setting {
  unsigned char *extra;
};
struct part {
  struct setting *settings;
  int count;
};
struct device {
  struct part *parts;
  unsigned char count;
};
static void clear_part(struct part *part) {
  if (!part->settings) return;
  for (int i = 0; i < part->count; i++) free(part->settings[i].extra);
  free(part->settings);
}
static void clear_device(struct device *device) {
  if (!device->parts) return;
  for (int i = 0; i < device->count; i++) clear_part(device->parts + i);
  free(device->parts);
  device->parts = NULL;
}
static int parse_part(struct part *part, const unsigned char *bytes, int is_careful) {
  part->settings = calloc(1, sizeof *part->settings);
  if (!part->settings) return -1;
  part->count = 1;
  if (bytes[3] != 7) return 4;
  clear_part(part);
  if (is_careful) part->settings = NULL;
  return -2;
}
static int parse_parts(struct device *device, const unsigned char *bytes, int is_careful) {
  device->count = bytes[0];
  device->parts = calloc(device->count, sizeof *device->parts);
  if (!device->parts) return -1;
  for (int i = 0; i < device->count; i++) {
    int used = parse_part(device->parts + i, bytes, is_careful);
    if (used < 0) {
      clear_device(device);
      return used;
    }
    bytes += used;
  }
  return 0;
}
int parse_ok(struct device *device, const unsigned char *bytes) { return parse_parts(device, bytes, 1); }
int parse_bad(struct device *device, const unsigned char *bytes) {
  device->count = bytes[0];
  device->parts = calloc(device->count, sizeof *device->parts);
  if (!device->parts) return -1;
  for (int i = 0; i < device->count; i++) {
    int used = parse_part(device->parts + i, bytes, 0);
    if (used < 0) {
      clear_device(device); // RULE: use-after-free
      return used;
    }
    bytes += used;
  }
  return 0;
}

// What a function gives is what lies in a variable, or in an element of one.
static char *settings[4][8];
static char *title;

int set_setting(int store, int which, const char *value) {
  if (store < 0 || store >= 4 || which < 0 || which >= 8) return -1;
  if (settings[store][which] == value) return 0;
  free(settings[store][which]);
  settings[store][which] = value ? strdup(value) : NULL;
  return 0;
}

char *get_setting(int store, int which) {
  if (store < 0 || store >= 4 || which < 0 || which >= 8) return NULL;
  return settings[store][which];
}

void for_a_while_bad(const char *text) {
  char *saved = get_setting(1, 2);
  set_setting(1, 2, text);
  set_setting(1, 2, saved);  // RULE: use-after-free
}

void for_a_while_ok(const char *text) {
  char *saved = get_setting(1, 2);
  if (saved) saved = strdup(saved);
  set_setting(1, 2, text);
  set_setting(1, 2, saved);
  free(saved);
}

void other_setting_ok(const char *text) {
  char *saved = get_setting(1, 3);
  set_setting(1, 2, text);
  set_setting(1, 2, saved);
}

void set_title(const char *text) {
  free(title);
  title = text ? strdup(text) : NULL;
}

char *get_title(void) { return title; }

char title_bad(const char *text) {
  char *old = get_title();
  set_title(text);
  return old[0];  // RULE: use-after-free
}

char title_ok(const char *text) {
  set_title(text);
  return get_title()[0];
}
