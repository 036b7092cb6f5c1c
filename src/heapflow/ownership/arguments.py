"""What callers show about an argument: whether they go on with it, release it, or forget it.

In:    a call of a function that is not known.     Out: `ArgumentEvidence`, counted.
"""

from __future__ import annotations

from heapflow.ir.kinds import ValueKind
from heapflow.models.model import Comparison
from heapflow.models.model import Op as CompareOp
from heapflow.ownership.carried import Carried
from heapflow.ownership.ending import Addressed, Endings
from heapflow.ownership.evidence import ArgumentEvidence, Evidence
from heapflow.ownership.later import Later
from heapflow.ownership.returned import NOWHERE, Returned
from heapflow.ownership.uses import Use, Uses
from heapflow.pointsto.codes import Op

_NEGATIVE = (CompareOp.LT, CompareOp.LE, CompareOp.EQ)
_HANDED = frozenset({Use.PASSED, Use.STORED, Use.RETURNED})


class Arguments:
    """Looks at arguments of calls."""

    def __init__(
        self, carried: Carried, uses: Uses, endings: Endings, returned: Returned, found: Evidence
    ) -> None:
        self.carried, self.walk, self.facts = carried, carried.walk, carried.facts
        self.uses, self.roles, self.endings = uses, uses.roles, endings
        self.later = Later(carried, endings, uses.releases_after, uses.decides)
        self.returned, self.found = returned, found

    def look_at(self, call: int, func: int, at: int, value: int) -> None:
        facts = self.facts
        found = self.found.arguments.setdefault((func, at), ArgumentEvidence())
        addressed = self.found.addressed.setdefault((func, at), Addressed())
        self.endings.look_at_address(call, value, addressed)
        base, offset = self.uses.base(value)
        if facts.value_kind[base] in NOWHERE:
            return
        found.sites += 1
        self._member(value, found)
        if facts.value_kind[base] == ValueKind.GLOBAL:
            found.static += 1
            return
        row = facts.row_of_value[base]
        if 0 <= row < facts.instr_count and facts.op[row] == Op.ALLOCA:
            found.local += 1
            self._inner(call, [base], found)
            self.returned.look_at_variable(call, func, at, base, offset)
            return
        if not offset:
            self._pointer(call, found, value)

    def _member(self, value: int, found: ArgumentEvidence) -> None:
        """What kind of member an argument is the address of, if it is one."""
        facts = self.facts
        if facts.program.is_member_address(value):
            row = facts.row_of_value[value]
            offset = facts.aux[row] + facts.aux2[row]
            # The address of the first member may stand for the whole.
            kind = self.carried.layouts.member_type(facts.aux_type[row], offset) if offset else -1
            found.members.add(kind)

    def _pointer(self, call: int, found: ArgumentEvidence, value: int) -> None:
        walk = self.walk
        names = walk.names(value, call)
        after = walk.after(call, value)
        uses = self.uses.of(names, call)
        later = {use for row, use in uses if walk.follows(row, call, after)}
        releases = [
            row for row, use in uses if use is Use.RELEASED and walk.follows(row, call, after)
        ]
        if releases:
            self._released(call, found, value, names, releases)
        elif self.later.is_released(call, value, names):
            found.released += 1
        elif self._is_fresh(value) and not _HANDED & {use for _, use in uses}:
            found.dropped += 1
            found.read += Use.READ in later
        elif later & {Use.READ, Use.PASSED, Use.RETURNED}:
            found.used += 1
        elif not self._is_stored_before(call, value, uses):
            found.last += 1
            found.ended += bool(self.uses.origins(value))
            emptied = self.endings.is_emptied(call, value)
            found.emptied += emptied
            found.held += not emptied and self._lies_in_field(value) and self.uses.decides(call)

    def _lies_in_field(self, value: int) -> bool:
        """Whether a pointer is read from a member of a struct that is no variable of the function."""
        facts = self.facts
        row = facts.row_of_value[value]
        if not (0 <= row < facts.instr_count and facts.op[row] == Op.LOAD):
            return False
        place = self.walk.place(facts.operands(row)[0])
        if place is None or not facts.program.is_member_address(facts.operands(row)[0]):
            return False
        base = facts.row_of_value[place.base]
        return not (0 <= base < facts.instr_count and facts.op[base] == Op.ALLOCA)

    def _is_stored_before(self, call: int, value: int, uses: list[tuple[int, Use]]) -> bool:
        """Whether somebody else may know a pointer when it is given: it was stored, on some way."""
        walk = self.walk
        stores = [row for row, use in uses if use is Use.STORED]
        return any(walk.follows(call, row, walk.after(row, value)) for row in stores)

    def _is_fresh(self, value: int) -> bool:
        return any(
            self.facts.callee(row) in self.roles.allocates for row in self.uses.origins(value)
        )

    def _released(
        self, call: int, found: ArgumentEvidence, value: int, names: list[int], releases: list[int]
    ) -> None:
        """Whatever the call returned, or only where it says so?"""
        walk = self.walk
        made = self.facts.row_of_value[value]
        barred = {walk.block(made)} if 0 <= made < self.facts.instr_count else set()
        blocks = {walk.block(row) for row in releases}
        here = any(walk.block(row) == walk.block(call) and row > call for row in releases)
        before, splits = walk.splits(call, barred)
        without = [
            edge
            for split in splits
            for edge in walk.edges(split)
            if not blocks & walk.reach([edge.target], barred)
        ]
        conditions = [walk.condition(edge, self.facts.result[call]) for edge in without]
        if here or blocks & before or all(self._failed(call, one) for one in conditions):
            found.released += 1
            self._inner(call, names, found)
            return
        found.on_failure += 1
        for condition in conditions:
            if condition is not None:
                found.taken_when[condition] += 1

    def _failed(self, call: int, said: Comparison | None) -> bool:
        """Whether a comparison of a result says that the call failed: a negative number, no pointer.

        Who releases the argument where the call worked, and not there, forgets it.
        """
        if said is None:
            return False
        if self.facts.is_pointer(self.facts.result[call]):
            return (said.op, said.right) == (CompareOp.EQ, 0)
        return said.right < (said.op is CompareOp.LT) and said.op in _NEGATIVE

    def _inner(self, call: int, names: list[int], found: ArgumentEvidence) -> None:
        """Whether callers go on with the pointers that an object holds."""
        facts, walk = self.facts, self.walk
        after = walk.after(call, names[0])
        for name in names:
            for row in facts.users(name):
                rows = [row]
                if row < facts.instr_count and facts.op[row] == Op.GEP:
                    rows = facts.users(facts.result[row])
                for one in rows:
                    if (
                        one < facts.instr_count
                        and facts.op[one] == Op.LOAD
                        and facts.is_pointer(facts.result[one])
                        and walk.follows(one, call, after)
                        and self._goes_on(one, row == one)
                    ):
                        found.inner_kept += 1
                        return
        found.inner_gone += 1

    def _goes_on(self, load: int, is_variable: bool) -> bool:
        """Whether something is done with what is read; that a pointer variable is only released
        (`if (add(list, &node) < 0) node_free(node);`) does not show that it was not taken before."""
        value = self.facts.result[load]
        uses = [use for _, use in self.uses.of([value], load)]
        if is_variable and uses and all(use is Use.RELEASED for use in uses):
            return False
        return bool(self.facts.users(value))
