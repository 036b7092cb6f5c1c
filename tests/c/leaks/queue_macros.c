// The BSD queue macros: lists and tail queues whose heads are local, global, or in an object.
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

struct job {
  char *command;
  TAILQ_ENTRY(job) entry;
};
TAILQ_HEAD(jobs, job);

static struct jobs all_jobs = TAILQ_HEAD_INITIALIZER(all_jobs);

static struct job *job_create(const char *command) {
  struct job *job = calloc(1, sizeof *job);
  if (!job) abort();
  job->command = strdup(command);
  return job;
}

static void job_free(struct job *job) {
  free(job->command);
  free(job);
}

int global_queue_ok(const char *s) {
  struct job *job = job_create(s);
  TAILQ_INSERT_TAIL(&all_jobs, job, entry);
  return 0;
}

int local_queue_ok(const char *s, int n) {
  struct jobs jobs = TAILQ_HEAD_INITIALIZER(jobs);
  for (int i = 0; i < n; i++) {
    struct job *job = job_create(s);
    TAILQ_INSERT_TAIL(&jobs, job, entry);
  }
  while (!TAILQ_EMPTY(&jobs)) {
    struct job *job = TAILQ_FIRST(&jobs);
    TAILQ_REMOVE(&jobs, job, entry);
    job_free(job);
  }
  return n;
}

int local_queue_bad(const char *s, int n) {
  struct jobs jobs = TAILQ_HEAD_INITIALIZER(jobs);
  for (int i = 0; i < n; i++) {
    struct job *job = job_create(s);  // LEAK: never-freed
    TAILQ_INSERT_TAIL(&jobs, job, entry);
  }
  return n;
}

int removed_from_queue_bad(const char *s) {
  struct job *job = job_create(s);
  TAILQ_INSERT_TAIL(&all_jobs, job, entry);
  struct job *other = job_create(s);  // LEAK: never-freed
  TAILQ_INSERT_TAIL(&all_jobs, other, entry);
  TAILQ_REMOVE(&all_jobs, other, entry);
  return 0;
}

int removed_from_queue_ok(const char *s) {
  struct job *job = job_create(s);
  TAILQ_INSERT_TAIL(&all_jobs, job, entry);
  TAILQ_REMOVE(&all_jobs, job, entry);
  job_free(job);
  return 0;
}

// A queue in an object that is freed with it.
struct worker {
  struct jobs jobs;
};

static struct worker *worker_create(void) {
  struct worker *worker = malloc(sizeof *worker);
  if (!worker) abort();
  TAILQ_INIT(&worker->jobs);
  return worker;
}

static void worker_free(struct worker *worker) {
  struct job *job;
  while ((job = TAILQ_FIRST(&worker->jobs)) != NULL) {
    TAILQ_REMOVE(&worker->jobs, job, entry);
    job_free(job);
  }
  free(worker);
}

int worker_ok(const char *s) {
  struct worker *worker = worker_create();
  struct job *job = job_create(s);
  TAILQ_INSERT_HEAD(&worker->jobs, job, entry);
  worker_free(worker);
  return 0;
}

int worker_bad(const char *s) {
  struct worker *worker = worker_create();
  struct job *job = job_create(s);  // LEAK: conditional-leak
  TAILQ_INSERT_HEAD(&worker->jobs, job, entry);
  free(worker);
  return 0;
}

struct item {
  LIST_ENTRY(item) link;
};
LIST_HEAD(items, item);

int plain_list_ok(int n) {
  struct items items = LIST_HEAD_INITIALIZER(items);
  for (int i = 0; i < n; i++) {
    struct item *item = malloc(sizeof *item);
    if (!item) break;
    LIST_INSERT_HEAD(&items, item, link);
  }
  while (!LIST_EMPTY(&items)) {
    struct item *item = LIST_FIRST(&items);
    LIST_REMOVE(item, link);
    free(item);
  }
  return n;
}

int plain_list_bad(int n) {
  struct items items = LIST_HEAD_INITIALIZER(items);
  for (int i = 0; i < n; i++) {
    struct item *item = malloc(sizeof *item);  // LEAK: conditional-leak
    if (!item) break;
    if (i == 2) return -1;
    LIST_INSERT_HEAD(&items, item, link);
  }
  while (!LIST_EMPTY(&items)) {
    struct item *item = LIST_FIRST(&items);
    LIST_REMOVE(item, link);
    free(item);
  }
  return n;
}
