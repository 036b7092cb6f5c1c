"""What `dump memssa`, `dump svfg` and `graph` share: from a program to its value-flow graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from heapflow.memssa.config import MemoryModel, MemorySsaConfig

if TYPE_CHECKING:
    from heapflow.ir.program import Program
    from heapflow.memssa.ssa import MemorySsa
    from heapflow.svfg.graph import Svfg

MODELS = tuple(model.value for model in MemoryModel)


def memory_model_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--memory-model`."""
    return click.option(
        "--memory-model",
        type=click.Choice(MODELS),
        default=MemoryModel.REGIONS.value,
        show_default=True,
        help="How finely memory is told apart.",
    )(function)


def memory_ssa(program: Program, model: str) -> MemorySsa:
    from heapflow.memssa.build import build_memory_ssa
    from heapflow.modelled.take import take_models
    from heapflow.models.load import load_models
    from heapflow.pointsto.analyse import solve_points_to

    modelled = take_models(program, load_models())
    points_to, calls = solve_points_to(modelled.program, modelled.models)
    config = MemorySsaConfig(memory_model=MemoryModel(model))
    return build_memory_ssa(points_to, calls, modelled.models, config)


def value_flow(program: Program, model: str) -> tuple[MemorySsa, Svfg]:
    from heapflow.svfg.build import build_svfg

    ssa = memory_ssa(program, model)
    return ssa, build_svfg(ssa)
