"""The front end from beginning to end: what the user named in, one linked `Program` out.

In:    `Inputs`, `FrontendSettings`.      Out: `Loaded`.
Guarantees: units are linked in input order, so the result is the same for any number of processes; a
       file that fails is listed and the rest goes on.
Not modelled: see docs/architecture.md, "Front end".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from heapflow.frontend.access import Access, trees_of
from heapflow.frontend.buildless.guess import known_of
from heapflow.frontend.cache import DEFAULT_LIMIT, Cache, cache_directory, digest
from heapflow.frontend.compile import UnitResult, UnitTask, find_cached, make_unit
from heapflow.frontend.compiler import find_compiler
from heapflow.frontend.guesses import Guesses
from heapflow.frontend.inputs import Inputs
from heapflow.frontend.manifest import FileState
from heapflow.frontend.reader import (
    link_tables,
    reader_fingerprint,
    restore,
    serialise,
)
from heapflow.frontend.units import SourceUnit, UnitKind
from heapflow.frontend.workers import Crash, run_tasks, usable_cores
from heapflow.support.errors import UserError
from heapflow.support.run import Run

if TYPE_CHECKING:
    from heapflow.ir.program import Program


@dataclass(frozen=True, slots=True)
class FrontendSettings:
    """What the user can choose."""

    clang: str | None = None  # None: one on PATH, else ziglang's
    jobs: int = 0  # 0: all cores that we may use
    use_cache: bool = True
    cache_directory: Path | None = None  # None: the user's
    cache_limit: int = DEFAULT_LIMIT
    compiler_seconds: float = 600.0  # of one call: clang's own bounds do not end every source


@dataclass(frozen=True, slots=True)
class Failure:
    """A file that is not part of the program, and why."""

    name: str
    error: str


@dataclass(frozen=True, slots=True)
class Costs:
    """CPU seconds, told apart by whose they are."""

    compiler: float = 0.0
    reading: float = 0.0  # verification, SROA, reading, serialising, caching
    linking: float = 0.0


@dataclass(frozen=True, slots=True)
class Loaded:
    """The program, and everything the user should hear about how it came to be."""

    program: Program | None  # None: not one file could be read
    units: int
    from_cache: int
    failures: tuple[Failure, ...]
    dropped_flags: tuple[tuple[str, int], ...]  # with the number of files that they were given for
    compiler: str
    costs: Costs = field(default_factory=Costs)
    opened: Mapping[str, str] = field(
        default_factory=dict
    )  # files that were read, with their digests
    key: str = ""  # of all units and what they are linked into; "": not all of them are cached
    lists_all: bool = False  # whether that is known of every unit
    notes: tuple[str, ...] = ()
    guesses: tuple[tuple[str, Guesses], ...] = ()  # by file, of units without a build

    def access(self, inputs: Inputs, root: Path) -> Access:
        """The sources that may be shown: below `root`, or in what the user named."""
        return Access(trees_of((root, *inputs.named)), self.opened, self.lists_all)


Progress = Callable[[int, int, str], None]


def load_program(
    inputs: Inputs,
    settings: FrontendSettings | None = None,
    run: Run | None = None,
    progress: Progress | None = None,
) -> Loaded:
    """Compile, read and link. `progress(done, all, name)` is told of every finished file."""
    settings, run = settings or FrontendSettings(), run or Run()
    compiler = replace(find_compiler(settings.clang), seconds=settings.compiler_seconds)
    cache, note = _open_cache(settings)
    tasks = [UnitTask(unit, compiler, cache) for unit in inputs.units]
    work = _Work(tasks, cache, settings.jobs or usable_cores(), progress)
    with run.phase("compile and read"):
        results = work.find_or_make()
    with run.phase("link"):
        program = work.linked()
    linking = run.phases[-1].cpu_seconds
    if cache is not None and any(not one.from_cache for one in results):
        cache.trim_if_over(settings.cache_limit)
    loaded = _summary(inputs, results, program, compiler.version, linking)
    key = work.linked_key() if cache is not None else ""
    return replace(loaded, notes=(note,) if note else (), key=key)


def _open_cache(settings: FrontendSettings) -> tuple[Cache | None, str]:
    """The cache, or None and why it is not used."""
    if not settings.use_cache:
        return None, ""
    try:
        return Cache(settings.cache_directory or cache_directory()), ""
    except UserError as error:
        return None, f"nothing is cached: {error}"


@dataclass(slots=True)
class _Work:
    """The units and their results so far."""

    tasks: list[UnitTask]
    cache: Cache | None
    jobs: int
    progress: Progress | None
    results: list[UnitResult] = field(default_factory=list)

    def find_or_make(self) -> list[UnitResult]:
        files = FileState()
        found = [find_cached(task, files) for task in self.tasks]
        self.results = [one or UnitResult() for one in found]
        self._make([index for index, one in enumerate(found) if one is None])
        return self.results

    def _make(self, missing: list[int]) -> None:
        """Compile and read units, in parallel."""
        if not missing:
            return
        for root in dict.fromkeys(self.tasks[i].unit.tree for i in missing):
            if root:
                known_of(root, self.tasks[0].compiler)
        done = len(self.tasks) - len(missing)
        for position, result in run_tasks(make_unit, [self.tasks[i] for i in missing], self.jobs):
            index, done = missing[position], done + 1
            name = self.tasks[index].unit.name
            if isinstance(result, Crash):
                result = UnitResult(error=f"{name}: error: the reader {result.reason}")
            self.results[index] = result
            if self.progress is not None:
                self.progress(done, len(self.tasks), name)

    def linked(self) -> Program | None:
        """The linked program; from the cache if the very same units were linked before."""
        key = self.linked_key()
        if self.cache is not None and key:
            data = self.cache.get("linked", key)
            if data is not None:
                return restore(data)
        self._fetch_tables()
        missing = self._missing()
        parts = [
            (result.tables, task.unit.targets, _is_whole(task.unit, missing))
            for task, result in zip(self.tasks, self.results, strict=True)
            if not result.error
        ]
        if not parts:
            return None
        program = link_tables(parts)
        if self.cache is not None and key:
            self.cache.put("linked", key, serialise(program))
        return program

    def _fetch_tables(self) -> None:
        """Bring the tables of cached units; what is damaged or gone is compiled again."""
        gone = []
        for index, result in enumerate(self.results):
            if self.cache is None or not result.from_cache or result.tables:
                continue
            tables = self.cache.get("unit", result.key)
            if tables is None:
                gone.append(index)
            else:
                self.results[index] = replace(result, tables=tables)
        self._make(gone)

    def _missing(self) -> frozenset[str]:
        """Targets of which a file could not be read: what it calls is not known."""
        pairs = zip(self.tasks, self.results, strict=True)
        return frozenset(
            target for task, result in pairs if result.error for target in task.unit.targets
        )

    def linked_key(self) -> str:
        """Identifies units and the targets they belong to; "" if one of them is not cached."""
        words = []
        missing = self._missing()
        for task, result in zip(self.tasks, self.results, strict=True):
            if not result.error and not result.key:
                return ""
            if result.key:
                whole = "whole" if _is_whole(task.unit, missing) else ""
                words += [result.key, *task.unit.targets, whole, ""]
        return digest(reader_fingerprint(), *words) if words else ""


def _is_whole(unit: SourceUnit, missing: frozenset[str]) -> bool:
    return unit.whole and missing.isdisjoint(unit.targets)


def _summary(
    inputs: Inputs,
    results: list[UnitResult],
    program: Program | None,
    compiler: str,
    linking: float,
) -> Loaded:
    dropped = Counter(flag for result in results for flag in result.dropped_flags)
    return Loaded(
        program=program,
        units=len(results),
        from_cache=sum(result.from_cache for result in results),
        failures=tuple(
            Failure(unit.name, result.error)
            for unit, result in zip(inputs.units, results, strict=True)
            if result.error
        ),
        dropped_flags=tuple(sorted(dropped.items(), key=lambda item: (-item[1], item[0]))),
        compiler=compiler,
        opened=_opened(results),
        guesses=tuple(
            (str(unit.path), result.guesses)
            for unit, result in zip(inputs.units, results, strict=True)
            if result.guesses is not None
        ),
        lists_all=all(unit.kind is UnitKind.C for unit in inputs.units),
        costs=Costs(
            compiler=sum(result.compiler_cpu for result in results),
            reading=sum(result.reader_cpu for result in results),
            linking=linking,
        ),
    )


def _opened(results: list[UnitResult]) -> dict[str, str]:
    """Every file with its digest; "" for one that changed between two units."""
    found: dict[str, str] = {}
    for result in results:
        for path, content in result.opened:
            found[path] = content if found.get(path, content) == content else ""
    return found
