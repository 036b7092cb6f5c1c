"""The value-flow slice that is drawn, from real analyses of small programs."""

from __future__ import annotations

from pathlib import Path

import pytest

from heapflow.pipeline import analyse_files
from heapflow.report import slice as drawing
from heapflow.report.finding import Finding, Slice, StepKind

_CODE = """\
#include <stdlib.h>
struct box { char *name; };
static void drop(char *p) { free(p); }
int fill(struct box *b, int n) {
  char *p = malloc(8);
  if (!p)
    return -1;
  struct box local;
  local.name = p;
  char *q = local.name;
  if (n == 3)
    return 1;
  if (n == 4)
    drop(q);
  else
    free(q);
  return b != NULL;
}
int plain(void) {
  char *p = malloc(8);
  return p != NULL;
}
"""

_PASSED_ON = """\
#include <stdlib.h>
struct box { char *name; };
struct box *keep(struct box *b, int n) {
  b->name = malloc(8);
  return b;
}
int use(int n) {
  struct box b;
  keep(&b, n);
  if (n == 1) {
    b.name[0] = 1;
    return 1;
  }
  free(b.name);
  return 0;
}
"""


@pytest.fixture
def findings(tmp_path: Path) -> dict[str, Finding]:
    """By the function that allocates."""
    (tmp_path / "a.c").write_text(_CODE)
    return {one.allocation.function: one for one in analyse_files([tmp_path / "a.c"])}


def drawn(finding: Finding) -> Slice:
    assert finding.slice is not None
    return finding.slice


def test_from_the_allocation_to_frees_and_loss(findings: dict[str, Finding]) -> None:
    picture = drawn(findings["fill"])
    labels = [(node.kind, node.label) for node in picture.nodes]
    assert labels[0] == ("source", "char *p = malloc(8);")
    assert ("free", "free(q);") in labels
    assert labels[-1] == ("lost", "return 1;")
    last = picture.edges[-1]
    guards = [edge.guard for edge in picture.edges if edge.target == len(labels) - 1]
    assert guards == ["when n == 3"]
    assert max(last.source, last.target) < len(labels)


def _reached(picture: Slice) -> set[int]:
    reached = {0}
    for _ in picture.nodes:
        reached |= {edge.target for edge in picture.edges if edge.source in reached}
    return reached


def test_all_nodes_hang_together(findings: dict[str, Finding]) -> None:
    picture = drawn(findings["fill"])
    reached = _reached(picture)
    frees = {i for i, node in enumerate(picture.nodes) if node.kind in ("free", "lost")}
    assert frees <= reached


def test_nothing_to_draw(findings: dict[str, Finding]) -> None:
    """An allocation and a loss alone are no picture."""
    plain = findings["plain"]
    assert (plain.steps[0].kind, plain.steps[-1].kind) == (StepKind.ALLOCATED, StepKind.LOST)
    assert plain.slice is None
    assert len(drawn(findings["fill"]).nodes) > 2


def picture_of(folder: Path, more: str = "") -> Slice:
    (folder / "a.c").write_text(_PASSED_ON + more)
    (finding,) = analyse_files([folder / "a.c"])
    return drawn(finding)


def _inner(picture: Slice) -> list[str]:
    return [node.label for node in picture.nodes if node.kind not in ("free", "lost")]


def test_large_slices_are_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The allocation, what is nearest to it and the ends stay, and still hang together."""
    whole = picture_of(tmp_path)
    assert len(_inner(whole)) > 2
    monkeypatch.setattr(drawing, "MOST_NODES", 2)
    # Of the very same source the report would be read, not made.
    cut = picture_of(tmp_path, "// again\n")
    assert len(_inner(cut)) == 2
    assert _inner(cut)[0] == _inner(whole)[0] == cut.nodes[0].label
    assert set(_inner(cut)) < set(_inner(whole))
    ends = [node for node in whole.nodes if node.kind in ("free", "lost")]
    assert [node for node in cut.nodes if node.kind in ("free", "lost")] == ends
    assert _reached(cut) == set(range(len(cut.nodes)))
