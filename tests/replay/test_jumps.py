"""A jump out of a function whose callers are not known: who catches it is not known either."""

from __future__ import annotations

from pathlib import Path

import pytest

from heapflow.config import Config
from heapflow.frontend.inputs import find_inputs
from heapflow.frontend.load import FrontendSettings
from heapflow.pipeline import analyse
from heapflow.support.run import Run

TEXT = """\
#include <setjmp.h>
#include <stdlib.h>
static jmp_buf failure;
%s int convert(int n) {
  char *p = malloc(3);
  if (n > 7) longjmp(failure, 1);
  free(p);
  return n;
}
int all(int n) { return setjmp(failure) ? 1 : convert(n); }
"""


@pytest.mark.parametrize("is_known", [True, False])
def test_a_block_that_is_jumped_past(tmp_path: Path, is_known: bool) -> None:
    source = tmp_path / "jumps.c"
    source.write_text(TEXT % ("static" if is_known else ""))
    config = Config(frontend=FrontendSettings(use_cache=False, jobs=1))
    run = Run()
    analyse(find_inputs([str(source)]), config, run)
    assert run.counters["candidates refuted"] == 0
    assert run.counters["candidates confirmed"] == is_known
    assert run.counters["candidates not confirmed"] == (not is_known)
