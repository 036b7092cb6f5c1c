/* Preloaded into every process of a build by `heapflow capture`: a process that is a compiler, linker
 * or archiver appends one record about itself to a file, and then goes on as if nothing had been.
 *
 * A constructor, rather than wrappers around the exec functions: it sees absolute paths, posix_spawn,
 * vfork and scripts alike, and it touches neither the arguments nor the environment of anything.
 *
 * Environment (set by the capture):
 *   HEAPFLOW_CAPTURE_FILE   where records go, opened for appending
 *   HEAPFLOW_CAPTURE_NAMES  names of tools, separated by ':'; a cross prefix (x86_64-linux-gnu-gcc), a
 *                           version (gcc-12, ld.gold) and a directory may be around the name
 *
 * A record is "HFR1", the length of the rest as 8 hex digits, then fields that end in NUL:
 *   time in ns | "pid.start" of this process and up to 6 ancestors, blank-separated | directory |
 *   program | CPATH | C_INCLUDE_PATH | number of arguments | argument ... | then, per argument that
 *   names a response file: its name | its contents.
 *
 * One write() to a file opened with O_APPEND is atomic against the others of a parallel build.
 * The environment is read without getenv: some shells replace that function by one of their own,
 * which is not ready this early.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { ANCESTORS = 6, LARGEST = 8 << 20, RESPONSE_LIMIT = 1 << 20, HEADER = 12 };

struct buffer {
    char *data;
    size_t used, size;
};

static const char *variable(const char *name) {
    size_t length = strlen(name);
    if (!environ)
        return NULL;
    for (char **entry = environ; *entry; entry++)
        if (strncmp(*entry, name, length) == 0 && (*entry)[length] == '=')
            return *entry + length + 1;
    return NULL;
}

static int listed(const char *names, const char *name, size_t length) {
    for (const char *at = names; *at;) {
        size_t size = strcspn(at, ":");
        if (size == length && memcmp(at, name, length) == 0)
            return 1;
        at += size;
        if (*at)
            at++;
    }
    return 0;
}

/* Is this program one of the tools? */
static int is_tool(const char *names, const char *program) {
    const char *slash = strrchr(program, '/');
    const char *name = slash ? slash + 1 : program;
    size_t length = strlen(name);
    if (listed(names, name, length))
        return 1;
    if (strncmp(name, "ld.", 3) == 0)
        return listed(names, "ld", 2);
    size_t plain = length;
    while (plain && (name[plain - 1] == '.' || (name[plain - 1] >= '0' && name[plain - 1] <= '9')))
        plain--;
    /* Without the dash it is no version: cc1 is the inside of gcc. */
    if (plain && name[plain - 1] == '-')
        length = plain - 1;
    if (listed(names, name, length))
        return 1;
    for (size_t at = length; at > 0; at--)
        if (name[at - 1] == '-')
            return listed(names, name + at, length - at);
    return 0;
}

static void add(struct buffer *out, const char *data, size_t length) {
    if (length > out->size - out->used)
        length = out->size - out->used;
    memcpy(out->data + out->used, data, length);
    out->used += length;
}

static void add_field(struct buffer *out, const char *text) { add(out, text, strlen(text) + 1); }

static ssize_t read_file(const char *path, char *data, size_t size) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return -1;
    size_t used = 0;
    for (;;) {
        ssize_t got = read(file, data + used, size - used);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        used += (size_t)got;
    }
    close(file);
    return (ssize_t)used;
}

/* "pid.start" of this process and of those above it. The start time makes a number unique that the
 * system gives out again. */
static void add_ancestry(struct buffer *out) {
    long pid = (long)getpid();
    for (int level = 0; level <= ANCESTORS && pid > 1; level++) {
        char path[64], text[1024];
        snprintf(path, sizeof path, "/proc/%ld/stat", pid);
        ssize_t length = read_file(path, text, sizeof text - 1);
        if (length <= 0)
            break;
        text[length] = 0;
        char *at = strrchr(text, ')'); /* the name may contain anything, also ')' */
        if (!at || at[1] != ' ')
            break;
        long parent = 0;
        unsigned long long start = 0;
        if (sscanf(at + 2,
                   "%*c %ld %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
                   &parent, &start) != 2)
            break;
        char word[64];
        int size = snprintf(word, sizeof word, "%s%ld.%llu", level ? " " : "", pid, start);
        add(out, word, (size_t)size);
        pid = parent;
    }
    add(out, "", 1);
}

static void add_arguments(struct buffer *out) {
    size_t room = out->size - out->used;
    if (room < 64)
        return;
    /* The count goes before the arguments, and is known after them. */
    char *count_at = out->data + out->used;
    add(out, "0000000", 8);
    size_t first = out->used;
    ssize_t length = read_file("/proc/self/cmdline", out->data + first, out->size - first);
    if (length < 0)
        length = 0;
    out->used = first + (size_t)length;
    unsigned count = 0;
    for (size_t at = first; at < out->used; at++)
        count += out->data[at] == 0;
    char digits[12];
    snprintf(digits, sizeof digits, "%07u", count % 10000000u);
    memcpy(count_at, digits, 7);
    size_t last = out->used;
    for (size_t at = first; at < last; at += strnlen(out->data + at, last - at) + 1) {
        const char *word = out->data + at;
        struct stat status;
        if (word[0] != '@' || stat(word + 1, &status) != 0 || !S_ISREG(status.st_mode) ||
            status.st_size > RESPONSE_LIMIT || out->size - out->used < RESPONSE_LIMIT * 2)
            continue;
        add_field(out, word);
        ssize_t got = read_file(word + 1, out->data + out->used, RESPONSE_LIMIT);
        if (got > 0)
            out->used += (size_t)got;
        add(out, "", 1);
    }
}

static void write_record(const char *path, const char *program) {
    char *memory = mmap(NULL, LARGEST, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return;
    struct buffer out = {memory, HEADER, LARGEST};
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    char text[PATH_MAX];
    snprintf(text, sizeof text, "%lld%09ld", (long long)now.tv_sec, now.tv_nsec);
    add_field(&out, text);
    add_ancestry(&out);
    add_field(&out, getcwd(text, sizeof text) ? text : "");
    add_field(&out, program);
    const char *search = variable("CPATH");
    add_field(&out, search ? search : "");
    search = variable("C_INCLUDE_PATH");
    add_field(&out, search ? search : "");
    add_arguments(&out);
    char header[HEADER + 1];
    snprintf(header, sizeof header, "HFR1%08zx", out.used - HEADER);
    memcpy(memory, header, HEADER);
    int file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (file >= 0) {
        ssize_t written = write(file, memory, out.used);
        (void)written; /* a full disk costs records; it must not cost the build */
        close(file);
    }
    munmap(memory, LARGEST);
}

__attribute__((constructor)) static void heapflow_capture(void) {
    int saved = errno;
    const char *path = variable("HEAPFLOW_CAPTURE_FILE");
    const char *names = variable("HEAPFLOW_CAPTURE_NAMES");
    /* For a script this is the script, not its interpreter. */
    const char *program = (const char *)getauxval(AT_EXECFN);
    if (path && names && program && is_tool(names, program))
        write_record(path, program);
    errno = saved;
}
