"""C text or files to memory SSA and the value-flow graph, as the tests need them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from heapflow.frontend.inputs import find_inputs
from heapflow.frontend.load import FrontendSettings, load_program
from heapflow.ir.program import Program
from heapflow.memssa.build import build_memory_ssa
from heapflow.memssa.config import MemorySsaConfig
from heapflow.memssa.ssa import MemorySsa
from heapflow.models.load import Models, load_models
from heapflow.pointsto.analyse import solve_points_to
from heapflow.support.run import Run
from heapflow.svfg.build import build_svfg
from heapflow.svfg.graph import Svfg

ROOT = Path(__file__).parents[1]
C_FILES = ROOT / "c"
GOLDEN = ROOT / "golden"
NO_PRIVATE = MemorySsaConfig(max_private_versions=-1)


@cache
def models() -> Models:
    return load_models()


def load(paths: Sequence[Path]) -> Program:
    settings = FrontendSettings(jobs=1)
    loaded = load_program(find_inputs([str(p) for p in paths]), settings, Run(), None)
    assert loaded.program is not None, [failure.error for failure in loaded.failures]
    return loaded.program


def memory_ssa(program: Program, config: MemorySsaConfig | None = None) -> MemorySsa:
    points_to, calls = solve_points_to(program, models())
    return build_memory_ssa(points_to, calls, models(), config or MemorySsaConfig())


def value_flow(program: Program, config: MemorySsaConfig | None = None) -> tuple[MemorySsa, Svfg]:
    ssa = memory_ssa(program, config)
    return ssa, build_svfg(ssa)


def from_text(text: str, directory: Path) -> Program:
    path = directory / "input.c"
    path.write_text(text)
    return load([path])
