#include <stdlib.h>
#include <sys/queue.h>
#include "truth.h"
struct job { int id; TAILQ_ENTRY(job) entry; struct job *parent; };
TAILQ_HEAD(jobs, job);
struct pane { TAILQ_ENTRY(pane) entry; struct jobs jobs; struct pane *self; };
TAILQ_HEAD(panes, pane);
static struct panes all = TAILQ_HEAD_INITIALIZER(all);
static struct pane *add_pane(void) {
  struct pane *p = calloc(1, sizeof *p);
  OBJ("pane", p, sizeof *p);
  p->self = p;
  TAILQ_INIT(&p->jobs);
  TAILQ_INSERT_TAIL(&all, p, entry);
  return p;
}
static void add_job(struct pane *p, struct job *parent) {
  struct job *j = calloc(1, sizeof *j);
  OBJ("job", j, sizeof *j);
  j->parent = parent;
  TAILQ_INSERT_HEAD(&p->jobs, j, entry);
}
int main(void) {
  OBJ("all", &all, sizeof all);
  struct pane *p = add_pane(), *q = add_pane(), *r;
  struct job *j, *k;
  add_job(p, 0); add_job(q, TAILQ_FIRST(&p->jobs)); add_job(q, TAILQ_FIRST(&q->jobs));
  TAILQ_FOREACH(r, &all, entry) {
    LOG(1, r); LOG(2, r->self); LOG(3, r->entry.tqe_prev);
    TAILQ_FOREACH(j, &r->jobs, entry) { LOG(4, j); LOG(5, j->parent); LOG(6, j->entry.tqe_prev); }
  }
  LOG(7, TAILQ_LAST(&all, panes));
  k = TAILQ_LAST(&q->jobs, jobs);
  LOG(8, k);
  LOG(9, TAILQ_PREV(q, panes, entry));
  while ((j = TAILQ_FIRST(&q->jobs))) { TAILQ_REMOVE(&q->jobs, j, entry); LOG(10, j); free(j); }
  return 0;
}
