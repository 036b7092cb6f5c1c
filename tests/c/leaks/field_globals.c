// Memory that globals lead to: tables that grow, elements of lists. NOT RUN: tests/ownership/test_clients.py runs what these rest on.
#include <stdlib.h>
#include <string.h>

struct table {
  int size, count;
  int *slots;
};
static struct table *table;

void table_grow(void) {
  struct table larger;
  if (!table) {
    table = calloc(1, sizeof *table);
    if (!table) exit(1);
  }
  larger.size = table->size + 10;
  larger.count = table->count;
  larger.slots = calloc(larger.size, sizeof(int));  // LEAK: overwritten
  if (larger.slots == 0) return;
  for (int i = 0; i < table->count; i++) larger.slots[i] = table->slots[i];
  *table = larger;
}

int table_get(int i) { return table ? table->slots[i] : 0; }

static struct table *other;

void other_grow(void) {
  struct table larger;
  if (!other) {
    other = calloc(1, sizeof *other);
    if (!other) exit(1);
  }
  larger.size = other->size + 10;
  larger.count = other->count;
  larger.slots = calloc(larger.size, sizeof(int));
  if (larger.slots == 0) return;
  for (int i = 0; i < other->count; i++) larger.slots[i] = other->slots[i];
  free(other->slots);
  *other = larger;
}

int other_get(int i) { return other ? other->slots[i] : 0; }

struct rule {
  char *name, *file;
  struct rule *next;
};
static struct rule *rules;

struct rule *rule_new(const char *name) {
  struct rule *rule = calloc(1, sizeof *rule);
  if (rule == NULL) return NULL;
  rule->name = strdup(name);
  rule->next = rules;
  rules = rule;
  return rule;
}

void rule_free(struct rule *rule) {
  free(rule->name);
  free(rule);
}

int rule_parse(const char *file, const char *name) {
  struct rule *rule = rule_new(name);
  if (rule == NULL) return 1;
  rule->file = strdup(file);  // LEAK: never-freed
  return 0;
}

void rules_done(void) {
  struct rule *rule, *next;
  for (rule = rules; rule; rule = next) {
    next = rule->next;
    rule_free(rule);
  }
  rules = NULL;
}
