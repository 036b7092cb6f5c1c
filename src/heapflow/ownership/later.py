"""Who releases an argument later, beyond the function that gives it to an unknown one.

In:    Carried, Endings.     Out: `Later`: whether a block was still somebody's after a call.
Example: `*out = malloc(n); decode(*out);` here, `unpack(&p); … free(p);` there: it was lent.
Example: `s->buf = malloc(n); read_into(s->buf);` here, `free(s->buf);` there: the field has it.
A release that hangs on what the call returned says nothing: it may have been taken where it worked.
Not modelled: what is handed on through globals and elements of arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from heapflow.ir.kinds import ValueKind
from heapflow.ownership.carried import Carried
from heapflow.ownership.ending import Endings
from heapflow.pointsto.codes import Op


class Later:
    """Of one program; `releases` are the instructions that release a pointer with these names."""

    def __init__(
        self,
        carried: Carried,
        endings: Endings,
        releases: Callable[[list[int], int], list[int]],
        decides: Callable[[int], bool],
    ) -> None:
        self.carried, self.walk, self.facts = carried, carried.walk, carried.facts
        self.endings, self.releases, self.decides = endings, releases, decides

    def is_released(self, call: int, value: int, names: list[int]) -> bool:
        """Whether callers release it, or the field is released that still holds it."""
        return self._by_callers(call, value, names) or self._by_field(call, value, names)

    # Callers --------------------------------------------------------------------------------------

    def _by_callers(self, call: int, value: int, names: list[int]) -> bool:
        is_asked = self._is_asked(call)
        for caller, handed in self._handed(call, value, names):
            released = self.releases(handed, caller)
            if released and (not is_asked or self._whatever_it_says(caller, handed, released)):
                return True
        return False

    def _is_asked(self, call: int) -> bool:
        """Whether what the call returned can decide what callers do."""
        facts = self.facts
        result = facts.result[call]
        if result < 0 or self.decides(call):
            return result >= 0
        users = [row for name in self.walk.tested(result) for row in facts.users(name)]
        return any(row < facts.instr_count and facts.op[row] == Op.RET for row in users)

    def _whatever_it_says(self, caller: int, names: list[int], released: list[int]) -> bool:
        """Whether callers release on both sides of every test of the handing function's result."""
        walk = self.walk
        blocks = {walk.block(row) for row in released}
        before, splits = walk.splits(caller, ())
        if blocks & before or any(walk.block(row) == walk.block(caller) for row in released):
            return True
        return all(
            blocks & walk.reach([edge.target]) or walk.says_null(edge, names)
            for split in splits
            for edge in walk.edges(split)
        )

    def _handed(self, call: int, value: int, names: list[int]) -> Iterable[tuple[int, list[int]]]:
        """Calls of the function that gives it, with the names that the pointer has after them."""
        facts, walk = self.facts, self.walk
        after = walk.after(call, value)
        users = [(row, name) for name in names for row in facts.users(name)]
        later = [(row, n) for row, n in users if row < facts.instr_count]
        if any(facts.op[row] == Op.RET and walk.follows(row, call, after) for row, _ in later):
            for further in self.carried.handed_on(names):
                if facts.result[further] >= 0:
                    found = facts.flows_on(facts.result[further])
                    yield further, self.carried.through_variables(found, further)[0]
        func = facts.func_of_instr[call]
        for position in self._out_parameters(func, value, later):
            for further in self.carried.calls.get(func, ()):
                arguments = facts.operands(further)[1:]
                if position < len(arguments) and self.carried.is_variable(arguments[position]):
                    yield further, self._read_from(arguments[position], further)

    def _out_parameters(self, func: int, value: int, users: list[tuple[int, int]]) -> list[int]:
        """Parameters that lead to where the pointer lies."""
        facts = self.facts
        addresses = [
            facts.operands(row)[0]
            for row, name in users
            if facts.op[row] == Op.STORE and facts.operands(row)[1] == name
        ]
        made = facts.row_of_value[value]
        if 0 <= made < facts.instr_count and facts.op[made] == Op.LOAD:
            addresses.append(facts.operands(made)[0])
        params = facts.params(func)
        return sorted({params.index(one) for one in addresses if one in params})

    def _read_from(self, variable: int, call: int) -> list[int]:
        facts, walk = self.facts, self.walk
        after = walk.after(call, variable)
        return [
            name
            for row in self.carried.users_of(variable)
            if facts.op[row] == Op.LOAD and walk.follows(row, call, after)
            for name in facts.flows_on(facts.result[row])
        ]

    # Fields ---------------------------------------------------------------------------------------

    def _by_field(self, call: int, value: int, names: list[int]) -> bool:
        """Whether the pointer lies in a field of its own struct that somebody releases, and stays."""
        facts = self.facts
        made = facts.row_of_value[value]
        if not 0 <= made < facts.instr_count:
            return False
        fields = self.carried.kept_in(names)
        if facts.op[made] == Op.LOAD:
            field = self.carried.field(facts.operands(made)[0])
            fields += [field] if field is not None and self.carried.is_made(field) else []
        elif facts.value_kind[value] != ValueKind.INSTR:
            return False
        owning = any(self.endings.released.get(one) for one in fields)
        return owning and not self.endings.is_cleared(call, value)
