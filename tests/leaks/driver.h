/* Calls each annotated function over its inputs in a child process of its own, once with every
 * allocation succeeding and once per k with the k-th allocation of a call failing, and lets the
 * leak checker speak after all inputs. Written for tests/leaks/execution.py, which generates the
 * table of cases and reads the report.
 *
 * A call that ends the process (exit, abort, or a crash after a simulated failure) loses nothing:
 * the child is started again without that input. A crash without a simulated failure is an error. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wchar.h>

int __lsan_do_recoverable_leak_check(void);
size_t __asan_get_alloc_stack(void *address, void **trace, size_t size, int *thread);
extern char __executable_start;

enum { MAX_INPUTS = 1024, MAX_FREED = 4096, MAX_FAILURE = 8, CRASH = 99, LEAKED = 98 };

struct progress {
  int input;
  int in_call;
  int allocations;
  char skip[MAX_INPUTS];
  unsigned long freed[MAX_FREED]; /* stacks of freed blocks that were told already, by hash */
  int freed_count;
};
static struct progress *progress;
static int fail_at;
static int counter;

static int must_fail(void) {
  counter++;
  if (counter > progress->allocations) progress->allocations = counter;
  return counter == fail_at;
}

/* Tell where a block that is now freed was allocated; once per stack. */
static void tell_freed(void *block) {
  void *trace[12];
  int thread;
  if (!block || !progress->in_call || progress->freed_count == MAX_FREED) return;
  size_t depth = __asan_get_alloc_stack(block, trace, 12, &thread);
  unsigned long hash = 0;
  for (size_t i = 0; i < depth; i++) hash = hash * 1000003 + (unsigned long)trace[i];
  for (int i = 0; i < progress->freed_count; i++)
    if (progress->freed[i] == hash) return;
  progress->freed[progress->freed_count++] = hash;
  char line[512];
  int length = snprintf(line, sizeof line, "@freed");
  for (size_t i = 0; i < depth; i++) {
    long offset = (char *)trace[i] - &__executable_start;
    if (offset > 0 && offset < 0x1000000)
      length += snprintf(line + length, sizeof line - length, " 0x%lx", offset - 1);
  }
  fprintf(stderr, "%s\n", line);
}

void __real_free(void *block);
void __wrap_free(void *block) {
  tell_freed(block);
  __real_free(block);
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t size);
wchar_t *__real_wcsdup(const wchar_t *text);
int __real_vasprintf(char **out, const char *format, va_list args);

void *__wrap_malloc(size_t size) { return must_fail() ? NULL : __real_malloc(size); }
void *__wrap_calloc(size_t count, size_t size) {
  return must_fail() ? NULL : __real_calloc(count, size);
}
void *__wrap_realloc(void *old, size_t size) {
  if (must_fail()) return NULL;
  tell_freed(old);
  return __real_realloc(old, size);
}
char *__wrap_strdup(const char *text) { return must_fail() ? NULL : __real_strdup(text); }
char *__wrap_strndup(const char *text, size_t size) {
  return must_fail() ? NULL : __real_strndup(text, size);
}
wchar_t *__wrap_wcsdup(const wchar_t *text) { return must_fail() ? NULL : __real_wcsdup(text); }
int __wrap_vasprintf(char **out, const char *format, va_list args) {
  return must_fail() ? -1 : __real_vasprintf(out, format, args);
}
int __wrap_asprintf(char **out, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int length = __wrap_vasprintf(out, format, args);
  va_end(args);
  return length;
}

/* Memory of the caller: results and out-parameters are kept here, and so stay reachable. */
static void *kept[65536];
static int kept_count;
static void keep(const void *value) { kept[kept_count++ & 65535] = (void *)value; }
static void *fresh(void) {
  static unsigned char arena[256][4096] __attribute__((aligned(16)));
  static int used;
  return arena[used++ & 255];
}

struct test_case {
  const char *name;
  int inputs;
  void (*call)(int input);
};

static void __attribute__((noinline)) scrub_stack(void) {
  volatile unsigned char filler[65536];
  for (unsigned i = 0; i < sizeof filler; i++) filler[i] = 0;
}

static void __attribute__((noinline)) run_inputs(const struct test_case *test) {
  for (int input = 0; input < test->inputs; input++) {
    if (progress->skip[input]) continue;
    progress->input = input;
    progress->in_call = 1;
    counter = 0;
    test->call(input);
    progress->in_call = 0;
  }
}

static int child(const struct test_case *test) {
  run_inputs(test);
  scrub_stack();
  if (__lsan_do_recoverable_leak_check()) _exit(LEAKED);
  _exit(0);
}

static void run_case(const struct test_case *test, int failing) {
  fail_at = failing;
  memset(progress->skip, 0, sizeof progress->skip);
  for (;;) {
    fprintf(stderr, "@begin %s %d\n", test->name, failing);
    progress->in_call = 0;
    pid_t pid = fork();
    if (pid == 0) child(test);
    int status;
    waitpid(pid, &status, 0);
    if (!progress->in_call) {
      fprintf(stderr, "@end %s %d %s\n", test->name, failing, status ? "leaked" : "clean");
      return;
    }
    int crashed = WIFSIGNALED(status) ? WTERMSIG(status) != SIGABRT && WTERMSIG(status) != SIGALRM
                                      : WEXITSTATUS(status) == CRASH;
    fprintf(stderr, "@%s %s %d input %d\n", crashed ? "crash" : "exit", test->name, failing,
            progress->input);
    progress->skip[progress->input] = 1;
  }
}

static int run_all(const struct test_case *tests, int count) {
  progress = mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  setvbuf(stderr, NULL, _IONBF, 0);
  if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "r", stdin)) return 1;
  for (int i = 0; i < count; i++) {
    progress->allocations = 0;
    progress->freed_count = 0;
    run_case(&tests[i], 0);
    for (int k = 1; k <= progress->allocations && k <= MAX_FAILURE; k++) run_case(&tests[i], k);
  }
  fflush(NULL);
  _exit(0);
}
