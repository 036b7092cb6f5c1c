// A function that is not known gets the address of a member, and changes that member. NOT RUN: nobody defines it.
#include <stdlib.h>
#include <string.h>

struct job {
  int has_text;
  struct {
    int count;
    long sum;
  } stats;
  int done;
};

void register_stats(void *);

int registered_ok(struct job *job) {
  char *text = strdup("a");
  job->done = 0;
  register_stats(&job->stats);
  if (job->done) return 1;
  free(text);
  return 0;
}

// What was given may be changed.
int registered_bad(struct job *job) {
  char *text = strdup("a");  // LEAK: conditional-leak
  job->stats.sum = 0;
  register_stats(&job->stats);
  if (job->stats.sum) return 1;
  free(text);
  return 0;
}

// The address of the first member is the address of the whole.
struct item {
  struct {
    int count;
    long sum;
  } stats;
  int done;
};

int whole_bad(struct item *item) {
  char *text = strdup("a");  // LEAK: conditional-leak
  item->done = 0;
  register_stats(&item->stats);
  if (item->done) return 1;
  free(text);
  return 0;
}
