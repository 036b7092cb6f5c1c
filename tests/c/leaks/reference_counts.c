// Blocks with a count of their holders: dropping a reference is all that a holder can do.
#include <stdlib.h>

struct state {
  int references;
  int flags;
};

struct item {
  struct state *state;
  struct item *next;
};

static struct item *queue;

static struct state *state_new(void) {
  struct state *state = calloc(1, sizeof *state);
  if (!state) abort();
  state->references = 1;
  return state;
}

static void state_drop(struct state *state) {
  if (--state->references != 0) return;
  free(state);
}

static void state_drop_late(struct state *state) {
  if (state->references > 1) {
    state->references--;
    return;
  }
  free(state);
}

static int enqueue(const char *text, struct state *state) {
  if (!text[0]) return -1;
  struct item *item = malloc(sizeof *item);
  if (!item) abort();
  state->references++;
  item->state = state;
  item->next = queue;
  queue = item;
  return 0;
}

int queued_and_dropped_ok(const char *text) {
  struct state *state = state_new();
  int status = enqueue(text, state);
  state_drop(state);
  return status;
}

int queued_and_dropped_late_ok(const char *text) {
  struct state *state = state_new();
  int status = enqueue(text, state);
  state_drop_late(state);
  return status;
}

int not_dropped_on_error_bad(const char *text) {
  struct state *state = state_new();  // LEAK: conditional-leak
  if (enqueue(text, state) < 0) return -1;
  state_drop(state);
  return 0;
}

int never_dropped_bad(int n) {
  struct state *state = state_new();  // LEAK: never-freed
  state->flags = n;
  return state->flags;
}

static void state_drop_atomic(struct state *state) {
  if (state && __atomic_sub_fetch(&state->references, 1, __ATOMIC_RELEASE) == 0) free(state);
}

static void state_drop_sync(struct state *state) {
  if (__sync_fetch_and_add(&state->references, -1) == 1) free(state);
}

// Counts how often it was asked: that is no count of holders.
static int state_free_first(struct state *state) {
  if (__atomic_add_fetch(&state->flags, 1, __ATOMIC_RELAXED) != 1) return 0;
  free(state);
  return 1;
}

int dropped_atomically_ok(int n) {
  struct state *state = state_new();
  state->flags = n;
  int result = state->flags + 1;
  state_drop_atomic(state);
  return result;
}

int dropped_with_sync_ok(const char *text) {
  struct state *state = state_new();
  int status = enqueue(text, state);
  state_drop_sync(state);
  return status;
}

int dropped_atomically_on_success_bad(const char *text) {
  struct state *state = state_new();  // LEAK: conditional-leak
  if (enqueue(text, state) < 0) return -1;
  state_drop_atomic(state);
  return 0;
}

int raised_instead_bad(int n) {
  struct state *state = state_new();  // LEAK: conditional-leak
  state->flags = n;
  return state_free_first(state);
}
