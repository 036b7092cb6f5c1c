"""What guards need to know of external functions, read from their models.

In:    Program, models.     Out: `Externals.of(func)`.
Equal calls of a pure function give equal results as long as the memory behind the arguments does not
change. A function without a model may write behind every pointer it is given.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from heapflow.ir.codes import FUNC_INTRINSIC
from heapflow.ir.program import Program
from heapflow.models.model import (
    AccessPath,
    Alloc,
    Arg,
    Args,
    Assign,
    Comparison,
    CopyMemory,
    Ensures,
    Exit,
    FillMemory,
    Free,
    FunctionModel,
    Inside,
    NoReturn,
    Realloc,
    Ret,
    Size,
    Write,
)


class ModelSource(Protocol):
    """`heapflow.models.load.Models`, or a stand-in."""

    def lookup(self, name: str) -> FunctionModel | None: ...


@dataclass(frozen=True, slots=True)
class Block:
    """A range of memory that a function fills or copies: arguments from 1, size 0 = unknown."""

    target: int
    source: int = 0  # copied from this argument
    value: int = 0  # filled with this argument; if 0, with the constant
    constant: int = 0
    size: int = 0  # argument that is the number of bytes


@dataclass(frozen=True, slots=True)
class External:
    """One external function."""

    pure: bool = False
    writes_all: bool = True  # every pointer argument may be written through
    written: tuple[int, ...] = ()
    written_from: int = 0  # this argument and all after it (`scanf`, `ioctl`); 0: none
    block: Block | None = None
    fresh: bool = False  # the result is a new block
    zeroed: bool = False
    inside: bool = False  # the result lies in what the first argument points to, or is NULL
    ends: tuple[tuple[Comparison, ...], ...] = ()  # conditions under which it does not return
    ensures: tuple[Comparison, ...] = ()
    unwinds: bool = False  # longjmp: control goes on at another place of this program

    def fills(self, count: int) -> list[int]:
        """Of so many arguments, those behind which it may write."""
        if self.writes_all:
            return list(range(1, count + 1))
        first = self.written_from or count + 1
        return [
            *(at for at in self.written if at < first and at <= count),
            *range(first, count + 1),
        ]


class Externals:
    """Facts by function, made when first asked for."""

    def __init__(self, program: Program, models: ModelSource | None) -> None:
        self._program, self._models = program, models
        self._known: dict[int, External] = {}
        self._unknown = External()
        self._harmless = External(writes_all=False)

    def of(self, func: int) -> External:
        known = self._known.get(func)
        if known is None:
            known = self._known[func] = self._make(func)
        return known

    def _make(self, func: int) -> External:
        if self._models is None:
            return self._unknown
        flags = int(self._program.functions.flags[func])
        name = self._program.func_name(func)
        if flags & FUNC_INTRINSIC:
            # `llvm.memcpy.p0.p0.i64` is the compiler's spelling of a C function, if there is one.
            name = name.split(".")[1] if name.count(".") else name
        model = self._models.lookup(name)
        if model is None:
            return self._harmless if flags & FUNC_INTRINSIC else self._unknown
        return _facts(model)


def _facts(model: FunctionModel) -> External:
    allocs = [e for e in model.effects if isinstance(e, Alloc | Realloc) and _is_result(e.target)]
    ends = [e for e in model.effects if isinstance(e, NoReturn) and e.exit is not Exit.MAYBE]
    # What is released is not there any more: nobody may look at it.
    released = {_argument(e.target) for e in model.effects if isinstance(e, Free)}
    return External(
        pure=model.pure,
        writes_all=model.is_belief,
        written=tuple(at for at in model.written_args if at not in released),
        written_from=min(_written_from(model), default=0),
        block=_block(model),
        fresh=bool(allocs),
        zeroed=any(isinstance(e, Alloc) and e.zeroed for e in allocs),
        inside=_is_inside_first(model),
        ends=tuple(e.when for e in ends),
        ensures=tuple(e.holds for e in model.effects if isinstance(e, Ensures) and not e.when),
        unwinds=any(e.exit is Exit.UNWIND for e in ends),
    )


def _written_from(model: FunctionModel) -> list[int]:
    """Where variable arguments begin behind which it writes."""
    targets = [effect.target for effect in model.effects if isinstance(effect, Write)]
    return [one.root.first for one in targets if isinstance(one.root, Args) and not one.steps]


def _block(model: FunctionModel) -> Block | None:
    for effect in model.effects:
        if isinstance(effect, CopyMemory) and not effect.when:
            target, source = _argument(effect.target), _argument(effect.source)
            if target and source:
                return Block(target, source=source, size=_size(effect.size))
        if isinstance(effect, FillMemory) and not effect.when and _argument(effect.target):
            target, size = _argument(effect.target), _size(effect.size)
            if isinstance(effect.value, Arg):
                return Block(target, value=effect.value.index, size=size)
            return Block(target, constant=effect.value, size=size)
    return None


def _is_inside_first(model: FunctionModel) -> bool:
    values = [e.value for e in model.effects if isinstance(e, Assign) and _is_result(e.target)]
    paths = [value.path if isinstance(value, Inside) else value for value in values]
    return bool(paths) and all(isinstance(p, AccessPath) and _argument(p) == 1 for p in paths)


def _argument(path: AccessPath) -> int:
    return path.root.index if isinstance(path.root, Arg) and not path.steps else 0


def _is_result(path: AccessPath) -> bool:
    return isinstance(path.root, Ret) and not path.steps


def _size(size: Size | None) -> int:
    return size.factors[0] if size and size.scale == 1 and len(size.factors) == 1 else 0
