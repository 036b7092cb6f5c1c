"""The report of a run is kept: the very same run again reads it instead of analysing.

In:    what was loaded, the settings.     Out: findings, summary, counters of an earlier run, or None.
Guarantees: the key covers everything that findings depend on: every unit with its headers, flags and
       compiler (the keys of the front end), what is linked into what, the sources that were opened and
       those that may be shown, models, settings, heapflow's own code and data, and the libraries that
       decide conditions. Entries are sealed like all others of the cache; only the report's own types
       are read.
Not modelled: runs that a limit of time or memory ended, inputs whose sources are not all known (such as
       bitcode), and runs without a cache: nothing is kept of them.
"""

from __future__ import annotations

import dataclasses
import io
import pickle
from collections import Counter
from dataclasses import dataclass
from enum import Enum
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path
from typing import Any

import heapflow
from heapflow.config import Config
from heapflow.frontend.cache import Cache, cache_directory, digest
from heapflow.frontend.inputs import Inputs
from heapflow.frontend.load import FrontendSettings, Loaded
from heapflow.report.finding import Finding, Summary
from heapflow.support.errors import UserError
from heapflow.support.run import Run

_KIND = "report"
_DECIDING = ("bitwuzla", "numpy", "oxidd")  # libraries whose answers are in findings
_TYPES = ("heapflow.report.finding", "heapflow.rules.rule", "heapflow.support.run")
_NOT_CODE = ("__pycache__",)


@dataclass(frozen=True, slots=True)
class KeptReport:
    """What a run found, and what it says of itself."""

    findings: tuple[Finding, ...]
    summary: Summary
    counters: tuple[tuple[str, int], ...]
    limits_hit: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Keeper:
    """Where the report of one run is kept; without a cache or a key it is not."""

    cache: Cache | None
    key: str

    def find(self, run: Run) -> KeptReport | None:
        """The report of the same run, made before; its counters are added to this run's."""
        data = self.cache.get(_KIND, self.key) if self.cache is not None and self.key else None
        kept = _read(data) if data is not None else None
        if kept is not None:
            run.counters.update(Counter(dict(kept.counters)))
            run.limits_hit.update(Counter(dict(kept.limits_hit)))
        return kept

    def keep(self, findings: tuple[Finding, ...], summary: Summary, run: Run) -> None:
        """Keep the report of a run that came to its end."""
        if self.cache is None or not self.key or summary.stopped or run.limits.over:
            return
        plain = (
            findings,
            summary,
            tuple(sorted(run.counters.items())),
            tuple(sorted(run.limits_hit.items())),
        )
        self.cache.put(_KIND, self.key, pickle.dumps(plain, protocol=5))


def keeper_of(loaded: Loaded, inputs: Inputs, config: Config, root: Path) -> Keeper:
    """The place of a run's report."""
    settings = config.frontend
    if not settings.use_cache or not loaded.key or not loaded.lists_all:
        return Keeper(None, "")
    try:
        cache = Cache(settings.cache_directory or cache_directory())
    except UserError:
        return Keeper(None, "")
    return Keeper(cache, _key(loaded, inputs, config, root))


def _key(loaded: Loaded, inputs: Inputs, config: Config, root: Path) -> str:
    chosen = dataclasses.replace(config, frontend=FrontendSettings(), models=())
    return digest(
        loaded.key,
        repr(sorted(loaded.opened.items())),
        repr([str(path.resolve()) for path in (root, *inputs.named)]),
        repr(chosen),
        *(_content(path) for path in config.models),
        code_fingerprint(),
    )


def _content(path: Path) -> bytes:
    return blake2b(path.read_bytes()).digest()


def code_fingerprint(root: Path | None = None) -> str:
    """Changes whenever a file of heapflow does, or a library that decides conditions."""
    hasher = blake2b(digest_size=16)
    root = root or Path(heapflow.__file__).parent
    for path in sorted(root.rglob("*")):
        if path.is_file() and not set(path.parts) & set(_NOT_CODE):
            hasher.update(digest(str(path.relative_to(root)), path.read_bytes()).encode())
    for name in _DECIDING:
        hasher.update(version(name).encode())
    return hasher.hexdigest()


class _Plain(pickle.Unpickler):
    """Reads values of the report's own types, and nothing that could run."""

    def find_class(self, module: str, name: str) -> Any:
        found = super().find_class(module, name) if module in _TYPES else None
        if isinstance(found, type) and (dataclasses.is_dataclass(found) or issubclass(found, Enum)):
            return found
        raise pickle.UnpicklingError(f"{module}.{name} is no part of a report")


def _read(data: bytes) -> KeptReport | None:
    """A kept report; None if it is not one."""
    try:
        findings, summary, counters, limits = _Plain(io.BytesIO(data)).load()
    except (pickle.UnpicklingError, ValueError, TypeError, AttributeError, EOFError):
        return None
    return KeptReport(findings, summary, counters, limits)
