"""Which stores and calls of a function may write a place, without going through all of them each time.

In:    one function's events (`writes.py`).     Out: `RelevantWrites`.
Stores are kept by variable, or by offset and size; what a call may do to one base is found once for all
offsets behind it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from heapflow.guards.fresh import is_fresh_base
from heapflow.guards.given import is_given
from heapflow.guards.origins import are_different
from heapflow.guards.places import is_object
from heapflow.guards.terms import Term
from heapflow.guards.writes import Event

if TYPE_CHECKING:
    from heapflow.guards.context import GuardContext
    from heapflow.guards.function import FunctionGuards


@dataclass(slots=True)
class _Call:
    """What a call may do to what lies behind one base."""

    event: Event
    always: bool  # whatever the offset
    filled_from: list[int | None]  # from these offsets on
    given_at: list[int | None]  # where the pointers to it that bodies get point


class RelevantWrites:
    """The events of one function, indexed."""

    def __init__(self, guards: FunctionGuards) -> None:
        self._context: GuardContext = guards.context
        self._to_object: dict[Term, list[Event]] = {}
        self._to_field: dict[tuple[int | None, int], list[Event]] = {}
        self._stores: list[Event] = []  # all but those to variables
        self._calls: list[Event] = []
        self._on_base: dict[tuple[Term, bool], list[_Call]] = {}
        for block, events in guards.context.writes.events(guards.func).items():
            if block not in guards.cfg.in_edges:
                continue
            for event in events:
                if not event.root:
                    self._calls.append(event)
                elif is_object(event.root):
                    self._to_object.setdefault(event.root, []).append(event)
                else:
                    self._stores.append(event)
                    self._to_field.setdefault((event.offset, event.size), []).append(event)

    def find(self, base: Term, offset: int | None, size: int) -> dict[int, list[Event]]:
        """Block -> events that may write a place, in order. Size 0: a text of any length."""
        if is_object(base):
            stores = [e for e in self._to_object.get(base, ()) if _overlaps(e, offset, size)]
        else:
            stores = self._to_field.get((offset, size), []) if size else self._stores
        calls = [
            call.event
            for call in self._calls_on(base, size > 0)
            if self._may_write(call, base, offset, size)
        ]
        found: dict[int, list[Event]] = {}
        block_of = self._context.instr_block
        for event in sorted([*stores, *calls], key=_position):
            found.setdefault(block_of[event.instr], []).append(event)
        return found

    def _calls_on(self, base: Term, sized: bool) -> list[_Call]:
        key = (base, sized)
        known = self._on_base.get(key)
        if known is None:
            calls = (self._call_on(event, base, sized) for event in self._calls)
            known = self._on_base[key] = [
                call
                for call in calls
                if call.always or call.filled_from or call.given_at or is_object(base)
            ]
        return known

    def _call_on(self, event: Event, base: Term, sized: bool) -> _Call:
        always = base == event.result or any(
            self._reach(root, base, sized) for root, _ in event.written
        )
        filled_from: list[int | None] = []
        for root, start in event.filled:
            if root == base:
                filled_from.append(start)
            elif self._reach(root, base, sized):
                always = always or not (
                    is_fresh_base(self._context, base) or is_fresh_base(self._context, root)
                )
        given_at = [
            start
            for root, start in event.passed
            if self._reach(root, base, sized)
            and (is_object(base) or is_given(self._context, root, base))
        ]
        return _Call(event, always, filled_from, given_at)

    def _may_write(self, call: _Call, base: Term, offset: int | None, size: int) -> bool:
        if call.always:
            return True
        for start in call.filled_from:
            if not size or start is None or offset is None or offset + size > start:
                return True
        bits, may_write = call.event.bits, self._context.writes.may_write
        if not bits:
            return False
        if is_object(base) and base[1] != "ALLOCA" and may_write(bits, base):
            return True
        if not call.given_at:
            return False
        if size == 0 or may_write(bits, ("field", offset, size)):
            return True
        return offset is not None and any(
            start and may_write(bits, ("field", offset - start, size)) for start in call.given_at
        )

    def _reach(self, root: Term, base: Term, sized: bool) -> bool:
        """Whether a pointer may lead to what a base designates; without a size: to the same text."""
        if root == base:
            return True
        if is_object(base) or is_object(root):
            return False
        return sized or not are_different(self._context, base, root)


def _position(event: Event) -> int:
    return event.instr


def _overlaps(event: Event, offset: int | None, size: int) -> bool:
    if offset is None or event.offset is None or not size:
        return True
    return event.offset < offset + size and offset < event.offset + event.size
