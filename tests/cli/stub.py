"""An engine that finds what a test tells it to, and the command line run in this process."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

import heapflow
from heapflow.cli import main
from heapflow.config import Config
from heapflow.frontend.inputs import Inputs
from heapflow.frontend.load import Loaded
from heapflow.report.finding import Finding, Summary
from heapflow.support.run import Run

CLEAN = Summary(files=1, functions=3, allocations=2, decided=2)
Finder = Callable[[Inputs], Iterable[Finding]]


@dataclass
class Engine:
    """Takes the place of `heapflow.pipeline`."""

    monkeypatch: pytest.MonkeyPatch
    capsys: pytest.CaptureFixture[str]
    find: Finder = lambda _: ()
    summary: Summary = CLEAN
    loaded: Loaded | None = None
    inputs: list[Inputs] = field(default_factory=list)
    configs: list[Config] = field(default_factory=list)

    def install(self) -> None:
        module = ModuleType("heapflow.pipeline")
        module.__spec__ = ModuleSpec("heapflow.pipeline", None)
        module.analyse = self._analyse  # type: ignore[attr-defined]
        self.monkeypatch.setitem(sys.modules, "heapflow.pipeline", module)
        self.monkeypatch.setattr(heapflow, "pipeline", module, raising=False)

    def _analyse(self, inputs: Inputs, config: Config, run: Run) -> SimpleNamespace:
        self.inputs.append(inputs)
        self.configs.append(config)
        return SimpleNamespace(
            findings=tuple(self.find(inputs)), summary=self.summary, loaded=self.loaded
        )

    def run(self, *arguments: str | Path) -> tuple[int, str, str]:
        """Exit status, stdout, stderr."""
        self.monkeypatch.setattr(sys, "argv", ["heapflow", *map(str, arguments)])
        with pytest.raises(SystemExit) as stopped:
            main()
        out, err = self.capsys.readouterr()
        return int(stopped.value.code or 0), out, err
