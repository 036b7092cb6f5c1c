// NOT RUN: `lib_calloc`, `lib_free` and `watch` are somebody else's.
// A pair of unknown functions stands for malloc and free by its names alone: no caller releases the
// result where it is made, and what is released comes from fields.
#include <stdlib.h>

void *lib_calloc(size_t n);
void lib_free(void *block);
int watch(void *state);

struct state { char *path; };
struct module { struct state *state; };

void module_done(struct module *m) {
  if (m->state == NULL) return;
  lib_free(m->state->path);
  lib_free(m->state);
}

int module_init_bad(struct module *m, int mode) {
  struct state *state = lib_calloc(sizeof *state);  // LEAK: conditional-leak
  if (mode == 3) { module_done(m); return -1; }  // which knows nothing of it yet
  return watch(state);
}
