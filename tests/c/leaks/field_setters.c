// Setters of a library: the field may hold a block when they are called. NOT RUN: tests/ownership/test_clients.py runs what these rest on.
#include <stdlib.h>
#include <string.h>

struct device {
  char *address;
  char *label;
};

// It releases the old address on one path only.
int device_set_address(struct device *device, const char *value) {
  char *copy = strdup(value);  // LEAK: overwritten
  if (copy == NULL) return -1;
  if (*copy == 0) {
    free(device->address);
    device->address = NULL;
    free(copy);
    return 0;
  }
  device->address = copy;
  return 0;
}

void device_clear(struct device *device) {
  free(device->address);
  device->address = NULL;
}

int device_set_label(struct device *device, const char *value) {
  char *copy = strdup(value);
  if (copy == NULL) return -1;
  free(device->label);
  device->label = copy;
  return 0;
}

// Of two functions that store the same field one releases it before.
typedef struct entry {
  struct entry *next;
  char *key;
} entry;

entry *entry_new(void) { return calloc(1, sizeof(entry)); }

void entry_delete(entry *one) {
  free(one->key);
  free(one);
}

void entry_add(entry *list, const char *key, entry *one) {
  if (one->key) free(one->key);
  one->key = strdup(key);
  one->next = list->next;
  list->next = one;
}

void entry_replace(entry *list, const char *key, entry *one) {
  entry *old = list->next;
  while (old && strcmp(old->key, key)) old = old->next;
  if (old) {
    one->key = strdup(key);  // LEAK: overwritten
    one->next = old->next;
    list->next = one;
    entry_delete(old);
  }
}

// Made when it is first needed: the test keeps the old one.
struct lazy {
  char *scratch;
};

char *lazy_scratch(struct lazy *lazy) {
  if (lazy->scratch == NULL) lazy->scratch = malloc(100);
  return lazy->scratch;
}

void lazy_reset(struct lazy *lazy) {
  free(lazy->scratch);
  lazy->scratch = NULL;
}

// An initialiser: nothing says that it is called for a struct that is in use.
struct plan {
  char *steps;
  int count, used;
};

void plan_init(struct plan *plan, int count) {
  plan->steps = malloc(count);
  plan->count = count;
  plan->used = 0;
}

void plan_done(struct plan *plan) { free(plan->steps); }

// Named as the setter of a member that somebody releases: who uses the struct may call it twice.
struct reply {
  char *method, *path;
};

void reply_set_method(struct reply *reply, const char *method) {
  if (strcmp(method, "GET") && strcmp(method, "HEAD")) return;
  reply->method = strdup(method);  // LEAK: overwritten
}

void reply_set_path(struct reply *reply, const char *path) {
  free(reply->path);
  reply->path = strdup(path);
}

void reply_done(struct reply *reply) {
  free(reply->method);
  free(reply->path);
}

// Not named so: it may prepare the struct.
struct parcel {
  char *sender;
};

void parcel_from(struct parcel *parcel, const char *sender) { parcel->sender = strdup(sender); }

void parcel_done(struct parcel *parcel) { free(parcel->sender); }
