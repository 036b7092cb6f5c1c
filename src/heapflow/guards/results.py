"""Which of its result codes a function cannot have returned if something else holds, and which it has.

    n = convert(&text, s);  if (n == -1) return;        -1 means that there is no text
    if ((r = fetch(&list)) != 0) return r;              there is a list with 0 only

In:    guards of a function, a condition of its own.     Out: constants that it does not return then, or
       of which it returns one.
The conditions under which a function returns its constants may be too large to be carried to callers;
that a condition excludes one of them, or all others, is a single comparison there.
Assumes, as elsewhere, that a computed result is no negative constant beside it.
"""

from __future__ import annotations

from dataclasses import dataclass

from heapflow.guards.function import FunctionGuards
from heapflow.ir.codes import OP_PHI, OP_RET
from heapflow.ir.kinds import CmpPredicate
from heapflow.logic.compare import constant_of
from heapflow.logic.space import Guard
from heapflow.logic.term import Int


@dataclass(frozen=True, slots=True)
class Results:
    """What a function returns: constants and computed values, each with its condition."""

    constants: dict[int, Guard]
    others: list[tuple[int, Guard]]  # computed values
    excludable: dict[int, Guard]  # the conditions of returning constants, computed ones included


@dataclass(frozen=True, slots=True)
class Codes:
    """What is known of a function's result where a condition holds."""

    excluded: tuple[int, ...] = ()  # none of these
    only: tuple[int, ...] = ()  # one of these; nothing, if that is not known


class ResultCodes:
    """Conditions of returning constants, by function."""

    def __init__(self) -> None:
        self._of_func: dict[int, Results] = {}

    def where(self, guards: FunctionGuards, condition: Guard, once: bool) -> Codes:
        """What the function returns where the condition holds.

        `once`: the condition is not about one turn of a loop, of which others may end with other
        results.
        """
        context = guards.context
        if context.space.size(condition) > context.limits.most_result_nodes:
            context.limits_hit["conditions of results"] += 1
            return Codes()
        excluded = self._excluded(guards, condition)
        return Codes(excluded, self._only(guards, condition) if once else ())

    def _excluded(self, guards: FunctionGuards, condition: Guard) -> tuple[int, ...]:
        found, is_false = self._of(guards).excludable, guards.context.space.is_false
        return tuple(code for code, guard in found.items() if is_false(condition & guard))

    def _only(self, guards: FunctionGuards, condition: Guard) -> tuple[int, ...]:
        """Nothing, if they are many, or if it may return something else."""
        space, results = guards.context.space, self._of(guards)
        codes = {
            code
            for code, guard in results.constants.items()
            if not space.is_false(condition & guard)
        }
        for value, when in results.others:
            here = condition & when
            if space.is_false(here):
                continue
            number = _constant_where(guards, value, here, {0, *codes})
            if number is None:
                return ()
            codes.add(number)
        if len(codes) <= guards.context.limits.most_only:
            return tuple(sorted(codes))
        guards.context.limits_hit["constants of which a result is one"] += 1
        return ()

    def _of(self, guards: FunctionGuards) -> Results:
        found = self._of_func.get(guards.func)
        if found is None:
            found = self._of_func[guards.func] = _find(guards)
        return found


def _constant_where(
    guards: FunctionGuards, value: int, condition: Guard, candidates: set[int]
) -> int | None:
    """The constant that a computed value is where a condition holds."""
    space = guards.context.space
    for number in sorted(candidates, key=abs):
        if space.is_false(condition & ~_is(guards, value, number)):
            return number
    return None


def _find(guards: FunctionGuards) -> Results:
    context, space, limits = guards.context, guards.context.space, guards.context.limits
    constants: dict[int, Guard] = {}
    others: list[tuple[int, Guard]] = []
    for block in guards.cfg.order:
        last = context.instr_start[block + 1] - 1
        if context.op[last] == OP_RET and (operands := context.operands(last)):
            _split(
                guards, operands[0], guards.leave[block], constants, others, limits.deepest_results
            )
    found: dict[int, Guard] = {}
    if len(constants) > limits.most_codes:
        context.limits_hit["constants that a function returns"] += 1
        return Results(constants, others, found)
    for code, guard in constants.items():
        for value, when in others:
            guard = guard | (when & _equals(guards, value, code))
        if space.size(guard) <= limits.most_result_nodes:
            found[code] = guard
        else:
            context.limits_hit["conditions of results"] += 1
    return Results(constants, others, found)


def _split(
    guards: FunctionGuards,
    value: int,
    when: Guard,
    constants: dict[int, Guard],
    others: list[tuple[int, Guard]],
    deepest: int,
) -> None:
    context, space = guards.context, guards.context.space
    number = constant_of(guards.term(value))
    if number is not None:
        constants[number] = constants.get(number, space.false) | when
        return
    instr = context.instr_of(value)
    block = context.instr_block[instr] if instr >= 0 else -1
    is_phi = instr >= 0 and context.op[instr] == OP_PHI and block not in guards.loop_at
    if not is_phi or not deepest:
        if is_phi:
            context.limits_hit["joins within a result"] += 1
        others.append((value, when))
        return
    first = context.operand_start[instr]
    for position, operand in enumerate(context.operands(instr)):
        source, taken = context.operand_block[first + position], space.false
        for edge in guards.cfg.in_edges.get(block, ()):
            if guards.edge_source[edge] == source:
                taken = taken | guards.edge_guard.get(edge, space.false)
        _split(guards, operand, when & taken, constants, others, deepest - 1)


def _equals(guards: FunctionGuards, value: int, code: int) -> Guard:
    context = guards.context
    instr = context.instr_of(value)
    called = instr >= 0 and context.op[instr] in context.call_ops
    return context.space.false if code < 0 and not called else _is(guards, value, code)


def _is(guards: FunctionGuards, value: int, number: int) -> Guard:
    context, found = guards.context, guards.context.space.false
    for guard, term in guards.cases(value):
        found = found | (guard & context.comparison(CmpPredicate.EQ, term, Int(number)))
    return found
