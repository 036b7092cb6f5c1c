// Leak-fix histories: the wrong one of two destructors: the shallow one for the deep object.
#include <stdlib.h>
#include <string.h>

struct job {
  char *command;
  char **env;
};

static struct job *job_new(const char *command) {
  struct job *job = calloc(1, sizeof *job);
  if (!job) return NULL;
  job->command = strdup(command);
  job->env = calloc(2, sizeof *job->env);
  if (job->env) job->env[0] = strdup("PATH=/bin");
  return job;
}

static void job_release(struct job *job) {
  if (!job) return;
  free(job->command);
  free(job);
}

static void job_destroy(struct job *job) {
  if (!job) return;
  if (job->env) free(job->env[0]);
  free(job->env);
  job_release(job);
}

int run_job_bad(const char *s) {
  struct job *job = job_new(s);  // LEAK: never-freed
  job_release(job);
  return 0;
}

int run_job_ok(const char *s) {
  struct job *job = job_new(s);
  job_destroy(job);
  return 0;
}

int run_job_on_error_bad(const char *s, int n) {
  struct job *job = job_new(s);  // LEAK: conditional-leak
  if (n < 0) {
    job_release(job);
    return -1;
  }
  job_destroy(job);
  return 0;
}

int run_job_on_error_ok(const char *s, int n) {
  struct job *job = job_new(s);
  int result = n < 0 ? -1 : 0;
  job_destroy(job);
  return result;
}

// "Clear" empties what the object holds; the object itself was on the heap, too.
static void job_clear(struct job *job) {
  free(job->command);
  if (job->env) free(job->env[0]);
  free(job->env);
  memset(job, 0, sizeof *job);
}

int clear_only_bad(const char *s) {
  struct job *job = job_new(s);  // LEAK: never-freed
  if (!job) return -1;
  job_clear(job);
  return 0;
}

int clear_and_free_ok(const char *s) {
  struct job *job = job_new(s);
  if (!job) return -1;
  job_clear(job);
  free(job);
  return 0;
}

int clear_on_stack_ok(const char *s) {
  struct job job = {0};
  job.command = strdup(s);
  job_clear(&job);
  return 0;
}
