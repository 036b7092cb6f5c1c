"""A small program and what the engine would find in it; shared by the renderers' tests."""

from __future__ import annotations

from pathlib import Path

from heapflow.report.assemble import Choice, make_report
from heapflow.report.document import Report
from heapflow.report.finding import (
    Confidence,
    FailedFile,
    Finding,
    LostBy,
    Place,
    Rule,
    Slice,
    SliceEdge,
    SliceNode,
    Step,
    StepKind,
    Summary,
    Undecided,
    Unmodelled,
)
from heapflow.report.places import rename_files, rename_summary
from heapflow.support.run import PhaseCost

LIST_C = """\
#include <stdlib.h>
#include "list.h"

node *list_add(node **head, int n) {
\tnode *p = malloc(sizeof *p);
\tif (!p)
\t\treturn NULL;
\tif (n == 0) return NULL;
\tp->next = *head;
\t*head = p;
\treturn p;
}

void list_free(node *p) {
  while (p) { node *next = p->next; free(p); p = next; }
}
"""

MAIN_C = """\
#include "list.h"

static char *read_name(const char *from) {
  char *name = strdup(from);
  return name;
}

int main(int argc, char **argv) {
  char *names[2];
  for (int i = 0; i < argc; i++) {
    names[0] = read_name(argv[i]);
    switch (argc) { case 3: puts("<&three>"); }
  }
  char *kept = read_name("x");
  return 0;
}
"""


def conditional() -> Finding:
    def at(line: int, column: int) -> Place:
        return Place("list.c", line, column, "list_add")

    return Finding(
        rule=Rule.CONDITIONAL_LEAK,
        allocation=at(5, 12),
        allocator="malloc",
        variable="p",
        steps=(
            Step(StepKind.ALLOCATED, at(5, 12), "malloc(sizeof *p)"),
            Step(StepKind.BRANCH, at(6, 6), "!p", "false"),
            Step(StepKind.BRANCH, at(8, 6), "n == 0", "true"),
            Step(StepKind.FREED_ON_OTHER_PATH, Place("list.c", 15, 37, "list_free"), "free(p)"),
            Step(StepKind.LOST, at(8, 14), "p"),
        ),
        lost=at(8, 14),
        lost_by=LostBy.RETURN,
        frees=(Place("list.c", 15, 37, "list_free"),),
        policies=("long-lived-keeps",),
        believes=("`use_name` is taken to borrow argument 1: declared const",),
        examples=(("n", "0"),),
        elsewhere=(Place("main.c", 9, 5, "main"),),
        lost_with=(Place("main.c", 4, 16, "read_name"),),
        slice=Slice(
            nodes=(
                SliceNode("malloc(sizeof *p)", at(5, 12), "source"),
                SliceNode("p", at(5, 8)),
                SliceNode("*head", at(10, 8), "memory"),
                SliceNode("free(p)", Place("list.c", 15, 37, "list_free"), "free"),
                SliceNode("return NULL", at(8, 14), "lost"),
            ),
            edges=(
                SliceEdge(0, 1),
                SliceEdge(1, 2, "n != 0"),
                SliceEdge(2, 3),
                SliceEdge(1, 4, "n == 0"),
            ),
        ),
    )


def overwritten() -> Finding:
    allocation = Place("main.c", 4, 16, "read_name")
    call = Place("main.c", 11, 16, "main")
    return Finding(
        rule=Rule.OVERWRITTEN,
        allocation=allocation,
        allocator="strdup",
        variable="names[0]",
        steps=(
            Step(StepKind.CALL, call, "read_name"),
            Step(StepKind.ALLOCATED, allocation, "strdup(from)"),
            Step(StepKind.RETURNED, call, "read_name"),
            Step(StepKind.STORED, Place("main.c", 11, 14, "main"), "names[0]"),
            Step(StepKind.BRANCH, Place("main.c", 12, 5, "main"), "argc", "case 3"),
            Step(StepKind.BRANCH, Place("main.c", 10, 3, "main"), "i < argc", "true"),
            Step(StepKind.LOST, Place("main.c", 11, 14, "main"), "names[0]"),
        ),
        lost=Place("main.c", 11, 14, "main"),
        lost_by=LostBy.LOOP,
        call_chain=(call,),
        confidence=Confidence.MEDIUM,
    )


def at_exit() -> Finding:
    return Finding(
        rule=Rule.LEAK_AT_EXIT,
        allocation=Place("main.c", 14, 16, "main"),
        allocator="read_name",
        variable="kept",
        steps=(
            Step(StepKind.ALLOCATED, Place("main.c", 14, 16, "main"), 'read_name("x")'),
            Step(StepKind.LOST, Place("main.c", 15, 3, "main"), "kept"),
        ),
        lost=Place("main.c", 15, 3, "main"),
        lost_by=LostBy.EXIT,
    )


def findings() -> tuple[Finding, ...]:
    return overwritten(), at_exit(), conditional()


def summary() -> Summary:
    return Summary(
        files=3,
        functions=4,
        allocations=4,
        decided=3,
        undecided=(Undecided(Place("main.c", 20, 3, "big"), "malloc", "leaks.max-nodes"),),
        failed=(FailedFile("broken.c", "broken.c:1:1: error: expected ';'\n"),),
        unseen=3,
        unmodelled=(Unmodelled("gui_attach", 2), Unmodelled("plot", 1)),
        phases=(PhaseCost("compile and read", 0.25, 0.5), PhaseCost("leaks", 1.0, 1.0)),
    )


def write_program(root: Path) -> None:
    (root / "list.c").write_text(LIST_C)
    (root / "main.c").write_text(MAIN_C)


def sample_report(root: Path, choice: Choice | None = None) -> Report:
    """The sample as the command line would report it."""
    write_program(root)

    def absolute(name: str) -> str:  # as the engine names files
        return str(root / name)

    named = (rename_files(finding, absolute) for finding in findings())
    counted = rename_summary(summary(), absolute)
    return make_report(named, counted, root, choice, (absolute("list.c"), absolute("main.c")))
