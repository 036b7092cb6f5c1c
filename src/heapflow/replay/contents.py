"""What objects hold where an index is not known, and what is left of it when somebody wrote to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from heapflow.replay.control import Ended
from heapflow.replay.decisions import model_with, require
from heapflow.replay.descriptors import descriptors_in
from heapflow.replay.events import End
from heapflow.replay.memory import BESIDE, SMALLEST_ADDRESS, Ground, Kind, Layer, Object
from heapflow.replay.state import State
from heapflow.replay.tables import entry_of_table
from heapflow.replay.term import Term, Value, mask

if TYPE_CHECKING:
    from heapflow.replay.executor import Executor


_HEAP: Final = Kind.HEAP
_STACK: Final = Kind.STACK
_GLOBAL: Final = Kind.GLOBAL
_CODE: Final = Kind.CODE
_TABLE: Final = Kind.TABLE
_ZERO: Final = Ground.ZERO
_UNKNOWN: Final = Ground.UNKNOWN
_POINTER: Final = 8  # bytes


def is_address(value: Value) -> bool:
    """Whether a known value lies in some object."""
    return isinstance(value, int) and SMALLEST_ADDRESS <= value < 1 << 62


def inside(executor: Executor, state: State, obj: Object, offset: Value, size: int) -> None:
    """An index that is not known lies inside its array."""
    total = executor.settled(state, obj.size)
    if isinstance(total, int) and total >= size:
        require(executor, state, executor.terms.ult(64, offset, total - size + 1))
    elif isinstance(total, int):
        require(executor, state, executor.terms.ult(64, offset, 1 << 20))


def within(executor: Executor, state: State, obj: Object, offset: int, size: int) -> None:
    """An access to a block at a place that is known lies inside of it: who writes `p[0]` made room
    for an element, however many there are."""
    if obj.kind is not _HEAP or offset >= BESIDE:
        return
    total = executor.settled(state, obj.size)
    if isinstance(total, Term):
        require(
            executor, state, executor.terms.negate(executor.terms.ult(64, total, offset + size))
        )
    elif 0 <= total < offset + size:
        raise Ended(End.BROKEN)


def clear_of(executor: Executor, state: State, obj: Object, offset: Term, size: int) -> None:
    """A pointer that goes to an index which is not known goes to an element, not over other members
    that the path knows of, if it can be: these lie beside the array."""
    terms = executor.terms
    free: Value = 1
    for at, (count, value) in obj.cells.items():
        start = at & mask(64)
        hit = terms.ult(64, terms.sub(64, offset, (at - size + 1) & mask(64)), size + count - 1)
        if count == size and is_address(value):
            hit = terms.binary("and", 1, hit, terms.negate(terms.eq(64, offset, start)))
        free = terms.binary("and", 1, free, terms.negate(hit))
    if isinstance(free, Term) and model_with(executor, state, free) is not None:
        require(executor, state, free)


def apart(executor: Executor, state: State, obj: Object, offset: Term) -> None:
    """An index that lies in memory and is not known is another one than those under which what is
    tracked lies, if it can be: it counts what was put there. What a function answers may be the same
    again."""
    if not offset.atoms <= executor.memory.origins.keys():
        return
    for at, (_, value) in sorted(obj.cells.items()):
        if not is_address(value) or not isinstance(value, int) or value >> 32 not in state.tracked:
            continue
        same = executor.terms.eq(64, offset, at & mask(64))
        differs = executor.terms.negate(same)
        if isinstance(differs, Term) and model_with(executor, state, differs) is not None:
            require(executor, state, differs)


def has_pointers(executor: Executor, state: State, obj: Object) -> bool:
    return any(
        size >= 8 and is_address(executor.settled(state, value))
        for size, value in obj.cells.values()
    )


def element(executor: Executor, state: State, obj: Object, offset: Term, width: int) -> Value:
    """Data at an index that is not known: one of the few that were written, or an unknown that
    is the same for the same index."""
    size = (width + 7) // 8
    if obj.data and obj.ground is _ZERO and not obj.cells and not obj.layers:
        found = entry_of_table(executor.terms, obj.data, offset, width, executor.config)
        if found is not None:
            return found
        executor.left_out.add("entries of a table")
    cells = sorted(obj.cells.items())
    if len(cells) > executor.config.most_chosen_cells:
        executor.left_out.add("places that an index may mean")
        return _anything(executor, obj, offset, width)
    if any(count != size for _, (count, _) in cells) or width != size * 8:
        return _anything(executor, obj, offset, width)
    is_zero = obj.ground is _ZERO and not (obj.data or obj.layers)
    value: Value = 0 if is_zero else _anything(executor, obj, offset, width)
    for at, (_, content) in cells:
        here = executor.terms.eq(64, offset, at & mask(64))
        value = executor.terms.ite(width, here, executor.settled(state, content), value)
    return value


def call_in(executor: Executor, name: str) -> int | None:
    """The passed call that an unknown's name begins with, through any number of dereferences."""
    plain = name.lstrip("*").split("[")[0].split(":")[0]
    while plain:
        if plain in executor.call_of:
            return executor.call_of[plain]
        cut = plain.rfind(".")
        if cut < 0:
            return None
        plain = plain[:cut]
    return None


def _anything(executor: Executor, obj: Object, offset: Term, width: int) -> Term:
    """An unknown for data at an index."""
    other = executor.terms.var(f"{obj.name}[{offset.number}]:{width}", width)
    executor.memory.origins[other.number] = (obj.name, -1)
    if obj.kind is _HEAP or obj.kind is _STACK:
        executor.blurred.add(str(other.args[0]))
    return other


def forget(
    executor: Executor,
    state: State,
    ident: int,
    name: str,
    start: int = 0,
    pointers: bool = False,
    end: int = -1,
    is_whole: bool = False,
) -> None:
    """Somebody may have written to an object, or to a stretch of it: data, or `pointers` as well.
    `is_whole`: what it holds then is named so, and not told apart by the object."""
    obj = executor.object(state, ident)
    if obj.kind is _CODE or obj.freed >= 0 or _is_constant(executor, obj):
        return
    unknown = name if is_whole else f"{name}:{obj.id}"
    if end >= 0:
        _forget_stretch(executor, state, ident, name, start, pointers, end, unknown)
        return
    if pointers and not start:
        state.objects[ident] = obj.emptied(state.token, unknown)
        return
    obj = state.own(ident)
    kept = {}
    for at, (size, value) in obj.cells.items():
        leads = not pointers and _leads_somewhere(executor, state, size, value)
        if at < start or (leads and not _is_replaced(executor, state, obj, value)):
            kept[at] = (size, value)
    layers = tuple(layer for layer in obj.layers if layer.start < start)
    data = obj.data[:start]
    ground, old = obj.ground, obj.name
    executor.memory.forget(obj, unknown)
    if start > 0 and ground is not _UNKNOWN:
        obj.ground, obj.name = ground, old
        end = obj.size if isinstance(obj.size, int) and obj.size > start else start + (1 << 20)
        layers = (*layers, Layer(start, end, name=unknown))
    obj.cells.update(kept)
    obj.layers, obj.data = layers, data


def _forget_stretch(
    executor: Executor,
    state: State,
    ident: int,
    name: str,
    start: int,
    pointers: bool,
    end: int,
    unknown: str,
) -> None:
    obj = state.own(ident)
    kept = {
        at: (size, value)
        for at, (size, value) in obj.cells.items()
        if start <= at < end and not pointers and _leads_somewhere(executor, state, size, value)
        if not _is_replaced(executor, state, obj, value)
    }
    executor.memory.forget_part(obj, start, end - start, unknown)
    obj.cells.update(kept)


def _leads_somewhere(executor: Executor, state: State, size: int, value: Value) -> bool:
    """An address, or the number of a descriptor: a write of data is not meant to lose either."""
    value = executor.settled(state, value)
    if size >= 8 and is_address(value):
        return True
    return size >= 2 and bool(descriptors_in(state, [value]))


def _is_replaced(executor: Executor, state: State, holder: Object, value: Value) -> bool:
    """Whether a pointer leads to what was released, which whoever writes there may well have put
    something else for; or whether the address of a variable is given that leads to a constant: it is
    there to be set. Nothing is lost by either."""
    value = executor.settled(state, value)
    if not isinstance(value, int) or not is_address(value):
        return False
    obj = executor.object(state, value >> 32)
    if holder.kind is Kind.STACK and holder.size == _POINTER and _is_constant(executor, obj):
        return True
    return obj.freed >= 0


def _is_constant(executor: Executor, obj: Object) -> bool:
    if obj.kind is not _GLOBAL:
        return obj.kind is _TABLE
    return obj.id in executor.knowledge.constant_globals
