"""Executed truth: run a program that logs where its pointers point, and look for it in the result.

The program includes `truth.h`: `OBJ(name, address, size)` registers an object, `LOG(id, pointer)` says
which registered object a pointer holds. Both are external calls for the analysis, so that the logged
values are arguments that it has sets for.
"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

from heapflow.frontend.inputs import find_inputs
from heapflow.frontend.load import FrontendSettings, load_program
from heapflow.ir.kinds import ValueKind
from heapflow.ir.program import Program
from heapflow.models.load import load_models
from heapflow.pointsto.analyse import Analysis, analyse_points_to
from heapflow.pointsto.config import PointsToConfig

PROGRAMS = Path(__file__).parent.parent / "c" / "pointsto"


@dataclass(frozen=True)
class Fact:
    """At some time, the pointer with this id pointed so many bytes into this object."""

    id: int
    name: str
    offset: int


def program_of(source: Path) -> Program:
    """The tables of one C file."""
    inputs = find_inputs([str(source)], [f"-I{PROGRAMS}"])
    loaded = load_program(inputs, FrontendSettings(jobs=1, use_cache=False))
    assert loaded.program is not None, loaded.failures
    return loaded.program


def analyse(source: Path, config: PointsToConfig | None = None) -> Analysis:
    return analyse_points_to(program_of(source), load_models(), config or PointsToConfig())


def run_and_log(source: Path, directory: Path) -> list[Fact]:
    """Compile with gcc, run, read the log."""
    binary = directory / "program"
    runtime = PROGRAMS / "truth_runtime.c"
    command = ["gcc", "-w", "-g", "-O0", f"-I{PROGRAMS}", "-o", str(binary)]
    subprocess.run([*command, str(source), str(runtime)], check=True, timeout=60)
    output = subprocess.run([str(binary)], check=True, timeout=20, capture_output=True, text=True)
    rows = (line.split() for line in output.stdout.splitlines() if line.startswith("fact "))
    return [Fact(int(row[1]), row[2], int(row[3])) for row in rows]


def missing_facts(analysis: Analysis, facts: list[Fact]) -> list[Fact]:
    """The observed facts that the static result does not have."""
    points_to, program = analysis.points_to, analysis.points_to.program
    objects: dict[str, set[int]] = {}
    logged: dict[int, list[int]] = {}
    for call in analysis.generated.direct_targets:
        name = program.func_name(program.direct_callee(call))
        operands = program.operands(call)
        if name == "hf_object":
            text = _text(program, operands[1])
            cells = points_to.targets(operands[2])
            objects.setdefault(text, set()).update(points_to.cell_obj[cells].tolist())
        elif name == "hf_log":
            logged.setdefault(int(program.values.number[operands[1]]), []).append(operands[2])
    return [fact for fact in facts if not _is_known(analysis, fact, objects, logged)]


def _is_known(
    analysis: Analysis, fact: Fact, objects: dict[str, set[int]], logged: dict[int, list[int]]
) -> bool:
    points_to, generated = analysis.points_to, analysis.generated
    values = logged[fact.id]
    if not any(points_to.is_tracked(value) for value in values):
        return True  # left out by filter (a)
    found = {
        (int(points_to.cell_obj[cell]), int(points_to.cell_offset[cell]))
        for value in values
        for cell in points_to.targets(value).tolist()
    }
    for obj in objects.get(fact.name, set()):
        shape = generated.layouts.shape(generated.objects.table.shape[obj])
        if (obj, generated.layouts.cell_offset(shape, fact.offset)) in found:
            return True
    # An object that holds no pointers is in no set.
    return fact.name not in objects or not objects[fact.name]


def _text(program: Program, value: int) -> str:
    assert program.values.kind[value] == ValueKind.GLOBAL
    table = program.globals
    number = int(program.values.index[value])
    content = int(table.init_value[table.init_start[number]])
    text: str = program.strings[program.values.index[content]]
    return text.rstrip("\0")
