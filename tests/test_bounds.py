"""Every number that steers the analysis is in Config, where it can be seen, set and counted."""

from __future__ import annotations

import ast
import dataclasses
import re
from pathlib import Path

import pytest

import heapflow
from heapflow.config import Config

ROOT = Path(heapflow.__file__).parent
# Rooms that read input or show results: their numbers are sizes of files, formats, widths of lines. A
# file beyond a size is an error that is told; nothing is decided about a program.
NO_ANALYSIS = {"api", "cli", "frontend", "models", "report", "settings", "kept.py", "version.py"}
# Codes and "none" are below 1; "no bound", masks and addresses that no program has are far above.
LEAST, MOST = 1, 1 << 30

ALLOWED = {
    "how C, LLVM or the machine count": """
        guards/rename.py:_LITERAL flow/effects.py:_POINTER_SIZE flow/overwrites.py:_WORD
        ir/arguments.py:_ALIGN_BITS ir/program.py:_MOST_CONST pointsto/calls.py:VA_LIST_SIZE
        pointsto/copying.py:WORD pointsto/layouts.py:POINTER_SIZE ownership/loans.py:_SIZE
        replay/chains.py:_COUNT replay/elements.py:_COUNT replay/nodes.py:_POINTER
        replay/descriptors.py:_STANDARD replay/footprint.py:_POINTER
        replay/library/bounds.py:_USUAL_PRECISION replay/library/bounds.py:_ADDRESS
        replay/library/host.py:_ABORTED replay/library/ranges.py:_LONGEST_ADDRESS
        replay/memory.py:_POINTER replay/misuse.py:_POINTER flow/elements.py:_BELOW
        replay/contents.py:_POINTER replay/calls.py:_POINTER replay/loops.py:_POINTER
        pointsto/calls.py:VA_LIST_AREAS replay/intrinsics.py:_USED_UP
        replay/library/formats.py:WIDTHS replay/library/printing.py:_USED_UP
        replay/library/scanning.py:_BASES replay/library/scanning.py:_WIDTHS""",
    "numbers and addresses that stand for something, chosen so that programs do not use them": """
        invariants/abstract.py:ANY invariants/abstract.py:NEGATIVE invariants/abstract.py:POSITIVE
        invariants/abstract.py:ZERO
        pointsto/solve.py:MANY replay/descriptors.py:_FIRST replay/descriptors.py:_STEP
        replay/knowledge.py:BLOCK_ADDRESSES replay/memory.py:BESIDE replay/memory.py:SOMEWHERE
        svfg/edges.py:COLUMNS""",
    "when something is measured, tidied up or told, and how it is computed: results are the same": """
        logic/space.py:_CACHE_ENTRIES logic/space.py:_CHECK_EVERY logic/space.py:_GROW
        logic/space.py:_INSIDE logic/space.py:_MOST_REMEMBERED logic/space.py:_MOST_UNMEASURED
        logic/space.py:_FEWEST_CACHE_ENTRIES guards/context.py:_REMEMBERED_PER_INSTRUCTION
        logic/space.py:_TIDY_FROM guards/function.py:_MEASURE_EVERY
        guards/book.py:_MOST_NESTED guards/stops.py:_MOST_NESTED guards/values.py:_MOST_NESTED
        invariants/makers.py:_MOST_NESTED
        guards/rename.py:_MOST_REMEMBERED leaks/detect.py:_TELL_EVERY
        flow/engine.py:_MOST_REMEMBERED leaks/together.py:_FEWEST logic/order.py:_RANK
        memssa/build.py:_TELL_EVERY
        pointsto/cells.py:MANY pointsto/copying.py:RELAY_PAIRS pointsto/reaching.py:_TOGETHER
        pointsto/solve.py:NEW_EDGES_FOR_SEARCH pointsto/solve.py:NEW_EDGE_SHARE
        replay/code.py:_MARK_EVERY replay/evaluate.py:_FLAT
        support/bitset.py:FEW support/collector.py:_COLLECT_AFTER support/layering.py:_SWEEPS""",
    "room that libraries reserve; running out of it is counted where it is caught": """
        logic/space.py:_INNER_NODES""",
    "what is shown": """
        memssa/dump.py:_SHOWN policies/page.py:_WIDTH pointsto/stats.py:SHOWN
        pointsto/stats.py:FEEDERS replay/examples.py:_MOST_EXAMPLES
        replay/examples.py:_LONGEST_TEXT replay/inputs.py:_LONGEST svfg/export.py:_MOST_USES
        support/memory.py:_ROOM
        svfg/page.py:_TEXT svfg/slice.py:MOST_NODES svfg/slice.py:MOST_STATES
        svfg/slice.py:MOST_DEPTH""",
}


def number_of(node: ast.expr | None) -> float | None:
    """The value of an expression of numbers alone."""
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            found = number_of(inner)
            return None if found is None else -found
        case ast.BinOp(left=left, right=right):
            if number_of(left) is None or number_of(right) is None:
                return None
            value = eval(compile(ast.Expression(node), "", "eval"))
            return value if isinstance(value, int | float) else None
    return None


def numbers_in(node: ast.expr | None) -> list[float]:
    """The numbers of a constant: itself, or what a table, tuple or list of numbers has."""
    match node:
        case ast.Dict(values=parts) | ast.Tuple(elts=parts) | ast.List(elts=parts):
            found = [number_of(part) for part in parts]
            return [one for one in found if one is not None] if None not in found else []
    one = number_of(node)
    return [] if one is None else [one]


def constants(source: str) -> list[str]:
    """Names of a module's constants that may be bounds or weights."""
    found: list[str] = []
    for node in ast.parse(source).body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                if any(LEAST <= number < MOST for number in numbers_in(node.value)):
                    found.append(name)
    return found


# Where a number steers without a name: what counts is compared with it, or cut down to it.
COUNTS = re.compile(r"(^|[._])(steps|depth|count|rounds|turns|tries|most|size_of)$|^len\(")


def unnamed(source: str) -> list[str]:
    """Bounds without a name: defaults of parameters, numbers that counts are compared with, slices."""
    found: list[str] = []
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.arguments(defaults=defaults, kw_defaults=others):
                given = [*defaults, *(one for one in others if one is not None)]
                found += [f"default {ast.unparse(one)}" for one in given if _is_bound(one, 2)]
            case ast.Compare(left=left, ops=[ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE()]):
                right = node.comparators[0]
                for one, other in ((left, right), (right, left)):
                    if _is_bound(other, 4) and COUNTS.search(ast.unparse(one)):
                        found.append(ast.unparse(node))
            case ast.Subscript(slice=ast.Slice(lower=None, upper=ast.expr() as upper, step=None)):
                found += [ast.unparse(node)] if _is_bound(upper, 5) else []
    return found


def _is_bound(node: ast.expr, least: int) -> bool:
    number = number_of(node)
    return number is not None and least <= number < MOST


def analysing() -> list[Path]:
    """Modules of the analysis."""
    paths = sorted(ROOT.rglob("*.py"))
    return [path for path in paths if path.relative_to(ROOT).parts[0] not in NO_ANALYSIS]


def all_constants() -> set[str]:
    return {
        f"{path.relative_to(ROOT)}:{name}"
        for path in analysing()
        for name in constants(path.read_text())
    }


def allowed() -> set[str]:
    return {name for names in ALLOWED.values() for name in names.split()}


def test_no_bound_is_outside_of_config() -> None:
    assert sorted(all_constants() - allowed()) == [], "move these into the Config of their phase"


UNNAMED = {
    "guards/text.py: default 6": "what is shown",
    "support/files.py: real.name[:100]": "a file's name",
    "svfg/slice.py: lines[:20]": "what is shown",
}


def test_no_bound_is_without_a_name() -> None:
    found = {
        f"{path.relative_to(ROOT)}: {text}"
        for path in analysing()
        if path.name != "config.py"
        for text in unnamed(path.read_text())
    }
    assert sorted(found ^ set(UNNAMED)) == [], "move these into the Config of their phase"


def test_what_is_allowed_exists() -> None:
    assert sorted(allowed() - all_constants()) == []


def test_the_test_can_fail() -> None:
    assert constants("_MOST: Final = 1 << 4") == ["_MOST"]
    assert constants("WEIGHTS = {A: 1, B: 0}") == ["WEIGHTS"]
    assert unnamed("def f(most=64): ...") == ["default 64"]
    assert unnamed("while todo and steps < 10_000: ...") == ["steps < 10000"]
    assert unnamed("if len(cells) > 16: found = cells[:16]") == ["len(cells) > 16", "cells[:16]"]
    assert unnamed("if width < 64 and n > 0: f(one[:2])") == []
    assert constants("NONE = -1\nNAME = 'x'\nTRUE = True\nEND = 1 << 60") == []


@pytest.mark.parametrize("phase", [field.name for field in dataclasses.fields(Config)])
def test_every_setting_is_used(phase: str) -> None:
    """A setting that nobody reads does nothing."""
    settings = getattr(Config(), phase)
    if not dataclasses.is_dataclass(settings):
        return
    source = "\n".join(p.read_text() for p in sorted(ROOT.rglob("*.py")) if p.name != "config.py")
    unused = [
        field.name
        for field in dataclasses.fields(settings)
        if not re.search(rf"\.{field.name}\b", source)
    ]
    assert unused == []
