"""More kinds of programs with containers, written before anything was run on them; see containers.py.

FOURTH was the first look at a version; what it showed was then looked into.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from tests.leaks.containers import _choose, _count


def open_addressing(pick: random.Random) -> str:
    """A table of slots with marks for what was removed, made again twice as large when it is full."""
    remove = _choose(
        pick,
        "      free(t->slot[at].value);\n      t->slot[at].value = NULL;\n"
        "      t->slot[at].state = 2;\n",
        "      t->slot[at].value = NULL;\n      t->slot[at].state = 2;\n",
        "      t->slot[at].state = 2;\n",
    )
    there = _choose(
        pick,
        "      free(t->slot[at].value);\n      t->slot[at].value = value;\n      return 0;\n",
        "      t->slot[at].value = value;\n      return 0;\n",
        "      return 1;\n",
    )
    grow = _choose(pick, "  free(old);\n", "")
    skip = pick.choice(["old[i].state == 1", "old[i].state == 1", "old[i].key > 0"])
    drop = _choose(
        pick,
        "  for (int i = 0; i < t->room; i++)\n    if (t->slot[i].state == 1) free(t->slot[i].value);\n"
        "  free(t->slot);\n",
        "  for (int i = 0; i < t->count; i++)\n    if (t->slot[i].state == 1) free(t->slot[i].value);\n"
        "  free(t->slot);\n",
        "  free(t->slot);\n",
        "  for (int i = 0; i < t->room; i++)\n    if (t->slot[i].state == 1) free(t->slot[i].value);\n",
    )
    key = pick.choice(["i", "i * 2", "a", "i + b"])
    return f"""\
struct @slot {{
  int state, key;
  char *value;
}};
struct @table {{
  struct @slot *slot;
  int room, count;
}};
static int @put(struct @table *t, int key, char *value);
static int @grow(struct @table *t) {{
  struct @slot *old = t->slot;
  int before = t->room;
  struct @slot *more =
      calloc(before ? before * 2 : 2, sizeof *more);
  if (!more) return -1;
  t->slot = more;
  t->room = before ? before * 2 : 2;
  t->count = 0;
  for (int i = 0; i < before; i++)
    if ({skip}) @put(t, old[i].key, old[i].value);
{grow}  return 0;
}}
static int @put(struct @table *t, int key, char *value) {{
  if (t->count >= t->room - 1 && @grow(t) != 0) {{
    free(value);
    return -1;
  }}
  int at = (int)((unsigned)key % (unsigned)t->room);
  while (t->slot[at].state != 0) {{
    if (t->slot[at].state == 1 && t->slot[at].key == key) {{
{there}    }}
    at = (at + 1) % t->room;
  }}
  t->slot[at].state = 1;
  t->slot[at].key = key;
  t->slot[at].value = value;
  t->count++;
  return 0;
}}
static void @remove(struct @table *t, int key) {{
  for (int at = 0; at < t->room; at++)
    if (t->slot[at].state == 1 && t->slot[at].key == key) {{
{remove}    }}
}}
static void @drop(struct @table *t) {{
{drop}}}
int @(int a, int b) {{
  struct @table t = {{NULL, 0, 0}};
  int n = {_count(pick)};
  for (int i = 0; i < n; i++) {{
    char *value =
        malloc(3);
    if (!value) break;
    if (@put(&t, {key}, value) < 0) break;
  }}
  @remove(&t, b);
  @drop(&t);
  return 0;
}}
"""


def skip_list(pick: random.Random) -> str:
    """Nodes in lists of two heights; the lower list holds all of them."""
    drop = _choose(
        pick,
        "  struct @node *n = l->head[0];\n  while (n) {\n    struct @node *next = n->next[0];\n"
        "    free(n->text);\n    free(n);\n    n = next;\n  }\n",
        "  struct @node *n = l->head[1];\n  while (n) {\n    struct @node *next = n->next[1];\n"
        "    free(n->text);\n    free(n);\n    n = next;\n  }\n",
        "  struct @node *n = l->head[0];\n  while (n) {\n    struct @node *next = n->next[0];\n"
        "    free(n);\n    n = next;\n  }\n",
        "  struct @node *n = l->head[0];\n  while (n) {\n    struct @node *next = n->next[0];\n"
        "    if (n->height == 1) free(n->text);\n    free(n);\n    n = next;\n  }\n",
    )
    unlink = _choose(
        pick,
        "  free(n->text);\n  free(n);\n",
        "  free(n);\n",
        "  if (n->height > 1) free(n->text);\n  free(n);\n",
    )
    again = _choose(pick, "    free(text);\n    return 0;\n", "    return 0;\n")
    key = pick.choice(["i", "n - i", "i % 2", "b"])
    return f"""\
struct @node {{
  struct @node *next[2];
  int key, height;
  char *text;
}};
struct @list {{
  struct @node *head[2];
}};
static int @insert(struct @list *l, int key, char *text) {{
  struct @node **at[2];
  for (int level = 1; level >= 0; level--) {{
    struct @node **p = &l->head[level];
    while (*p && (*p)->key < key) p = &(*p)->next[level];
    at[level] = p;
  }}
  if (*at[0] && (*at[0])->key == key) {{
{again}  }}
  struct @node *n =
      calloc(1, sizeof *n);
  if (!n) {{
    free(text);
    return -1;
  }}
  n->key = key;
  n->text = text;
  n->height = key % 2 ? 2 : 1;
  for (int level = 0; level < n->height; level++) {{
    n->next[level] = *at[level];
    *at[level] = n;
  }}
  return 0;
}}
static void @delete(struct @list *l, int key) {{
  struct @node *n = NULL;
  for (int level = 1; level >= 0; level--) {{
    struct @node **p = &l->head[level];
    while (*p && (*p)->key < key) p = &(*p)->next[level];
    if (*p && (*p)->key == key) {{
      n = *p;
      *p = n->next[level];
    }}
  }}
  if (!n) return;
{unlink}}}
static void @drop(struct @list *l) {{
{drop}}}
int @(int a, int b) {{
  struct @list l = {{{{NULL, NULL}}}};
  int n = {_count(pick)};
  for (int i = 0; i < n; i++) {{
    char *text =
        malloc(4);
    if (!text) break;
    if (@insert(&l, {key}, text) != 0) break;
  }}
  @delete(&l, a);
  @drop(&l);
  return 0;
}}
"""


def intrusive(pick: random.Random) -> str:
    """Links inside the elements, which are found from their links."""
    free_task = "    free(t->command);\n    free(t);\n"
    run = _choose(
        pick,
        free_task,
        "    free(t);\n",
        "    if (t->priority < 2) {\n  " + free_task.replace("\n    ", "\n      ") + "    }\n",
        "    free(t->command);\n    if (t->priority != b) free(t);\n",
    )
    cancel = _choose(
        pick,
        "      *at = l->next;\n      free(t->command);\n      free(t);\n      return;\n",
        "      *at = l->next;\n      return;\n",
        "      *at = l->next;\n      free(t);\n      return;\n",
    )
    undo = _choose(pick, "    free(t);\n", "")
    return f"""\
struct @link {{
  struct @link *next;
}};
struct @task {{
  int priority;
  struct @link link;
  char *command;
}};
#define @TASK(l) ((struct @task *)((char *)(l) - offsetof(struct @task, link)))
static int @add(struct @link **head, int priority) {{
  struct @task *t =
      malloc(sizeof *t);
  if (!t) return -1;
  t->priority = priority;
  t->command =
      malloc(6);
  if (!t->command) {{
{undo}    return -1;
  }}
  t->link.next = *head;
  *head = &t->link;
  return 0;
}}
static void @cancel(struct @link **at, int priority) {{
  for (; *at; at = &(*at)->next) {{
    struct @link *l = *at;
    struct @task *t = @TASK(l);
    if (t->priority == priority) {{
{cancel}    }}
  }}
}}
int @(int a, int b) {{
  struct @link *head = NULL;
  int n = {_count(pick)};
  for (int i = 0; i < n; i++)
    if (@add(&head, i) != 0) break;
  @cancel(&head, a);
  while (head) {{
    struct @link *l = head;
    head = l->next;
    struct @task *t = @TASK(l);
{run}  }}
  return 0;
}}
"""


def arena(pick: random.Random) -> str:
    """Chunks that are filled one after the other, and given back all at once, or down to a mark."""
    reset = _choose(
        pick,
        "  while (r->chunk != mark) {\n    struct @chunk *c = r->chunk;\n    r->chunk = c->older;\n"
        "    free(c->data);\n    free(c);\n  }\n",
        "  r->chunk = mark;\n",
        "  while (r->chunk != mark) {\n    struct @chunk *c = r->chunk;\n    r->chunk = c->older;\n"
        "    free(c);\n  }\n",
        "  if (r->chunk != mark) {\n    struct @chunk *c = r->chunk;\n    r->chunk = mark;\n"
        "    free(c->data);\n    free(c);\n  }\n",
    )
    last = _choose(pick, "  @reset(&r, NULL);\n", "  if (b < 3) @reset(&r, NULL);\n", "")
    fail = _choose(pick, "      free(c);\n", "")
    size = pick.choice(["3", "i", "b", "5"])
    return f"""\
struct @chunk {{
  struct @chunk *older;
  int used;
  char *data;
}};
struct @region {{
  struct @chunk *chunk;
}};
static char *@get(struct @region *r, int size) {{
  if (size < 0 || size > 8) return NULL;
  if (!r->chunk || r->chunk->used + size > 8) {{
    struct @chunk *c =
        malloc(sizeof *c);
    if (!c) return NULL;
    c->data =
        malloc(8);
    if (!c->data) {{
{fail}      return NULL;
    }}
    c->used = 0;
    c->older = r->chunk;
    r->chunk = c;
  }}
  char *p = r->chunk->data + r->chunk->used;
  r->chunk->used += size;
  return p;
}}
static void @reset(struct @region *r, struct @chunk *mark) {{
{reset}}}
int @(int a, int b) {{
  struct @region r = {{NULL}};
  int n = {_count(pick)};
  if (!@get(&r, 4)) return -1;
  struct @chunk *mark = r.chunk;
  for (int i = 0; i < n; i++)
    if (!@get(&r, {size})) break;
  @reset(&r, mark);
{last}  return 0;
}}
"""


def priority_queue(pick: random.Random) -> str:
    """A heap in an array of pointers: the smallest comes out first."""
    full = _choose(pick, "    @event_free(e);\n    return -1;\n", "    return -1;\n")
    one = _choose(pick, "  free(e->name);\n  free(e);\n", "  free(e);\n")
    work = _choose(
        pick,
        "  while ((e = @pop(&h)) != NULL) @event_free(e);\n",
        "  while ((e = @pop(&h)) != NULL && e->time < 3) @event_free(e);\n",
        "  if ((e = @pop(&h)) != NULL) @event_free(e);\n",
        "  while (h.count > 1) @event_free(@pop(&h));\n",
    )
    time = pick.choice(["i", "-i", "3 - i", "i * b"])
    return f"""\
struct @event {{
  int time;
  char *name;
}};
struct @heap {{
  struct @event *at[4];
  int count;
}};
static void @event_free(struct @event *e) {{
{one}}}
static int @push(struct @heap *h, struct @event *e) {{
  if (h->count == 4) {{
{full}  }}
  int i = h->count++;
  while (i > 0 && h->at[(i - 1) / 2]->time > e->time) {{
    h->at[i] = h->at[(i - 1) / 2];
    i = (i - 1) / 2;
  }}
  h->at[i] = e;
  return 0;
}}
static struct @event *@pop(struct @heap *h) {{
  if (h->count == 0) return NULL;
  struct @event *first = h->at[0], *last = h->at[--h->count];
  int i = 0;
  for (;;) {{
    int child = 2 * i + 1;
    if (child >= h->count) break;
    if (child + 1 < h->count && h->at[child + 1]->time < h->at[child]->time) child++;
    if (h->at[child]->time >= last->time) break;
    h->at[i] = h->at[child];
    i = child;
  }}
  h->at[i] = last;
  return first;
}}
static struct @event *@event_new(int time) {{
  struct @event *e =
      malloc(sizeof *e);
  if (!e) return NULL;
  e->time = time;
  e->name =
      malloc(3);
  if (!e->name) {{
    free(e);
    return NULL;
  }}
  return e;
}}
int @(int a, int b) {{
  struct @heap h = {{{{NULL, NULL, NULL, NULL}}, 0}};
  struct @event *e;
  int n = {_count(pick)};
  for (int i = 0; i < n; i++) {{
    e = @event_new({time});
    if (!e) break;
    if (@push(&h, e) != 0) break;
  }}
{work}  return 0;
}}
"""


def sparse_matrix(pick: random.Random) -> str:
    """Rows in a list, each with a list of cells; a cell that becomes zero is taken out."""
    zero = _choose(
        pick,
        "      *c = old->next;\n      free(old);\n      return 0;\n",
        "      *c = old->next;\n      return 0;\n",
    )
    cells = _choose(
        pick,
        "    while (r->cells) {\n      struct @cell *c = r->cells;\n      r->cells = c->next;\n"
        "      free(c);\n    }\n    free(r);\n",
        "    free(r);\n",
        "    while (r->cells) {\n      struct @cell *c = r->cells;\n      r->cells = c->next;\n"
        "      free(c);\n    }\n",
        "    struct @cell *c = r->cells;\n    if (c) free(c->next);\n    free(c);\n    free(r);\n",
    )
    order = pick.choice(["i, i", "i % 2, i", "a, i", "0, i", "i, b"])
    value = pick.choice(["i", "1", "i - 1", "b - i"])
    late = _choose(pick, "", "", "  if (m && m->row == b) return 2;\n")
    return f"""\
struct @cell {{
  struct @cell *next;
  int column, value;
}};
struct @row {{
  struct @row *next;
  int row;
  struct @cell *cells;
}};
static int @set(struct @row **m, int row, int column, int value) {{
  struct @row *r;
  for (r = *m; r; r = r->next)
    if (r->row == row) break;
  if (!r) {{
    r =
        malloc(sizeof *r);
    if (!r) return -1;
    r->row = row;
    r->cells = NULL;
    r->next = *m;
    *m = r;
  }}
  struct @cell **c = &r->cells;
  while (*c && (*c)->column != column) c = &(*c)->next;
  if (*c) {{
    struct @cell *old = *c;
    if (value == 0) {{
{zero}    }}
    old->value = value;
    return 0;
  }}
  *c =
      malloc(sizeof **c);
  if (!*c) return -1;
  (*c)->next = NULL;
  (*c)->column = column;
  (*c)->value = value;
  return 0;
}}
static void @free_rows(struct @row *m) {{
  while (m) {{
    struct @row *r = m;
    m = m->next;
{cells}  }}
}}
int @(int a, int b) {{
  struct @row *m = NULL;
  int n = {_count(pick)};
  for (int i = 0; i < n; i++)
    if (@set(&m, {order}, {value}) != 0) break;
  if (@set(&m, a, b, 0) != 0) {{
    @free_rows(m);
    return -1;
  }}
{late}  @free_rows(m);
  return 0;
}}
"""


def interned(pick: random.Random) -> str:
    """Strings that are kept once, with a count of their users."""
    known = _choose(
        pick,
        "      s->users++;\n      free(copy);\n      return s;\n",
        "      s->users++;\n      return s;\n",
    )
    release = _choose(
        pick,
        "  if (--s->users > 0) return;\n",
        "  if (s->users-- > 0) return;\n",
        "  if (s->users > 1) return;\n",
    )
    gone = _choose(pick, "      free(s->text);\n      free(s);\n", "      free(s);\n", "")
    second = _choose(
        pick,
        "  if (other) @put_back(&all, other);\n",
        "  if (a == b && other) @put_back(&all, other);\n",
        "",
    )
    letter = pick.choice(["'a' + i % 2", "'a' + i", "'a'", "'a' + b"])
    return f"""\
struct @symbol {{
  struct @symbol *next;
  int users;
  char *text;
}};
static struct @symbol *@intern(struct @symbol **all, int letter) {{
  char *copy =
      malloc(2);
  if (!copy) return NULL;
  copy[0] = (char)letter;
  copy[1] = 0;
  for (struct @symbol *s = *all; s; s = s->next)
    if (strcmp(s->text, copy) == 0) {{
{known}    }}
  struct @symbol *s =
      malloc(sizeof *s);
  if (!s) {{
    free(copy);
    return NULL;
  }}
  s->text = copy;
  s->users = 1;
  s->next = *all;
  *all = s;
  return s;
}}
static void @put_back(struct @symbol **all, struct @symbol *s) {{
{release}  for (struct @symbol **at = all; *at; at = &(*at)->next)
    if (*at == s) {{
      *at = s->next;
{gone}      return;
    }}
}}
int @(int a, int b) {{
  struct @symbol *all = NULL, *used[5];
  int n = {_count(pick)}, got = 0;
  for (int i = 0; i < n && i < 5; i++) {{
    used[got] = @intern(&all, {letter});
    if (!used[got]) break;
    got++;
  }}
  struct @symbol *other = @intern(&all, 'a');
{second}  while (got > 0) @put_back(&all, used[--got]);
  return 0;
}}
"""


def gap_buffer(pick: random.Random) -> str:
    """Text with a gap that is made larger, and lines that are cut out of it."""
    grow = _choose(
        pick,
        "    free(g->text);\n    g->text = more;\n",
        "    g->text = more;\n",
        "    if (g->from > 0) free(g->text);\n    g->text = more;\n",
    )
    cut = _choose(
        pick,
        "  if (line) free(line);\n",
        "  if (line && a > 0) free(line);\n",
        "",
        "  if (line && line[0] != 'x') free(line);\n",
    )
    release = _choose(pick, "  free(g.text);\n", "  if (g.from) free(g.text);\n")
    early = _choose(pick, "      free(g.text);\n      return -1;\n", "      return -1;\n")
    return f"""\
struct @gap {{
  char *text;
  int from, to, size;
}};
static int @insert(struct @gap *g, char c) {{
  if (g->from == g->to) {{
    int size = g->size + 2;
    char *more =
        malloc(size);
    if (!more) return -1;
    memcpy(more, g->text, g->from);
    memcpy(more + g->to + 2, g->text + g->to, g->size - g->to);
{grow}    g->to += 2;
    g->size = size;
  }}
  g->text[g->from++] = c;
  return 0;
}}
static char *@cut(struct @gap *g) {{
  if (g->from == 0) return NULL;
  char *line =
      malloc(g->from + 1);
  if (!line) return NULL;
  memcpy(line, g->text, g->from);
  line[g->from] = 0;
  return line;
}}
int @(int a, int b) {{
  struct @gap g = {{NULL, 0, 2, 2}};
  g.text =
      malloc(2);
  if (!g.text) return -1;
  int n = {_count(pick)};
  for (int i = 0; i < n; i++) {{
    if (@insert(&g, (char)('x' + i)) != 0) {{
{early}    }}
  }}
  char *line = @cut(&g);
{cut}{release}  return 0;
}}
"""


def undo_stack(pick: random.Random) -> str:
    """What was done and what was undone; doing something new forgets what was undone."""
    forget = _choose(
        pick,
        "  while (h->undone) {\n    struct @edit *e = h->undone;\n    h->undone = e->next;\n"
        "    free(e->text);\n    free(e);\n  }\n",
        "  h->undone = NULL;\n",
        "  if (h->undone) {\n    struct @edit *e = h->undone;\n    h->undone = NULL;\n"
        "    free(e->text);\n    free(e);\n  }\n",
        "  while (h->undone) {\n    struct @edit *e = h->undone;\n    h->undone = e->next;\n"
        "    free(e);\n  }\n",
    )
    last = _choose(
        pick,
        "  @forget(&h);\n  h.undone = h.done;\n  @forget(&h);\n",
        "  h.undone = h.done;\n  @forget(&h);\n",
        "  @forget(&h);\n",
    )
    between = pick.choice(["i == b", "i % 2", "i > 1", "a == b"])
    return f"""\
struct @edit {{
  struct @edit *next;
  char *text;
}};
struct @history {{
  struct @edit *done, *undone;
}};
static void @forget(struct @history *h) {{
{forget}}}
static int @do(struct @history *h, int what) {{
  struct @edit *e =
      malloc(sizeof *e);
  if (!e) return -1;
  e->text =
      malloc(3);
  if (!e->text) {{
    free(e);
    return -1;
  }}
  e->text[0] = (char)what;
  @forget(h);
  e->next = h->done;
  h->done = e;
  return 0;
}}
static void @undo(struct @history *h) {{
  struct @edit *e = h->done;
  if (!e) return;
  h->done = e->next;
  e->next = h->undone;
  h->undone = e;
}}
int @(int a, int b) {{
  struct @history h = {{NULL, NULL}};
  int n = {_count(pick)};
  for (int i = 0; i < n; i++) {{
    if (@do(&h, i) != 0) break;
    if ({between}) @undo(&h);
  }}
{last}  return 0;
}}
"""


def two_levels(pick: random.Random) -> str:
    """A directory of pages, each made when it is first needed."""
    old = _choose(pick, "  free(p->entry[key % 2]);\n", "")
    drop = _choose(
        pick,
        "    for (int j = 0; j < 2; j++) free(p->entry[j]);\n    free(p);\n",
        "    free(p->entry[0]);\n    free(p);\n",
        "    free(p->entry[1]);\n    free(p);\n",
        "    free(p);\n",
        "    for (int j = 0; j < 2; j++) free(p->entry[j]);\n    if (i > 0) free(p);\n",
    )
    undo = _choose(pick, "      free(d);\n", "")
    bound = pick.choice(["3", "3", "3", "2"])
    key = pick.choice(["i", "i * 2", "5 - i", "a + b"])
    return f"""\
struct @page {{
  char *entry[2];
}};
struct @directory {{
  struct @page *page[3];
}};
static int @put(struct @directory *d, unsigned key) {{
  if (key > 5) return 0;
  struct @page *p = d->page[key / 2];
  if (!p) {{
    p =
        calloc(1, sizeof *p);
    if (!p) return -1;
    d->page[key / 2] = p;
  }}
{old}  p->entry[key % 2] =
      malloc(4);
  return p->entry[key % 2] ? 0 : -1;
}}
static void @drop(struct @directory *d) {{
  for (int i = 0; i < {bound}; i++) {{
    struct @page *p = d->page[i];
    if (!p) continue;
{drop}  }}
  free(d);
}}
int @(int a, int b) {{
  struct @directory *d =
      calloc(1, sizeof *d);
  if (!d) return -1;
  int n = {_count(pick)};
  for (int i = 0; i < n; i++)
    if (@put(d, (unsigned)({key})) != 0 && i == 0) {{
{undo}      return -1;
    }}
  @drop(d);
  return 0;
}}
"""


FOURTH: tuple[Callable[[random.Random], str], ...] = (
    open_addressing,
    skip_list,
    intrusive,
    arena,
    priority_queue,
    sparse_matrix,
    interned,
    gap_buffer,
    undo_stack,
    two_levels,
)
