// What main sets first is set when everything else runs. NOT RUN: a driver would call functions before that.
// What it sets on some ways, later, or behind taking the address of a handler, need not be. What is emptied while the
// program ends was set.
#include <signal.h>
#include <stdlib.h>

struct item { void *data; struct item *next; };
struct list { struct item *first; };

static struct list *names, *late, *taken_back, *in_handler, *emptied;

static void *get(unsigned long n) {
  if (n == 0) return 0;  // to who asks for nothing only
  void *p = malloc(n);
  if (!p) exit(1);
  return p;
}

static struct list *list_new(void) {
  struct list *l = get(sizeof *l);
  l->first = 0;
  return l;
}

static void add(struct list *l, void *data) {
  if (!l) return;
  struct item *i = get(sizeof *i);
  i->data = data;
  i->next = l->first;
  l->first = i;
}

static void add_late(struct list *l, void *data) {
  if (!l) return;
  struct item *i = get(sizeof *i);
  i->data = data;
  i->next = l->first;
  l->first = i;
}

static void start(void) {
  names = list_new();
  taken_back = list_new();
  emptied = list_new();
}

static void finish(void) {
  names = 0;
  emptied = 0;
}

static void after_finish_bad(struct list *l) {
  char *p = get(3);  // LEAK: leak-at-exit
  *p = 0;
  add_late(l, p);
}

static void quit(void) {
  finish();
  after_finish_bad(emptied);
  exit(0);
}

static void add_name_ok(struct list *l) {
  char *p = get(3);
  *p = 0;
  add(l, p);
}

static void set_on_one_way_bad(struct list *l) {
  char *p = get(3);  // LEAK: conditional-leak
  *p = 0;
  add_late(l, p);
}

static void set_to_nothing_bad(struct list *l) {
  char *p = get(3);  // LEAK: conditional-leak
  *p = 0;
  add_late(l, p);
}

static void by_handler_bad(struct list *l) {
  char *p = get(3);  // LEAK: conditional-leak
  *p = 0;
  add_late(l, p);
}

static void on_signal(int number) { by_handler_bad(in_handler); }

static void after_start_ok(struct list *l) {
  char *p = get(3);
  *p = 0;
  add(l, p);
}

static void on_command(void) { after_start_ok(names); }
static void (*commands[])(void) = {on_command};

int main(int argc, char **argv) {
  signal(SIGINT, on_signal);
  in_handler = list_new();
  start();  // LEAK: overwritten
  if (argc > 3) late = list_new();
  while (getenv("MORE")) {
    add_name_ok(names);
    set_on_one_way_bad(late);
    set_to_nothing_bad(taken_back);
    if (getenv("RESET")) taken_back = 0;
    commands[argc & 0]();
    if (getenv("QUIT")) quit();
  }
  finish();
  return 0;
}
