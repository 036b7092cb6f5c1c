"""Limits: what is said where one is hit, and that it is counted."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

from heapflow.config import Config
from heapflow.frontend.inputs import find_inputs
from heapflow.pipeline import analyse
from heapflow.support.run import Run
from tests.guards.harness import Guarded

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
    return [finding.rule.value for finding in found], run.limits_hit


def handlers(*frees: int) -> str:
    texts = [HANDLER % (k, k, "if (n > 100) free(p);" if k in frees else "") for k in range(10)]
    return TABLE % ("".join(texts), ", ".join(f"handle{k}" for k in range(10)))


def test_many_targets_that_take_a_block_take_it(tmp_path: Path) -> None:
    what = "targets of a call by pointer"
    found, hit = check(handlers(*range(9)), tmp_path, Config())
    assert found == [] and hit[what] > 0
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
    assert found == ["conditional-leak"] and hit[what] > 0


def test_a_function_that_is_given_up_may_reach_every_block(tmp_path: Path) -> None:
    text = "void mark(int n); void f(int a) { if (a > 3) mark(1); else if (a > 5) mark(2); }"
    guarded = Guarded(text, tmp_path)
    space, marks = guarded.space, guarded.mark_guards("f")
    assert not space.is_true(marks[1])
    guarded.book.guards(guarded.func("f")).give_up()
    assert all(space.is_true(guard) for guard in guarded.mark_guards("f").values())
