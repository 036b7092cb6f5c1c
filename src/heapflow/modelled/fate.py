"""What becomes of a pointer that a function is given: is it only looked at?

In:    Program, models.     Out: Fate.
Example: the `file` of `debug_malloc(size, file, line)`, which goes into a message, is READ; if the
       function notes it in its block, KEPT. The `old` of `my_realloc(old, size)` is neither.
The value is followed through copies, steps and calls of defined functions. What a function does that
never returns is the program's last act and does not count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from enum import IntEnum
from typing import Protocol

from heapflow.ir.kinds import FuncFlag, Op, ParamFlag
from heapflow.modelled.bodies import MOVES, Bodies
from heapflow.modelled.config import ModelledConfig
from heapflow.models.check import paths_of
from heapflow.models.model import AccessPath, Arg, Args, CopyMemory, Effect, FunctionModel, Keep

_BY_VALUE = int(ParamFlag.BY_VALUE)


class Fate(IntEnum):
    """The worst thing that may happen to a pointer, or to what it points to."""

    READ = 0
    KEPT = 1  # remembered somewhere
    OTHER = 2  # written through, released, returned, turned into a number, given to who knows whom


class ModelSource(Protocol):
    """`heapflow.models.load.Models`, or a stand-in."""

    def lookup(self, name: str) -> FunctionModel | None: ...


class Fates:
    """Answers for single values; `modelled` are the defined functions whose bodies do not count."""

    def __init__(
        self,
        bodies: Bodies,
        models: ModelSource,
        modelled: Collection[int],
        config: ModelledConfig,
        limits_hit: Counter[str],
    ) -> None:
        self._config, self._limits_hit = config, limits_hit
        self._bodies, self._models, self._modelled = bodies, models, modelled
        self._program = bodies.program

    def of(self, func: int, value: int, without: Collection[int] = ()) -> Fate:
        """What becomes of a value of a function, other than at the calls in `without`."""
        worst = Fate.READ
        pending = [(func, value)]
        seen = {value}
        while pending and worst < Fate.OTHER:
            func, value = pending.pop()
            for instr in self._bodies.users(func, value):
                if instr in without:
                    continue
                fate, further = self._at(func, instr, value)
                worst = max(worst, fate)
                pending += [(where, then) for where, then in further if then not in seen]
                seen.update(then for _, then in further)
            if len(seen) > self._config.most_values:
                self._limits_hit["values on the way of a pointer"] += 1
                return Fate.OTHER
        return worst

    def _at(self, func: int, instr: int, value: int) -> tuple[Fate, list[tuple[int, int]]]:
        """What one instruction does with it, and where to look further."""
        op = int(self._program.instrs.op[instr])
        operands = self._program.operands(instr)
        if self._bodies.is_call(instr):
            return self._call(instr, value)
        if op in MOVES or (op == Op.GEP and operands[0] == value):
            return Fate.READ, [(func, int(self._program.instrs.result[instr]))]
        if op in (Op.LOAD, Op.ICMP):
            return Fate.READ, []
        if op == Op.STORE and operands[0] != value:
            return Fate.KEPT, []
        return Fate.OTHER, []

    def _call(self, call: int, value: int) -> tuple[Fate, list[tuple[int, int]]]:
        operands = self._program.operands(call)
        callee = self._bodies.callee(call)
        if callee < 0:
            return Fate.OTHER, []
        positions = [at for at, arg in enumerate(operands) if arg == value and at > 0]
        if callee in self._modelled or not self._bodies.has_body(callee):
            model = self._models.lookup(self._name(callee))
            if model is None or not model.accepts(len(operands) - 1):
                return Fate.OTHER, []
            return max(_fate_at(model, at) for at in positions), []
        if self._bodies.never_returns(callee):
            return Fate.READ, []
        params = self._bodies.params(callee)
        if max(positions) > len(params):
            return Fate.OTHER, []
        copied = self._program.params.flags & _BY_VALUE
        first = int(self._program.functions.param_start[callee])
        return Fate.READ, [
            (callee, params[at - 1]) for at in positions if not copied[first + at - 1]
        ]

    def _name(self, func: int) -> str:
        """The name of a function; of `llvm.memcpy.p0.p0.i64` that of the C function."""
        name = self._program.func_name(func)
        if self._program.functions.flags[func] & FuncFlag.INTRINSIC and name.count("."):
            return name.split(".")[1]
        return name


def _fate_at(model: FunctionModel, position: int) -> Fate:
    """What a modelled function does with an argument, counted from 1."""
    if model.signature is None:
        return Fate.OTHER
    params = model.signature.params
    if position <= len(params) and not params[position - 1].const_pointee:
        return Fate.OTHER  # may be overwritten
    return max((_fate_by(effect, position) for effect in model.effects), default=Fate.READ)


def _fate_by(effect: Effect, position: int) -> Fate:
    if not any(_is_argument(path, position) for path in paths_of(effect)):
        return Fate.READ
    match effect:
        case Keep():
            return Fate.KEPT
        case CopyMemory(target=target) if not _is_argument(target, position):
            return Fate.READ
        case _:
            return Fate.OTHER


def _is_argument(path: AccessPath, position: int) -> bool:
    match path.root:
        case Arg(index):
            return index == position
        case Args(first):
            return first <= position
        case _:
            return False
