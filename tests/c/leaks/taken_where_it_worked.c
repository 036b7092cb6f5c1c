// Functions that are not known, and take what they get where they work. NOT RUN: nobody here defines them.
#include <stdlib.h>
#include <string.h>

// A table keeps values of any type as `const void *`; what hangs on one was not taken where it failed.
struct hash;
int hash_add(struct hash *hash, const char *key, const void *value);

struct module {
  char *path;
  char *alias;
  char name[];
};

int module_add_bad(struct hash *hash, const char *name, const char *path) {
  struct module *module = calloc(1, sizeof *module + strlen(name) + 1);
  if (module == NULL) return -1;
  strcpy(module->name, name);
  module->path = strdup(path);  // LEAK: conditional-leak
  if (module->path == NULL) {
    free(module);
    return -1;
  }
  int error = hash_add(hash, module->name, module);
  if (error < 0) {
    free(module->alias);
    free(module);
    return error;
  }
  return 0;
}

int module_add_ok(struct hash *hash, const char *name, const char *path) {
  struct module *module = calloc(1, sizeof *module + strlen(name) + 1);
  if (module == NULL) return -1;
  strcpy(module->name, name);
  module->path = strdup(path);
  if (module->path == NULL) {
    free(module);
    return -1;
  }
  int error = hash_add(hash, module->name, module);
  if (error < 0) {
    free(module->path);
    free(module);
    return error;
  }
  return 0;
}

// The value itself, where it failed.
int module_drop_bad(struct hash *hash, const char *name) {
  struct module *module = calloc(1, sizeof *module + strlen(name) + 1);  // LEAK: conditional-leak
  if (module == NULL) return -1;
  strcpy(module->name, name);
  if (hash_add(hash, module->name, module) < 0) return -1;
  return 0;
}

// A member that cannot lead to what is around it, given as `void *`.
void numbers_init(void *array, int step);

struct record {
  char *title;
  long numbers[3];
};

int record_bad(const char *title) {
  struct record *record = calloc(1, sizeof *record);
  if (record == NULL) return -1;
  record->title = strdup(title);  // LEAK: never-freed
  numbers_init(&record->numbers, 4);
  int first = (int)record->numbers[0];
  free(record);
  return first;
}

int record_ok(const char *title) {
  struct record *record = calloc(1, sizeof *record);
  if (record == NULL) return -1;
  record->title = strdup(title);
  numbers_init(&record->numbers, 4);
  int first = (int)record->numbers[0];
  free(record->title);
  free(record);
  return first;
}

// A member that can.
void watch(void *link, int what);

struct link {
  struct link *next, *previous;
};
struct watcher {
  char *title;
  struct link link;
};

int watcher_ok(const char *title) {
  struct watcher *watcher = calloc(1, sizeof *watcher);
  if (watcher == NULL) return -1;
  watcher->title = strdup(title);
  watch(&watcher->link, 4);
  return 0;
}

// Taken out of the caller's variable, whose address is given: who releases it where the call failed shows no loan.
struct part;
struct whole;
struct part *part_new(int kind);
void part_free(struct part *part);
int whole_take(struct whole *whole, int at, struct part **place);

int first_part_ok(struct whole *whole) {
  int result = -1;
  struct part *part = part_new(1);
  if (part == NULL) return -1;
  result = whole_take(whole, 0, &part);
  if (result != 0) goto out;
  part = part_new(2);
  if (part == NULL) return -1;
  result = whole_take(whole, 1, &part);
  if (result != 0) goto out;
  return 0;
out:
  part_free(part);
  return result;
}

int second_part_ok(struct whole *whole) {
  struct part *part = part_new(2);
  if (part == NULL) return -1;
  int result = whole_take(whole, 1, &part);
  if (result != 0) part_free(part);
  return result;
}

int third_part_ok(void) {
  struct part *part = part_new(3);
  if (part == NULL) return -1;
  part_free(part);
  return 0;
}
