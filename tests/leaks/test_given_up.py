"""A bound of points-to that was met is told: what was not followed is not called fine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from heapflow.config import Config
from heapflow.frontend.inputs import find_inputs
from heapflow.pipeline import analyse
from heapflow.report.document import Report
from heapflow.report.render.summary import render_summary
from heapflow.support.run import Run

ITEMS = 12
TEXT = (
    "#include <stdlib.h>\nstruct item { struct item *next; };\n"
    + "".join(f"static struct item item{k};\n" for k in range(ITEMS))
    + "static struct item *pick(int n) { switch (n) {\n"
    + "".join(f"case {k}: return &item{k};\n" for k in range(ITEMS))
    + "} return 0; }\n"
    "void put(int n) { struct item *at = pick(n); if (at) at->next = malloc(sizeof *at); }\n"
)


def test_pointers_that_are_given_up_are_told(tmp_path: Path) -> None:
    source = tmp_path / "items.c"
    source.write_text(TEXT)
    config = Config()
    few = replace(config, pointsto=replace(config.pointsto, max_targets=4, fewest_targets=2))
    for chosen, is_met in ((config, False), (few, True)):
        run = Run()
        result = analyse(find_inputs([str(source)]), chosen, run)
        said = "pointers that may lead to too many places" in render_summary(
            Report(result.findings, result.summary)
        )
        assert said == bool(result.summary.given_up) == is_met
        assert any(one.startswith("points-to:") for one in run.limits_hit) == is_met
