// Ownership passed to callbacks, pools, threads, and containers that outlive the call.
#include <pthread.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A callback's userdata, kept by an event loop.
typedef void (*handler)(void *userdata);

struct event {
  handler run;
  void *userdata;
  struct event *next;
};

static struct event *pending;

static int event_add(handler run, void *userdata) {
  struct event *event = malloc(sizeof *event);
  if (!event) return -1;
  event->run = run;
  event->userdata = userdata;
  event->next = pending;
  pending = event;
  return 0;
}

static void print_later(void *userdata) {
  puts(userdata);
  free(userdata);
}

int userdata_kept_ok(const char *s) {
  char *copy = strdup(s);
  if (!copy) return -1;
  if (event_add(print_later, copy) != 0) {
    free(copy);
    return -1;
  }
  return 0;
}

int userdata_kept_bad(const char *s) {
  char *copy = strdup(s);  // LEAK: leak-if-allocation-fails
  if (!copy) return -1;
  return event_add(print_later, copy);
}

// A callback that is called at once and borrows.
static void call_now(handler run, void *userdata) { run(userdata); }
static void print_now(void *userdata) { puts(userdata); }

int userdata_borrowed_bad(const char *s) {
  char *copy = strdup(s);  // LEAK: never-freed
  if (copy) call_now(print_now, copy);
  return 0;
}

int userdata_consumed_ok(const char *s) {
  char *copy = strdup(s);
  if (copy) call_now(print_later, copy);
  return 0;
}

// A thread's argument is the thread's.
static void *worker(void *argument) {
  free(argument);
  return NULL;
}

int thread_argument_ok(const char *s) {
  char *copy = strdup(s);
  pthread_t thread;
  if (!copy) return -1;
  if (pthread_create(&thread, NULL, worker, copy) != 0) {
    free(copy);
    return -1;
  }
  pthread_join(thread, NULL);
  return 0;
}

// The thread is not always created; then the argument stays here.
int thread_argument_bad(const char *s, int n) {
  char *copy = strdup(s);  // LEAK: conditional-leak
  pthread_t thread;
  if (!copy) return -1;
  if (n > 1) return 0;
  if (pthread_create(&thread, NULL, worker, copy) != 0) {
    free(copy);
    return -1;
  }
  pthread_join(thread, NULL);
  return 0;
}

// Thread-specific data is freed by its destructor.
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void make_key(void) { pthread_key_create(&key, free); }

int thread_specific_ok(int n) {
  pthread_once(&once, make_key);
  if (!pthread_getspecific(key)) {
    char *mine = malloc(16);
    if (!mine) return -1;
    if (pthread_setspecific(key, mine) != 0) free(mine);
  }
  return n;
}

// A pool: everything allocated from it is freed with it.
struct chunk {
  struct chunk *next;
  char bytes[];
};

struct pool {
  struct chunk *chunks;
};

static void *pool_alloc(struct pool *pool, size_t size) {
  struct chunk *chunk = malloc(sizeof *chunk + size);
  if (!chunk) return NULL;
  chunk->next = pool->chunks;
  pool->chunks = chunk;
  return chunk->bytes;
}

static char *pool_strdup(struct pool *pool, const char *s) {
  char *copy = pool_alloc(pool, strlen(s) + 1);
  if (copy) strcpy(copy, s);
  return copy;
}

static void pool_clear(struct pool *pool) {
  while (pool->chunks) {
    struct chunk *next = pool->chunks->next;
    free(pool->chunks);
    pool->chunks = next;
  }
}

int pool_ok(const char *s) {
  struct pool pool = {NULL};
  char *a = pool_strdup(&pool, s);
  char *b = pool_strdup(&pool, "b");
  int result = a && b;
  pool_clear(&pool);
  return result;
}

int pool_bad(const char *s, int n) {
  struct pool pool = {NULL};
  char *a = pool_strdup(&pool, s);  // LEAK: never-freed
  if (!a || n > 2) return -1;
  pool_clear(&pool);
  return 0;
}

static struct pool global_pool;

int global_pool_ok(const char *s) {
  char *copy = pool_strdup(&global_pool, s);
  return copy ? copy[0] : 0;
}

// A pool with registered clean-up functions.
struct cleanup {
  void (*run)(void *);
  void *object;
  struct cleanup *next;
};

static void cleanup_push(struct cleanup **stack, void (*run)(void *), void *object) {
  struct cleanup *cleanup = malloc(sizeof *cleanup);
  if (!cleanup) abort();
  cleanup->run = run;
  cleanup->object = object;
  cleanup->next = *stack;
  *stack = cleanup;
}

static void cleanup_run(struct cleanup **stack) {
  while (*stack) {
    struct cleanup *next = (*stack)->next;
    (*stack)->run((*stack)->object);
    free(*stack);
    *stack = next;
  }
}

int registered_cleanup_ok(const char *s) {
  struct cleanup *stack = NULL;
  char *copy = strdup(s);
  if (!copy) return -1;
  cleanup_push(&stack, free, copy);
  int first = copy[0];
  cleanup_run(&stack);
  return first;
}

int registered_cleanup_bad(const char *s) {
  struct cleanup *stack = NULL;
  char *copy = strdup(s);  // LEAK: conditional-leak
  if (!copy) return -1;
  cleanup_push(&stack, print_now, copy);
  cleanup_run(&stack);
  return 0;
}

// putenv and setvbuf keep what they are given; setenv copies.
int putenv_ok(int n) {
  static char *held;
  char *text = malloc(16);
  if (!text) return -1;
  snprintf(text, 16, "TEST_N=%d", n);
  if (putenv(text) != 0) {
    free(text);
    return -1;
  }
  free(held);
  held = text;
  return 0;
}

int setenv_bad(const char *s) {
  char *copy = strdup(s);  // LEAK: never-freed
  if (!copy) return -1;
  return setenv("TEST_S", copy, 1);
}

int setenv_ok(const char *s) {
  char *copy = strdup(s);
  if (!copy) return -1;
  int result = setenv("TEST_S", copy, 1);
  free(copy);
  return result;
}

// A search tree of the C library keeps the key.
static void *names;
static int by_text(const void *a, const void *b) { return strcmp(a, b); }

int tsearch_ok(const char *s) {
  char *copy = strdup(s);
  if (!copy) return -1;
  void *slot = tsearch(copy, &names, by_text);
  if (!slot || *(char **)slot != copy) free(copy);
  return 0;
}

// Reference counts: the last one out frees.
struct shared {
  int references;
  char *text;
};

static struct shared *shared_new(const char *s) {
  struct shared *shared = malloc(sizeof *shared);
  if (!shared) return NULL;
  shared->references = 1;
  shared->text = strdup(s);
  return shared;
}

static void shared_unref(struct shared *shared) {
  if (--shared->references > 0) return;
  free(shared->text);
  free(shared);
}

int reference_count_ok(const char *s) {
  struct shared *shared = shared_new(s);
  if (!shared) return -1;
  shared->references++;
  shared_unref(shared);
  shared_unref(shared);
  return 0;
}

int reference_count_bad(const char *s, int n) {
  struct shared *shared = shared_new(s);  // LEAK: conditional-leak
  if (!shared) return -1;
  if (n < 0) return -1;
  shared_unref(shared);
  return 0;
}
