"""Still more kinds of programs with containers, written before anything was run; see containers.py.

FIFTH is the first look at what was mended after the fourth.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from tests.leaks.containers import _choose, _count


def rope(pick: random.Random) -> str:
    """Pieces of text in the leaves of a binary tree; joining takes both halves over."""
    fail = _choose(
        pick,
        "    @drop(left);\n    @drop(right);\n    return NULL;\n",
        "    @drop(left);\n    return NULL;\n",
        "    return NULL;\n",
    )
    drop = _choose(
        pick,
        "  @drop(r->left);\n  @drop(r->right);\n  free(r->piece);\n  free(r);\n",
        "  if (r->piece) {\n    free(r->piece);\n    free(r);\n    return;\n  }\n"
        "  @drop(r->left);\n  @drop(r->right);\n",
        "  if (r->left) @drop(r->left);\n  else @drop(r->right);\n  free(r->piece);\n  free(r);\n",
        "  @drop(r->left);\n  @drop(r->right);\n  free(r);\n",
    )
    head = pick.choice(["b > 2", "a == 1", "n == 2"])
    cut = _choose(
        pick,
        "    struct @rope *rest = all->right;\n    @drop(all->left);\n    free(all);\n"
        "    all = rest;\n",
        "    struct @rope *rest = all->right;\n    free(all);\n    all = rest;\n",
        "    all = all->right;\n",
    )
    return f"""\
struct @rope {{
  struct @rope *left, *right;
  char *piece;
}};
static void @drop(struct @rope *r) {{
  if (!r) return;
{drop}}}
static struct @rope *@leaf(int letter) {{
  struct @rope *r =
      calloc(1, sizeof *r);
  if (!r) return NULL;
  r->piece =
      malloc(2);
  if (!r->piece) {{
    free(r);
    return NULL;
  }}
  r->piece[0] = (char)letter;
  return r;
}}
static struct @rope *@join(struct @rope *left, struct @rope *right) {{
  struct @rope *r =
      malloc(sizeof *r);
  if (!r) {{
{fail}  }}
  r->left = left;
  r->right = right;
  r->piece = NULL;
  return r;
}}
int @(int a, int b) {{
  struct @rope *all = @leaf('a');
  if (!all) return -1;
  int n = {_count(pick)};
  for (int i = 0; i < n; i++) {{
    struct @rope *more = @leaf('b' + i);
    if (!more) break;
    all = @join(more, all);
    if (!all) return -1;
  }}
  if ({head} && all->left) {{
{cut}  }}
  @drop(all);
  return 0;
}}
"""


def shared_nodes(pick: random.Random) -> str:
    """Expressions that share their operands, with a count in each."""
    release = _choose(
        pick,
        "  if (--e->count > 0) return;\n  @put(e->left);\n  @put(e->right);\n  free(e);\n",
        "  if (--e->count > 0) return;\n  @put(e->left);\n  free(e);\n",
        "  if (--e->count > 0) return;\n  free(e);\n",
        "  if (e->count > 1) return;\n  @put(e->left);\n  @put(e->right);\n  free(e);\n",
    )
    operand = _choose(pick, "@get(sum)", "@get(@get(sum))")
    failed = _choose(pick, "    @put(left);\n    @put(right);\n", "    @put(left);\n", "")
    late = _choose(pick, "  @put(one);\n  @put(sum);\n", "  @put(sum);\n", "  @put(one);\n")
    return f"""\
struct @expr {{
  struct @expr *left, *right;
  int count, value;
}};
static struct @expr *@get(struct @expr *e) {{
  if (e) e->count++;
  return e;
}}
static void @put(struct @expr *e) {{
  if (!e) return;
{release}}}
static struct @expr *@make(struct @expr *left, struct @expr *right, int value) {{
  struct @expr *e =
      malloc(sizeof *e);
  if (!e) {{
{failed}    return NULL;
  }}
  e->left = left;
  e->right = right;
  e->count = 1;
  e->value = value;
  return e;
}}
int @(int a, int b) {{
  struct @expr *one = @make(NULL, NULL, 1);
  if (!one) return -1;
  struct @expr *sum = @get(one);
  int n = {_count(pick)};
  for (int i = 0; i < n; i++) {{
    struct @expr *next;
    if (i == b) next = @make({operand}, @get(one), i);
    else next = @make(@get(sum), NULL, i);
    @put(sum);
    sum = next;
    if (!sum) break;
  }}
{late}  return 0;
}}
"""


def chunked_deque(pick: random.Random) -> str:
    """A list of chunks with a few elements each, taken from either end."""
    empty = _choose(
        pick,
        "    d->first = c->next;\n    if (!d->first) d->last = NULL;\n    free(c);\n",
        "    d->first = c->next;\n    if (!d->first) d->last = NULL;\n",
    )
    rest = _choose(
        pick,
        "  while ((s = @shift(&d)) != NULL) free(s);\n  free(d.first);\n",
        "  while ((s = @shift(&d)) != NULL) free(s);\n",
        "  for (struct @chunk *c = d.first, *next; c; c = next) {\n    next = c->next;\n"
        "    free(c);\n  }\n",
        "  for (struct @chunk *c = d.first, *next; c; c = next) {\n    next = c->next;\n"
        "    for (int i = c->from; i < c->to; i++) free(c->item[i]);\n    free(c);\n  }\n",
        "  for (struct @chunk *c = d.first, *next; c; c = next) {\n    next = c->next;\n"
        "    free(c->item[c->from]);\n    free(c);\n  }\n",
    )
    refuse = _choose(pick, "      free(s);\n      break;\n", "      break;\n")
    between = pick.choice(["i == a", "i % 2 == 1", "b == 2"])
    taken = _choose(pick, "      free(@shift(&d));\n", "      @shift(&d);\n")
    return f"""\
struct @chunk {{
  struct @chunk *next;
  int from, to;
  char *item[2];
}};
struct @deque {{
  struct @chunk *first, *last;
}};
static int @append(struct @deque *d, char *s) {{
  if (!d->last || d->last->to == 2) {{
    struct @chunk *c =
        calloc(1, sizeof *c);
    if (!c) return -1;
    if (d->last) d->last->next = c;
    else d->first = c;
    d->last = c;
  }}
  d->last->item[d->last->to++] = s;
  return 0;
}}
static char *@shift(struct @deque *d) {{
  struct @chunk *c = d->first;
  if (!c || c->from == c->to) return NULL;
  char *s = c->item[c->from++];
  if (c->from == 2) {{
{empty}  }}
  return s;
}}
int @(int a, int b) {{
  struct @deque d = {{NULL, NULL}};
  char *s;
  int n = {_count(pick)};
  for (int i = 0; i < n; i++) {{
    s =
        malloc(2);
    if (!s) break;
    if (@append(&d, s) != 0) {{
{refuse}    }}
    if ({between}) {{
{taken}    }}
  }}
{rest}  return 0;
}}
"""


def tagged_values(pick: random.Random) -> str:
    """Values of several kinds in one type: a number, a text, a list of values."""
    text = _choose(pick, "  if (v->kind == 1) free(v->u.text);\n", "")
    items = _choose(
        pick,
        "  if (v->kind == 2) {\n    for (int i = 0; i < v->count; i++) @free(v->u.items[i]);\n"
        "    free(v->u.items);\n  }\n",
        "  if (v->kind == 2) {\n    for (int i = 0; i < v->count; i++) @free(v->u.items[i]);\n  }\n",
        "  if (v->kind == 2) free(v->u.items);\n",
        "  if (v->kind == 2) {\n    for (int i = v->count - 1; i > 0; i--) @free(v->u.items[i]);\n"
        "    free(v->u.items);\n  }\n",
    )
    kind = pick.choice(["i % 2", "i == b", "1", "0"])
    refused = _choose(pick, "      @free(v);\n      break;\n", "      break;\n")
    turned = _choose(
        pick,
        "",
        "",
        "  if (a == 2 && list->count > 0) list->kind = 0;\n",
        "  if (a == 2 && list->count > 0) list->count--;\n",
    )
    return f"""\
struct @value {{
  int kind, count;
  union {{
    int number;
    char *text;
    struct @value **items;
  }} u;
}};
static void @free(struct @value *v) {{
  if (!v) return;
{text}{items}  free(v);
}}
static struct @value *@new(int kind) {{
  struct @value *v =
      calloc(1, sizeof *v);
  if (!v) return NULL;
  v->kind = kind;
  if (kind == 1) {{
    v->u.text =
        malloc(5);
    if (!v->u.text) {{
      free(v);
      return NULL;
    }}
  }}
  return v;
}}
static int @append(struct @value *list, struct @value *v) {{
  struct @value **more =
      realloc(list->u.items, (list->count + 1) * sizeof *more);
  if (!more) return -1;
  list->u.items = more;
  more[list->count++] = v;
  return 0;
}}
int @(int a, int b) {{
  struct @value *list = @new(2);
  if (!list) return -1;
  int n = {_count(pick)};
  for (int i = 0; i < n; i++) {{
    struct @value *v = @new({kind});
    if (!v) break;
    if (@append(list, v) != 0) {{
{refused}    }}
  }}
{turned}  @free(list);
  return 0;
}}
"""


def handlers(pick: random.Random) -> str:
    """Objects that know how to release themselves, in a registry."""
    first = _choose(
        pick,
        "  struct @file *f = p;\n  free(f->name);\n  free(f);\n",
        "  struct @file *f = p;\n  free(f);\n",
        "  (void)p;\n",
    )
    second = _choose(pick, "  free(p);\n", "  (void)p;\n")
    remove = _choose(
        pick,
        "      if (h->release) h->release(h->object);\n      free(h);\n      return 1;\n",
        "      free(h);\n      return 1;\n",
        "      if (h->release) h->release(h->object);\n      return 1;\n",
    )
    rest = _choose(
        pick,
        "  while (all) @unregister(&all, all->id);\n",
        "  if (all) @unregister(&all, all->id);\n",
        "  while (all && @unregister(&all, n));\n",
    )
    refuse = _choose(pick, "release(object);", "(void)release;", "if (id) release(object);")
    which = pick.choice(["i % 2", "i == b", "a > 1"])
    return f"""\
struct @handler {{
  struct @handler *next;
  int id;
  void *object;
  void (*release)(void *);
}};
struct @file {{
  char *name;
}};
static void @release_file(void *p) {{
{first}}}
static void @release_plain(void *p) {{
{second}}}
static int @register(struct @handler **all, int id, void *object, void (*release)(void *)) {{
  struct @handler *h =
      malloc(sizeof *h);
  if (!h) {{
    {refuse}
    return -1;
  }}
  h->id = id;
  h->object = object;
  h->release = release;
  h->next = *all;
  *all = h;
  return 0;
}}
static int @unregister(struct @handler **all, int id) {{
  for (struct @handler **at = all; *at; at = &(*at)->next)
    if ((*at)->id == id) {{
      struct @handler *h = *at;
      *at = h->next;
{remove}    }}
  return 0;
}}
int @(int a, int b) {{
  struct @handler *all = NULL;
  int n = {_count(pick)};
  for (int i = 0; i < n; i++) {{
    if ({which}) {{
      struct @file *f =
          malloc(sizeof *f);
      if (!f) break;
      f->name =
          malloc(3);
      if (!f->name) {{
        free(f);
        break;
      }}
      if (@register(&all, i, f, @release_file) != 0) break;
    }} else {{
      char *plain =
          malloc(7);
      if (!plain) break;
      if (@register(&all, i, plain, @release_plain) != 0) break;
    }}
  }}
  @unregister(&all, b);
{rest}  return 0;
}}
"""


def object_pool(pick: random.Random) -> str:
    """Objects that are given back to a list and taken from it again."""
    give = _choose(
        pick,
        "  free(o->buffer);\n  o->buffer = NULL;\n  o->next = p->spare;\n  p->spare = o;\n",
        "  o->buffer = NULL;\n  o->next = p->spare;\n  p->spare = o;\n",
        "  o->next = p->spare;\n  p->spare = o;\n",
        "  if (p->count == 2) {\n    free(o);\n    return;\n  }\n  free(o->buffer);\n"
        "  o->buffer = NULL;\n  p->count++;\n  o->next = p->spare;\n  p->spare = o;\n",
    )
    lend = _choose(
        pick,
        "  if (o) p->spare = o->next;\n",
        "  if (o) p->spare = NULL;\n",
    )
    failed = _choose(pick, "    o->next = p->spare;\n    p->spare = o;\n", "")
    end = _choose(
        pick,
        "  while (p.spare) {\n    struct @object *o = p.spare;\n    p.spare = o->next;\n"
        "    free(o);\n  }\n",
        "  free(p.spare);\n",
        "  while (p.spare && p.spare->next) {\n    struct @object *o = p.spare;\n"
        "    p.spare = o->next;\n    free(o);\n  }\n",
    )
    when = pick.choice(["i % 2", "i != a", "held == 2"])
    return f"""\
struct @object {{
  struct @object *next;
  char *buffer;
}};
struct @pool {{
  struct @object *spare;
  int count;
}};
static struct @object *@lend(struct @pool *p) {{
  struct @object *o = p->spare;
{lend}  else o =
        calloc(1, sizeof *o);
  if (!o) return NULL;
  o->buffer =
      malloc(8);
  if (!o->buffer) {{
{failed}    return NULL;
  }}
  return o;
}}
static void @give_back(struct @pool *p, struct @object *o) {{
{give}}}
int @(int a, int b) {{
  struct @pool p = {{NULL, 0}};
  struct @object *used[3];
  int held = 0, n = {_count(pick)};
  for (int i = 0; i < n && held < 3; i++) {{
    used[held] = @lend(&p);
    if (!used[held]) break;
    held++;
    if ({when}) @give_back(&p, used[--held]);
  }}
  while (held > 0) @give_back(&p, used[--held]);
{end}  return 0;
}}
"""


def snapshots(pick: random.Random) -> str:
    """Versions of an array: a change makes a copy if somebody else still uses it."""
    copy = _choose(pick, "    v->users--;\n", "", "    if (v->users == 2) v->users--;\n")
    put = _choose(
        pick,
        "  if (--v->users == 0) {\n    free(v->data);\n    free(v);\n  }\n",
        "  if (--v->users == 0) free(v);\n",
        "  if (--v->users < 0) {\n    free(v->data);\n    free(v);\n  }\n",
    )
    keep = _choose(
        pick,
        "      @put(kept);\n      kept = now;\n      now->users++;\n",
        "      kept = now;\n      now->users++;\n",
        "      if (!kept) {\n        kept = now;\n        now->users++;\n      }\n",
    )
    end = _choose(
        pick,
        "  @put(kept);\n  @put(now);\n",
        "  @put(now);\n",
        "  if (kept != now) @put(kept);\n  @put(now);\n",
    )
    when = pick.choice(["i == b", "i % 2 == 0", "i > a"])
    return f"""\
struct @version {{
  int users, size;
  char *data;
}};
static void @put(struct @version *v) {{
  if (!v) return;
{put}}}
static struct @version *@create(int size) {{
  struct @version *v =
      malloc(sizeof *v);
  if (!v) return NULL;
  v->users = 1;
  v->size = size;
  v->data =
      calloc(1, size);
  if (!v->data) {{
    free(v);
    return NULL;
  }}
  return v;
}}
static struct @version *@change(struct @version *v, int at) {{
  if (v->users > 1) {{
    struct @version *own = @create(v->size);
    if (!own) return NULL;
    memcpy(own->data, v->data, v->size);
{copy}    v = own;
  }}
  v->data[at]++;
  return v;
}}
int @(int a, int b) {{
  struct @version *now = @create(4), *kept = NULL;
  if (!now) return -1;
  int n = {_count(pick)};
  for (int i = 0; i < n && i < 4; i++) {{
    if ({when}) {{
{keep}    }}
    struct @version *next = @change(now, i);
    if (!next) break;
    now = next;
  }}
{end}  return 0;
}}
"""


def merge_lists(pick: random.Random) -> str:
    """Two sorted lists become one; of equal elements one is dropped."""
    equal = _choose(
        pick,
        "      struct @item *twin = y;\n      y = y->next;\n      free(twin->text);\n"
        "      free(twin);\n      continue;\n",
        "      y = y->next;\n      continue;\n",
        "      struct @item *twin = y;\n      y = y->next;\n      free(twin);\n      continue;\n",
    )
    tail = _choose(pick, "  *at = x ? x : y;\n", "  *at = x;\n", "  *at = NULL;\n")
    drop = _choose(
        pick,
        "  while (l) {\n    struct @item *next = l->next;\n    free(l->text);\n    free(l);\n"
        "    l = next;\n  }\n",
        "  while (l) {\n    struct @item *next = l->next;\n    if (l->key >= 0) free(l->text);\n"
        "    free(l);\n    l = next;\n  }\n",
        "  while (l) {\n    struct @item *next = l->next;\n    free(l->text);\n    l = next;\n  }\n",
    )
    step = pick.choice(["1", "2"])
    return f"""\
struct @item {{
  struct @item *next;
  int key;
  char *text;
}};
static void @drop(struct @item *l) {{
{drop}}}
static struct @item *@series(int from, int count, int step) {{
  struct @item *head = NULL, **at = &head;
  for (int i = 0; i < count; i++) {{
    struct @item *n =
        malloc(sizeof *n);
    if (!n) break;
    n->text =
        malloc(4);
    if (!n->text) {{
      free(n);
      break;
    }}
    n->key = from + i * step;
    n->next = NULL;
    *at = n;
    at = &n->next;
  }}
  return head;
}}
static struct @item *@merge(struct @item *x, struct @item *y) {{
  struct @item *head = NULL, **at = &head;
  while (x && y) {{
    if (x->key == y->key) {{
{equal}    }}
    struct @item **from = x->key < y->key ? &x : &y;
    *at = *from;
    at = &(*from)->next;
    *from = *at;
  }}
{tail}  return head;
}}
int @(int a, int b) {{
  struct @item *x = @series(0, {_count(pick)}, 1);
  struct @item *y = @series(a, b, {step});
  @drop(@merge(x, y));
  return 0;
}}
"""


FIFTH: tuple[Callable[[random.Random], str], ...] = (
    rope,
    shared_nodes,
    chunked_deque,
    tagged_values,
    handlers,
    object_pool,
    snapshots,
    merge_lists,
)
