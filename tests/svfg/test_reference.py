"""The fast builder against the rules written down directly."""

from __future__ import annotations

from pathlib import Path

import pytest

from heapflow.memssa.check import check_memory_ssa
from heapflow.svfg.check import check_svfg
from tests.svfg.generate import random_program
from tests.svfg.programs import C_FILES, NO_PRIVATE, from_text, load, value_flow
from tests.svfg.reference import fast_graph, reference_graph

SMALL = sorted((C_FILES / "leaks").glob("*.c")) + sorted((C_FILES / "svfg").glob("*.c"))


@pytest.mark.parametrize("path", SMALL, ids=lambda path: path.stem)
def test_small_programs(path: Path) -> None:
    ssa, svfg = value_flow(load([path]), NO_PRIVATE)
    check_memory_ssa(ssa)
    check_svfg(ssa, svfg)
    if ssa.acts.callbacks or ssa.carriers.incoming:
        return  # not in the transcription
    assert fast_graph(ssa, svfg) == reference_graph(ssa)


@pytest.mark.parametrize("seed", range(24))
def test_generated_programs(seed: int, tmp_path: Path) -> None:
    ssa, svfg = value_flow(from_text(random_program(seed), tmp_path), NO_PRIVATE)
    check_memory_ssa(ssa)
    check_svfg(ssa, svfg)
    assert fast_graph(ssa, svfg) == reference_graph(ssa)
