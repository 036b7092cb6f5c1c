// A copy that is an argument, a mark that is erased, a second caller that keeps what the first loses.
#include <stdlib.h>
#include <string.h>

static char *save(const char *text) {
  char *copy = calloc(strlen(text) + 1, 1);
  if (copy == NULL) exit(1);
  return strcpy(copy, text);
}

// Nobody keeps the text.
static int count_blanks(char *text) {
  int count = 0;
  for (; *text != '\0'; text++) count += *text == ' ';
  return count;
}

int copy_as_argument_bad(const char *text) {
  return count_blanks(save(text));  // LEAK: never-freed
}

int copy_as_argument_ok(const char *text) {
  char *copy = save(text);
  int count = count_blanks(copy);
  free(copy);
  return count;
}

// Both callers get the list; one of them forgets it if the answer is 0.
struct base {
  int count;
  int *list;
};
struct server {
  int used;
  const int *numbers;
  struct base *base;
};

static int init(struct server *server, struct base *base) {
  int answer = 1;
  base->count = server->used;
  base->list = calloc(1 + server->used, sizeof(int));
  if (base->list == NULL) abort();
  for (int i = 0; i < server->used; ++i)
    if (server->numbers[i] < 0) answer = 0;
  return answer;
}

// NOT RUN: needs a server
int forgets_list_bad(struct server *server) {
  struct base base;
  memset(&base, 0, sizeof base);
  if (!init(server, &base)) return -1;  // LEAK: conditional-leak
  int first = base.list[0];
  free(base.list);
  return first;
}

// NOT RUN: needs a server
int frees_list_ok(struct server *server) {
  struct base base;
  memset(&base, 0, sizeof base);
  int answer = init(server, &base);
  int first = base.list[0];
  free(base.list);
  return answer ? first : -1;
}

// NOT RUN: needs a server
int keeps_list_ok(struct server *server) {
  struct base *base = calloc(1, sizeof *base);
  if (base == NULL) abort();
  server->base = base;
  return init(server, base);
}
