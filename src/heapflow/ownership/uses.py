"""What a function does with one pointer, by instruction: released, stored, read, passed on."""

from __future__ import annotations

from enum import Enum

from heapflow.ownership.evidence import parameter_count
from heapflow.ownership.roles import Roles
from heapflow.ownership.walk import Walk
from heapflow.pointsto.codes import Op


class Use(Enum):
    """What an instruction does with a pointer."""

    TESTED = "tested"
    READ = "read"  # what it points to is read or written
    PASSED = "passed"  # to a function that is not known to keep or release it
    STORED = "stored"
    RETURNED = "returned"
    RELEASED = "released"


class Uses:
    """Answers about pointers at calls."""

    def __init__(self, walk: Walk, roles: Roles) -> None:
        self.walk, self.facts, self.roles = walk, walk.facts, roles

    def of(self, names: list[int], call: int) -> list[tuple[int, Use]]:
        """Everything that is done with a pointer, other than by the call itself."""
        facts, found = self.facts, []
        for name in names:
            for row in facts.users(name):
                if row != call and row < facts.instr_count:
                    use = self._use(row, name)
                    if use is not None:
                        found.append((row, use))
        return found

    def _use(self, row: int, name: int) -> Use | None:
        facts = self.facts
        op, operands = facts.op[row], facts.operands(row)
        if op == Op.RET:
            return Use.RETURNED
        if op == Op.STORE:
            return Use.STORED if operands[1] == name else Use.READ
        if op in (Op.LOAD, Op.GEP):
            return Use.READ
        if not facts.is_call(row):
            return Use.TESTED if op == Op.ICMP else None
        func = facts.callee(row)
        if func < 0:
            return Use.PASSED
        uses = [
            self._passed(target, at)
            for target in facts.definitions(func)
            for at, value in enumerate(operands[1:])
            if value == name
        ]
        return max(uses, key=lambda use: _WEIGHT[use], default=Use.PASSED)

    def _passed(self, func: int, at: int) -> Use:
        if (func, at) in self.roles.releases:
            return Use.RELEASED
        if (func, at) in self.roles.keeps:
            return Use.STORED
        return Use.READ if (func, at) in self.roles.looks else Use.PASSED

    def releases_after(self, names: list[int], call: int) -> list[int]:
        """Instructions after a call that release a pointer with one of these names."""
        after = self.walk.after(call, names[0]) if names else ()
        uses = self.of(names, call)
        return [
            row for row, use in uses if use is Use.RELEASED and self.walk.follows(row, call, after)
        ]

    def position(self, func: int, at: int) -> int:
        """Variable arguments count as one."""
        return min(at, parameter_count(self.facts, func))

    def decides(self, call: int) -> bool:
        """Whether a branch depends on the result of a call."""
        result = self.facts.result[call]
        if result < 0 or not self.facts.users(result):
            return False
        branches = (Op.BR, Op.SWITCH)
        return any(
            row < self.facts.instr_count and self.facts.op[row] in branches
            for value in self.walk.tested(result)
            for row in self.facts.users(value)
        )

    def base(self, value: int) -> tuple[int, int]:
        """The pointer that an argument is, or points into."""
        place = self.walk.place(value)
        if place is None or place.inner >= 0:
            return value, 0
        return place.base, place.offset

    def origins(self, value: int) -> list[int]:
        """Calls that a pointer comes from."""
        facts = self.facts
        rows = [facts.row_of_value[origin] for origin, _ in facts.origins(value)]
        return [row for row in rows if 0 <= row < facts.instr_count and facts.is_call(row)]


_WEIGHT = {use: number for number, use in enumerate(Use)}
