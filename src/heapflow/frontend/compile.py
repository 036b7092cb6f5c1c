"""Make the tables of one unit: compile, canonicalise, read, serialise; or take them from the cache.

In:    `SourceUnit`, `Compiler`.       Out: `UnitResult`.
Guarantees: never raises for a bad input file: what went wrong is in the result; the result does not
       depend on the order or number of processes.
"""

from __future__ import annotations

import os
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from heapflow.frontend.cache import Cache
from heapflow.frontend.compiler import Bitcode, CompileFailure, Compiler, compile_unit
from heapflow.frontend.manifest import (
    Digests,
    FileState,
    find_result,
    manifest_key,
    record_result,
)
from heapflow.frontend.reader import read_tables, reader_fingerprint
from heapflow.frontend.units import SourceUnit, UnitKind
from heapflow.support.errors import HeapflowError


@dataclass(frozen=True, slots=True)
class UnitResult:
    """The tables of a unit, or why there are none; and what they cost."""

    tables: bytes = b""  # b"" for one from the cache, until they are asked for
    key: str = ""  # of the tables in the cache; "" if they are not there
    error: str = ""
    dropped_flags: tuple[str, ...] = ()
    from_cache: bool = False
    compiler_cpu: float = 0.0
    reader_cpu: float = 0.0


@dataclass(frozen=True, slots=True)
class UnitTask:
    """What a worker needs to know for one unit."""

    unit: SourceUnit
    compiler: Compiler
    cache: Cache | None


def find_cached(task: UnitTask, files: FileState) -> UnitResult | None:
    """The result of an earlier run, if all that it was made from is unchanged; without its tables."""
    if task.cache is None:
        return None
    found = find_result(task.cache, _manifest_key(task), task.unit, files)
    if found is None:
        return None
    return UnitResult(key=found.key, dropped_flags=found.dropped_flags, from_cache=True)


# Digests of headers that this process has read, by path and stamp: most units share most headers.
_digests: Digests = {}


def make_unit(task: UnitTask) -> UnitResult:
    """Compile and read one unit, and put its tables into the cache."""
    started_wall, started = time.time_ns(), time.process_time()
    try:
        bitcode = _bitcode(task)
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
    except HeapflowError as error:
        return UnitResult(error=f"{task.unit.name}: error: {error}")
    except Exception as error:  # our bug: it must cost one file, and be told as what it is
        return UnitResult(error=_bug(task.unit, error))
    key = _store(task, bitcode, tables, started_wall)
    return UnitResult(
        tables,
        key,
        dropped_flags=bitcode.dropped_flags,
        compiler_cpu=bitcode.cpu_seconds,
        reader_cpu=time.process_time() - started,
    )


def _bitcode(task: UnitTask) -> Bitcode:
    unit = task.unit
    if unit.kind is not UnitKind.C:
        path = unit.path
        return Bitcode(path.read_bytes(), (os.path.normpath(path),), (), 0.0)
    with tempfile.TemporaryDirectory(prefix="heapflow-") as workplace:
        return compile_unit(task.compiler, unit, Path(workplace))


def _store(task: UnitTask, bitcode: Bitcode, tables: bytes, started_ns: int) -> str:
    """Put the result into the cache; its key, or "" if it cannot go there."""
    if task.cache is None:
        return ""
    key = record_result(
        task.cache,
        _manifest_key(task),
        task.unit,
        bitcode.dependencies,
        bitcode.dropped_flags,
        FileState(_digests),
        started_ns,
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
