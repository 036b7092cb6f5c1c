"""Locks that one function takes and another lets go of, on purpose.

In:    Facts, what calls take hold of and let go of, by the member or variable that is meant.
Out:   `Handing.is_handed_over`.
Example: `if (begin(page) == 0) { fill(page); end(page); }`, where `begin` leaves `page->mutex` locked:
that it returns with it is no fault. A function that locks or unlocks by its argument is another.
What says so is a caller: after the function came back, it lets go of the same kind of lock, or calls a
function that does without having taken it. Where callers are not known, it is another such function.
Guarantees: what is handed over is never reported; where callers are not known, that costs losses of
locks that other functions let go of for theirs.
Not modelled: which of the program's locks of one kind it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from heapflow.ir.ids import BlockId, FuncId, InstrId
from heapflow.properties.facts import Facts

Kind: TypeAlias = tuple[str, int, int]  # of a place: a member by struct and offset, a variable
Kinds: TypeAlias = frozenset[Kind]
_NONE: Kinds = frozenset()


class Handing:
    """Of one program."""

    def __init__(
        self, facts: Facts, holds: Mapping[InstrId, Kinds], drops: Mapping[InstrId, Kinds]
    ) -> None:
        self.facts, self.holds, self.drops = facts, holds, drops
        self.callers: dict[FuncId, list[InstrId]] = {}  # by function: calls
        self.takes: dict[FuncId, Kinds] = {}  # by function: what it or a callee takes hold of
        self.leaves: dict[FuncId, Kinds] = {}  # … lets go of, without having taken it
        order = [func for func in map(FuncId, facts.calls.bottom_up()) if facts.has_body(func)]
        for func in order * 2:  # a second time for functions that call each other
            self._summarise(func)
        for func in order:
            for call in self._calls(func):
                for callee in facts.targets(call):
                    self.callers.setdefault(callee, []).append(call)
        roots = [self.leaves[func] for func in order if func not in self.callers]
        self.left_by_roots = _NONE.union(*roots)

    def is_handed_over(self, func: FuncId, kind: Kind) -> bool:
        """Whether somebody lets go of such a lock after the function came back."""
        seen, stack = {func}, [func]
        while stack:
            one = stack.pop()
            if one not in self.callers and kind in self.left_by_roots:
                return True
            for call in self.callers.get(one, ()):
                is_left, returns = self._after(call, kind)
                if is_left:
                    return True
                caller = self.facts.func_of(call)
                if returns and caller not in seen:
                    seen.add(caller)
                    stack.append(caller)
        return False

    def _summarise(self, func: FuncId) -> None:
        taken, left = set[Kind](), set[Kind]()
        after: dict[Kind, set[InstrId]] = {}  # instructions that follow one that takes hold
        calls = self._calls(func)
        for call in calls:
            for kind in self._taken_at(call):
                taken.add(kind)
                after.setdefault(kind, set()).update(self._following(call))
        for call in calls:
            left |= {kind for kind in self._left_at(call) if call not in after.get(kind, ())}
        self.takes[func], self.leaves[func] = frozenset(taken), frozenset(left)

    def _calls(self, func: FuncId) -> list[InstrId]:
        facts = self.facts
        return [one for one in facts.instrs_of(func) if facts.is_call(one)]

    def _taken_at(self, call: InstrId) -> Kinds:
        callees = (self.takes.get(one, _NONE) for one in self.facts.targets(call))
        return self.holds.get(call, _NONE).union(*callees)

    def _left_at(self, call: InstrId) -> Kinds:
        callees = (self.leaves.get(one, _NONE) for one in self.facts.targets(call))
        return self.drops.get(call, _NONE).union(*callees)

    def _after(self, call: InstrId, kind: Kind) -> tuple[bool, bool]:
        """Whether such a lock is let go of behind a call, before it is taken again; and whether the
        function may return before."""
        returns = False
        barred = set[InstrId]()
        for one in self._walk(call, barred):
            if kind in self._left_at(one):
                return True, returns
            if kind in self._taken_at(one):
                barred.add(one)
            returns = returns or not self._goes_on(one)
        return False, returns

    def _following(self, call: InstrId) -> Iterator[InstrId]:
        return self._walk(call, set())

    def _walk(self, start: InstrId, barred: set[InstrId]) -> Iterator[InstrId]:
        """Instructions behind another, but for those behind one that was barred when it was met."""
        facts = self.facts
        starts, seen = facts.instr_start, set[BlockId]()
        block = facts.instr_block[start]
        stack = [(block, start + 1)]
        while stack:
            block, first = stack.pop()
            for instr in map(InstrId, range(first, starts[block + 1])):
                yield instr
                if instr in barred:
                    break
            else:
                for edge in range(facts.edge_start[block], facts.edge_start[block + 1]):
                    target = facts.edge_target[edge]
                    if target not in seen:
                        seen.add(target)
                        stack.append((target, starts[target]))

    def _goes_on(self, instr: InstrId) -> bool:
        """Whether something follows in the function."""
        facts = self.facts
        block = facts.instr_block[instr]
        is_last = instr == facts.instr_start[block + 1] - 1
        return not is_last or facts.edge_start[block] < facts.edge_start[block + 1]
