// What goes to an unknown function with an object, and what does not. NOT RUN: nobody defines them.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct object {
  char *name;
  int lock;
};

void lock_it(int *lock);

// The lock is the function's, its owner and its name are not.
int member_only_bad(const char *name) {
  struct object *object = malloc(sizeof *object);
  if (object == NULL) return -1;
  object->name = strdup(name);  // LEAK: never-freed
  object->lock = 0;
  lock_it(&object->lock);
  free(object);
  return 0;
}

int member_only_ok(const char *name) {
  struct object *object = malloc(sizeof *object);
  if (object == NULL) return -1;
  object->name = strdup(name);
  object->lock = 0;
  lock_it(&object->lock);
  free(object->name);
  free(object);
  return 0;
}

// A link leads to its owner.
struct link {
  struct link *next;
};
struct linked {
  int number;
  struct link link;
};
void link_in(struct link *list, struct link *link);

int linked_ok(struct link *list, int number) {
  struct linked *made = malloc(sizeof *made);
  if (made == NULL) return -1;
  made->number = number;
  link_in(list, &made->link);
  return 0;
}

// Kept for the thread.
static pthread_key_t key;

int kept_by_thread_ok(void) {
  int *mine = pthread_getspecific(key);
  if (mine == NULL) {
    mine = malloc(sizeof *mine);
    if (mine == NULL) return -1;
    *mine = 0;
    pthread_setspecific(key, mine);
  }
  return *mine;
}

// An error in a pointer's last page; a fresh block is never there.
static int is_error(const void *pointer) { return (unsigned long)pointer >= (unsigned long)-4095; }

int error_pointer_ok(void) {
  char *block = malloc(10);
  if (block == NULL || is_error(block)) return -1;
  free(block);
  return 0;
}

int error_pointer_bad(int number) {
  char *block = malloc(10);  // LEAK: conditional-leak
  if (block == NULL || is_error(block)) return -1;
  if (number == 3) return -2;
  free(block);
  return 0;
}
