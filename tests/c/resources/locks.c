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

// Taken by one function and let go of by another: a caller calls both.
struct page { int used; struct mutex lock; };
int begin_ok(struct page *p, int n) {
  mutex_lock(&p->lock);
  if (p->used < n) return 0;
  mutex_unlock(&p->lock);
  return -1;
}
static void end(struct page *p) {
  p->used++;
  mutex_unlock(&p->lock);
}
int write_ok(struct page *p, int n) {
  if (begin_ok(p, n) < 0) return -1;
  end(p);
  return 0;
}
// The same function does both, by its argument.
static struct mutex pause_lock, count_lock;
static int paused;
void pause_ok(int on) {
  if (on) mutex_lock(&pause_lock);
  else mutex_unlock(&pause_lock);
  mutex_lock(&count_lock);
  paused = on;
  mutex_unlock(&count_lock);
}
void work_ok(int n) {
  pause_ok(1);
  paused += n;
  pause_ok(0);
}
// Whoever calls it takes the lock itself: that says nothing of this one.
struct book { int pages; struct mutex lock; };
static int count_bad(struct book *b, int n) {
  mutex_lock(&b->lock);  // RULE: resource-leak
  if (n < 0) return -1;
  mutex_unlock(&b->lock);
  return b->pages;
}
static void close_book(struct book *b) { mutex_unlock(&b->lock); }
int read_book_ok(struct book *b, int n) {
  n = count_bad(b, n);
  mutex_lock(&b->lock);
  b->pages = n;
  close_book(b);
  return n;
}
// Callers are not known: whoever lets go of it without having taken it does so for one of them.
struct file { int line; struct mutex lock; };
int open_line_ok(struct file *f, int n) {
  mutex_lock(&f->lock);
  if (f->line != n) {
    mutex_unlock(&f->lock);
    return -1;
  }
  return 0;
}
void close_line_ok(struct file *f) { mutex_unlock(&f->lock); }
