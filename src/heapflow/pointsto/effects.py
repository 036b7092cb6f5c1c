"""The parts of external functions' models that this phase uses, found by function.

A definition wins over a model: only declarations have effects here. Definitions over which a model
wins are declarations by now (`modelled.take`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from heapflow.ir.program import Program
from heapflow.models.model import (
    AccessPath,
    Alloc,
    Arg,
    Free,
    FunctionModel,
    Offset,
    Realloc,
    Ret,
    Size,
)
from heapflow.pointsto.codes import FuncFlag


class ModelSource(Protocol):
    """`heapflow.models.load.Models`, or a stand-in."""

    def lookup(self, name: str) -> FunctionModel | None: ...


class Effects:
    """Models of the program's declarations, looked up once."""

    def __init__(self, program: Program, models: ModelSource) -> None:
        self._program = program
        self._models = models
        self._known: dict[int, FunctionModel | None] = {}

    def of_variable(self, name: str) -> FunctionModel | None:
        """The model of what an external function pointer of this name points to (`xmlFree`)."""
        return self._models.lookup(name)

    def always(self, call: int, model: FunctionModel) -> bool:
        """Whether what a belief says happens whatever the call returns: its caller does not look."""
        untested: frozenset[int] = getattr(self._models, "untested", frozenset())
        return model.is_belief and call in untested

    def of(self, func: int) -> FunctionModel | None:
        """The model of an external function; None for defined functions and unknown ones."""
        if func not in self._known:
            flags = int(self._program.functions.flags[func])
            external = bool(flags & FuncFlag.DECLARATION)
            name = self._program.func_name(func)
            self._known[func] = self._models.lookup(name) if external else None
        return self._known[func]


@dataclass(frozen=True, slots=True)
class Fresh:
    """A block that a function hands out: as its result, or stored at an argument."""

    arg: int  # 0-based argument that it is stored through; -1: the result
    offset: int
    size: Size | None
    source: int  # realloc: 0-based argument whose contents the block inherits; else -1


def fresh_blocks(model: FunctionModel | None) -> Iterator[Fresh]:
    """What a function allocates, as far as this phase can name the place."""
    if model is None:
        return
    for effect in model.effects:
        if not isinstance(effect, Alloc | Realloc):
            continue
        source = -1
        if isinstance(effect, Realloc) and isinstance(effect.source.root, Arg):
            source = effect.source.root.index - 1 if not effect.source.steps else -1
        match effect.target:
            case AccessPath(Ret(), ()):
                yield Fresh(-1, 0, effect.size, source)
            case AccessPath(Arg(index), (Offset(at),)):
                yield Fresh(index - 1, at, effect.size, source)
            case _:
                pass


def released_args(model: FunctionModel | None) -> list[int]:
    """0-based arguments whose object a function releases."""
    if model is None:
        return []
    found = []
    for effect in model.effects:
        if isinstance(effect, Free):
            match effect.target:
                case AccessPath(Arg(index), ()):
                    found.append(index - 1)
                case _:
                    pass
        elif isinstance(effect, Realloc):
            match effect.source:
                case AccessPath(Arg(index), ()):
                    found.append(index - 1)
                case _:
                    pass
    return found
