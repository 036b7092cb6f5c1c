"""Pointers that lead nowhere: NULL, or loaded from memory that nobody ever wrote.

In:    MemorySsa.     Out: a question per pointer whose points-to set is empty.
What is stored through such a pointer is held by nobody: a program that gets there has crashed or
written beyond its memory. An empty set alone does not say so, since pointers from outside the program
have none either; here every origin must be known.
Method: search back over copies, loads, arguments; anything that is not understood is "from outside".
"""

from __future__ import annotations

from heapflow.ir.kinds import GlobalFlag, Linkage, Op, ValueKind
from heapflow.memssa.act import ActKind
from heapflow.memssa.carriers import moved_operands
from heapflow.memssa.facts import LocationKind
from heapflow.memssa.ssa import MemorySsa
from heapflow.support.bitset import members

_FILLING = frozenset({ActKind.WRITE, ActKind.TRANSFER, ActKind.FRESH_AT})
_WRITERS = frozenset({Op.STORE, Op.CMPXCHG, Op.ATOMIC_RMW})


class Nowhere:
    """Answers `leads_nowhere` for single values."""

    def __init__(self, ssa: MemorySsa) -> None:
        self.config = ssa.config
        self.facts, self.memory, self.acts = ssa.facts, ssa.memory, ssa.acts
        self.calls_of = ssa.carriers.results_of
        self.callbacks = {back.func for backs in ssa.acts.callbacks.values() for back in backs}
        self._written: int | None = None

    def leads_nowhere(self, pointer: int) -> bool:
        seen: set[int] = set()
        pending = [pointer]
        while pending:
            value = pending.pop()
            if value in seen:
                continue
            seen.add(value)
            origins = self._origins(value)
            if origins is None:
                return False
            if len(seen) > self.config.most_nowhere_values:
                self.memory.limits_hit["values that may lead nowhere"] += 1
                return False
            pending += origins
        return True

    def _origins(self, value: int) -> list[int] | None:
        """Values that this one comes from; [] if it certainly is no address; None: from outside."""
        facts, kind = self.facts, self.facts.value_kind[value]
        if kind in (ValueKind.NULL, ValueKind.UNDEF):
            return []
        if kind == ValueKind.PARAM:
            return self._arguments(value)
        if kind != ValueKind.INSTR:
            return None
        row = facts.row_of_value[value]
        if facts.op[row] == Op.LOAD:
            return self._loaded(facts.operands(row)[0])
        return moved_operands(facts, row) or None

    def _loaded(self, pointer: int) -> list[int] | None:
        places = self.memory.value_set[pointer]
        if not places:
            return [pointer]
        if places & self._writes() or self.memory.contents(places):
            return None
        return [] if all(self._is_ours(place) for place in members(places)) else None

    def _is_ours(self, place: int) -> bool:
        """Whether nobody outside the program can have filled it."""
        if self.memory.kind[place] != LocationKind.GLOBAL:
            return self.memory.kind[place] in (LocationKind.STACK, LocationKind.HEAP)
        program, value = self.facts.program, self._address(place)
        if value < 0 or self.facts.value_kind[value] != ValueKind.GLOBAL:
            return False
        variable = self.facts.value_index[value]
        flags = int(program.globals.flags[variable])
        if flags & GlobalFlag.DECLARATION:
            return False
        if flags & GlobalFlag.UNANNOUNCED or program.globals.linkage[variable] == Linkage.INTERNAL:
            return True
        return any(
            program.func_name(func) == "main" and not program.is_declaration(func)
            for func in range(len(program.functions))
        )

    def _address(self, place: int) -> int:
        for value, kind in enumerate(self.facts.value_kind):
            if kind == ValueKind.GLOBAL and self.memory.value_set[value] >> place & 1:
                return value
        return -1

    def _writes(self) -> int:
        """All places that any instruction or external call may fill."""
        if self._written is None:
            facts, found = self.facts, 0
            for row in range(facts.instr_count):
                if facts.op[row] in _WRITERS:
                    found |= self.memory.value_set[facts.operands(row)[0]]
            for acts in self.acts.by_instr.values():
                for act in acts:
                    if act.kind in _FILLING:
                        found |= act.places
            self._written = found
        return self._written

    def _arguments(self, param: int) -> list[int] | None:
        facts = self.facts
        func = int(facts.program.params.func[facts.value_index[param]])
        calls = self.calls_of.get(func, ())
        if not calls or func in self.callbacks:
            return None
        position = facts.params(func).index(param)
        found = []
        for call in calls:
            args = facts.operands(call)[1:]
            if position >= len(args):
                return None
            found.append(args[position])
        return found
