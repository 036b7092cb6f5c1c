"""Constraints of external functions, from their models.

In:    FunctionModel effects.     Out: constraints.
Fresh blocks are heap.py's; here are results that alias arguments, stores into arguments, copies of
memory and calls back into the program. A function without a model may call back any function that it
is given, with any other pointer of the same call (`event_set(&ev, fd, flags, callback, data)`).
"""

from __future__ import annotations

from collections.abc import Sequence

from heapflow.models.model import (
    AccessPath,
    Alloc,
    AnyField,
    Arg,
    Args,
    Assign,
    Call,
    CopyMemory,
    FunctionModel,
    Global,
    Inside,
    Offset,
    Realloc,
    Ret,
    Size,
    Value,
)
from heapflow.pointsto.codes import ValueKind
from heapflow.pointsto.layouts import Shape
from heapflow.pointsto.objects import ObjectKind
from heapflow.pointsto.system import ANYWHERE, CallKind
from heapflow.pointsto.varmap import VarMap


class External:
    """Applies models at calls."""

    def __init__(self, variables: VarMap) -> None:
        self.vars, self.system = variables, variables.system
        self._globals: dict[str, int] | None = None

    def apply(
        self,
        model: FunctionModel,
        args: list[int],
        result: int,
        numbers: Sequence[int] = (),
        *,
        inherits: bool = True,
    ) -> None:
        """The effects of one call; -1 for arguments without a set.

        `inherits`: copy a reallocated block's contents here; heap.py does it where it makes clones.
        """
        frame = _Frame(args, result, numbers)
        for effect in model.effects:
            match effect:
                case Realloc(source, target) if inherits:
                    self.system.memcpy(self._path(frame, target), self._path(frame, source))
                case Assign(target, value):
                    self._assign(frame, target, self._value(frame, value))
                case CopyMemory(source, target, size):
                    self.system.memcpy(
                        self._path(frame, target),
                        self._path(frame, source),
                        _constant_size(size, numbers),
                    )
                case Call(callee, passed):
                    bound = [-1 if v is None else self._value(frame, v) for v in passed]
                    self.system.call(self._path(frame, callee), bound, -1, -1)
                case _:
                    pass

    def callbacks(self, args: list[int]) -> None:
        """A function without a model: what it is given may be called with what it is given."""
        known = [arg for arg in args if arg >= 0]
        if len(known) < 2:
            return
        data = self.vars.fresh()
        for arg in known:
            self.system.copy(data, arg)
        for arg in known:
            self.system.call(arg, [data], -1, -1, CallKind.CALLBACK)

    def stub(self, func: int, model: FunctionModel | None) -> tuple[list[int], int]:
        """Parameters and result of an external function that is called by value."""
        if model is None or model.signature is None:
            return [], -1
        params = [self.vars.fresh() for _ in model.signature.params]
        result = self.vars.fresh()
        self.apply(model, params, result)
        for effect in model.effects:
            if isinstance(effect, Alloc | Realloc) and effect.target == AccessPath(Ret()):
                table = self.vars.objects.table
                obj = table.add(ObjectKind.HEAP, Shape((), -1), func=func)
                self.system.add_object(self.vars.layouts.shape(Shape((), -1)))
                self.vars.add_address(result, obj)
        return params, result

    # -- access paths -------------------------------------------------------------------------

    def _value(self, frame: _Frame, value: Value) -> int:
        match value:
            case AccessPath():
                return self._path(frame, value)
            case Inside(path):
                return self._path(frame, path)
            case _:
                return -1  # null, or memory of the library's own

    def _path(self, frame: _Frame, path: AccessPath) -> int:
        """The value at a path."""
        var = self._root(frame, path)
        for step in path.steps:
            var = self._loaded(var, step)
        return var

    def _loaded(self, pointer: int, step: object) -> int:
        value = self.vars.fresh()
        self.system.load(value, self._place(pointer, step))
        return value

    def _place(self, pointer: int, step: object) -> int:
        match step:
            case Offset(0):
                return pointer
            case Offset(distance):
                delta = distance
            case AnyField():
                delta = ANYWHERE
            case _:
                delta = ANYWHERE  # a member by name: the layout is the library's
        place = self.vars.fresh()
        self.system.gep(place, pointer, delta)
        return place

    def _root(self, frame: _Frame, path: AccessPath) -> int:
        match path.root:
            case Ret():
                return frame.result
            case Arg(index):
                return frame.args[index - 1] if index <= len(frame.args) else -1
            case Args(first):
                merged = self.vars.fresh()
                for arg in frame.args[first - 1 :]:
                    self.system.copy(merged, arg)
                return merged
            case Global(name):
                return self._global(name)

    def _global(self, name: str) -> int:
        if self._globals is None:
            program = self.vars.facts.program
            self._globals = {
                program.global_name(self.vars.facts.value_index[value]): value
                for value, kind in enumerate(self.vars.facts.value_kind)
                if kind == ValueKind.GLOBAL
            }
        return self.vars.var(self._globals[name]) if name in self._globals else -1

    def _assign(self, frame: _Frame, target: AccessPath, value: int) -> None:
        if isinstance(target.root, Global) and not target.steps:
            self.system.store(self._root(frame, target), value)
            return
        if not target.steps:
            self.system.copy(self._root(frame, target), value)
            return
        pointer = self._path(frame, AccessPath(target.root, target.steps[:-1]))
        self.system.store(self._place(pointer, target.steps[-1]), value)


class _Frame:
    """What a path starts from."""

    __slots__ = ("args", "numbers", "result")

    def __init__(self, args: list[int], result: int, numbers: Sequence[int]) -> None:
        self.args, self.result, self.numbers = args, result, numbers


def _constant_size(size: Size | None, numbers: Sequence[int]) -> int:
    if size is None:
        return -1
    total = size.scale
    for factor in size.factors:
        if factor > len(numbers) or numbers[factor - 1] < 0:
            return -1
        total *= numbers[factor - 1]
    return total
