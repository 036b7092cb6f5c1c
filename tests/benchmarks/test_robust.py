"""The robustness check tells good outcomes from bad ones, and its programs allocate."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.generated import with_allocations
from benchmarks.measured import Measured
from benchmarks.robust import Case, check_twice, outcome_of

ENDED = Measured(0, "", "", 1.0, 1.0, 50.0, timed_out=False)
NOTHING = replace(ENDED, status=3)


def report(seconds: float = 0.0, findings: int = 0, failed: int = 0) -> str:
    phases = [{"name": "leaks", "wall_seconds": seconds}]
    summary = {"files": 1, "phases": phases, "failed": [1] * failed}
    return json.dumps({"summary": summary, "findings": [1] * findings})


@pytest.mark.parametrize(
    ("first", "second", "outcome"),
    [
        ((ENDED, report(1)), (ENDED, report(2)), "clean"),
        (
            (replace(ENDED, status=1), report(1, 3)),
            (replace(ENDED, status=1), report(2, 3)),
            "findings",
        ),
        ((NOTHING, report()), (NOTHING, report()), "no function"),
        ((NOTHING, report(failed=1)), (NOTHING, report(failed=1)), "does not compile"),
        ((ENDED, report(1, 2)), (ENDED, report(1, 3)), "differs"),
        ((ENDED, report()), (replace(ENDED, status=1), report()), "differs"),
        ((ENDED, report()), (replace(ENDED, status=2), ""), "bad status"),
        ((ENDED, report()), (replace(ENDED, status=137, timed_out=True), ""), "timeout"),
        (
            (replace(ENDED, status=2, stderr="Traceback (most recent call last):\n"), ""),
            (ENDED, report()),
            "traceback",
        ),
    ],
)
def test_outcomes(first: tuple[Measured, str], second: tuple[Measured, str], outcome: str) -> None:
    assert outcome_of([first, second]) == outcome


def test_a_real_case(tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text("#include <stdlib.h>\nint lose(void) { return malloc(N) != 0; }\n")
    outcome, runs = check_twice(Case("sample", "a.c", (str(source),), ("-DN=8",)), 60.0)
    assert outcome == "findings", [run.stderr for run, _ in runs]
    assert len(runs) == 2


def test_allocations_are_put_in() -> None:
    pointers = "".join(f"    int32_t *l_{number} = &g_1;\n" for number in range(1, 7))
    program = f"static int32_t func_1(void)\n{{ /* block id: 0 */\n{pointers}    return 1;\n}}\n"
    assert with_allocations(program).splitlines() == [
        "#include <stdlib.h>",
        "static int32_t func_1(void)",
        "{ /* block id: 0 */",
        "    int32_t *l_1 = &g_1;",
        "    int32_t *l_2 = &g_1;",
        "    int32_t *l_3 = calloc(4, 16);",
        "    int32_t *l_4 = &g_1;",
        "    int32_t *l_5 = &g_1;",
        "    int32_t *l_6 = calloc(4, 16);",
        "    free((void *)l_6);",
        "    return 1;",
        "}",
    ]
