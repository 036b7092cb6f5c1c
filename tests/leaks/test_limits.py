"""Limits: what is said where one is hit, and that it is counted."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from heapflow.config import Config
from heapflow.frontend.inputs import find_inputs
from heapflow.frontend.load import FrontendSettings
from heapflow.pipeline import AnalysisResult, analyse
from heapflow.report.finding import Finding, StepKind
from heapflow.support.run import Run
from tests.guards.harness import Guarded

PROGRAMS = Path(__file__).parent.parent / "c" / "leaks"
WITHOUT_SECOND_LOOK: dict[str, Any] = {
    "instructions_per_glance_step": 1 << 30,
    "least_glance_steps": 0,
}
TABLE = """#include <stdlib.h>
#include <string.h>
static int total;
%s
static void (*const table[])(char *, int) = {%s};
int handle(const char *s, unsigned n) {
  char *copy = strdup(s);
  if (!copy) return -1;
  table[n %% 10](copy, (int)n);
  return 0;
}
"""
HANDLER = "static void handle%d(char *p, int n) { if (n > %d) total += p[0]; %s }\n"
FLAG = """#include <stdlib.h>
#include <string.h>
static int level0(int n, int *made) { *made = n > 7; return n; }
static int level1(int n, int *made) { return level0(n, made) + 1; }
static int level2(int n, int *made) { return level1(n, made) + 1; }
static int level3(int n, int *made) { return level2(n, made) + 1; }
int use(const char *s, int n) {
  int made;
  int result = level3(n, &made);
  char *copy = NULL;
  if (made) copy = strdup(s);
  if (made && copy) result += copy[0];
  if (n > 7) free(copy);
  return result;
}
"""


def check(text: str, tmp_path: Path, config: Config) -> tuple[list[str], Counter[str]]:
    """Rules of what is found, and the limits that were hit."""
    source = tmp_path / "limits.c"
    source.write_text(text)
    run = Run()
    found = analyse(find_inputs([str(source)]), config, run).findings
    return [one.rule.value for one in found if one.is_confirmed], run.limits_hit


def handlers(*frees: int) -> str:
    texts = [HANDLER % (k, k, "if (n > 100) free(p);" if k in frees else "") for k in range(10)]
    return TABLE % ("".join(texts), ", ".join(f"handle{k}" for k in range(10)))


def test_many_targets_that_take_a_block_take_it(tmp_path: Path) -> None:
    what = "targets of a call by pointer"
    found, hit = check(handlers(*range(9)), tmp_path, Config())
    assert found == ["never-freed"] and hit[what] > 0, "a second look finds it all the same"
    config = Config()
    config = replace(config, leaks=replace(config.leaks, most_callees=20))
    found, hit = check(handlers(*range(9)), tmp_path, config)
    assert found == ["conditional-leak"] and hit[what] == 0


def test_a_block_that_none_of_many_targets_takes_is_lost(tmp_path: Path) -> None:
    assert check(handlers(), tmp_path, Config())[0] == ["never-freed"]


def test_memory_is_read_through_so_many_calls(tmp_path: Path) -> None:
    what = "depth of memory through calls"
    config = Config()
    deep = replace(config, guards=replace(config.guards, deepest_reads=8))
    found, hit = check(FLAG, tmp_path, deep)
    assert found == [] and hit[what] == 0
    shallow = replace(config, guards=replace(config.guards, deepest_reads=1))
    found, hit = check(FLAG, tmp_path, shallow)
    assert found == [] and hit[what] > 0, "execution refutes what the limit lets through"


def test_a_function_that_is_given_up_may_reach_every_block(tmp_path: Path) -> None:
    text = "void mark(int n); void f(int a) { if (a > 3) mark(1); else if (a > 5) mark(2); }"
    guarded = Guarded(text, tmp_path)
    space, marks = guarded.space, guarded.mark_guards("f")
    assert not space.is_true(marks[1])
    guarded.book.guards(guarded.func("f")).give_up()
    assert all(space.is_true(guard) for guard in guarded.mark_guards("f").values())


WAYS = 200  # more than a block's condition may have nodes


def switch(lost: tuple[int, ...], returned: tuple[int, ...] = ()) -> str:
    """A switch whose cases free a block, but for some; the function returns it in others."""
    ends = dict.fromkeys(lost, "return 0;") | dict.fromkeys(returned, "return p;")
    cases = [f"case {k}: {ends.get(k, 'free(p); return 0;')}\n" for k in range(WAYS)]
    return (
        "#include <stdlib.h>\nchar *f(int x) { char *p = malloc(4); if (!p) return 0;\nswitch (x) {\n"
        + "".join(cases)
        + "} free(p); return 0; }\n"
        + "int user(int x) { char *q = f(x); free(q); return 0; }\n"
    )


def returns(lost: tuple[int, ...]) -> str:
    """Many early returns, each of which frees a block, but for some."""
    tests = [
        f"if (a[{k}] < 0) {{ {'' if k in lost else 'free(p);'} return {k}; }}\n"
        for k in range(WAYS)
    ]
    return (
        "#include <stdlib.h>\nint f(int *a) { char *p = malloc(4); if (!p) return -1;\n"
        + "".join(tests)
        + "free(p); return 0; }\n"
    )


def cleanup(lost: tuple[int, ...]) -> str:
    """Many blocks, freed in the opposite order from labels that errors jump to, but for some."""
    made = [
        f"p{k} = malloc({k + 1}); if (!p{k}) goto e{k}; if (a[{k}] < 0) goto e{k + 1};\n"
        for k in range(WAYS // 2)
    ]
    freed = [f"e{k + 1}: {'' if k in lost else f'free(p{k})'};\n" for k in range(WAYS // 2)]
    return (
        "#include <stdlib.h>\nint f(int *a) {\n"
        + "".join(f"char *p{k};\n" for k in range(WAYS // 2))
        + "".join(made)
        + "".join(reversed(freed))
        + "e0: return 0; }\n"
    )


def test_many_ways_do_not_hide_the_one_that_loses_a_block(tmp_path: Path) -> None:
    for text in (switch((0,)), switch((150,)), returns((3,)), returns((180,)), cleanup((7,))):
        found, limits = check(text, tmp_path, Config())
        assert found == ["conditional-leak"] or found == ["never-freed"], text[:200]
        assert limits["reach condition too large"]


def test_many_ways_that_all_free_a_block_are_fine(tmp_path: Path) -> None:
    for text in (switch(()), switch((), (4, 160)), returns(()), cleanup(())):
        found, _ = check(text, tmp_path, Config())
        assert not found, text[:200]


def test_a_block_that_is_returned_on_some_of_many_ways_is_lost_on_others(tmp_path: Path) -> None:
    found, _ = check(switch((0,), (4, 160)), tmp_path, Config())
    assert found == ["conditional-leak"]


ROUNDING: list[tuple[str, dict[str, Any]]] = [
    ("contexts.c", {"most_nodes": 3}),
    ("contexts.c", {"most_holder_nodes": 2}),
    ("contexts.c", {"most_callees": 0, "most_summary_steps": 1}),
    ("containers_copied.c", {"most_summary_nodes": 2, "most_guard_nodes": 3, "most_growths": 0}),
    ("counted_loops.c", {"most_leak_nodes": 2}),
]


@pytest.mark.parametrize(("name", "tiny"), ROUNDING)
def test_a_limit_never_means_that_all_is_well(name: str, tiny: dict[str, Any]) -> None:
    """What is found otherwise is found, or said to be undecided where its memory comes from."""
    file = find_inputs([str(PROGRAMS / name)])
    config = Config(frontend=FrontendSettings(jobs=1))
    # No second look: it would find most of it all the same.
    config = replace(config, replay=replace(config.replay, **WITHOUT_SECOND_LOOK))
    known = analyse(file, config, Run()).findings
    limited = replace(config, leaks=replace(config.leaks, **tiny))
    run = Run()
    result = analyse(file, limited, run)
    assert run.limits_hit
    assert_said(known, result)


def assert_said(known: tuple[Finding, ...], result: AnalysisResult) -> None:
    """What is known is found again, or said to be undecided where its memory comes from."""
    found = {finding.allocation.function for finding in result.findings}
    undecided = {one.allocation.function for one in result.summary.undecided}
    for finding in known:
        made = {step.place.function for step in finding.steps if step.kind is StepKind.ALLOCATED}
        assert not made.isdisjoint(undecided) or finding.allocation.function in found | undecided


def test_conditions_of_branches_that_are_too_large() -> None:
    config = Config(frontend=FrontendSettings(jobs=1))
    config = replace(config, replay=replace(config.replay, **WITHOUT_SECOND_LOOK))
    for limit in ({"most_nodes": 3}, {"most_condition_nodes": 3}):
        limited = replace(config, guards=replace(config.guards, **limit))
        for name in ("contexts.c", "counted_loops.c"):
            file = find_inputs([str(PROGRAMS / name)])
            before, after = analyse(file, config, Run()), analyse(file, limited, Run())
            assert_said(before.findings, after)


CUT_OFF = """#include <stdlib.h>
void unknown_one(char *); void unknown_two(char *);
static void release(char *p, int n) { if (n) free(p); else free(p); }
static int make(int n, char **out) {
  int result = n > 3 ? -1 : n > 2 ? -2 : 0;
  if (!result) *out = malloc(9);
  return result;
}
int f(int n) {
  char *p = malloc(3), *q = malloc(4);
  unknown_one(q); unknown_two(q);
  char *r;
  if (make(n, &r) == 0) free(r);
  release(p, n);
  return 0;
}
static char *either(int n) { return n ? malloc(5) : calloc(6, 1); }
int g(int n) {
  char *p = either(n);
  if (n > 3) return 1;
  free(p);
  return 0;
}
"""


@pytest.mark.parametrize(
    ("phase", "limit", "said"),
    [
        ("leaks", {"most_frees": 1}, "releases that a summary names"),
        ("beliefs", {"most_unseen": 1}, "beliefs: unknown functions that are counted"),
        ("pointsto", {"most_origins": 1}, "points-to: values on the way to an origin"),
        ("replay", {"most_flips": 0}, "replay: decisions long before the loss"),
    ],
)
def test_what_is_cut_off_is_counted(
    tmp_path: Path, phase: str, limit: dict[str, int], said: str
) -> None:
    config = Config(frontend=FrontendSettings(jobs=1))
    (tmp_path / "a.c").write_text(CUT_OFF)
    tiny = replace(config, **{phase: replace(getattr(config, phase), **limit)})
    run, plain = Run(), Run()
    analyse(find_inputs([str(tmp_path / "a.c")]), tiny, run)
    analyse(find_inputs([str(tmp_path / "a.c")]), config, plain)
    assert run.limits_hit[said] > 0
    assert not plain.limits_hit[said]


def table_recursion(count: int) -> str:
    """Functions that all call each other through a table, and others beside them."""
    bodies = [
        f"char *f{k}(int x, char *p) {{ if (x == {k}) {{ free(p); return malloc({k + 1}); }} "
        "return t[x](x - 1, p); }\n"
        for k in range(count)
    ]
    return (
        "#include <stdlib.h>\ntypedef char *(*F)(int, char *);\nextern F t[];\n"
        + "".join(bodies)
        + f"F t[] = {{ {', '.join(f'f{k}' for k in range(count))} }};\n"
        "char *inside(int x, char *p) { char *own = malloc(4); if (own) own[0] = 1;\n"
        "  return t[x](x, p); }\n"
        "int beside(int n) { char *p = malloc(4); if (!p || n > 7) return 1; free(p); return 0; }\n"
    )


def test_objects_in_a_large_recursion_are_handed_on_so_often(tmp_path: Path) -> None:
    """What more is handed on is undecided, and said; all others are found."""
    limit = "leaks.most-offers-in-large-recursion"
    source = tmp_path / "table.c"
    source.write_text(table_recursion(12))
    config = Config()
    few = replace(config.leaks, large_recursion=8, most_offers_in_large_recursion=3)
    for leaks, is_met in ((config.leaks, False), (few, True)):
        run = Run()
        result = analyse(find_inputs([str(source)]), replace(config, leaks=leaks), run)
        found = [one for one in result.findings if one.is_confirmed]
        assert sorted(one.rule.value for one in found) == ["conditional-leak", "never-freed"]
        assert any(one.limit == limit for one in result.summary.undecided) == is_met
        assert (run.limits_hit["objects handed on in a large recursion"] > 0) == is_met
