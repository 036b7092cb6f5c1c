"""Which stores and calls of a function may write a place, without going through all of them each time.

In:    one function's events (`writes.py`).     Out: `RelevantWrites`.
Stores are kept by variable, or by offset and size; what a call may do to one base is found once for all
offsets behind it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from heapflow.guards.writes import Event
from heapflow.logic.address import is_variable
from heapflow.logic.term import Local, Term

if TYPE_CHECKING:
    from heapflow.guards.context import GuardContext
    from heapflow.guards.function import FunctionGuards

_Passed = tuple[Event, Term, int | None]  # a call, a pointer that it gets, and where that points


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
        self._on_base: dict[Term, list[_Call]] = {}
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

    def find(self, base: Term, offset: int | None, size: int) -> dict[int, list[Event]]:
        """Block -> events that may write a place, in order. Size 0: a text of any length."""
        if is_variable(base):
            stores = [e for e in self._to_object.get(base, ()) if _overlaps(e, offset, size)]
        else:
            stores = self._to_field.get((offset, size), []) if size else self._stores
        calls = [
            call.event for call in self._calls_on(base) if self._may_write(call, base, offset, size)
        ]
        found: dict[int, list[Event]] = {}
        block_of = self._context.instr_block
        for event in sorted([*stores, *calls], key=_position):
            found.setdefault(block_of[event.instr], []).append(event)
        return found

    def _calls_on(self, base: Term) -> list[_Call]:
        known = self._on_base.get(base)
        if known is None:
            if self._index is None:
                self._index = _CallIndex(self._calls)
            if is_variable(base):
                known = self._on_object(self._index, base)
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

    def _behind(self, index: _CallIndex, base: Term) -> list[_Call]:
        """Calls that may write behind a pointer."""
        found: dict[int, _Call] = {}

        def noted(event: Event) -> _Call:
            return found.setdefault(event.instr, _Call(event, False, [], []))

        for event in index.giving.get(base, ()):
            noted(event).always = True
        for event, _ in index.written:
            noted(event).always = True
        for event, root, start in index.filled:
            if root == base:
                noted(event).filled_from.append(start)
            else:
                noted(event).always = True
        for event, _, start in index.passed:
            noted(event).given_at.append(start)
        return list(found.values())

    def _may_write(self, call: _Call, base: Term, offset: int | None, size: int) -> bool:
        if call.always:
            return True
        for start in call.filled_from:
            if not size or start is None or offset is None or offset + size > start:
                return True
        bits, may_write = call.event.bits, self._context.writes.may_write
        if not bits:
            return False
        if is_variable(base) and not isinstance(base, Local) and may_write(bits, base):
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
        # With pointers that are no variables' addresses:
        self.written: list[tuple[Event, Term]] = []
        self.filled: list[_Passed] = []
        self.passed: list[_Passed] = []
        for event in calls:
            if event.result is not None:
                self.giving.setdefault(event.result, []).append(event)
            for root, _ in (*event.written, *event.filled, *event.passed):
                if is_variable(root):
                    self.naming.setdefault(root, {})[event.instr] = event
            pointers = dict.fromkeys(root for root, _ in event.written if not is_variable(root))
            self.written += [(event, root) for root in pointers]
            self.filled += [(event, r, at) for r, at in event.filled if not is_variable(r)]
            self.passed += [(event, r, at) for r, at in event.passed if not is_variable(r)]
