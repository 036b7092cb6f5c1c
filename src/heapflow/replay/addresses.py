"""Where accesses go, and what they read and write there.

In:    an executor, a state, an address.     Out: the object and the offset, a value.
An unknown pointer leads to an object of its own from the first access on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from heapflow.replay.contents import apart, clear_of, element, has_pointers, inside, within
from heapflow.replay.control import Cut, Ended
from heapflow.replay.decisions import decide, learn, model_with, settle
from heapflow.replay.descriptors import descriptors_in
from heapflow.replay.events import End
from heapflow.replay.lengths import tie
from heapflow.replay.memory import Kind, Object, addresses_in
from heapflow.replay.state import State
from heapflow.replay.term import Term, Value

if TYPE_CHECKING:
    from heapflow.replay.executor import Executor

_CODE: Final = Kind.CODE
_WORLD: Final = Kind.WORLD
BLURRED = "smeared"  # what a write to an index that is not known leaves is named so


def resolve(executor: Executor, state: State, address: Value) -> tuple[Object, Value]:
    """The object that an address lies in, and the offset there."""
    for _ in range(20):
        address = executor.settled(state, address)
        if isinstance(address, int):
            ident = address >> 32
            if ident == 0:
                raise Ended(End.BROKEN)
            obj = executor.object(state, ident)
            return obj, address - obj.base
        if address.op == "ite":
            chosen = decide(executor, state, address.args[0])
            address = address.args[1] if chosen else address.args[2]
            continue
        if address.op == "sum":
            constant: int = address.args[0]
            if constant >> 32 and constant < 1 << 62:
                obj = executor.object(state, constant >> 32)
                return obj, executor.terms.sub(64, address, obj.base)
        unknown = _pointer_in(executor, address)
        if unknown is None:
            settle(executor, state, address)
        else:
            _bind(executor, state, unknown)
    raise Cut("unknown address")


def _pointer_in(executor: Executor, address: Term) -> Term | None:
    """The unknown that an address starts from."""
    if address.op == "var":
        return address if address.width == 64 else None
    if address.op != "sum":
        return None
    parts = [term for term, factor in address.args[1] if factor == 1]
    plain = [term for term in parts if term.op == "var" and term.width == 64]
    found: Term | None = plain[0] if len(plain) == 1 else None
    for term in plain:
        if term.number in executor.pointers:
            found = term
            break
    return found


def _bind(executor: Executor, state: State, unknown: Term) -> None:
    """An unknown pointer leads to an object of its own."""
    if len(state.objects) > executor.config.most_objects:
        raise Cut("objects")
    made = state.make(_WORLD, f"*{unknown.args[0]}")
    same = executor.terms.eq(64, unknown, made.base)
    assert isinstance(same, Term)
    model = model_with(executor, state, same)
    if model is None:
        del state.objects[made.id]
        settle(executor, state, unknown)
        return
    learn(executor, state, same)
    state.current_model = model


def place_of(executor: Executor, state: State, address: Value, size: int) -> tuple[Object, int]:
    """Where an access of `size` bytes goes: an object that lives, and a known offset."""
    obj, offset = resolve(executor, state, address)
    if obj.freed >= 0:
        executor.misuse(state, obj)
        raise Ended(End.BROKEN)
    if isinstance(offset, int):
        within(executor, state, obj, offset, size)
        return obj, offset
    inside(executor, state, obj, offset, size)
    return obj, _signed(settle(executor, state, offset))


def _signed(offset: int) -> int:
    return offset - (1 << 64) if offset >> 63 else offset


def load_at(
    executor: Executor, state: State, address: Value, width: int, is_pointer: bool
) -> Value:
    """Read a scalar."""
    size = (width + 7) // 8
    obj, offset = resolve(executor, state, address)
    if obj.freed >= 0:
        executor.misuse(state, obj)
        return executor.unknown(f"stale:{state.steps}", width, is_pointer)
    if obj.kind is _CODE:
        raise Ended(End.BROKEN)
    if isinstance(offset, Term):
        inside(executor, state, obj, offset, size)
        offset = executor.settled(state, offset)
    if isinstance(offset, Term):
        if not (is_pointer or executor.picks or has_pointers(executor, state, obj)):
            return element(executor, state, obj, offset, width)
        obj, offset = place_of(executor, state, address, size)
    else:
        within(executor, state, obj, offset, size)
    if obj.owner != state.token:
        cell = obj.cells.get(offset)
        if cell is None or cell[0] != size:
            obj = state.own(obj.id)
    value = executor.memory.read(obj, offset, size)
    if width == 8 and obj.lengths:
        tie(executor, state, obj, offset, value)
    if width != size * 8:
        value = executor.terms.extract(width, value, 0)
    if is_pointer and isinstance(value, Term) and value.op == "var":
        executor.pointers.add(value.number)
    return executor.settled(state, value)


def smear(executor: Executor, state: State, ident: int, name: str) -> None:
    """Data was written somewhere in an object."""
    executor.forget(state, ident, f"smear:{name}")


def store_at(executor: Executor, state: State, address: Value, width: int, value: Value) -> None:
    """Write a scalar. Data that goes to an index that is not known makes all data there unknown."""
    size = (width + 7) // 8
    obj, where = resolve(executor, state, address)
    if obj.freed >= 0 and executor.goes_beyond:
        return
    leads: set[int] = set()
    addresses_in(value, leads)
    if isinstance(where, Term):
        leads |= descriptors_in(state, [value])
    if isinstance(where, Term) and not (leads or executor.picks) and obj.freed < 0:
        inside(executor, state, obj, where, size)
        smear(executor, state, obj.id, f"{BLURRED}{state.steps}")
        executor.watch.smeared(executor, state, obj, size)
        return
    if isinstance(where, Term) and state.tracked and leads:
        apart(executor, state, obj, where)
        clear_of(executor, state, obj, where, size)
    obj, offset = place_of(executor, state, address, size)
    if obj.kind is _CODE:
        raise Ended(End.BROKEN)
    if width != size * 8:
        value = executor.terms.zext(size * 8, value, width)
    if isinstance(value, Term):
        value = executor.cut_off(state, value)
    if obj.kind is _WORLD and offset not in obj.cells:
        executor.watch.overwriting(executor, state, obj, size)
    executor.memory.write(state.own(obj.id), offset, size, value)
