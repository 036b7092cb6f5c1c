// Pointers copied into containers: memcpy, struct assignment, arrays that are reallocated, qsort.
#include <stdlib.h>
#include <string.h>

struct record {
  char *name;
  int id;
};

struct records {
  struct record *items;
  int count;
};

static int append(struct records *records, const struct record *record) {
  struct record *items = malloc(((size_t)records->count + 1) * sizeof *items);
  if (!items) return -1;
  if (records->items) memcpy(items, records->items, (size_t)records->count * sizeof *items);
  memcpy(&items[records->count], record, sizeof *record);
  free(records->items);
  records->items = items;
  records->count++;
  return 0;
}

static void records_clear(struct records *records) {
  for (int i = 0; i < records->count; i++) free(records->items[i].name);
  free(records->items);
}

int memcpy_into_container_ok(const char *s, int n) {
  struct records records = {NULL, 0};
  for (int i = 0; i < n; i++) {
    struct record record = {strdup(s), i};
    if (append(&records, &record) != 0) free(record.name);
  }
  records_clear(&records);
  return n;
}

int memcpy_into_container_bad(const char *s, int n) {
  struct records records = {NULL, 0};
  for (int i = 0; i < n; i++) {
    struct record record = {strdup(s), i};  // LEAK: leak-if-allocation-fails
    append(&records, &record);
  }
  records_clear(&records);
  return n;
}

int payload_of_container_bad(const char *s, int n) {
  struct records records = {NULL, 0};
  for (int i = 0; i < n; i++) {
    struct record record = {strdup(s), i};  // LEAK: conditional-leak
    if (append(&records, &record) != 0) free(record.name);
  }
  free(records.items);
  return n;
}

// Into a container that a global holds.
static struct records all_records;

int memcpy_into_global_ok(const char *s) {
  struct record record = {strdup(s), 0};
  if (append(&all_records, &record) != 0) free(record.name);
  return 0;
}

// Struct assignment copies the pointer.
int struct_assignment_ok(const char *s) {
  struct record first = {strdup(s), 1};
  struct record second = first;
  free(second.name);
  return second.id;
}

int struct_assignment_bad(const char *s) {
  struct record first = {strdup(s), 1};  // LEAK: overwritten
  struct record second = {strdup(s), 2};
  first = second;
  free(first.name);
  return first.id;
}

// A structure returned by value.
static struct record record_make(const char *s, int id) {
  struct record record = {strdup(s), id};
  return record;
}

int returned_by_value_ok(const char *s) {
  struct record record = record_make(s, 1);
  free(record.name);
  return record.id;
}

int returned_by_value_bad(const char *s) {
  struct record record = record_make(s, 1);  // LEAK: never-freed
  return record.id;
}

// A structure passed by value.
static void record_drop(struct record record) { free(record.name); }
static int record_id(struct record record) { return record.name ? record.id : 0; }

int passed_by_value_ok(const char *s) {
  struct record record = record_make(s, 1);
  record_drop(record);
  return 0;
}

int passed_by_value_bad(const char *s) {
  struct record record = record_make(s, 1);  // LEAK: never-freed
  return record_id(record);
}

// memcpy of the pointer variable itself.
int memcpy_of_pointer_ok(const char *s) {
  char *p = strdup(s);
  char *q;
  memcpy(&q, &p, sizeof q);
  free(q);
  return 0;
}

int memcpy_of_pointer_bad(const char *s, int n) {
  char *p = strdup(s);  // LEAK: conditional-leak
  char *q;
  memcpy(&q, &p, sizeof q);
  if (n > 1) free(q);
  return 0;
}

// memmove inside an array of pointers: the removed slot's block is lost unless freed first.
int remove_slot_bad(const char *s) {
  char *slots[3];
  for (int i = 0; i < 3; i++) slots[i] = strdup(s);  // LEAK: conditional-leak
  memmove(&slots[0], &slots[1], 2 * sizeof *slots);
  for (int i = 0; i < 2; i++) free(slots[i]);
  return 0;
}

int remove_slot_ok(const char *s) {
  char *slots[3];
  for (int i = 0; i < 3; i++) slots[i] = strdup(s);
  free(slots[0]);
  memmove(&slots[0], &slots[1], 2 * sizeof *slots);
  for (int i = 0; i < 2; i++) free(slots[i]);
  return 0;
}

// Sorting moves pointers around, and loses none.
static int by_name(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

int sorted_ok(const char *s) {
  char *slots[2] = {strdup(s), strdup("b")};
  if (slots[0] && slots[1]) qsort(slots, 2, sizeof *slots, by_name);
  free(slots[0]);
  free(slots[1]);
  return 0;
}

// memset wipes the pointer.
int wiped_bad(const char *s) {
  struct record record = {strdup(s), 1};  // LEAK: overwritten
  memset(&record, 0, sizeof record);
  free(record.name);
  return record.id;
}

int wiped_ok(const char *s) {
  struct record record = {strdup(s), 1};
  free(record.name);
  memset(&record, 0, sizeof record);
  return record.id;
}
