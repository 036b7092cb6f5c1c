"""Objects that are judged together: where that is too large, each is judged alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from heapflow.config import Config
from heapflow.frontend.load import FrontendSettings
from heapflow.leaks import judge
from heapflow.logic.space import GuardOverflow
from heapflow.pipeline import analyse_files
from heapflow.version import is_compiled

PROGRAM = """
#include <stdlib.h>
int one_of(int n) {
  char *p = 0;
  switch (n) {
    case 1: p = malloc(1); break;
    case 2: p = malloc(2); break;
    case 3: p = malloc(3); break;
    case 4: p = malloc(4); break;
  }
  if (n > 2) free(p);
  return n;
}
"""


def _lines(file: Path) -> list[int]:
    config = Config(frontend=FrontendSettings(use_cache=False))  # a kept report asks nothing
    return sorted(one.allocation.line for one in analyse_files([file], config=config))


@pytest.mark.skipif(is_compiled(), reason="replaces a function of the leak phase")
def test_each_is_judged_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "cases.c"
    file.write_text(PROGRAM)
    together = _lines(file)
    asked = []

    def too_large(*arguments: object) -> list[object]:
        asked.append(arguments)
        raise GuardOverflow("a condition is too large")

    monkeypatch.setattr(judge, "find_batches", too_large)
    assert _lines(file) == together == [6, 7]
    assert asked
