"""Measure memory SSA and the value-flow graph on real programs.

    python benchmarks/svfg.py [--compiler] [--memory-model MODEL] PROGRAM...

PROGRAM is a directory of bitcode files, or one with a compile_commands.json. Each is measured in a
process of its own: CPU seconds of points-to, memory SSA and graph, nodes and edges, both per
instruction (near-linear growth keeps these level), and the peak memory of the whole process. With
--compiler a build is compiled first, with an empty cache, and the last column is memory SSA plus graph
as a share of the compiler's CPU.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from heapflow.frontend.inputs import find_inputs
from heapflow.frontend.load import FrontendSettings, load_program
from heapflow.memssa.build import build_memory_ssa
from heapflow.memssa.config import MemoryModel, MemorySsaConfig
from heapflow.modelled.take import take_models
from heapflow.models.load import load_models
from heapflow.pointsto.analyse import solve_points_to
from heapflow.support.run import Run
from heapflow.svfg.build import build_svfg

HEAD = (
    "program instructions regions versions nodes edges nodes/instr edges/instr points-to_s "
    "memory-SSA_s graph_s peak_MB share_of_compiler"
).split()


def measure(path: str, model: str, compiler: bool) -> dict[str, Any]:
    """One program, in this process."""
    run = Run()
    files = sorted(str(file) for file in Path(path).glob("*.bc")) or [path]
    with tempfile.TemporaryDirectory() as empty:
        place = Path(empty) if compiler else None
        loaded = load_program(find_inputs(files), FrontendSettings(cache_directory=place))
    program = loaded.program
    assert program is not None, f"{path}: nothing could be read"
    with run.phase("points-to"):
        modelled = take_models(program, load_models())
        program, models = modelled.program, modelled.models
        points_to, calls = solve_points_to(program, models)
    with run.phase("memory SSA"):
        config = MemorySsaConfig(memory_model=MemoryModel(model))
        ssa = build_memory_ssa(points_to, calls, models, config)
    with run.phase("graph"):
        svfg = build_svfg(ssa)
    return {
        "program": Path(path).name,
        "instructions": len(program.instrs),
        "regions": len(ssa.regions),
        "versions": len(ssa.defs),
        "nodes": len(svfg.nodes),
        "edges": len(svfg.edges),
        "seconds": {phase.name: phase.cpu_seconds for phase in run.phases},
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "compiler": loaded.costs.compiler if compiler else 0.0,
    }


def row(found: dict[str, Any]) -> list[str]:
    instructions, seconds = max(found["instructions"], 1), found["seconds"]
    own = seconds["memory SSA"] + seconds["graph"]
    share = f"{own / found['compiler']:.2f}" if found["compiler"] else "-"
    counts = [
        str(found[name]) for name in ("instructions", "regions", "versions", "nodes", "edges")
    ]
    return [
        found["program"],
        *counts,
        f"{found['nodes'] / instructions:.2f}",
        f"{found['edges'] / instructions:.2f}",
        *(f"{seconds[name]:.1f}" for name in ("points-to", "memory SSA", "graph")),
        f"{found['peak_mb']:.0f}",
        share,
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("programs", nargs="+")
    parser.add_argument("--memory-model", default="regions", choices=[m.value for m in MemoryModel])
    parser.add_argument("--compiler", action="store_true")
    parser.add_argument("--once", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.once:
        print(json.dumps(measure(options.programs[0], options.memory_model, options.compiler)))
        return
    print("| " + " | ".join(word.replace("_", " ") for word in HEAD) + " |")
    print("|---" * len(HEAD) + "|")
    flags = ["--compiler"] if options.compiler else []
    for program in options.programs:
        call = [sys.executable, __file__, "--once", "--memory-model", options.memory_model]
        done = subprocess.run([*call, *flags, program], stdout=subprocess.PIPE, check=False)
        if done.returncode:
            print(f"| {Path(program).name} | failed |", flush=True)
            continue
        print("| " + " | ".join(row(json.loads(done.stdout))) + " |", flush=True)


if __name__ == "__main__":
    main()
