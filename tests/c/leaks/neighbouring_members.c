// A call that gets the address of one member changes that member.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct job {
  char *text;
  int has_text;
  char line[80];
  pthread_mutex_t lock;
  struct {
    int count;
    long sum;
  } stats;
  int done;
};

static void add(long *sum, int *count, int n) {
  static long total;
  total += n;
  *sum += n;
  if (total > 100) printf("%ld\n", total);
  ++*count;
}

static void clear_stats(struct job *job) {
  memset(&job->stats, 0, sizeof job->stats);
  if (job->done) printf("%s\n", job->line);
}

// The library writes into the line, not into what lies beside it.
int read_line_ok(struct job *job) {
  job->text = malloc(10);
  job->has_text = job->text != NULL;
  if (!fgets(job->line, sizeof job->line, stdin)) job->line[0] = 0;
  int found = job->line[0];
  if (job->has_text) free(job->text);
  job->text = NULL;
  return found;
}

int locked_ok(struct job *job) {
  char *text = strdup("a");
  job->done = 0;
  pthread_mutex_lock(&job->lock);
  job->stats.count++;
  pthread_mutex_unlock(&job->lock);
  if (job->done) return 1;
  free(text);
  return 0;
}

// A function of the program.
int counted_ok(struct job *job, int n) {
  char *text = strdup("a");
  job->done = 0;
  add(&job->stats.sum, &job->stats.count, n);
  if (job->done) return 1;
  free(text);
  return 0;
}

int cleared_ok(struct job *job) {
  char *text = strdup("a");
  job->has_text = 1;
  clear_stats(job);
  if (!job->has_text) return 1;
  free(text);
  return 0;
}

// What was given may be changed.
int counted_bad(struct job *job, int n) {
  char *text = strdup("a");  // LEAK: conditional-leak
  add(&job->stats.sum, &job->stats.count, n);
  if (job->stats.count) return 1;
  free(text);
  return 0;
}

int read_line_bad(struct job *job) {
  char *text = strdup("a");  // LEAK: conditional-leak
  job->line[2] = 0;
  if (!fgets(job->line, sizeof job->line, stdin) || job->line[2]) return 1;
  free(text);
  return 0;
}
