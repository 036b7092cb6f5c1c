"""Kinds of programs with containers for one more first look, written before anything was run; see
containers.py."""

from __future__ import annotations

import random
from collections.abc import Callable

from tests.leaks.containers import _choose, _count


def search_tree(pick: random.Random) -> str:
    """A tree from which keys are taken out: what has two children takes its successor's place."""
    one_child = _choose(
        pick,
        "    struct @leaf *rest = t->low ? t->low : t->high;\n    free(t->label);\n    free(t);\n"
        "    *at = rest;\n",
        "    struct @leaf *rest = t->low ? t->low : t->high;\n    free(t);\n    *at = rest;\n",
        "    struct @leaf *rest = t->low;\n    free(t->label);\n    free(t);\n    *at = rest;\n",
        "    free(t->label);\n    free(t);\n    *at = NULL;\n",
    )
    two = _choose(
        pick,
        "    free(t->label);\n    t->key = s->key;\n    t->label = s->label;\n"
        "    *from = s->high;\n    free(s);\n",
        "    t->key = s->key;\n    t->label = s->label;\n    *from = s->high;\n    free(s);\n",
        "    free(t->label);\n    t->key = s->key;\n    t->label = s->label;\n"
        "    *from = s->high;\n",
        "    free(t->label);\n    t->key = s->key;\n    t->label = s->label;\n"
        "    *from = NULL;\n    free(s);\n",
    )
    key = pick.choice(["(i * 2 + 1) % 4", "i", "b ^ i", "3 - i"])
    return f"""\
struct @leaf {{
  struct @leaf *low, *high;
  int key;
  char *label;
}};
static int @add(struct @leaf **at, int key) {{
  while (*at && (*at)->key != key) at = key < (*at)->key ? &(*at)->low : &(*at)->high;
  if (*at) return 0;
  struct @leaf *t =
      calloc(1, sizeof *t);
  if (!t) return -1;
  t->label =
      malloc(3);
  if (!t->label) {{
    free(t);
    return -1;
  }}
  t->key = key;
  *at = t;
  return 1;
}}
static void @take_out(struct @leaf **at, int key) {{
  while (*at && (*at)->key != key) at = key < (*at)->key ? &(*at)->low : &(*at)->high;
  struct @leaf *t = *at;
  if (!t) return;
  if (t->low && t->high) {{
    struct @leaf **from = &t->high;
    while ((*from)->low) from = &(*from)->low;
    struct @leaf *s = *from;
{two}  }} else {{
{one_child}  }}
}}
int @(int a, int b) {{
  struct @leaf *root = NULL;
  int n = {_count(pick)};
  for (int i = 0; i < n && i < 6; i++)
    if (@add(&root, {key}) < 0) break;
  @take_out(&root, a);
  while (root) @take_out(&root, root->key);
  return 0;
}}
"""


def text_vector(pick: random.Random) -> str:
    """Words of a text in an array that ends with NULL, as execv takes it."""
    grow = _choose(
        pick,
        "    for (int i = 0; i < n; i++) free(v[i]);\n    free(v);\n    return NULL;\n",
        "    for (int i = 0; i < n; i++) free(v[i]);\n    return NULL;\n",
        "    free(v);\n    return NULL;\n",
        "    return NULL;\n",
    )
    word = _choose(
        pick,
        "      @release(v);\n      return NULL;\n",
        "      free(v);\n      return NULL;\n",
        "      v[n + 1] = NULL;\n      break;\n",
    )
    walk = _choose(
        pick,
        "  if (!v) return;\n  for (char **p = v; *p; p++) free(*p);\n  free(v);\n",
        "  if (!v) return;\n  for (char **p = v + 1; *p; p++) free(*p);\n  free(v);\n",
        "  if (!v || !*v) return;\n  for (char **p = v; *p; p++) free(*p);\n  free(v);\n",
        "  if (!v) return;\n  for (char **p = v; *p; p++) free(*p);\n",
        "  if (!v) return;\n  for (char **p = v; *p && p[1]; p++) free(*p);\n  free(v);\n",
    )
    shift = _choose(
        pick,
        "    free(v[0]);\n    for (int i = 0; v[i]; i++) v[i] = v[i + 1];\n",
        "    for (int i = 0; v[i]; i++) v[i] = v[i + 1];\n",
        "    free(v[0]);\n    v[0] = NULL;\n",
    )
    texts = pick.choice(
        [
            '"one two", "x", ""',
            '"", "a b c", "a"',
            '"k v", "k", "k v w x"',
        ]
    )
    return f"""\
static void @release(char **v) {{
{walk}}}
static char **@words(const char *s) {{
  char **v =
      calloc(1, sizeof *v);
  int n = 0;
  if (!v) return NULL;
  while (*s) {{
    const char *end = s;
    while (*end && *end != ' ') end++;
    char **more =
        realloc(v, (n + 2) * sizeof *v);
    if (!more) {{
{grow}    }}
    v = more;
    v[n + 1] = NULL;
    v[n] =
        malloc(end - s + 1);
    if (!v[n]) {{
{word}    }}
    memcpy(v[n], s, end - s);
    v[n][end - s] = 0;
    n++;
    s = *end ? end + 1 : end;
  }}
  return v;
}}
int @(int a, int b) {{
  static const char *const texts[] = {{{texts}}};
  char **v = @words(texts[a >= 0 && a < 3 ? a : 0]);
  if (!v) return -1;
  if (b == 1 && v[0]) {{
{shift}  }}
  @release(v);
  return 0;
}}
"""


def ordered_map(pick: random.Random) -> str:
    """Entries in buckets and, at the same time, in the order of their coming."""
    out_of_order = _choose(
        pick,
        "  struct @entry **in = &m->oldest;\n  while (*in != e) in = &(*in)->later;\n"
        "  *in = e->later;\n  free(e->value);\n  free(e);\n",
        "  struct @entry **in = &m->oldest;\n  while (*in != e) in = &(*in)->later;\n"
        "  *in = e->later;\n  free(e->value);\n",
        "  struct @entry **in = &m->oldest;\n  while (*in != e) in = &(*in)->later;\n"
        "  *in = NULL;\n  free(e->value);\n  free(e);\n",
        "  struct @entry **in = &m->oldest;\n  while (*in != e) in = &(*in)->later;\n"
        "  *in = e->later;\n  if (e->later) free(e->value);\n  free(e);\n",
    )
    clear = _choose(
        pick,
        "  while (m->oldest) {\n    struct @entry *e = m->oldest;\n    m->oldest = e->later;\n"
        "    free(e->value);\n    free(e);\n  }\n",
        "  for (int i = 0; i < 3; i++) {\n    free(m->bucket[i] ? m->bucket[i]->value : NULL);\n"
        "    free(m->bucket[i]);\n  }\n",
        "  while (m->oldest != m->latest) {\n    struct @entry *e = m->oldest;\n"
        "    m->oldest = e->later;\n    free(e->value);\n    free(e);\n  }\n",
        "  while (m->oldest) {\n    struct @entry *e = m->oldest;\n    m->oldest = e->later;\n"
        "    if (e->key) free(e->value);\n    free(e);\n  }\n",
    )
    there = _choose(
        pick,
        "      free(e->value);\n      e->value = value;\n      return 0;\n",
        "      e->value = value;\n      return 0;\n",
        "      return 0;\n",
    )
    failed = _choose(pick, "    free(value);\n    return -1;\n", "    return -1;\n")
    key = pick.choice(["i", "i * 3", "i % 2", "i / 2"])
    return f"""\
struct @entry {{
  struct @entry *same_bucket, *later;
  unsigned key;
  char *value;
}};
struct @map {{
  struct @entry *bucket[3], *oldest, *latest;
}};
static int @set(struct @map *m, unsigned key, char *value) {{
  for (struct @entry *e = m->bucket[key % 3]; e; e = e->same_bucket)
    if (e->key == key) {{
{there}    }}
  struct @entry *e =
      calloc(1, sizeof *e);
  if (!e) {{
{failed}  }}
  e->key = key;
  e->value = value;
  e->same_bucket = m->bucket[key % 3];
  m->bucket[key % 3] = e;
  if (m->latest) m->latest->later = e;
  else m->oldest = e;
  m->latest = e;
  return 1;
}}
static void @remove(struct @map *m, unsigned key) {{
  struct @entry **at = &m->bucket[key % 3];
  while (*at && (*at)->key != key) at = &(*at)->same_bucket;
  struct @entry *e = *at;
  if (!e || e == m->latest) return;
  *at = e->same_bucket;
{out_of_order}}}
static void @clear(struct @map *m) {{
{clear}}}
int @(int a, int b) {{
  struct @map m;
  memset(&m, 0, sizeof m);
  int n = {_count(pick)};
  for (int i = 0; i < n; i++) {{
    char *value =
        malloc(9);
    if (!value) break;
    if (@set(&m, {key}, value) < 0) break;
  }}
  if (b > 0) @remove(&m, a);
  @clear(&m);
  return 0;
}}
"""


def family(pick: random.Random) -> str:
    """A tree of first children and next siblings, whose parts change their parent."""
    drop = _choose(
        pick,
        "  while (p->child) {\n    struct @person *c = p->child;\n    p->child = c->sibling;\n"
        "    @drop(c);\n  }\n  free(p->name);\n  free(p);\n",
        "  if (p->child) @drop(p->child);\n  free(p->name);\n  free(p);\n",
        "  while (p->child) {\n    struct @person *c = p->child;\n    p->child = c->sibling;\n"
        "    @drop(c);\n  }\n  free(p);\n",
        "  for (struct @person *c = p->child, *next; c; c = next) {\n    next = c->sibling;\n"
        "    free(c->name);\n    free(c);\n  }\n  free(p->name);\n  free(p);\n",
    )
    leave = _choose(
        pick,
        "  struct @person **at = &p->parent->child;\n  while (*at != p) at = &(*at)->sibling;\n"
        "  *at = p->sibling;\n",
        "  if (p->parent->child == p) p->parent->child = p->sibling;\n"
        "  else p->parent->child->sibling = p->sibling;\n",
        "  p->parent->child = p->sibling;\n",
    )
    lost = _choose(
        pick,
        "        @drop(p);\n",
        "        free(p);\n",
        "        p->sibling = NULL;\n",
    )
    refused = _choose(
        pick, "    free(p->name);\n    free(p);\n    return NULL;\n", "    return NULL;\n"
    )
    end = _choose(pick, "  @drop(root);\n", "  if (root->child) @drop(root);\n")
    return f"""\
struct @person {{
  struct @person *parent, *child, *sibling;
  char *name;
}};
static void @drop(struct @person *p) {{
{drop}}}
static struct @person *@born(struct @person *parent, int wanted) {{
  struct @person *p =
      calloc(1, sizeof *p);
  if (!p) return NULL;
  p->name =
      malloc(6);
  if (!p->name || wanted < 0) {{
{refused}  }}
  p->parent = parent;
  if (parent) {{
    p->sibling = parent->child;
    parent->child = p;
  }}
  return p;
}}
static void @leave(struct @person *p) {{
{leave}  p->sibling = NULL;
  p->parent = NULL;
}}
int @(int a, int b) {{
  struct @person *root = @born(NULL, 1), *last;
  if (!root) return -1;
  last = root;
  int n = {_count(pick)};
  for (int i = 0; i < n && i < 5; i++) {{
    struct @person *p = @born(i % 2 ? last : root, b + 1);
    if (!p) break;
    if (i == a) {{
      @leave(p);
      if (b == 2) {{
{lost}      }} else {{
        p->parent = root;
        p->sibling = root->child;
        root->child = p;
        last = p;
      }}
    }} else {{
      last = p;
    }}
    if (i == a && b == 2) last = root;
  }}
{end}  return 0;
}}
"""


def four_corners(pick: random.Random) -> str:
    """Areas that are cut into four when a second point falls into them."""
    split = _choose(
        pick,
        "  struct @point *old = q->point;\n  q->point = NULL;\n"
        "  if (@put(&q->corner[@which(old)], old, depth + 1) != 0) free(old);\n",
        "  struct @point *old = q->point;\n  q->point = NULL;\n"
        "  @put(&q->corner[@which(old)], old, depth + 1);\n",
        "  q->point = NULL;\n",
        "  if (depth > 0) q->point = NULL;\n  else {\n    free(q->point);\n    q->point = NULL;\n"
        "  }\n",
    )
    deep = _choose(pick, "    free(p);\n    return 0;\n", "    return 0;\n", "    return -1;\n")
    drop = _choose(
        pick,
        "  for (int i = 0; i < 4; i++) @drop(q->corner[i]);\n  free(q->point);\n  free(q);\n",
        "  for (int i = 1; i < 4; i++) @drop(q->corner[i]);\n  free(q->point);\n  free(q);\n",
        "  for (int i = 0; i < 4; i++) @drop(q->corner[i]);\n  free(q);\n",
        "  if (q->point) {\n    free(q->point);\n    free(q);\n    return;\n  }\n"
        "  for (int i = 0; i < 4; i += 2) @drop(q->corner[i]);\n  free(q);\n",
    )
    refused = _choose(pick, "      free(p);\n      break;\n", "      break;\n")
    x = pick.choice(["i & 1", "i == a", "b & 1"])
    return f"""\
struct @point {{
  int x, y;
}};
struct @area {{
  struct @area *corner[4];
  struct @point *point;
  int cut;
}};
static int @which(struct @point *p) {{ return (p->x & 1) * 2 + (p->y & 1); }}
static int @put(struct @area **at, struct @point *p, int depth) {{
  if (!*at) {{
    *at =
        calloc(1, sizeof **at);
    if (!*at) return -1;
    (*at)->point = p;
    return 0;
  }}
  struct @area *q = *at;
  if (depth == 2) {{
{deep}  }}
  if (!q->cut) {{
    q->cut = 1;
{split}  }}
  return @put(&q->corner[@which(p)], p, depth + 1);
}}
static void @drop(struct @area *q) {{
  if (!q) return;
{drop}}}
int @(int a, int b) {{
  struct @area *all = NULL;
  int n = {_count(pick)};
  for (int i = 0; i < n; i++) {{
    struct @point *p =
        malloc(sizeof *p);
    if (!p) break;
    p->x = {x};
    p->y = i > 1;
    if (@put(&all, p, 0) != 0) {{
{refused}    }}
  }}
  @drop(all);
  return 0;
}}
"""


def fragments(pick: random.Random) -> str:
    """Pieces of a message, which are joined into one block for the caller at the end."""
    joined = _choose(
        pick,
        "    @forget(m);\n    *out = whole;\n    return length;\n",
        "    m->first = NULL;\n    m->end = &m->first;\n    *out = whole;\n    return length;\n",
        "    @forget(m);\n    if (length > 4) *out = whole;\n    return length;\n",
        "    if (length > 4) @forget(m);\n    *out = whole;\n    return length;\n",
    )
    short = _choose(pick, "", "  if (!m->first->next) m->first = NULL;\n")
    use = _choose(
        pick,
        "  if (@join(&m, &text) > 0) last = text[0];\n  free(text);\n",
        "  if (@join(&m, &text) > 0) {\n    last = text[0];\n    free(text);\n  }\n",
        "  if (@join(&m, &text) > 4) {\n    last = text[0];\n    free(text);\n  }\n",
        "  if (@join(&m, &text) > 0) last = text[0];\n  if (last == 'b') free(text);\n",
    )
    piece = _choose(
        pick,
        "    free(f);\n    return -1;\n",
        "    return -1;\n",
    )
    stopped = _choose(
        pick,
        "    if (b == i && a > 2) {\n      @forget(&m);\n      return 1;\n    }\n",
        "    if (b == i && a > 2) {\n      free(m.first);\n      return 1;\n    }\n",
        "    if (b == i && a > 2) return 1;\n",
    )
    end = _choose(pick, "  @forget(&m);\n", "")
    return f"""\
struct @fragment {{
  struct @fragment *next;
  int length;
  char *bytes;
}};
struct @message {{
  struct @fragment *first, **end;
}};
static void @forget(struct @message *m) {{
  struct @fragment *f = m->first;
  while (f) {{
    struct @fragment *next = f->next;
    free(f->bytes);
    free(f);
    f = next;
  }}
  m->first = NULL;
  m->end = &m->first;
}}
static int @write(struct @message *m, int letter, int length) {{
  struct @fragment *f =
      malloc(sizeof *f);
  if (!f) return -1;
  f->bytes =
      malloc(length);
  if (!f->bytes) {{
{piece}  }}
  memset(f->bytes, letter, length);
  f->length = length;
  f->next = NULL;
  *m->end = f;
  m->end = &f->next;
  return 0;
}}
static int @join(struct @message *m, char **out) {{
  int length = 0;
  if (!m->first) return 0;
{short}  for (struct @fragment *f = m->first; f; f = f->next) length += f->length;
  char *whole =
      calloc(1, length + 1), *to = whole;
  if (whole) {{
    for (struct @fragment *f = m->first; f; f = f->next) {{
      memcpy(to, f->bytes, f->length);
      to += f->length;
    }}
{joined}  }}
  return -1;
}}
int @(int a, int b) {{
  struct @message m = {{NULL, &m.first}};
  char *text = NULL;
  int last = 0, n = {_count(pick)};
  for (int i = 0; i < n; i++) {{
    if (@write(&m, i == b ? 'b' : 'a', 2 + i % 2) != 0) break;
{stopped}  }}
{use}{end}  return last;
}}
"""


def handles(pick: random.Random) -> str:
    """Objects behind numbers: a number says the slot and how often the slot was used."""
    close = _choose(
        pick,
        "  free(t->slot[n].session->peer);\n  free(t->slot[n].session);\n"
        "  t->slot[n].session = NULL;\n  t->slot[n].turn++;\n",
        "  free(t->slot[n].session);\n  t->slot[n].session = NULL;\n  t->slot[n].turn++;\n",
        "  t->slot[n].session = NULL;\n  t->slot[n].turn++;\n",
        "  free(t->slot[n].session->peer);\n  t->slot[n].session->peer = NULL;\n"
        "  if (t->slot[n].turn++ > 0) return;\n  free(t->slot[n].session);\n"
        "  t->slot[n].session = NULL;\n",
    )
    full = _choose(
        pick,
        "  @discard(s);\n  return -1;\n",
        "  return -1;\n",
        "  free(s);\n  return -1;\n",
    )
    stale = _choose(
        pick,
        "  if (t->slot[n].turn != handle / 4) return;\n",
        "  if (t->slot[n].turn != handle / 4 || n == 2) return;\n",
    )
    every = _choose(
        pick,
        "  for (int i = 0; i < 3; i++)\n"
        "    if (t.slot[i].session) @close(&t, t.slot[i].turn * 4 + i);\n",
        "  for (int i = 0; i < 3; i++) @close(&t, i);\n",
        "  for (int i = 0; i < 2; i++)\n"
        "    if (t.slot[i].session) @close(&t, t.slot[i].turn * 4 + i);\n",
        "  for (int i = 0; i < 3; i++) {\n    if (!t.slot[i].session) break;\n"
        "    @close(&t, t.slot[i].turn * 4 + i);\n  }\n",
    )
    again = pick.choice(["i == b", "i == 1", "b > 2"])
    return f"""\
struct @session {{
  char *peer;
  int seen;
}};
struct @table {{
  struct {{
    struct @session *session;
    int turn;
  }} slot[3];
}};
static void @discard(struct @session *s) {{
  if (s) free(s->peer);
  free(s);
}}
static int @open(struct @table *t, int peer) {{
  struct @session *s =
      malloc(sizeof *s);
  if (!s) return -1;
  s->seen = peer;
  s->peer =
      malloc(12);
  if (!s->peer) {{
    @discard(s);
    return -1;
  }}
  for (int i = 0; i < 3; i++)
    if (!t->slot[i].session) {{
      t->slot[i].session = s;
      return t->slot[i].turn * 4 + i;
    }}
{full}}}
static void @close(struct @table *t, int handle) {{
  int n = handle % 4;
  if (handle < 0 || n > 2 || !t->slot[n].session) return;
{stale}{close}}}
int @(int a, int b) {{
  struct @table t;
  memset(&t, 0, sizeof t);
  int n = {_count(pick)};
  for (int i = 0; i < n; i++) {{
    int handle = @open(&t, i);
    if (handle < 0) break;
    if ({again}) @close(&t, handle);
    if (i == a) @close(&t, 0);
  }}
{every}  return 0;
}}
"""


def two_sides(pick: random.Random) -> str:
    """Events are collected on one side while the other side is worked off; then they change."""
    work = _choose(
        pick,
        "    struct @event *e = side->first;\n    side->first = e->next;\n    free(e->data);\n"
        "    free(e);\n",
        "    struct @event *e = side->first;\n    side->first = e->next;\n"
        "    if (e->kind != 2) free(e->data);\n    free(e);\n",
        "    struct @event *e = side->first;\n    side->first = e->next;\n    free(e);\n",
        "    struct @event *e = side->first;\n    free(e->data);\n"
        "    if (e->kind == 3) {\n      side->first = NULL;\n      break;\n    }\n"
        "    side->first = e->next;\n    free(e);\n",
    )
    change = _choose(
        pick,
        "    @work_off(&side[1 - now]);\n    now = 1 - now;\n",
        "    now = 1 - now;\n    side[now].first = NULL;\n    side[now].count = 0;\n",
        "    if (side[1 - now].count > 1) @work_off(&side[1 - now]);\n"
        "    else side[1 - now].first = NULL;\n    now = 1 - now;\n",
    )
    end = _choose(
        pick,
        "  @work_off(&side[0]);\n  @work_off(&side[1]);\n",
        "  @work_off(&side[now]);\n",
        "  @work_off(&side[0]);\n",
        "  if (side[0].count + side[1].count > 2) {\n    @work_off(&side[0]);\n"
        "    @work_off(&side[1]);\n  }\n",
    )
    turn = pick.choice(["i % 2 == 1", "i == b", "side[now].count == 2"])
    refused = _choose(pick, "    free(e);\n    return -1;\n", "    return -1;\n")
    return f"""\
struct @event {{
  struct @event *next;
  int kind;
  void *data;
}};
struct @side {{
  struct @event *first;
  int count;
}};
static int @post(struct @side *side, int kind) {{
  struct @event *e =
      malloc(sizeof *e);
  if (!e) return -1;
  e->data =
      calloc(2, 8);
  if (!e->data) {{
{refused}  }}
  e->kind = kind;
  e->next = side->first;
  side->first = e;
  side->count++;
  return 0;
}}
static void @work_off(struct @side *side) {{
  while (side->first) {{
{work}  }}
  side->count = 0;
}}
int @(int a, int b) {{
  struct @side side[2] = {{{{NULL, 0}}, {{NULL, 0}}}};
  int now = a == 4, n = {_count(pick)};
  for (int i = 0; i < n; i++) {{
    if (@post(&side[now], i) != 0) break;
    if ({turn}) {{
{change}    }}
  }}
{end}  return 0;
}}
"""


def pages_that_split(pick: random.Random) -> str:
    """Sorted pages of two records each, in a list; a full page gives half of it to a new one."""
    split = _choose(
        pick,
        "      fresh->record[0] = p->record[1];\n      fresh->used = 1;\n      p->used = 1;\n"
        "      fresh->next = p->next;\n      p->next = fresh;\n",
        "      fresh->record[0] = p->record[1];\n      fresh->used = 1;\n      p->used = 1;\n"
        "      fresh->next = NULL;\n      p->next = fresh;\n",
        "      fresh->used = 0;\n      p->used = 1;\n      fresh->next = p->next;\n"
        "      p->next = fresh;\n",
    )
    failed = _choose(pick, "        free(r);\n        return -1;\n", "        return -1;\n")
    equal = _choose(
        pick,
        "        free(p->record[i]);\n        p->record[i] = r;\n        return 0;\n",
        "        p->record[i] = r;\n        return 0;\n",
        "        return 0;\n",
    )
    drop = _choose(
        pick,
        "    for (int i = 0; i < p->used; i++) free(p->record[i]);\n    free(p);\n",
        "    free(p->record[0]);\n    free(p);\n",
        "    for (int i = 0; i < p->used; i++) free(p->record[i]);\n    if (p->used > 1) free(p);\n",
        "    for (int i = p->used - 1; i > 0; i--) free(p->record[i]);\n    free(p);\n",
        "    free(p);\n",
    )
    key = pick.choice(["i", "5 - i", "i % 3", "b"])
    return f"""\
struct @record {{
  int key;
  char data[12];
}};
struct @page {{
  struct @page *next;
  int used;
  struct @record *record[2];
}};
static int @insert(struct @page *p, struct @record *r) {{
  for (;;) {{
    for (int i = 0; i < p->used; i++)
      if (p->record[i]->key == r->key) {{
{equal}      }}
    if (p->next && p->next->used && p->next->record[0]->key <= r->key) {{
      p = p->next;
      continue;
    }}
    if (p->used == 2) {{
      struct @page *fresh =
          malloc(sizeof *fresh);
      if (!fresh) {{
{failed}      }}
{split}      continue;
    }}
    p->record[p->used++] = r;
    if (p->used == 2 && p->record[0]->key > r->key) {{
      p->record[1] = p->record[0];
      p->record[0] = r;
    }}
    return 1;
  }}
}}
int @(int a, int b) {{
  struct @page *first =
      calloc(1, sizeof *first);
  if (!first) return -1;
  int n = {_count(pick)};
  for (int i = 0; i < n; i++) {{
    struct @record *r =
        malloc(sizeof *r);
    if (!r) break;
    r->key = {key};
    if (@insert(first, r) < 0) break;
  }}
  for (struct @page *p = first, *next; p; p = next) {{
    next = p->next;
{drop}  }}
  return 0;
}}
"""


def cursors(pick: random.Random) -> str:
    """A walk over a list that makes a copy of what it stands on."""
    step = _choose(
        pick,
        "  free(c->copy);\n  c->copy = NULL;\n  if (!c->at) return 0;\n",
        "  c->copy = NULL;\n  if (!c->at) return 0;\n",
        "  if (!c->at) return 0;\n  free(c->copy);\n  c->copy = NULL;\n",
    )
    finish = _choose(pick, "  free(c->copy);\n  free(c);\n", "  free(c);\n", "  free(c->copy);\n")
    stop = _choose(
        pick,
        "    if (c->copy[0] == 'a' + b) break;\n",
        "    if (c->copy[0] == 'a' + b) {\n      free(c);\n      c = NULL;\n      break;\n    }\n",
        "    if (c->copy[0] == 'a' + b) {\n      free(c->copy);\n      c = NULL;\n      break;\n"
        "    }\n",
    )
    failed = _choose(pick, "    free(c);\n    return NULL;\n", "    return NULL;\n")
    release = _choose(
        pick,
        "  while (all) {\n    struct @word *next = all->next;\n    free(all);\n    all = next;\n  }\n",
        "  while (all && all->text[0] != 'a') {\n    struct @word *next = all->next;\n"
        "    free(all);\n    all = next;\n  }\n",
        "  if (all && a < 3) {\n    struct @word *next = all->next;\n    free(all);\n"
        "    all = next;\n  }\n  while (all) {\n    struct @word *next = all->next;\n"
        "    free(all);\n    all = next ? next->next : NULL;\n  }\n",
    )
    return f"""\
struct @word {{
  struct @word *next;
  char text[4];
}};
struct @cursor {{
  struct @word *at;
  char *copy, *mark;
}};
static struct @cursor *@start(struct @word *all, int marked) {{
  struct @cursor *c =
      calloc(1, sizeof *c);
  if (!c) return NULL;
  c->at = all;
  if (marked < 0) {{
{failed}  }}
  return c;
}}
static int @next(struct @cursor *c) {{
{step}  c->copy =
      malloc(4);
  if (!c->copy) return 0;
  memcpy(c->copy, c->at->text, 4);
  c->at = c->at->next;
  return 1;
}}
static void @finish(struct @cursor *c) {{
  if (!c) return;
{finish}}}
int @(int a, int b) {{
  struct @word *all = NULL;
  int n = {_count(pick)};
  for (int i = 0; i < n; i++) {{
    struct @word *w =
        calloc(1, sizeof *w);
    if (!w) break;
    w->text[0] = (char)('a' + i);
    w->next = all;
    all = w;
  }}
  struct @cursor *c = @start(all, a);
  while (c && @next(c)) {{
{stop}  }}
  @finish(c);
{release}  return 0;
}}
"""


SIXTH: tuple[Callable[[random.Random], str], ...] = (
    search_tree,
    text_vector,
    ordered_map,
    family,
    four_corners,
    fragments,
    handles,
    two_sides,
    pages_that_split,
    cursors,
)
