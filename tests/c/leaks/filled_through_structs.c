// The address of a local variable lies in a struct that a function which is not known gets: it fills the variable. NOT RUN: nobody defines them.
#include <stdlib.h>

struct job {
  char **arguments;
  int *status;
  char *path;
};
char *run_command(struct job *job);
void complain(const char *path);

static char *run(char **arguments, int *status) {
  struct job job = {.arguments = arguments, .status = status};
  job.path = "x";
  char *output = run_command(&job);
  if (*status != 0) {
    complain(job.path);
    free(output);
    return NULL;
  }
  return output;
}

char *run_ok(char *argument) {
  int status = -1;
  char **arguments = calloc(3, sizeof *arguments);
  if (arguments == NULL) return NULL;
  arguments[1] = argument;
  char *output = run(arguments, &status);
  free(arguments);
  return status != 0 ? NULL : output;
}

char *run_bad(char *argument) {
  int status = -1;
  char **arguments = calloc(3, sizeof *arguments);  // LEAK: conditional-leak
  if (arguments == NULL) return NULL;
  arguments[1] = argument;
  char *output = run(arguments, &status);
  if (status != 0) {
    free(output);
    free(arguments);
    return NULL;
  }
  return output;
}

struct question {
  const char *text;
  int *answer;
};
int ask(struct question *question);

int asked_bad(int result) {
  int status = -1;
  struct question question = {.text = "?"};
  char *block = malloc(10);  // LEAK: conditional-leak
  if (block == NULL) return 0;
  question.answer = &status;
  ask(&question);
  if (status != 0) {
    free(block);
    return 0;
  }
  return result;
}
