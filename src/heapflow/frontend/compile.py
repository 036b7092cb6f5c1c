"""Make the tables of one unit: compile, canonicalise, read, serialise; or take them from the cache.

In:    `SourceUnit`, `Compiler`.       Out: `UnitResult`.
Guarantees: never raises for a bad input file: what went wrong is in the result; the result does not
       depend on the order or number of processes.
"""

from __future__ import annotations

import os
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path

from heapflow.frontend.buildless.functions import function_spans
from heapflow.frontend.buildless.guess import compile_by_guessing
from heapflow.frontend.buildless.tree import read_text
from heapflow.frontend.cache import Cache
from heapflow.frontend.compiler import Bitcode, CompileFailure, Compiler, compile_unit
from heapflow.frontend.flags import is_understood
from heapflow.frontend.guesses import Guesses, guesses_from
from heapflow.frontend.manifest import (
    Contents,
    FileState,
    find_result,
    manifest_key,
    record_result,
)
from heapflow.frontend.reader import read_tables, reader_fingerprint, restore
from heapflow.frontend.units import SourceUnit, UnitKind
from heapflow.support.errors import HeapflowError
from heapflow.support.files import Refusal, read_regular

_LARGEST_BITCODE = 4 * 1024**3  # bytes


@dataclass(frozen=True, slots=True)
class UnitResult:
    """The tables of a unit, or why there are none; and what they cost."""

    tables: bytes = b""  # b"" for one from the cache, until they are asked for
    key: str = ""  # of the tables in the cache; "" if they are not there
    error: str = ""
    dropped_flags: tuple[str, ...] = ()
    opened: tuple[
        tuple[str, str], ...
    ] = ()  # what the compiler read, with the digests of the files
    from_cache: bool = False
    compiler_cpu: float = 0.0
    reader_cpu: float = 0.0
    guesses: Guesses | None = None  # of a unit whose flags are not known


@dataclass(frozen=True, slots=True)
class UnitTask:
    """What a worker needs to know for one unit."""

    unit: SourceUnit
    compiler: Compiler
    cache: Cache | None


def find_cached(task: UnitTask, files: FileState) -> UnitResult | None:
    """The result of an earlier run, if all that it was made from is unchanged; without its tables."""
    if task.cache is None or not _is_cacheable(task.unit):
        return None
    found = find_result(task.cache, _manifest_key(task), task.unit, files)
    if found is None:
        return None
    return UnitResult(
        key=found.key,
        dropped_flags=found.dropped_flags,
        opened=found.opened,
        from_cache=True,
        guesses=guesses_from(found.guesses) if task.unit.tree else None,
    )


def _is_cacheable(unit: SourceUnit) -> bool:
    """A flag that is not understood may make clang read files that it does not list."""
    return not unit.problem and is_understood(unit.own_flags)


# What this process knows of headers, by path and stamp: most units share most headers.
_contents: Contents = {}


def make_unit(task: UnitTask) -> UnitResult:
    """Compile and read one unit, and put its tables into the cache."""
    started_wall, started = time.time_ns(), time.process_time()
    if task.unit.problem:
        return UnitResult(error=f"{task.unit.name}: error: {task.unit.problem}")
    try:
        bitcode, guesses = _bitcode(task)
        is_text = task.unit.kind is UnitKind.ASSEMBLY
        tables = read_tables(
            bitcode.data, is_text, task.unit.name, bitcode.unannounced, bitcode.has_commons
        )
    except CompileFailure as failure:
        return UnitResult(
            error=str(failure),
            dropped_flags=failure.dropped_flags,
            compiler_cpu=failure.cpu_seconds,
        )
    except OSError as error:
        return UnitResult(error=f"{task.unit.name}: error: {error.strerror or error}")
    except (HeapflowError, Refusal) as error:
        return UnitResult(error=f"{task.unit.name}: error: {error}")
    except Exception as error:  # our bug: it must cost one file, and be told as what it is
        return UnitResult(error=_bug(task.unit, error))
    if guesses is not None:
        guesses = _with_inactive(task.unit, tables, guesses)
    files = FileState(_contents)
    key = _store(task, bitcode, tables, files, started_wall, guesses)
    return UnitResult(
        tables,
        key,
        dropped_flags=bitcode.dropped_flags,
        opened=_opened(task.unit, bitcode, files, started_wall),
        compiler_cpu=bitcode.cpu_seconds,
        reader_cpu=time.process_time() - started,
        guesses=guesses,
    )


def _bitcode(task: UnitTask) -> tuple[Bitcode, Guesses | None]:
    unit = task.unit
    if unit.kind is not UnitKind.C:
        data = read_regular(unit.path, _LARGEST_BITCODE)
        return Bitcode(data, (os.path.normpath(unit.path),), (), 0.0), None
    with tempfile.TemporaryDirectory(prefix="heapflow-") as directory:
        workplace = Path(directory).resolve()
        if unit.tree:
            return compile_by_guessing(task.compiler, unit, workplace)
        return compile_unit(task.compiler, unit, workplace), None


def _with_inactive(unit: SourceUnit, tables: bytes, guesses: Guesses) -> Guesses:
    """Functions that the text has and the program does not."""
    program = restore(tables)
    functions = range(len(program.functions))
    defined = {program.func_name(one) for one in functions if not program.is_declaration(one)}
    written = (span.name for span in function_spans(read_text(str(unit.path))))
    gone = {*defined, *guesses.dropped, *guesses.replaced}
    return replace(guesses, inactive=tuple(dict.fromkeys(n for n in written if n not in gone)))


def _opened(
    unit: SourceUnit, bitcode: Bitcode, files: FileState, started_ns: int
) -> tuple[tuple[str, str], ...]:
    """What the compiler read; a file that was written meanwhile has no digest that fits."""
    if unit.kind is not UnitKind.C:
        return ()
    found = []
    for path in bitcode.dependencies:
        stamp = files.stamp(path)
        settled = stamp is not None and max(stamp[1], stamp[2]) < started_ns
        found.append((path, (files.digest(path) or "") if settled else ""))
    return tuple(found)


def _store(
    task: UnitTask,
    bitcode: Bitcode,
    tables: bytes,
    files: FileState,
    started_ns: int,
    guesses: Guesses | None,
) -> str:
    """Put the result into the cache; its key, or "" if it cannot go there."""
    if task.cache is None or not _is_cacheable(task.unit):
        return ""
    key = record_result(
        task.cache,
        _manifest_key(task),
        task.unit,
        bitcode.dependencies,
        bitcode.dropped_flags,
        files,
        started_ns,
        guesses.as_lists() if guesses is not None else {},
    )
    if key is None:
        return ""
    task.cache.put("unit", key, tables)
    return key


def _manifest_key(task: UnitTask) -> str:
    return manifest_key(task.unit, task.compiler, reader_fingerprint())


def _bug(unit: SourceUnit, error: Exception) -> str:
    import traceback

    last = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{Path(last.filename).name}:{last.lineno}"
    return (
        f"{unit.name}: error: a bug in heapflow: {type(error).__name__}: {error} ({where}); "
        "please report it with this file"
    )
