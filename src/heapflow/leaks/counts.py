"""Conditions under which a release does release: reference counts, checks of the object itself.

In:    a function's guards.     Out: variables of conditions that a release leaves open.
Paper: none; decision 51: who drops a reference has done what was asked of it; whether the block goes
now or with the last holder is the other holders' affair.
A count is a place in memory of which the function stores the loaded value less one, or that it lowers
by one atomically; the value that such an operation gives is the count, too.
A destructor (no result, so nobody learns what it did) that looks at the object before freeing it, be it
a magic number or a sanity check, is taken to find it in order.
Not modelled: counts kept in parallel tables, counts lowered by another function than tests them, or by
compare-and-exchange.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from heapflow.guards.codes import OP_LOAD, OP_PHI, OP_STORE, VALUE_INSTR
from heapflow.guards.context import Atom
from heapflow.guards.function import FunctionGuards
from heapflow.guards.places import place_of
from heapflow.guards.terms import Term
from heapflow.ir.kinds import Op

_FAR: Final = 12  # values looked at
_ADD: Final = 1  # operations of ATOMIC_RMW, as LLVM's bitcode numbers them
_SUB: Final = 2
_UNKNOWN: Final = frozenset({"load", "choice", "at", "op"})
Place = tuple[Term, int | None]


def count_variables(guards: FunctionGuards) -> frozenset[int]:
    """Variables that compare a reference count of this function with something."""
    places, results = _lowered_places(guards)
    if not places:
        return frozenset()
    context = guards.context
    variables = guards.tested_variables()
    return frozenset(
        variable
        for variable in variables
        if any(
            _mentions(side, places)
            or any(_mentions_value(side, value) for value in results)
            or _is_computed_from(guards, side, lambda p: p in places)
            for side in (context.atoms[variable].left, context.atoms[variable].right)
        )
    )


def _lowered_places(guards: FunctionGuards) -> tuple[set[Place], set[int]]:
    """Places that are lowered, and what the atomic operations that do so give."""
    context = guards.context
    found: set[Place] = set()
    results: set[int] = set()
    for block in guards.cfg.order:
        for instr in range(context.instr_start[block], context.instr_start[block + 1]):
            if context.op[instr] == OP_STORE:
                place = _lowered(guards, instr)
            elif context.op[instr] == Op.ATOMIC_RMW and _lowers(guards, instr):
                place = guards.root(context.operands(instr)[0])
                results.add(context.result[instr])
            else:
                continue
            if place is not None and place[1] is not None:
                found.add(place)
    return found, results


def _lowers(guards: FunctionGuards, instr: int) -> bool:
    """Whether an atomic operation takes one away (`__atomic_sub_fetch(&n, 1, …)`, or adds -1)."""
    step = guards.term(guards.context.operands(instr)[1])
    return (guards.context.aux[instr], step) in ((_SUB, ("int", 1)), (_ADD, ("int", -1)))


def _lowered(guards: FunctionGuards, store: int) -> Place | None:
    """The place to which a store writes what was there before, less one."""
    context = guards.context
    pointer, value = context.operands(store)[:2]
    if context.value_kind[value] != VALUE_INSTR:
        return None
    instr = context.value_index[value]
    operands = context.operands(instr)
    if context.op[instr] not in (Op.ADD, Op.SUB) or len(operands) != 2:
        return None
    step = guards.term(operands[1])
    if step != ("int", -1 if context.op[instr] == Op.ADD else 1):
        return None
    if context.value_kind[operands[0]] != VALUE_INSTR:
        return None
    load = context.value_index[operands[0]]
    if context.op[load] != OP_LOAD:
        return None
    place = guards.root(pointer)
    return place if guards.root(context.operands(load)[0]) == place else None


def _is_computed_from(
    guards: FunctionGuards, term: object, is_meant: Callable[[Place], bool]
) -> bool:
    """Whether an opaque value (its cases were too many) is made from what such a place holds."""
    context = guards.context
    if not isinstance(term, tuple) or len(term) != 2 or term[0] != "val":
        return False
    pending, seen = [term[1]], set[object]()
    while pending and len(seen) < _FAR:
        value = pending.pop()
        if value in seen or not isinstance(value, int):
            continue
        seen.add(value)
        instr = context.instr_of(value)
        if instr < 0 or context.op[instr] in context.call_ops:
            continue
        if context.op[instr] in (OP_LOAD, Op.ATOMIC_RMW):
            if is_meant(guards.root(context.operands(instr)[0])):
                return True
        elif context.op[instr] != OP_PHI:
            pending += context.operands(instr)
    return False


def _mentions(term: object, places: set[Place]) -> bool:
    """Whether a term is about what one of these places holds."""
    if not isinstance(term, tuple):
        return False
    if term and term[0] == "load" and isinstance(term[1], tuple) and place_of(term[1]) in places:
        return True
    return any(_mentions(part, places) for part in term)


def is_unknown(atom: Atom) -> bool:
    """Whether a condition is about memory of unknown content, or a callee's own affair."""
    return any(side and side[0] in _UNKNOWN for side in (atom.left, atom.right))


def own_state_variables(
    guards: FunctionGuards, variables: frozenset[int], pointer: int
) -> frozenset[int]:
    """Those variables that are about what `pointer` points to, or what a call says of it."""
    context = guards.context
    return frozenset(
        variable
        for variable in variables
        if _is_about(guards, context.atoms[variable].left, pointer)
        or _is_about(guards, context.atoms[variable].right, pointer)
    )


def _is_about(guards: FunctionGuards, term: object, pointer: int) -> bool:
    if not isinstance(term, tuple) or not term:
        return False
    context = guards.context
    match term:
        case ("load", tuple() as address, *_):
            return _mentions_value(address, pointer)
        case ("choice", "at", int() as site, *_) | ("at", int() as site, *_):
            return pointer in context.operands(site)
        case ("val", int() as value):
            instr = context.instr_of(value)
            if instr >= 0 and context.op[instr] in context.call_ops:
                return pointer in context.operands(instr)
            return _is_computed_from(guards, term, lambda p: p[0] == ("val", pointer))
    return any(_is_about(guards, part, pointer) for part in term)


def _mentions_value(term: object, value: int) -> bool:
    if not isinstance(term, tuple):
        return False
    return term == ("val", value) or any(_mentions_value(part, value) for part in term)
