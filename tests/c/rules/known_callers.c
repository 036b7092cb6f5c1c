// All callers are known: one of them has to take the path of a misuse. `exchange_ok` frees twice only if
// nothing is found, and what `main` gives is always found.
#include <stdlib.h>
#include <string.h>

struct stream { unsigned id; char *name; struct stream *next; };
struct agent { struct stream *streams; unsigned last; int fd; };
int look(int fd, unsigned id);

static struct stream *find(struct agent *a, unsigned id) {
    for (struct stream *s = a->streams; s; s = s->next)
        if (s->id == id) return s;
    return NULL;
}

static int get_name(struct agent *a, unsigned id, char **out) {
    struct stream *s = find(a, id);
    if (s == NULL) return 0;
    *out = strdup(s->name);
    return 1;
}

static unsigned add(struct agent *a) {
    struct stream *s = calloc(1, sizeof *s);
    if (s == NULL) return 0;
    while (look(a->fd, a->last)) a->last++;
    s->id = ++a->last;
    s->name = strdup("x");
    s->next = a->streams;
    a->streams = s;
    return s->id;
}

void exchange_ok(struct agent *l, unsigned ls, struct agent *r, unsigned rs) {
    char *name = NULL;
    get_name(l, ls, &name);
    free(name);
    get_name(r, rs, &name);
    free(name);
}

int main(void) {
    struct agent *a = calloc(1, sizeof *a), *b = calloc(1, sizeof *b);
    unsigned l, r;
    if (!a || !b) return 1;
    l = add(a);
    r = add(b);
    if (l == 0 || r == 0) abort();
    exchange_ok(a, l, b, r);
    return 0;
}
