"""Which stores and calls of a function may write a place, without going through all of them each time.

In:    one function's events (`writes.py`).     Out: `RelevantWrites`.
Stores are kept by variable, or by offset and size; what a call may do to one base is found once for all
offsets behind it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from heapflow.guards.writes import Event
from heapflow.ir.ids import BlockId, InstrId
from heapflow.logic.address import is_variable
from heapflow.logic.term import Local, Term

if TYPE_CHECKING:
    from heapflow.guards.context import GuardContext
    from heapflow.guards.function import FunctionGuards


class _Call:
    """What a call may do to what lies behind one base."""

    __slots__ = ("always", "event", "filled_from", "given_at")

    def __init__(
        self,
        event: Event,
        always: bool,
        filled_from: list[int | None],
        given_at: list[int | None],
    ) -> None:
        self.event = event
        self.always = always  # whatever the offset
        self.filled_from = filled_from  # from these offsets on
        self.given_at = given_at  # where the pointers to it that bodies get point


class RelevantWrites:
    """The events of one function, indexed."""

    def __init__(self, guards: FunctionGuards) -> None:
        self._context: GuardContext = guards.context
        self._to_object: dict[Term, list[Event]] = {}
        self._to_field: dict[tuple[int | None, int], list[Event]] = {}
        self._stores: list[Event] = []  # all but those to variables
        self._calls: list[Event] = []
        self._on_base: dict[Term, tuple[dict[int, _Call], list[_Call]]] = {}
        self._behind_at: dict[tuple[int | None, int], list[Event]] = {}
        for block, events in guards.context.writes.events(guards.func).items():
            if block not in guards.cfg.in_edges:
                continue
            for event in events:
                if event.root is None:
                    self._calls.append(event)
                elif is_variable(event.root):
                    self._to_object.setdefault(event.root, []).append(event)
                else:
                    self._stores.append(event)
                    self._to_field.setdefault((event.offset, event.size), []).append(event)
        self._index: _CallIndex | None = None  # made when first asked for
        # Many places are written by the same events: these are kept once.
        self._found: dict[tuple[Event, ...], dict[BlockId, list[Event]]] = {}

    def find(self, base: Term, offset: int | None, size: int) -> dict[BlockId, list[Event]]:
        """Block -> events that may write a place, in order. Size 0: a text of any length.

        Nobody may change the answer: it is the same for all places that the same events write.
        """
        if is_variable(base):
            stores = [e for e in self._to_object.get(base, ()) if _overlaps(e, offset, size)]
        else:
            stores = self._to_field.get((offset, size), []) if size else self._stores
        own, others = self._calls_on(base)
        calls = [call.event for call in own.values() if self._may_write(call, base, offset, size)]
        if others:
            behind = self._writing_behind(others, offset, size)
            calls += [event for event in behind if event.instr not in own] if own else behind
        events = tuple(sorted([*stores, *calls], key=_position))
        known = self._found.get(events)
        if known is None:
            known = self._found[events] = {}
            block_of = self._context.code.instr_block
            for event in events:
                known.setdefault(block_of[event.instr], []).append(event)
        return known

    def _writing_behind(self, calls: list[_Call], offset: int | None, size: int) -> list[Event]:
        """Of the calls that may write behind any pointer, those that may write there at an offset."""
        known = self._behind_at.get((offset, size))
        if known is None:
            known = self._behind_at[offset, size] = [
                call.event for call in calls if self._may_write(call, None, offset, size)
            ]
        return known

    def _calls_on(self, base: Term) -> tuple[dict[int, _Call], list[_Call]]:
        """Calls that may write there: those that are its own, by instruction, and those of any
        pointer."""
        known = self._on_base.get(base)
        if known is None:
            if self._index is None:
                self._index = _CallIndex(self._calls)
            if is_variable(base):
                on_object = self._on_object(self._index, base)
                known = {call.event.instr: call for call in on_object}, []
            else:
                known = self._behind(self._index, base)
            self._on_base[base] = known
        return known

    def _on_object(self, index: _CallIndex, base: Term) -> list[_Call]:
        """Calls that get the address of a variable, or write a global one in a callee."""
        named = index.naming.get(base, {})
        found = [_call_on_object(event, base) for event in named.values()]
        if is_variable(base) and not isinstance(base, Local):
            may_write = self._context.writes.may_write
            found += [
                _Call(event, False, [], [])
                for event in index.with_bits
                if event.instr not in named and may_write(event.bits, base)
            ]
        return found

    def _behind(self, index: _CallIndex, base: Term) -> tuple[dict[int, _Call], list[_Call]]:
        """Calls that may write behind a pointer: the same for all pointers, but for a few calls."""
        filled, giving = index.filled_of.get(base, {}), index.giving.get(base, ())
        if not filled and not giving:
            return {}, index.behind_any
        own: dict[int, _Call] = {}
        for call in index.behind_any:
            event = call.event
            if event.instr in filled:
                always = index.changes_more(event.instr, base)
                own[event.instr] = _Call(event, always, filled[event.instr], call.given_at)
        for event in giving:
            own[event.instr] = _Call(event, True, [], [])
        return own, index.behind_any

    def _may_write(self, call: _Call, base: Term | None, offset: int | None, size: int) -> bool:
        if call.always:
            return True
        for start in call.filled_from:
            if not size or start is None or offset is None or offset + size > start:
                return True
        bits, may_write = call.event.bits, self._context.writes.may_write
        if not bits:
            return False
        if (
            base is not None
            and is_variable(base)
            and not isinstance(base, Local)
            and may_write(bits, base)
        ):
            return True
        if not call.given_at:
            return False
        if size == 0 or may_write(bits, (offset, size)):
            return True
        return offset is not None and any(
            start and may_write(bits, (offset - start, size)) for start in call.given_at
        )


def _position(event: Event) -> int:
    return event.instr


def _overlaps(event: Event, offset: int | None, size: int) -> bool:
    if offset is None or event.offset is None or not size:
        return True
    return event.offset < offset + size and offset < event.offset + event.size


def _call_on_object(event: Event, base: Term) -> _Call:
    return _Call(
        event,
        any(root == base for root, _ in event.written),
        [start for root, start in event.filled if root == base],
        [start for root, start in event.passed if root == base],
    )


class _CallIndex:
    """A function's calls by the pointers that they get."""

    def __init__(self, calls: list[Event]) -> None:
        self.naming: dict[Term, dict[int, Event]] = {}  # variable -> calls that get its address
        self.giving: dict[Term, list[Event]] = {}  # pointer -> the call that returns it
        self.with_bits = [event for event in calls if event.bits]
        # Of pointers that are no variables' addresses:
        self.writing: set[int] = set()  # calls that write behind one
        self.filled_of: dict[Term, dict[int, list[int | None]]] = {}  # pointer -> call -> offsets
        self._filled_by: dict[int, set[Term]] = {}  # call -> pointers
        # What calls may do behind a pointer that they do not fill.
        self.behind_any: list[_Call] = []
        for event in calls:
            if event.result is not None:
                self.giving.setdefault(event.result, []).append(event)
            for root, _ in (*event.written, *event.filled, *event.passed):
                if is_variable(root):
                    self.naming.setdefault(root, {})[event.instr] = event
            self._add_behind(event)

    def _add_behind(self, event: Event) -> None:
        instr = event.instr
        if any(not is_variable(root) for root, _ in event.written):
            self.writing.add(instr)
        for root, start in event.filled:
            if not is_variable(root):
                self.filled_of.setdefault(root, {}).setdefault(instr, []).append(start)
                self._filled_by.setdefault(instr, set()).add(root)
        always = instr in self.writing or instr in self._filled_by
        given_at = [start for root, start in event.passed if not is_variable(root)]
        if always or given_at:
            self.behind_any.append(_Call(event, always, [], given_at))

    def changes_more(self, call: InstrId, base: Term) -> bool:
        """Whether a call that fills what lies behind a pointer may change anything else there."""
        return call in self.writing or self._filled_by[call] != {base}
