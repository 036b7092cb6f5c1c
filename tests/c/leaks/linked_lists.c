// Linked lists: doubly linked, circular, intrusive, removed elements, queues, moved elements.
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct link {
  struct link *prev, *next;
};

struct task {
  int id;
  char *name;
  struct link link;
};

static void link_init(struct link *head) { head->prev = head->next = head; }

static void link_add(struct link *head, struct link *link) {
  link->next = head->next;
  link->prev = head;
  head->next->prev = link;
  head->next = link;
}

static void link_remove(struct link *link) {
  link->prev->next = link->next;
  link->next->prev = link->prev;
}

#define task_of(at) ((struct task *)((char *)(at) - offsetof(struct task, link)))

// Intrusive: only a pointer to a member is in the list.
int intrusive_ok(const char *s, int n) {
  struct link head;
  link_init(&head);
  for (int i = 0; i < n; i++) {
    struct task *task = malloc(sizeof *task);
    if (!task) break;
    task->id = i;
    task->name = strdup(s);
    link_add(&head, &task->link);
  }
  while (head.next != &head) {
    struct task *task = task_of(head.next);
    link_remove(&task->link);
    free(task->name);
    free(task);
  }
  return n;
}

int intrusive_payload_bad(const char *s, int n) {
  struct link head;
  link_init(&head);
  for (int i = 0; i < n; i++) {
    struct task *task = malloc(sizeof *task);
    if (!task) break;
    task->id = i;
    task->name = strdup(s);  // LEAK: never-freed
    link_add(&head, &task->link);
  }
  while (head.next != &head) {
    struct task *task = task_of(head.next);
    link_remove(&task->link);
    free(task);
  }
  return n;
}

int intrusive_lost_bad(int n) {
  struct link head;
  link_init(&head);
  for (int i = 0; i < n; i++) {
    struct task *task = calloc(1, sizeof *task);  // FN: never-freed elements of a list are one object to us
    if (!task) break;
    link_add(&head, &task->link);
  }
  return head.next != &head;
}

static struct link all_tasks = {&all_tasks, &all_tasks};

int intrusive_global_ok(const char *s) {
  struct task *task = calloc(1, sizeof *task);
  if (!task) return -1;
  task->name = strdup(s);
  link_add(&all_tasks, &task->link);
  return 0;
}

// Removed from the list and not freed.
int removed_bad(int n) {
  struct link head;
  link_init(&head);
  struct task *task = calloc(1, sizeof *task);  // FN: conditional-leak elements of a list are one object to us
  if (!task) return -1;
  link_add(&head, &task->link);
  if (n > 1) link_remove(&task->link);
  while (head.next != &head) {
    struct task *at = task_of(head.next);
    link_remove(&at->link);
    free(at);
  }
  return 0;
}

int removed_ok(int n) {
  struct link head;
  link_init(&head);
  struct task *task = calloc(1, sizeof *task);
  if (!task) return -1;
  link_add(&head, &task->link);
  if (n > 1) {
    link_remove(&task->link);
    free(task);
  }
  while (head.next != &head) {
    struct task *at = task_of(head.next);
    link_remove(&at->link);
    free(at);
  }
  return 0;
}

// Singly linked: push, pop, reverse.
struct item {
  struct item *next;
  int value;
};

static struct item *push(struct item *head, int value) {
  struct item *item = malloc(sizeof *item);
  if (!item) return head;
  item->value = value;
  item->next = head;
  return item;
}

static struct item *pop(struct item *head) {
  struct item *next = head->next;
  free(head);
  return next;
}

int push_pop_ok(int n) {
  struct item *head = NULL;
  for (int i = 0; i < n; i++) head = push(head, i);
  while (head) head = pop(head);
  return n;
}

int push_pop_once_bad(int n) {
  struct item *head = NULL;
  for (int i = 0; i < n; i++) head = push(head, i);  // LEAK: overwritten|conditional-leak
  if (head) head = pop(head);
  return n;
}

int reverse_ok(int n) {
  struct item *head = NULL, *reversed = NULL;
  for (int i = 0; i < n; i++) head = push(head, i);
  while (head) {
    struct item *next = head->next;
    head->next = reversed;
    reversed = head;
    head = next;
  }
  while (reversed) reversed = pop(reversed);
  return n;
}

int two_lists_ok(int n) {
  struct item *low = NULL, *high = NULL;
  for (int i = 0; i < n; i++) {
    if (i < 2)
      low = push(low, i);
    else
      high = push(high, i);
  }
  while (low) low = pop(low);
  while (high) high = pop(high);
  return n;
}

int two_lists_bad(int n, int m) {
  struct item *low = NULL, *high = NULL;
  for (int i = 0; i < n; i++) {
    if (i < 2)
      low = push(low, i);
    else
      high = push(high, i);  // LEAK: conditional-leak
  }
  while (low) low = pop(low);
  if (m > 0)
    while (high) high = pop(high);
  return n;
}

// Delete by value, through a pointer to the link.
int delete_by_value_ok(int n) {
  struct item *head = NULL;
  for (int i = 0; i < 3; i++) head = push(head, i);
  for (struct item **at = &head; *at; at = &(*at)->next) {
    if ((*at)->value == n) {
      struct item *gone = *at;
      *at = gone->next;
      free(gone);
      break;
    }
  }
  while (head) head = pop(head);
  return n;
}

int delete_by_value_bad(int n) {
  struct item *head = NULL;
  for (int i = 0; i < 3; i++) head = push(head, i);  // LEAK: overwritten
  for (struct item **at = &head; *at; at = &(*at)->next) {
    if ((*at)->value == n) {
      *at = (*at)->next;
      break;
    }
  }
  while (head) head = pop(head);
  return n;
}

// Queue with head and tail.
struct queue {
  struct item *first, **last;
};

int queue_ok(int n) {
  struct queue queue = {NULL, &queue.first};
  for (int i = 0; i < n; i++) {
    struct item *item = calloc(1, sizeof *item);
    if (!item) break;
    *queue.last = item;
    queue.last = &item->next;
  }
  while (queue.first) queue.first = pop(queue.first);
  return n;
}

int queue_reset_bad(int n) {
  struct queue queue = {NULL, &queue.first};
  for (int i = 0; i < n; i++) {
    struct item *item = calloc(1, sizeof *item);  // LEAK: overwritten
    if (!item) break;
    *queue.last = item;
    queue.last = &item->next;
    if (i == 1) queue.last = &queue.first;
  }
  while (queue.first) queue.first = pop(queue.first);
  return n;
}
