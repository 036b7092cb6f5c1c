"""Objects that are followed together are judged as if each had been followed by itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import heapflow.leaks.judge as judge
from heapflow.config import Config
from heapflow.flow.ask import Summaries
from heapflow.flow.follow import follow
from heapflow.flow.lists import GraphLists
from heapflow.flow.outcome import Flow, State
from heapflow.flow.source import Source
from heapflow.frontend.inputs import find_inputs
from heapflow.guards.function import FunctionGuards
from heapflow.leaks.together import Batch, find_batches
from heapflow.logic.space import Guard
from heapflow.pipeline import AnalysisResult, analyse
from heapflow.report.finding import Place, Rule
from heapflow.support.run import Run
from heapflow.version import is_compiled

# Compiled code does not look its functions up by name: nothing can be put in their place.
pytestmark = pytest.mark.skipif(is_compiled(), reason="replaces functions of the leak phase")
Starts = list[tuple[State, Guard]]
ANNOTATED = Path(__file__).parent.parent / "c" / "leaks"
HEAD = """
#include <stdlib.h>
#include <string.h>
struct stack { char *slots[64]; int depth; };
static void push(struct stack *stack, char *p) { stack->slots[stack->depth++] = p; }
static char *pop(struct stack *stack) { return stack->slots[--stack->depth]; }
int next(void);
"""


def parser(cases: int, forgotten: int, released: int = -1) -> str:
    """A parser's loop: each rule makes an object, which is pushed; one rule's is dropped at times."""
    rules = "\n".join(f"case {n}: p = malloc({n + 1}); break;" for n in range(cases))
    return f"""{HEAD}
void parse(void) {{
  struct stack stack = {{{{NULL}}, 0}};
  for (;;) {{
    int rule = next();
    char *p;
    switch (rule) {{
    {rules}
    default: return;
    }}
    if (rule == {released}) {{ free(p); continue; }}
    if (rule == {forgotten} && next()) continue;
    push(&stack, p);
    free(pop(&stack));
  }}
}}
"""


def look(file: Path, config: Config) -> AnalysisResult:
    return analyse(find_inputs([str(file)]), config, Run(), file.parent)


def found_in(file: Path) -> list[tuple[Rule, Place]]:
    return [(f.rule, f.allocation) for f in look(file, Config()).findings]


def by_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge, "find_batches", lambda *_: [])


def count_batches(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Sizes of the batches that are found from now on."""
    sizes: list[int] = []

    def noted(lists: GraphLists, guards: FunctionGuards, sources: list[Source]) -> list[Batch]:
        found = find_batches(lists, guards, sources)
        sizes.extend(len(batch.members) for batch in found)
        return found

    monkeypatch.setattr(judge, "find_batches", noted)
    return sizes


@pytest.mark.parametrize("name", ["together", "flow_variants", "real_shapes", "rounded_conditions"])
def test_annotated_programs(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    together = found_in(ANNOTATED / f"{name}.c")
    by_themselves(monkeypatch)
    assert together == found_in(ANNOTATED / f"{name}.c")


def test_a_parser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "parser.c"
    file.write_text(parser(cases=40, forgotten=17))
    sizes = count_batches(monkeypatch)
    together = found_in(file)
    assert sizes == [40]
    monkeypatch.undo()
    by_themselves(monkeypatch)
    alone = found_in(file)
    assert together == alone
    (line,) = [place.line for _, place in alone]
    assert "malloc(18)" in file.read_text().splitlines()[line - 1]


def test_what_is_given_up_together_is_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "parser.c"
    file.write_text(parser(cases=5, forgotten=3, released=1))
    starts: list[int] = []

    def noted(summaries: Summaries, func: int, begin: Starts, *more: object, **limits: int) -> Flow:
        starts.append(len(begin))
        return follow(summaries, func, begin, *more, **limits)  # type: ignore[arg-type]

    monkeypatch.setattr(judge, "follow", noted)
    leaks = replace(Config().leaks, most_nodes=3, most_nodes_together=6)
    result = look(file, replace(Config(), leaks=leaks))
    lines = file.read_text().splitlines()
    made = [n for n, text in enumerate(lines, start=1) if "malloc(" in text]
    undecided = {u.allocation.line: u.limit for u in result.summary.undecided}
    executed = {finding.allocation.line for finding in result.findings if finding.is_confirmed}
    given_up = {line for number, line in enumerate(made) if number != 1}
    assert undecided.keys() | executed == given_up
    assert set(undecided.values()) <= {"leaks.most-nodes"}
    assert executed == {made[3]}, "the one that is forgotten is found by execution"
    assert starts == [5], "none is followed once more by itself"
