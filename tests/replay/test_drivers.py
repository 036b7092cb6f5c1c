"""The call that a confirmed finding names loses the block, in the compiled program."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.leaks.execution import can_run
from tests.leaks.sources import Unit, find_units
from tests.replay.drivers import drivers_of, loses, run_drivers

# A sample; `python -m tests.replay.drivers` runs them all.
SAMPLE = (
    "array_elements",
    "error_codes",
    "executed_paths",
    "guard_comparisons",
    "guard_constants",
    "loops",
    "ownership_moves",
)


def _units() -> list[Unit]:
    return [unit for unit in find_units() if unit.name in SAMPLE]


@pytest.mark.skipif(not can_run(), reason="needs gcc with AddressSanitizer, and addr2line")
@pytest.mark.parametrize("unit", _units(), ids=lambda unit: str(unit.name))
def test_calls_that_findings_name_lose_the_block(unit: Unit, tmp_path: Path) -> None:
    drivers = drivers_of(unit)
    assert drivers, "no finding whose inputs are plain"
    lost = run_drivers(unit, drivers, tmp_path)
    wrong = [
        driver.finding.call
        for driver, lines in zip(drivers, lost, strict=True)
        if not loses(driver, lines)
    ]
    assert not wrong
