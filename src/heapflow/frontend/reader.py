"""The one place where build handling meets the reader and the linker.

In:    bitcode or textual IR.      Out: serialised `Program` tables; the linked `Program`.
Guarantees: input that is no valid module gives a `ToolError`, and nothing else.

The imports are inside: a run that finds everything in the cache never loads LLVM, and no run does
in the process that analyses: LLVM takes 40 MB, which only the workers need.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import heapflow

if TYPE_CHECKING:
    from heapflow.ir.program import Program


def read_tables(
    data: bytes,
    is_text: bool,
    source: str,
    unannounced: frozenset[str] = frozenset(),
    has_commons: bool = True,
) -> bytes:
    """Verify, canonicalise, read and serialise one module.

    Without `has_commons`, definitions of the same name in two files are two variables.
    """
    from heapflow.frontend.bitcode import read_module
    from heapflow.frontend.canonical import canonicalise
    from heapflow.frontend.store import program_to_bytes

    program = read_module(canonicalise(data, is_text), source)
    _mark_unannounced(program, unannounced)
    _mark_tentative(program, has_commons)
    return program_to_bytes(program)


def _mark_unannounced(program: Program, names: frozenset[str]) -> None:
    """Tell the tables which external definitions no header declares (the compiler's word for it)."""
    from heapflow.ir.kinds import FuncFlag, GlobalFlag

    if not names:
        return
    for func in range(len(program.functions)):
        if program.func_name(func) in names:
            program.functions.flags[func] |= FuncFlag.UNANNOUNCED
    for number in range(len(program.globals)):
        if program.global_name(number) in names:
            program.globals.flags[number] |= GlobalFlag.UNANNOUNCED


def _mark_tentative(program: Program, has_commons: bool) -> None:
    """Tell the tables which external variables have no initialiser: those that may be common."""
    from heapflow.ir.kinds import GlobalFlag, Linkage

    table = program.globals
    common = table.linkage == int(Linkage.COMMON)
    table.flags[common] |= int(GlobalFlag.TENTATIVE)
    if not has_commons:
        table.linkage[common] = int(Linkage.EXTERNAL)


def restore(data: bytes) -> Program:
    """Tables from their bytes; raises ValueError if these are damaged."""
    from heapflow.frontend.store import program_from_bytes

    return program_from_bytes(data)


def serialise(program: Program) -> bytes:
    from heapflow.frontend.store import program_to_bytes

    return program_to_bytes(program)


def link_tables(parts: Sequence[tuple[bytes, tuple[str, ...], bool]]) -> Program:
    """Link units, each given by its tables, the targets that it belongs to, and whether it is whole."""
    from heapflow.frontend.link import Unit, link_programs

    return link_programs(
        [Unit(restore(tables), targets, whole) for tables, targets, whole in parts]
    )


@cache
def reader_fingerprint() -> str:
    """Changes whenever the code that makes tables does: cached tables of other code are not used.

    Hashing our own sources costs a millisecond and cannot be forgotten, as a version number can.
    """
    hasher = blake2b(digest_size=16)
    root = Path(heapflow.__file__).parent
    for part in ("ir", "frontend"):
        for path in sorted((root / part).rglob("*.py")):
            hasher.update(str(path.relative_to(root)).encode())
            hasher.update(path.read_bytes())
    hasher.update(version("llvmlite").encode())
    return hasher.hexdigest()
