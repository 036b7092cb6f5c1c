"""Random programs with containers: lists, maps, trees, growing arrays, counted objects, constructors.

In:    a seed.     Out: Program, as of generate.py.
Every program has a container of its own, fills it with keys that its two ints decide (keys may be there
already, loops may not be entered at all) and releases it, with faults in some places: elements are told
apart by where they are (the second bucket, the first element, one side of a tree), by what came before
(a key that is there), by a count or by an allocation that fails.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from tests.leaks.generate import Program

PRELUDE = "#include <stddef.h>\n#include <stdlib.h>\n#include <string.h>\n\n"


def generate_container(
    name: str, seed: int, kinds: tuple[Callable[[random.Random], str], ...] | None = None
) -> Program:
    pick = random.Random(seed)
    kinds = kinds or KINDS
    make = kinds[seed % len(kinds)]
    text = make(pick)
    program = Program(name, features={make.__name__})
    program.source = text.replace("@", name)
    return program


def _choose(pick: random.Random, sound: str, *faulty: str) -> str:
    """The sound text, in some four of ten programs, or a faulty one."""
    return sound if pick.random() < 0.4 else pick.choice(faulty)


def _count(pick: random.Random) -> str:
    """How many elements: often none for some inputs, sometimes a constant."""
    return pick.choice(["a", "b", "a + 1", "3", "a > 2 ? 2 : a", "b - 1"])


def linked_list(pick: random.Random) -> str:
    free_one = "    free(@n->text);\n    free(@n);\n"
    release = _choose(
        pick,
        "  while (@n) {\n    struct @node *next = @n->next;\n" + free_one + "    @n = next;\n  }\n",
        "  if (@n) {\n" + free_one + "  }\n",
        "  if (@n) @n = @n->next;\n  while (@n) {\n    struct @node *next = @n->next;\n"
        + free_one
        + "    @n = next;\n  }\n",
        "  while (@n) {\n    struct @node *next = @n->next;\n    free(@n);\n    @n = next;\n  }\n",
        "  while (@n && @n->next) {\n    struct @node *next = @n->next;\n"
        + free_one
        + "    @n = next;\n  }\n",
    )
    on_failure = _choose(pick, "    free(n);\n", "")
    early = _choose(pick, "", "", "  if (b == 3) return -1;\n")
    return f"""\
struct @node {{
  struct @node *next;
  char *text;
}};
static struct @node *@push(struct @node *head, int key) {{
  struct @node *n =
      malloc(sizeof *n);
  if (!n) return head;
  n->text =
      malloc(4);
  if (!n->text) {{
{on_failure}    return head;
  }}
  n->text[0] = (char)key;
  n->next = head;
  return n;
}}
static void @release(struct @node *@n) {{
{release}}}
int @(int a, int b) {{
  struct @node *head = NULL;
  int n = {_count(pick)};
  for (int i = 0; i < n; i++) head = @push(head, i);
{early}  @release(head);
  return 0;
}}
"""


def hash_map(pick: random.Random) -> str:
    there = _choose(
        pick,
        "      free(e->value);\n      e->value = value;\n      return 0;\n",
        "      e->value = value;\n      return 0;\n",
        "      return 1;\n",
    )
    first = pick.choice(["0", "0", "0", "1"])
    walk = _choose(
        pick,
        "    while (e) {\n      struct @entry *next = e->next;\n      free(e->value);\n      free(e);\n"
        "      e = next;\n    }\n",
        "    if (e) {\n      free(e->value);\n      free(e);\n    }\n",
        "    while (e) {\n      struct @entry *next = e->next;\n      free(e);\n"
        "      e = next;\n    }\n",
    )
    key = pick.choice(["i", "i % 2", "a", "i * b"])
    return f"""\
struct @entry {{
  struct @entry *next;
  int key;
  char *value;
}};
struct @map {{
  struct @entry *bucket[2];
}};
static int @put(struct @map *m, int key, char *value) {{
  struct @entry **at = &m->bucket[(unsigned)key % 2];
  for (struct @entry *e = *at; e; e = e->next)
    if (e->key == key) {{
{there}    }}
  struct @entry *e =
      malloc(sizeof *e);
  if (!e) {{
    free(value);
    return -1;
  }}
  e->key = key;
  e->value = value;
  e->next = *at;
  *at = e;
  return 0;
}}
static void @clear(struct @map *m) {{
  for (int i = {first}; i < 2; i++) {{
    struct @entry *e = m->bucket[i];
{walk}    m->bucket[i] = NULL;
  }}
}}
int @(int a, int b) {{
  struct @map m = {{{{NULL, NULL}}}};
  int n = {_count(pick)};
  for (int i = 0; i < n; i++) {{
    char *value =
        malloc(3);
    if (!value) break;
    @put(&m, {key}, value);
  }}
  @clear(&m);
  return 0;
}}
"""


def tree(pick: random.Random) -> str:
    there = _choose(pick, "    free(text);\n    return t;\n", "    return t;\n")
    down = _choose(
        pick,
        "  @drop(t->left);\n  @drop(t->right);\n  free(t->text);\n  free(t);\n",
        "  @drop(t->left);\n  free(t->text);\n  free(t);\n",
        "  @drop(t->right);\n  free(t->text);\n  free(t);\n",
        "  @drop(t->left);\n  @drop(t->right);\n  free(t);\n",
    )
    key = pick.choice(["i", "-i", "i % 2", "a - i", "b"])
    return f"""\
struct @tree {{
  struct @tree *left, *right;
  int key;
  char *text;
}};
static struct @tree *@insert(struct @tree *t, int key, char *text) {{
  if (!t) {{
    t =
        malloc(sizeof *t);
    if (!t) {{
      free(text);
      return NULL;
    }}
    t->left = t->right = NULL;
    t->key = key;
    t->text = text;
    return t;
  }}
  if (key == t->key) {{
{there}  }}
  if (key < t->key) t->left = @insert(t->left, key, text);
  else t->right = @insert(t->right, key, text);
  return t;
}}
static void @drop(struct @tree *t) {{
  if (!t) return;
{down}}}
int @(int a, int b) {{
  struct @tree *t = NULL;
  int n = {_count(pick)};
  for (int i = 0; i < n; i++) {{
    char *text =
        malloc(2);
    if (!text) break;
    t = @insert(t, {key}, text);
  }}
  @drop(t);
  return 0;
}}
"""


def growing_array(pick: random.Random) -> str:
    grow = _choose(
        pick,
        "    char **more =\n        realloc(v->at, room * sizeof *more);\n"
        "    if (!more) {\n      free(item);\n      return -1;\n    }\n    v->at = more;\n",
        "    char **more =\n        realloc(v->at, room * sizeof *more);\n"
        "    if (!more) return -1;\n    v->at = more;\n",
        "    char **more =\n        malloc(room * sizeof *more);\n"
        "    if (!more) {\n      free(item);\n      return -1;\n    }\n"
        "    if (v->count) memcpy(more, v->at, v->count * sizeof *more);\n    v->at = more;\n",
    )
    release = _choose(
        pick,
        "  for (int i = 0; i < v.count; i++) free(v.at[i]);\n  free(v.at);\n",
        "  for (int i = 1; i < v.count; i++) free(v.at[i]);\n  free(v.at);\n",
        "  for (int i = 0; i < v.count - 1; i++) free(v.at[i]);\n  free(v.at);\n",
        "  for (int i = 0; i < v.count; i++) free(v.at[i]);\n",
        "  free(v.at);\n",
    )
    pop = pick.choice(["", "", "  if (v.count > 0 && b > 2) v.count--;\n"])
    return f"""\
struct @vector {{
  char **at;
  int count, room;
}};
static int @add(struct @vector *v, char *item) {{
  if (v->count == v->room) {{
    int room = v->room ? 2 * v->room : 1;
{grow}    v->room = room;
  }}
  v->at[v->count++] = item;
  return 0;
}}
int @(int a, int b) {{
  struct @vector v = {{NULL, 0, 0}};
  int n = {_count(pick)};
  for (int i = 0; i < n; i++) {{
    char *item =
        malloc(5);
    if (!item) break;
    if (@add(&v, item) != 0) break;
  }}
{pop}{release}  return 0;
}}
"""


def counted(pick: random.Random) -> str:
    last = _choose(pick, "    free(o->name);\n    free(o);\n", "    free(o);\n")
    use = _choose(
        pick,
        "  struct @object *other = @ref(o);\n  if (b == 2) {\n    @unref(other);\n    @unref(o);\n"
        "    return 1;\n  }\n  @unref(other);\n  @unref(o);\n",
        "  struct @object *other = @ref(o);\n  if (b == 2) {\n    @unref(other);\n    return 1;\n  }\n"
        "  @unref(other);\n  @unref(o);\n",
        "  @ref(o);\n  if (a > 0) @unref(o);\n  @unref(o);\n",
        "  if (b > 1) @ref(o);\n  @unref(o);\n",
    )
    return f"""\
struct @object {{
  int count;
  char *name;
}};
static struct @object *@ref(struct @object *o) {{
  o->count++;
  return o;
}}
static void @unref(struct @object *o) {{
  if (--o->count == 0) {{
{last}  }}
}}
static struct @object *@make(void) {{
  struct @object *o =
      malloc(sizeof *o);
  if (!o) return NULL;
  o->count = 1;
  o->name =
      malloc(6);
  if (!o->name) {{
    free(o);
    return NULL;
  }}
  return o;
}}
int @(int a, int b) {{
  struct @object *o = @make();
  if (!o) return -1;
{use}  return 0;
}}
"""


def failing(pick: random.Random) -> str:
    second = _choose(pick, "    free(p->in);\n    free(p);\n", "    free(p);\n", "")
    late = _choose(
        pick, "  free(p->out);\n  free(p->in);\n  free(p);\n", "  free(p->in);\n  free(p);\n"
    )
    check = _choose(pick, "    @close(p);\n    return -2;\n", "    return -2;\n")
    return f"""\
struct @pipe {{
  char *in, *out;
}};
static struct @pipe *@open(int size) {{
  struct @pipe *p =
      malloc(sizeof *p);
  if (!p) return NULL;
  p->in =
      malloc(size);
  if (!p->in) {{
    free(p);
    return NULL;
  }}
  p->out =
      malloc(size);
  if (!p->out) {{
{second}    return NULL;
  }}
  return p;
}}
static void @close(struct @pipe *p) {{
{late}}}
int @(int a, int b) {{
  struct @pipe *p = @open(8);
  if (!p) return -1;
  if (a < b) {{
{check}  }}
  @close(p);
  return 0;
}}
"""


KINDS: tuple[Callable[[random.Random], str], ...] = (
    linked_list,
    hash_map,
    tree,
    growing_array,
    counted,
    failing,
)


def queue(pick: random.Random) -> str:
    """A list with a tail, elements that are taken out of it, and some that are put back."""
    take = _choose(
        pick,
        "  q->head = j->next;\n  if (!q->head) q->tail = NULL;\n  return j;\n",
        "  q->head = j->next;\n  if (!q->head) q->tail = NULL;\n  j->next = NULL;\n  return j;\n",
    )
    work = _choose(
        pick,
        "    free(j->name);\n    free(j);\n",
        "    if (j->number != b) free(j->name);\n    free(j);\n",
        "    if (j->number == 2) continue;\n    free(j->name);\n    free(j);\n",
        "    free(j->name);\n    if (!q.head) break;\n    free(j);\n",
    )
    late = _choose(pick, "", "", "  if (a == 3) return 1;\n")
    return f"""\
struct @job {{
  struct @job *next;
  int number;
  char *name;
}};
struct @queue {{
  struct @job *head, *tail;
}};
static int @put(struct @queue *q, int number) {{
  struct @job *j =
      malloc(sizeof *j);
  if (!j) return -1;
  j->name =
      malloc(4);
  if (!j->name) {{
    free(j);
    return -1;
  }}
  j->next = NULL;
  j->number = number;
  if (q->tail) q->tail->next = j;
  else q->head = j;
  q->tail = j;
  return 0;
}}
static struct @job *@take(struct @queue *q) {{
  struct @job *j = q->head;
  if (!j) return NULL;
{take}}}
int @(int a, int b) {{
  struct @queue q = {{NULL, NULL}};
  int n = {_count(pick)};
  for (int i = 0; i < n; i++)
    if (@put(&q, i) != 0) break;
{late}  for (struct @job *j; (j = @take(&q)) != NULL;) {{
{work}  }}
  return 0;
}}
"""


def trie(pick: random.Random) -> str:
    """Nodes with an array of children, made on the way down."""
    down = _choose(
        pick,
        "  for (int i = 0; i < 3; i++) @drop(t->child[i]);\n  free(t->value);\n  free(t);\n",
        "  for (int i = 0; i < 2; i++) @drop(t->child[i]);\n  free(t->value);\n  free(t);\n",
        "  for (int i = 1; i < 3; i++) @drop(t->child[i]);\n  free(t->value);\n  free(t);\n",
        "  for (int i = 0; i < 3; i++) @drop(t->child[i]);\n  free(t);\n",
    )
    there = _choose(pick, "  free(t->value);\n", "")
    digits = pick.choice(["2", "1", "3"])
    key = pick.choice(["i", "a + i", "i * 3", "b"])
    return f"""\
struct @trie {{
  struct @trie *child[3];
  char *value;
}};
static int @add(struct @trie *t, unsigned key) {{
  for (int d = 0; d < {digits}; d++) {{
    struct @trie **next = &t->child[key % 3];
    if (!*next) *next =
        calloc(1, sizeof **next);
    if (!*next) return -1;
    t = *next;
    key /= 3;
  }}
{there}  t->value =
      malloc(3);
  return 0;
}}
static void @drop(struct @trie *t) {{
  if (!t) return;
{down}}}
int @(int a, int b) {{
  struct @trie *t =
      calloc(1, sizeof *t);
  if (!t) return -1;
  int n = {_count(pick)};
  for (int i = 0; i < n; i++)
    if (@add(t, (unsigned)({key})) != 0) break;
  @drop(t);
  return 0;
}}
"""


def doubly_linked(pick: random.Random) -> str:
    """A ring around a head, from which elements are removed by a test."""
    unlink = "  e->prev->next = e->next;\n  e->next->prev = e->prev;\n"
    remove = _choose(
        pick,
        unlink + "  free(e->text);\n  free(e);\n",
        unlink + "  free(e);\n",
        unlink + "  if (e->key) free(e->text);\n  free(e);\n",
    )
    which = pick.choice(["e->key == b", "e->key % 2", "e->key > 0"])
    rest = _choose(
        pick,
        "  while (head.next != &head) @remove(head.next);\n",
        "  if (head.next != &head) @remove(head.next);\n",
        "  while (head.next != head.prev) @remove(head.next);\n",
        "",
    )
    return f"""\
struct @elem {{
  struct @elem *next, *prev;
  int key;
  char *text;
}};
static void @remove(struct @elem *e) {{
{remove}}}
static int @append(struct @elem *head, int key) {{
  struct @elem *e =
      malloc(sizeof *e);
  if (!e) return -1;
  e->text =
      malloc(2);
  if (!e->text) {{
    free(e);
    return -1;
  }}
  e->key = key;
  e->next = head;
  e->prev = head->prev;
  head->prev->next = e;
  head->prev = e;
  return 0;
}}
int @(int a, int b) {{
  struct @elem head = {{&head, &head, 0, NULL}};
  int n = {_count(pick)};
  for (int i = 0; i < n; i++)
    if (@append(&head, i) != 0) break;
  for (struct @elem *e = head.next, *next; e != &head; e = next) {{
    next = e->next;
    if ({which}) @remove(e);
  }}
{rest}  return 0;
}}
"""


def table_of_rows(pick: random.Random) -> str:
    """An array of arrays, and an error on the way."""
    undo = _choose(
        pick,
        "      while (i > 0) free(row[--i]);\n      free(row);\n",
        "      free(row);\n",
        "      while (i > 1) free(row[--i]);\n      free(row);\n",
    )
    release = _choose(
        pick,
        "  for (int i = 0; i < n; i++) free(row[i]);\n  free(row);\n",
        "  for (int i = 0; i < n; i++) free(row[i]);\n",
        "  for (int i = 0; i + 1 < n; i++) free(row[i]);\n  free(row);\n",
        "  free(row[0]);\n  free(row);\n",
    )
    swap = pick.choice(
        ["", "  if (n > 1) {\n    char *t = row[0];\n    row[0] = row[1];\n    row[1] = t;\n  }\n"]
    )
    return f"""\
static char **@make(int n) {{
  char **row =
      malloc((n + 1) * sizeof *row);
  if (!row) return NULL;
  for (int i = 0; i < n; i++) {{
    row[i] =
        malloc(7);
    if (!row[i]) {{
{undo}      return NULL;
    }}
  }}
  return row;
}}
int @(int a, int b) {{
  int n = {_count(pick)};
  if (n < 1) return 0;
  char **row = @make(n);
  if (!row) return -1;
{swap}{release}  return 0;
}}
"""


# Written after the mechanisms that the others need were there: the figure on these is a first look.
FURTHER: tuple[Callable[[random.Random], str], ...] = (queue, trie, doubly_linked, table_of_rows)


def ring_buffer(pick: random.Random) -> str:
    """A few slots that are used again and again: the oldest element makes room, or the new one is
    refused."""
    full = _choose(
        pick,
        "    free(r->slot[r->first]);\n    r->first = (r->first + 1) % 3;\n    r->count--;\n",
        "    r->first = (r->first + 1) % 3;\n    r->count--;\n",
        "    return -1;\n",
    )
    drain = _choose(
        pick,
        "  while (r.count > 0) free(@take(&r));\n",
        "  for (int i = r.first; i < 3 && r.count > 0; i++) free(@take(&r));\n",
        "  while (r.count > 1) free(@take(&r));\n",
        "  free(@take(&r));\n",
    )
    between = pick.choice(
        ["", "    if (i == b) free(@take(&r));\n", "    if (i % 2) free(@take(&r));\n"]
    )
    return f"""\
struct @ring {{
  char *slot[3];
  int first, count;
}};
static int @put(struct @ring *r, char *item) {{
  if (r->count == 3) {{
{full}  }}
  r->slot[(r->first + r->count++) % 3] = item;
  return 0;
}}
static char *@take(struct @ring *r) {{
  if (r->count == 0) return NULL;
  char *item = r->slot[r->first];
  r->first = (r->first + 1) % 3;
  r->count--;
  return item;
}}
int @(int a, int b) {{
  struct @ring r = {{{{NULL, NULL, NULL}}, 0, 0}};
  int n = {_count(pick)};
  for (int i = 0; i < n; i++) {{
    char *item =
        malloc(3);
    if (!item) break;
    @put(&r, item);
{between}  }}
{drain}  return 0;
}}
"""


def bounded_cache(pick: random.Random) -> str:
    """A list with the latest in front: what is asked for moves there, the last one is evicted."""
    evict = _choose(
        pick,
        "    free((*at)->value);\n    free(*at);\n    *at = NULL;\n    c->count--;\n",
        "    free(*at);\n    *at = NULL;\n    c->count--;\n",
        "    *at = NULL;\n    c->count--;\n",
    )
    hit = _choose(
        pick,
        "      *at = e->next;\n      e->next = c->first;\n"
        "      c->first = e;\n      return e->value;\n",
        "      *at = e->next;\n      e->value =\n          malloc(2);\n      e->next = c->first;\n"
        "      c->first = e;\n      return e->value;\n",
        "      return e->value;\n",
    )
    clear = _choose(
        pick,
        "  for (struct @item *e = c.first, *next; e; e = next) {\n    next = e->next;\n"
        "    free(e->value);\n    free(e);\n  }\n",
        "  for (struct @item *e = c.first, *next; e; e = next) {\n    next = e->next;\n"
        "    if (e->key > 0) free(e->value);\n    free(e);\n  }\n",
        "  if (c.first) {\n    free(c.first->value);\n    free(c.first);\n  }\n",
    )
    key = pick.choice(["i", "i % 2", "a", "i / 2"])
    return f"""\
struct @item {{
  struct @item *next;
  int key;
  char *value;
}};
struct @cache {{
  struct @item *first;
  int count;
}};
static char *@get(struct @cache *c, int key) {{
  struct @item **at = &c->first;
  for (; *at; at = &(*at)->next) {{
    struct @item *e = *at;
    if (e->key == key) {{
{hit}    }}
  }}
  struct @item *e =
      malloc(sizeof *e);
  if (!e) return NULL;
  e->value =
      malloc(4);
  if (!e->value) {{
    free(e);
    return NULL;
  }}
  e->key = key;
  if (c->count == 2) {{
    at = &c->first;
    while ((*at)->next) at = &(*at)->next;
{evict}  }}
  e->next = c->first;
  c->first = e;
  c->count++;
  return e->value;
}}
int @(int a, int b) {{
  struct @cache c = {{NULL, 0}};
  int n = {_count(pick)};
  for (int i = 0; i < n; i++)
    if (!@get(&c, {key})) break;
{clear}  return 0;
}}
"""


def graph(pick: random.Random) -> str:
    """Vertices in an array, each with a list of edges; one vertex is taken out again."""
    edges = (
        "  while (v->edges) {\n    struct @edge *e = v->edges;\n    v->edges = e->next;\n"
        "    free(e);\n  }\n"
    )
    release = _choose(
        pick,
        edges + "  free(v->name);\n  free(v);\n",
        "  free(v->name);\n  free(v);\n",
        "  if (v->edges) {\n    struct @edge *e = v->edges;\n    v->edges = e->next;\n"
        "    free(e);\n  }\n  free(v->name);\n  free(v);\n",
        edges + "  free(v);\n",
    )
    out = _choose(
        pick,
        "    @release(g->vertex[at]);\n    g->vertex[at] = g->vertex[--g->count];\n",
        "    g->vertex[at] = g->vertex[--g->count];\n",
        "    @release(g->vertex[at]);\n    g->vertex[at] = NULL;\n    g->count = at;\n",
    )
    undo = _choose(pick, "    free(v);\n", "")
    last = pick.choice(["g.count", "g.count", "g.count", "g.count - 1"])
    return f"""\
struct @edge {{
  struct @edge *next;
  int to;
}};
struct @vertex {{
  struct @edge *edges;
  char *name;
}};
struct @graph {{
  struct @vertex *vertex[4];
  int count;
}};
static void @release(struct @vertex *v) {{
{release}}}
static int @vertex_new(struct @graph *g) {{
  struct @vertex *v =
      malloc(sizeof *v);
  if (!v) return -1;
  v->edges = NULL;
  v->name =
      malloc(5);
  if (!v->name) {{
{undo}    return -1;
  }}
  g->vertex[g->count++] = v;
  return 0;
}}
static int @connect(struct @graph *g, int from, int to) {{
  if (from < 0 || from >= g->count) return 0;
  struct @edge *e =
      malloc(sizeof *e);
  if (!e) return -1;
  e->to = to;
  e->next = g->vertex[from]->edges;
  g->vertex[from]->edges = e;
  return 0;
}}
static void @take_out(struct @graph *g, int at) {{
  if (at >= 0 && at < g->count) {{
{out}  }}
}}
int @(int a, int b) {{
  struct @graph g = {{{{NULL, NULL, NULL, NULL}}, 0}};
  int n = {_count(pick)};
  for (int i = 0; i < n && i < 4; i++) {{
    if (@vertex_new(&g) != 0) break;
    if (@connect(&g, i, i - 1) != 0) break;
    if (i == a && @connect(&g, 0, i) != 0) break;
  }}
  @take_out(&g, b);
  for (int i = 0; i < {last}; i++) @release(g.vertex[i]);
  return 0;
}}
"""


# Written after what the four above had shown was mended, before anything was run on them.
THIRD: tuple[Callable[[random.Random], str], ...] = (ring_buffer, bounded_cache, graph)
