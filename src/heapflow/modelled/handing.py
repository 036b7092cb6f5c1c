"""What the body of a modelled function hands on to.

In:    a function, its model.     Out: Handing, or None where nothing is certain.
Example: `void *malloc(size_t n) { return get_block(n, NULL, 0); }` hands on to `get_block`, with its
       argument 1 as argument 1; the other two are only read there.
A function hands on if all that it returns is the result of one other function (or NULL), or, where the
result does not matter, if each way through it calls that function, unless the pointer is NULL. What the
model speaks of must go to that function unchanged, and to no other that does more than look at it.
Not handed on to: functions that take a further pointer and write to it or give it away
(`my_realloc(NULL, n)`, `heap_alloc(&heap, n)`): other callers may mean something else by them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from heapflow.ir.kinds import Op, ParamFlag, TypeKind
from heapflow.modelled.bodies import MOVES, Bodies
from heapflow.modelled.fate import Fate, Fates
from heapflow.models.check import places_of
from heapflow.models.model import Arg, FunctionModel, Ret

_PASSED_OTHERWISE = int(ParamFlag.BY_VALUE | ParamFlag.STRUCT_RETURN | ParamFlag.NEST)
_RETURNING = MOVES | {Op.RET, Op.ICMP}


@dataclass(frozen=True, slots=True)
class Handing:
    """Positions are counted from 1, as in models."""

    callee: int
    position: Mapping[int, int]  # of the function's argument -> of the callee's
    kept: frozenset[int] = frozenset()  # arguments of the callee that it remembers
    untouched: bool = True  # nothing is done with the result but to return it


@dataclass(frozen=True, slots=True)
class _Spoken:
    """What a model speaks of."""

    result: bool
    args: frozenset[int]


class Handings:
    """Looks into bodies; `modelled` are the functions that have a model by their own name."""

    def __init__(self, bodies: Bodies, fates: Fates, modelled: Collection[int]) -> None:
        self._bodies, self._fates, self._modelled = bodies, fates, modelled

    def of(self, func: int, model: FunctionModel) -> Handing | None:
        """What a function with a body hands on to."""
        spoken = _spoken_of(model)
        if spoken is None:
            return None
        calls = self._calls(func, spoken)
        callees = {self._bodies.callee(call) for call in calls}
        if len(callees) != 1:
            return None
        callee = callees.pop()
        if not self._can_play(callee, func, spoken):
            return None
        position = self._positions(func, calls)
        if not spoken.args <= position.keys():
            return None
        params = self._bodies.params(func)
        for arg in spoken.args:
            if self._fates.of(func, params[arg - 1], without=calls) > Fate.READ:
                return None
        kept = self._kept(callee, position)
        if kept is None:
            return None
        return Handing(callee, position, kept, self._is_untouched(func, calls))

    def goes_astray(self, func: int, arg: int, known: Collection[int]) -> bool:
        """Whether an argument goes, unchanged, to a function of the program that may be a releaser.

        `known`: functions of which it is known what they do.
        """
        value = self._bodies.params(func)[arg - 1]
        users = self._bodies.users(func, value)
        unknown = {user for user in users if self._bodies.is_call(user)}
        for call in sorted(unknown):
            callee = self._bodies.callee(call)
            if callee in known or (callee >= 0 and not self._bodies.has_body(callee)):
                unknown.discard(call)
        rest = [user for user in users if user not in unknown]
        return self._fates.of(func, value, without=rest) > Fate.READ

    def _calls(self, func: int, spoken: _Spoken) -> set[int]:
        """The calls that a function may hand on by."""
        if spoken.result:
            return self._bodies.returned(func) or set()
        if len(spoken.args) != 1:
            return set()
        [arg] = spoken.args
        value = self._bodies.params(func)[arg - 1]
        users = self._bodies.users(func, value)
        calls = {call for call in users if self._bodies.is_call(call)}
        for call in sorted(calls):
            others = [user for user in users if user != call]
            if self._fates.of(func, value, without=others) == Fate.READ:
                calls.discard(call)
        return calls if self._bodies.is_on_all_ways(func, calls, value) else set()

    def _can_play(self, callee: int, func: int, spoken: _Spoken) -> bool:
        """Whether a function of the program can have that role."""
        program = self._bodies.program
        if callee < 0 or callee == func or callee in self._modelled:
            return False
        if not self._bodies.has_body(callee) or self._bodies.is_variadic(callee):
            return False
        functions = program.functions
        results = [int(program.types.elem[functions.type[f]]) for f in (callee, func)]
        if spoken.result:
            return results[0] == results[1]
        return bool(program.types.kind[results[0]] != TypeKind.POINTER)

    def _positions(self, func: int, calls: set[int]) -> dict[int, int]:
        """Where the arguments go, the same way in each call."""
        params = {value: at for at, value in enumerate(self._bodies.params(func), start=1)}
        by_call: list[dict[int, int]] = []
        for call in calls:
            found: dict[int, int] = {}
            twice: set[int] = set()
            for at, arg in enumerate(self._bodies.program.operands(call)[1:], start=1):
                param = params.get(self._bodies.unchanged(arg))
                if param is not None and found.setdefault(param, at) != at:
                    twice.add(param)
            by_call.append({param: at for param, at in found.items() if param not in twice})
        first, *others = by_call
        return {p: at for p, at in first.items() if all(o.get(p) == at for o in others)}

    def _kept(self, callee: int, position: Mapping[int, int]) -> frozenset[int] | None:
        """Further pointers that the callee remembers; None if it does more with one of them."""
        program, kept = self._bodies.program, set()
        first = int(program.functions.param_start[callee])
        for at, value in enumerate(self._bodies.params(callee), start=1):
            if program.params.flags[first + at - 1] & _PASSED_OTHERWISE:
                return None
            if at in position.values() or not self._bodies.is_pointer(value):
                continue
            fate = self._fates.of(callee, value)
            if fate == Fate.OTHER:
                return None
            if fate == Fate.KEPT:
                kept.add(at)
        return frozenset(kept)

    def _is_untouched(self, func: int, calls: set[int]) -> bool:
        program = self._bodies.program
        pending = [int(program.instrs.result[call]) for call in calls]
        seen = set(pending)
        while pending:
            for user in self._bodies.users(func, pending.pop()):
                if int(program.instrs.op[user]) not in _RETURNING:
                    return False
                result = int(program.instrs.result[user])
                if result >= 0 and result not in seen:
                    seen.add(result)
                    pending.append(result)
        return True


def _spoken_of(model: FunctionModel) -> _Spoken | None:
    """The places that effects speak of, sizes left out; None if there are others than arguments."""
    roots = {path.root for effect in model.effects for path in places_of(effect)}
    args = frozenset(root.index for root in roots if isinstance(root, Arg))
    if not roots or any(not isinstance(root, Arg | Ret) for root in roots):
        return None
    return _Spoken(Ret() in roots, args)
