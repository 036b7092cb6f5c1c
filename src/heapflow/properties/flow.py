"""One function before it is followed: its blocks in order, and which names hold the same pointer.

In:    Facts, a function.     Out: `Flow`.
Guarantees: `equal` names more than are equal on a path, and up to a bound: replay decides.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from heapflow.ir.kinds import CALLS, EdgeKind, Op, ValueKind
from heapflow.properties.facts import SAME, Facts, Place

Name: TypeAlias = int | Place  # an SSA value, or a place in memory


class Flow:
    """Blocks, edges, copies."""

    def __init__(self, facts: Facts, func: int) -> None:
        self.facts = facts
        blocks, functions = facts.program.blocks, facts.program.functions
        self.first, last = int(functions.block_start[func]), int(functions.block_start[func + 1])
        starts, edges = blocks.instr_start, blocks.edge_start
        self.instrs = {
            b: range(int(starts[b]), int(starts[b + 1])) for b in range(self.first, last)
        }
        self.successors = {
            b: [
                int(blocks.edge_target[e])
                for e in range(int(edges[b]), int(edges[b + 1]))
                if blocks.edge_kind[e] != EdgeKind.UNWIND
            ]
            for b in range(self.first, last)
        }
        self.order = self._order()
        self.rank = {block: rank for rank, block in enumerate(self.order)}
        self.by_place: dict[Place, list[int]] = {}  # values that were loaded from a place
        self.kept_in: dict[int, list[tuple[Place, int]]] = {}  # value -> places it is stored in
        self.flows: dict[int, list[int]] = {}  # value -> φs and selects it goes into, forwards
        self.calls: list[int] = []
        self.reads: dict[Place, list[int]] | None = None  # of `counted`
        self._scan()

    def _order(self) -> list[int]:
        """Blocks in reverse postorder."""
        seen, found = {self.first}, []
        stack = [(self.first, iter(self.successors[self.first]))]
        while stack:
            block, targets = stack[-1]
            for target in targets:
                if target not in seen:
                    seen.add(target)
                    stack.append((target, iter(self.successors[target])))
                    break
            else:
                found.append(block)
                stack.pop()
        return found[::-1]

    def _scan(self) -> None:
        """Who is equal to whom."""
        facts = self.facts
        for block in self.order:
            for instr in self.instrs[block]:
                op = facts.op[instr]
                if op == Op.LOAD:
                    value = facts.result[instr]
                    self.by_place.setdefault(facts.place(value), []).append(value)
                elif op == Op.STORE:
                    address, value = facts.operands(instr)
                    if facts.kind[value] in (ValueKind.INSTR, ValueKind.PARAM):
                        kept = ("l", facts.place(address))
                        self.kept_in.setdefault(value, []).append((kept, instr))
                elif op == Op.PHI or op == Op.SELECT or op in SAME:
                    for value in self._sources(instr):
                        self.flows.setdefault(value, []).append(facts.result[instr])
                elif op in CALLS:
                    self.calls.append(instr)
                    if (same := facts.given_back(instr)) >= 0:
                        self.flows.setdefault(same, []).append(facts.result[instr])

    def _sources(self, instr: int) -> Iterable[int]:
        """Values that a φ, select or cast may pass on; those of a loop's next turn are left out."""
        facts = self.facts
        operands = facts.operands(instr)
        op = facts.op[instr]
        if op == Op.PHI:
            here = self.rank[facts.block_of[instr]]
            origins = facts.operand_block[facts.start[instr] : facts.start[instr + 1]]
            return [
                value
                for value, origin in zip(operands, origins, strict=True)
                if self.rank.get(origin, here) < here
            ]
        return operands[1:] if op == Op.SELECT else operands[:1]

    def equal(self, value: int, instr: int, most: int) -> set[Name]:
        """Names that hold the same pointer as a value when an instruction is executed."""
        facts = self.facts
        found: set[Name] = set()
        stack = [value]
        while stack and len(found) < most:
            one = stack.pop()
            if one in found or facts.kind[one] not in (ValueKind.INSTR, ValueKind.PARAM):
                continue
            found.add(one)
            place = facts.place(one)
            if place[0] == "l" and not self._replaced(place, one, instr):
                found.add(place)
                stack += self.by_place.get(place, ())
            for kept, store in self.kept_in.get(one, ()):
                if self.rank[facts.block_of[store]] <= self.rank[facts.block_of[instr]]:
                    found.add(kept)
            stack += self.flows.get(one, ())
            if facts.kind[one] == ValueKind.INSTR:
                maker = facts.index[one]
                if facts.op[maker] in (Op.PHI, Op.SELECT) or facts.op[maker] in SAME:
                    stack += self._sources(maker)
                elif facts.op[maker] in CALLS and (same := facts.given_back(maker)) >= 0:
                    stack.append(same)
        return found

    def returned(self) -> int:
        """The argument that every return gives back, or NULL; -1: there is none."""
        facts, found = self.facts, set[int]()
        for block in self.order:
            last = self.instrs[block][-1]
            operands = facts.operands(last) if facts.op[last] == Op.RET else []
            found.update(one for value in operands for one in self._ends(value))
        found = {one for one in found if facts.kind[one] != ValueKind.NULL}
        places = {facts.place(one) for one in found}
        place = places.pop() if len(places) == 1 else ("v", -1)
        return int(place[1]) if place[0] == "p" else -1

    def _ends(self, value: int) -> list[int]:
        """What a value is, if it is a φ of several."""
        facts, found, stack = self.facts, set[int](), [value]
        while stack:
            one = stack.pop()
            if one in found:
                continue
            found.add(one)
            if facts.kind[one] == ValueKind.INSTR and facts.op[facts.index[one]] == Op.PHI:
                stack += facts.operands(facts.index[one])
        return [
            one
            for one in found
            if facts.kind[one] != ValueKind.INSTR or facts.op[facts.index[one]] != Op.PHI
        ]

    def _replaced(self, place: Place, value: int, instr: int) -> bool:
        """Whether something else was put there since, in the same block: taken, then released."""
        facts = self.facts
        loaded = facts.index[value]
        if facts.kind[value] != ValueKind.INSTR or facts.block_of[loaded] != facts.block_of[instr]:
            return False
        for row in range(loaded + 1, instr):
            if facts.op[row] == Op.STORE and ("l", facts.place(facts.operands(row)[0])) == place:
                return True
        return False
