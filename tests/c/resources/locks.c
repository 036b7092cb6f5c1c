// What a function locks and lets go of on other paths (tests/properties/test_locks.py).
#include <stdlib.h>
struct mutex { int state; };
struct shared { int count; struct mutex lock; };
void mutex_lock(struct mutex *);
void mutex_unlock(struct mutex *);
static struct mutex global_lock;

int early_bad(struct shared *s, int n) {
  mutex_lock(&s->lock);  // RULE: resource-leak
  if (n < 0) return -1;
  s->count += n;
  mutex_unlock(&s->lock);
  return 0;
}
int both_ok(struct shared *s, int n) {
  mutex_lock(&s->lock);
  if (n < 0) {
    mutex_unlock(&s->lock);
    return -1;
  }
  s->count += n;
  mutex_unlock(&s->lock);
  return 0;
}
void taken_for_callers_ok(struct shared *s) { mutex_lock(&s->lock); }

static void leave(struct shared *s) { mutex_unlock(&s->lock); }
int left_by_callee_ok(struct shared *s, int n) {
  mutex_lock(&s->lock);
  if (n < 0) {
    leave(s);
    return -1;
  }
  mutex_unlock(&s->lock);
  return 0;
}
int other_bad(struct shared *a, struct shared *b) {
  mutex_lock(&a->lock);  // RULE: resource-leak
  mutex_lock(&b->lock);
  mutex_unlock(&b->lock);
  return 0;
}
int global_bad(int n) {
  mutex_lock(&global_lock);  // RULE: resource-leak
  if (n > 3) return 1;
  mutex_unlock(&global_lock);
  return 0;
}
int conditional_ok(struct shared *s, int n) {
  if (n) mutex_lock(&s->lock);
  s->count++;
  if (n) mutex_unlock(&s->lock);
  return 0;
}
static int locked_inside(struct shared *s, int n) {
  mutex_lock(&s->lock);  // RULE: resource-leak
  if (n == 7) return -1;
  mutex_unlock(&s->lock);
  return n;
}
int from_caller_bad(struct shared *s) { return locked_inside(s, s->count); }
