/* Queues that come from outside, emptied as the macros of <sys/queue.h> do it. */
#include <stdlib.h>
#include <sys/queue.h>

struct mark {
  char *name;
  TAILQ_ENTRY(mark) marks;
};
struct window {
  TAILQ_HEAD(marks, mark) marks;
  TAILQ_ENTRY(window) windows;
};
TAILQ_HEAD(windows, window);
extern struct windows windows;

void drain_ok(struct window *window) {
  while (!TAILQ_EMPTY(&window->marks)) {
    struct mark *mark = TAILQ_FIRST(&window->marks);
    TAILQ_REMOVE(&window->marks, mark, marks);
    free(mark->name);
    free(mark);
  }
}
void drain_each_ok(void) {
  struct window *window;
  TAILQ_FOREACH(window, &windows, windows) {
    while (!TAILQ_EMPTY(&window->marks)) {
      struct mark *mark = TAILQ_FIRST(&window->marks);
      TAILQ_REMOVE(&window->marks, mark, marks);
      free(mark->name);
      free(mark);
    }
  }
}
void drain_bad(struct window *window) {
  while (!TAILQ_EMPTY(&window->marks)) {
    struct mark *mark = TAILQ_FIRST(&window->marks);
    TAILQ_REMOVE(&window->marks, mark, marks);
    free(mark);
    free(mark->name); // RULE: use-after-free
  }
}
