"""Objects that a function comes to by ways that callers have no name for: along a list, by an index.

In:    Facts, a function's flow, summaries of callees.     Out: `Reached`.
Example: `unmark(con, name)` walks a list of `con` and frees one of its nodes. Callers hear that
something behind its first argument is released; their own pointers into that list may be to it.
Guarantees: a suspect at most: replay executes both ways and sees whether they meet.
"""

from __future__ import annotations

from collections.abc import Mapping

from heapflow.ir.codes import OP_RET
from heapflow.ir.ids import FuncId, ValueId
from heapflow.ir.kinds import Op, TypeKind, ValueKind
from heapflow.properties.facts import CALL_OPS, Facts
from heapflow.properties.flow import Flow
from heapflow.properties.place import Of, Place, is_given, root, values_in
from heapflow.properties.summary import Summary

_POINTER = int(TypeKind.POINTER)
_JOINS = (int(Op.PHI), int(Op.SELECT))


class Reached:
    """What pointers of one function are reached from."""

    def __init__(self, facts: Facts, flow: Flow, summaries: Mapping[FuncId, Summary]) -> None:
        self.facts, self.flow, self.summaries = facts, flow, summaries
        self._known: dict[Place, tuple[frozenset[Place], bool]] = {}
        self._loaded: dict[Place, list[ValueId]] | None = None

    def starts(self, place: Place) -> frozenset[Place]:
        """Arguments, globals, other values; through φs, lists that callees looked into, and what was
        stored there."""
        return self._reached_from(root(place))[0]

    def _reached_from(self, first: Place) -> tuple[frozenset[Place], bool]:
        known = self._known.get(first)
        if known is None:
            known = self._known[first] = self._find(first)
        return known

    def _find(self, first: Place) -> tuple[frozenset[Place], bool]:
        """Where from, and whether something is loaded on the way."""
        facts, found, seen, stack = self.facts, set[Place](), set[Place](), [first]
        is_behind = False
        while stack:
            one = stack.pop()
            if one in seen:
                continue
            seen.add(one)
            if len(seen) > facts.config.most_equal:
                facts.limits_hit["values that one is reached from"] += 1
                break
            joined, looked = self._joined(one), self._found_by(one)
            is_behind = is_behind or bool(looked) or any(place[0] == Of.CONTENT for place in joined)
            kept = self.flow.kept_in.get(one[1], ()) if one[0] == Of.VALUE else ()
            inner = [root(place) for place in (*joined, *looked, *(place for place, _ in kept))]
            stack += inner
            if not inner:
                found.add(one)
        return frozenset(found), is_behind

    def _joined(self, place: Place) -> list[Place]:
        """What meets in a φ or a select; nothing if it is neither."""
        facts = self.facts
        if place[0] != Of.VALUE or facts.value_kind[place[1]] != ValueKind.INSTR:
            return []
        row = facts.value_index[place[1]]
        if facts.op[row] not in _JOINS:
            return []
        operands = facts.operands(row)
        joined = operands[1:] if facts.op[row] == Op.SELECT else operands
        return [facts.place(one) for one in joined]

    def _found_by(self, place: Place) -> list[Place]:
        """Where a callee looked for what it returned."""
        facts = self.facts
        if place[0] != Of.VALUE or facts.value_kind[place[1]] != ValueKind.INSTR:
            return []
        call = facts.value_index[place[1]]
        if facts.op[call] not in CALL_OPS:
            return []
        arguments = [facts.place(one) for one in facts.operands(call)[1:]]
        found = []
        for callee in facts.targets(call):
            summary = self.summaries.get(callee)
            for start in sorted(summary.found) if summary is not None else ():
                if (at := facts.at_call(start, arguments)) is not None:
                    found.append(at)
        return found

    def found(self) -> set[Place]:
        """Arguments and globals from which the result of the function is reached."""
        facts, found = self.facts, set[Place]()
        for block in self.flow.order:
            last = self.flow.instrs[block][-1]
            for value in facts.operands(last) if facts.op[last] == OP_RET else ():
                place = facts.place(value)
                if place[0] == Of.CONTENT or self.is_by_way(place):
                    found |= {one for one in self.starts(place) if is_given(one)}
        return found

    def is_by_way(self, place: Place) -> bool:
        """Whether a pointer lies behind something, and is told by values of its function."""
        if place[0] == Of.VALUE:
            return self._reached_from(place)[1]
        return place[0] == Of.CONTENT and not (is_given(place) and not values_in(place))

    def behind(self, place: Place) -> list[ValueId]:
        """Pointers that were loaded, and may lead to what is reached from a place."""
        if self._loaded is None:
            self._loaded = self._all_loaded()
        starts = sorted(self.starts(place), key=str)
        found = [value for start in starts for value in self._loaded.get(start, ())]
        if len(found) > self.facts.config.most_equal:
            self.facts.limits_hit["pointers into what a callee may release"] += 1
        return found[: self.facts.config.most_equal]

    def _all_loaded(self) -> dict[Place, list[ValueId]]:
        facts, flow, by_start = self.facts, self.flow, dict[Place, list[ValueId]]()
        values = [value for values in flow.by_place.values() for value in values]
        values += [facts.result[phi] for phis in flow.phis.values() for phi in phis]
        values += [facts.result[call] for call in flow.calls if facts.result[call] >= 0]
        for value in values:
            if facts.program.types.kind[facts.value_type[value]] == _POINTER:
                for start in self.starts(facts.place(value)):
                    by_start.setdefault(start, []).append(value)
        return by_start
