"""What each filter and limit does, and that it can be switched off."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from heapflow.ir.kinds import Op
from heapflow.pointsto.analyse import Analysis
from heapflow.pointsto.config import PointsToConfig
from heapflow.pointsto.objects import ObjectKind
from heapflow.pointsto.tracking import Tracking
from tests.pointsto.truth import PROGRAMS, analyse

TYPES = """
#include <stdlib.h>
#include <string.h>
struct a { struct a *next; int n; };
struct b { long n; struct b *other; };
static void *box[8];
void put(int i, void *p) { box[i] = p; }
struct a *get_a(int i) { struct a *a = box[i]; return a->next; }
struct b *get_b(int i) { struct b *b = box[i]; return b->other; }
char *text(const char *s) { char *copy = strdup(s); copy[0] = 'x'; return copy; }
static int one(struct a *a) { return 1; }
static int two(struct a *a, int n) { return 2; }
static void *table[2] = {(void *)one, (void *)two};
int call(struct a *a) { return ((int (*)(struct a *))table[a->n])(a); }
int main(void) {
  struct a *a = malloc(sizeof *a); struct b *b = malloc(sizeof *b);
  a->next = a; b->other = b;
  put(0, a); put(1, b);
  text("abc");
  return get_a(0) != a || get_b(1) != b || call(a);
}
"""


def variable(analysis: Analysis, name: str) -> set[str]:
    """Objects that a variable, named function.variable, may point to."""
    for line in analysis.points_to.dump().splitlines():
        if line.startswith(f"{name} -> "):
            return set(filter(None, line.split(" -> ")[1].strip("{}").split(", ")))
    raise LookupError(name)


def analysed(tmp_path: Path, config: PointsToConfig | None = None) -> Analysis:
    source = tmp_path / "types.c"
    source.write_text(TYPES)
    return analyse(source, config)


def test_types_keep_apart_what_a_container_mixes(tmp_path: Path) -> None:
    found = analysed(tmp_path)
    assert len(variable(found, "get_a.a")) == 1
    assert variable(found, "get_a.a") != variable(found, "get_b.b")
    off = replace(PointsToConfig(), type_filters=False, field_filters=False)
    assert len(variable(analysed(tmp_path, off), "get_a.a")) == 2


def test_text_has_no_sets(tmp_path: Path) -> None:
    found = analysed(tmp_path)
    objects = found.points_to.objects
    blocks = [o for o in range(len(objects)) if objects.kind[o] == ObjectKind.HEAP]
    assert sum(not objects.tracked[o] for o in blocks) == 1  # strdup's
    assert (found.points_to.tracking == Tracking.DATA_POINTER).any()
    everything = analysed(tmp_path, replace(PointsToConfig(), skip_pointer_free=False))
    assert not (everything.points_to.tracking == Tracking.DATA_POINTER).any()
    assert everything.points_to.objects.tracked.all()


def test_targets_take_as_many_arguments_as_the_call_passes(tmp_path: Path) -> None:
    assert "=> one\n" in analysed(tmp_path).calls.dump()
    loose = analysed(tmp_path, replace(PointsToConfig(), match_signatures=False))
    assert "=> one, two\n" in loose.calls.dump()


def test_clone_depth() -> None:
    deep = analyse(PROGRAMS / "wrappers.c")
    assert len(variable(deep, "main.one")) == 1
    flat = analyse(PROGRAMS / "wrappers.c", replace(PointsToConfig(), clone_depth=0))
    assert variable(flat, "main.one") == variable(flat, "main.five")
    assert deep.generated.heap.clones > flat.generated.heap.clones


def test_limit_on_heap_objects_is_counted() -> None:
    limited = analyse(PROGRAMS / "wrappers.c", replace(PointsToConfig(), max_heap_objects=1))
    counters = dict(limited.points_to.counters)
    assert counters["allocators not told apart (limit)"] > 0


def test_clones_are_known_by_their_outermost_call() -> None:
    found = analyse(PROGRAMS / "wrappers.c")
    points_to = found.points_to
    heap = [o for o, kind in enumerate(points_to.objects.kind) if kind == ObjectKind.HEAP]
    assert heap
    for obj in heap:
        chain = points_to.chain(obj)
        assert obj in points_to.heap_objects_of(chain[-1])


def test_external_functions_by_value(tmp_path: Path) -> None:
    source = tmp_path / "external.c"
    source.write_text(
        """
        #include <stdlib.h>
        struct ops { void *(*get)(size_t); void (*drop)(void *); };
        static const struct ops ops = {malloc, free};
        struct s { struct s *next; };
        int main(void) {
          struct s *s = ops.get(sizeof *s);
          s->next = s;
          struct s *t = s->next;
          ops.drop(t);
          return 0;
        }
        """
    )
    found = analyse(source)
    assert "=> malloc\n" in found.calls.dump()
    assert "=> free\n" in found.calls.dump()
    assert variable(found, "main.t") == {"heap[malloc]"}


def test_places_of_text_in_constant_addresses_are_known(tmp_path: Path) -> None:
    source = tmp_path / "constant.c"
    source.write_text(
        """
        static struct { int n; char *names[4]; } all;
        char *third(void) { char *name = all.names[3]; return name; }
        int main(void) { return third() != 0; }
        """
    )
    points_to = analyse(source).points_to
    program = points_to.program
    loads = [i for i in range(len(program.instrs)) if program.instrs.op[i] == Op.LOAD]
    places = [points_to.targets(program.operands(i)[0]).tolist() for i in loads]
    assert [[points_to.cell_name(cell) for cell in found] for found in places] == [["@all+8"]]


COPIES = """
#include <stdlib.h>
#include <string.h>
struct a { struct a *next; int n; };
struct c { int k; char *name; struct c *up; };
struct b { struct c *other; long n[4]; };
static void *(*impl)(size_t);
static void *get(size_t n) { return impl != 0 && n > 99 ? impl(n) : malloc(n); }
static void *dup(const void *p, size_t n) { void *q = get(n); return memcpy(q, p, n); }
static void *from, *to;
static void move(size_t n) { memcpy(to, from, n); }
int main(int argc, char **argv) {
  struct a x, y; struct b u; struct c w;
  impl = get;
  x.next = &y; y.next = &x; u.other = &w; w.up = &w;
  struct a *one = dup(&x, sizeof x); struct a *two = dup(&y, sizeof y);
  struct a *p = one->next; struct a *q = two->next;
  struct a *fresh = get(sizeof *fresh);
  struct a last; last.next = 0;
  from = argc > 1 ? (void *)&x : (void *)&u; to = &last;
  move((size_t)argc);
  struct a *r = last.next;
  return p != q && fresh != r;
}
"""


def copied(tmp_path: Path, config: PointsToConfig | None = None) -> Analysis:
    source = tmp_path / "copies.c"
    source.write_text(COPIES)
    return analyse(source, config)


def test_a_wrapper_that_copies_does_so_for_each_clone(tmp_path: Path) -> None:
    found = copied(tmp_path)
    assert variable(found, "main.p") == {"main.y"}
    assert variable(found, "main.q") == {"main.x"}
    off = replace(PointsToConfig(), clone_copies=False)
    assert variable(copied(tmp_path, off), "main.p") == {"main.x", "main.y"}


def test_an_allocator_that_calls_itself_through_a_pointer_has_no_common_block(
    tmp_path: Path,
) -> None:
    found = copied(tmp_path)
    assert len(variable(found, "main.fresh")) == 1


def test_memory_is_copied_between_related_types(tmp_path: Path) -> None:
    assert variable(copied(tmp_path), "main.r") == {"main.y"}
    off = replace(PointsToConfig(), copy_filters=False, type_filters=False, field_filters=False)
    assert variable(copied(tmp_path, off), "main.r") == {"main.w", "main.y"}


def test_a_copy_goes_behind_the_header_of_its_block() -> None:
    found = analyse(PROGRAMS / "headers.c")
    assert variable(found, "main.first") == variable(found, "main.last")


def test_that_an_allocator_gets_its_own_block_can_be_switched_on(tmp_path: Path) -> None:
    off = replace(PointsToConfig(), skip_own_blocks=False)
    assert len(variable(copied(tmp_path, off), "main.fresh")) == 2
    what = "calls of allocators by themselves, without a block of their own"
    assert counter(copied(tmp_path), what) == 1
    assert counter(copied(tmp_path, off), what) == 0


def test_copies_by_clone_are_counted(tmp_path: Path) -> None:
    assert counter(copied(tmp_path), "copies made clone by clone") == 1
    off = replace(PointsToConfig(), clone_copies=False)
    assert counter(copied(tmp_path, off), "copies made clone by clone") == 0


def counter(analysis: Analysis, what: str) -> int:
    return dict(analysis.points_to.counters)[what]


DECLARED = """
#include <stdlib.h>
struct value_st;
typedef struct value_st VALUE;
struct a { struct a *next; int n; };
struct b { long n; struct b *other; };
struct d { long k, l, m; char *name; struct d *up; };
static int of_a(struct a *a, int n) { return a != 0 && n; }
static int of_b(struct b *b, int n) { return b != 0 && n; }
static void (*const table[2])(void) = {(void (*)(void))of_a, (void (*)(void))of_b};
static int call(int i, struct a *a) {
  int (*chosen)(struct a *, int) = (int (*)(struct a *, int))table[i];
  return chosen(a, i);
}
static void *slot[4];
static VALUE *taken(int i) { return slot[i]; }
static int look(VALUE *v, long kind) {
  if (kind == 1) { struct a *a = (struct a *)v; return a->n; }
  struct b *b = (struct b *)v;
  return (int)b->n;
}
static void keep(void *p) { slot[3] = p; }
static struct a *receive(void *arg) {
  struct a *mine = arg;
  keep(mine);
  return mine->next;
}
int main(int argc, char **argv) {
  struct a *a = malloc(sizeof *a); struct b *b = malloc(sizeof *b); struct d *d = malloc(sizeof *d);
  a->next = a; b->other = b; d->up = d;
  slot[0] = a; slot[1] = b; slot[2] = d;
  VALUE *v = taken(argc % 3);
  struct a *got = receive(slot[argc % 3]);
  return call(argc & 1, a) + look(v, argc) + (got != a);
}
"""


def declared(tmp_path: Path, config: PointsToConfig | None = None) -> Analysis:
    source = tmp_path / "declared.c"
    source.write_text(DECLARED)
    return analyse(source, config)


def test_function_pointers_point_to_functions_of_their_type(tmp_path: Path) -> None:
    what = "(pointer type, function) pairs cut off by prototype"
    found = declared(tmp_path)
    assert variable(found, "call.chosen") == {"of_a()"}
    assert "=> of_a\n" in found.calls.dump()
    assert counter(found, what) == 1
    off = declared(tmp_path, replace(PointsToConfig(), match_prototypes=False))
    assert variable(off, "call.chosen") == {"of_a()", "of_b()"}
    assert counter(off, what) == 0


def test_a_struct_that_nobody_defines_stands_for_those_cast_to_it(tmp_path: Path) -> None:
    what = "structs that are defined nowhere, taken for those cast to them"
    found = declared(tmp_path)
    assert len(variable(found, "main.v")) == 2  # not the struct d
    assert counter(found, what) == 1
    off = declared(tmp_path, replace(PointsToConfig(), families=False))
    assert len(variable(off, "main.v")) == 3
    assert counter(off, what) == 0


def test_an_untyped_parameter_has_the_type_of_the_variable_that_it_becomes(tmp_path: Path) -> None:
    what = "untyped pointers that become a typed variable at once"
    found = declared(tmp_path)
    assert len(variable(found, "receive.arg")) == 1
    assert counter(found, what) >= 1
    off = declared(tmp_path, replace(PointsToConfig(), typed_receivers=False))
    assert len(variable(off, "receive.arg")) == 3
    assert counter(off, what) == 0


def test_a_pointer_to_too_many_places_is_unknown(tmp_path: Path) -> None:
    what = "pointers with too many targets, unknown (limit)"
    plain = replace(PointsToConfig(), families=False)
    assert counter(declared(tmp_path, plain), what) == 0
    limited = declared(tmp_path, replace(plain, max_targets=2))
    assert counter(limited, what) >= 1
    assert variable(limited, "main.v") == set()
    assert len(variable(limited, "main.a")) == 1
    assert counter(limited, "typed pointers and places that get something unknown (limit)") >= 1


def test_a_struct_with_pointers_begins_at_a_whole_word(tmp_path: Path) -> None:
    """A block of unknown type that is gone through byte by byte is no struct at each byte."""
    source = tmp_path / "bytes.c"
    source.write_text(
        """#include <stdlib.h>
        struct s { struct s *next; };
        struct __attribute__((packed)) t { char kind; struct t *next; };
        void *make(size_t n) { return malloc(n); }
        struct s *odd(void *c) { struct s *p = (void *)((char *)c + 3); return p->next; }
        struct s *even(void *c) { struct s *p = (void *)((char *)c + 8); return p->next; }
        struct t *packed(void *c) { struct t *p = (void *)((char *)c + 3); return p->next; }
        int main(int argc, char **argv) {
          void *block = make(argc * 100);
          return odd(block) || even(block) || packed(block);
        }
        """
    )
    found = analyse(source)
    assert variable(found, "odd.p") == set()
    assert len(variable(found, "even.p")) == 1
    assert len(variable(found, "packed.p")) == 1
    off = replace(PointsToConfig(), type_filters=False)
    assert len(variable(analyse(source, off), "odd.p")) == 1
