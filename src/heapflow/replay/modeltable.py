"""What replay asks of models: those of libraries, or those in force for one program."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from heapflow.models.model import Family, FunctionModel


class ModelTable(Protocol):
    """What is known of functions by their names."""

    @property
    def families(self) -> Mapping[str, Family]: ...

    def lookup(self, name: str) -> FunctionModel | None: ...
