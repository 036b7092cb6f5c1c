"""One function before it is followed: its blocks in order, and which names hold the same pointer.

In:    Facts, a function.     Out: `Flow`.
Guarantees: `equal` names more than are equal on a path, and up to a bound: replay decides.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypeAlias

from heapflow.ir.codes import (
    EDGE_UNWIND,
    OP_GEP,
    OP_LOAD,
    OP_PHI,
    OP_RET,
    OP_SELECT,
    OP_STORE,
    VALUE_INSTR,
    VALUE_NULL,
    VALUE_PARAM,
)
from heapflow.ir.ids import BlockId, FuncId, InstrId, ValueId
from heapflow.ir.kinds import Op
from heapflow.properties.facts import CALL_OPS, SAME, Facts
from heapflow.properties.place import Of, Place, root, rooted

Name: TypeAlias = ValueId | Place  # an SSA value, or a place in memory
RESIZED: Final = frozenset(
    int(op) for op in (Op.TRUNC, Op.ZEXT, Op.SEXT)
)  # descriptors are numbers
_HOLDERS: Final = (VALUE_INSTR, VALUE_PARAM)  # kinds of values that names stand for
_ACTS: Final = frozenset({OP_LOAD, OP_STORE, OP_GEP, OP_SELECT, OP_RET}) | SAME | RESIZED | CALL_OPS


class Flow:
    """Blocks, edges, copies."""

    def __init__(self, facts: Facts, func: FuncId) -> None:
        self.facts = facts
        blocks = facts.blocks_of(func)
        self.first = blocks[0]
        edges = facts.edge_start
        self.instrs = {b: facts.instrs_in(b) for b in blocks}
        self.successors: dict[BlockId, list[BlockId]] = {
            b: [
                facts.edge_target[e]
                for e in range(edges[b], edges[b + 1])
                if facts.edge_kind[e] != EDGE_UNWIND
            ]
            for b in blocks
        }
        self.order = self._order()
        self.rank = {block: rank for rank, block in enumerate(self.order)}
        self.by_place: dict[Place, list[ValueId]] = {}  # values that were loaded from a place
        # Value -> places it is stored in, and the other way round.
        self.kept_in: dict[ValueId, list[tuple[Place, InstrId]]] = {}
        self.stored: dict[Place, list[tuple[ValueId, InstrId]]] = {}
        # Value -> φs and selects it goes into, forwards.
        self.flows: dict[ValueId, list[ValueId]] = {}
        self.calls: list[InstrId] = []
        self.inside: set[ValueId] = set()  # pointers into what others lead to, found by a library
        self.putting: set[InstrId] = set()  # calls that put an argument where it is found again
        self.acts: dict[BlockId, list[InstrId]] = {}  # by block: what does something to pointers
        self.phis: dict[BlockId, list[InstrId]] = {}  # by block, where there are some
        self.reads: dict[Place, list[BlockId]] | None = None  # of `counted`
        # Asked again with each visit of a block, and for each of a callee's deeds.
        self._equal: dict[tuple[int, int], frozenset[Name]] = {}
        self._lying_in: dict[tuple[Place, int], frozenset[Name]] = {}
        self._scan()

    def _order(self) -> list[BlockId]:
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
            acts = self.acts[block] = list[InstrId]()
            for instr in self.instrs[block]:
                op = facts.op[instr]
                if op in _ACTS:
                    acts.append(instr)
                elif op != OP_PHI:
                    continue
                if op == OP_GEP and (start := facts.operands(instr)[0]) in self.inside:
                    self.flows.setdefault(start, []).append(facts.result[instr])
                    self.inside.add(facts.result[instr])
                elif op == OP_LOAD:
                    value = facts.result[instr]
                    self.by_place.setdefault(facts.place(value), []).append(value)
                elif op == OP_STORE:
                    address, value = facts.operands(instr)
                    kept = (Of.CONTENT, facts.place(address))
                    self.stored.setdefault(kept, []).append((value, instr))
                    if facts.value_kind[value] in _HOLDERS:
                        self.kept_in.setdefault(value, []).append((kept, instr))
                elif op in (OP_PHI, OP_SELECT) or op in SAME:
                    if op == OP_PHI:
                        self.phis.setdefault(block, []).append(instr)
                    for value in self._sources(instr):
                        self.flows.setdefault(value, []).append(facts.result[instr])
                elif op in CALL_OPS:
                    self.calls.append(instr)
                    self._point_inside(instr)
                    for kept, value in facts.put_by(instr):
                        self.putting.add(instr)
                        if facts.value_kind[value] in _HOLDERS:
                            self.kept_in.setdefault(value, []).append((kept, instr))
                    if (same := facts.given_back(instr)) >= 0:
                        self.flows.setdefault(same, []).append(facts.result[instr])
                    elif (place := facts.got_from(instr)) is not None:
                        self.by_place.setdefault(place, []).append(facts.result[instr])

    def _point_inside(self, call: InstrId) -> None:
        """A pointer into a block goes when the block does."""
        for place, value in self.facts.inside(call):
            if place is None:
                self.flows.setdefault(value, []).append(self.facts.result[call])
                self.inside.add(self.facts.result[call])
            else:
                self.kept_in.setdefault(value, []).append((place, call))

    def last_used(self) -> dict[int, int]:
        """By value: the last rank at which something reads it. Callers may look at arguments."""
        facts, found = self.facts, dict[int, int]()
        for rank, block in enumerate(self.order):
            for instr in self.instrs[block]:
                for value in facts.operands(instr):
                    found[value] = rank
        for block, phis in self.phis.items():
            here = self.rank[block]
            for instr in phis:
                origins = facts.operand_block[
                    facts.operand_start[instr] : facts.operand_start[instr + 1]
                ]
                for value, origin in zip(facts.operands(instr), origins, strict=True):
                    found[value] = max(found[value], self.rank.get(origin, here))
        for read in found:
            if facts.value_kind[read] == VALUE_PARAM:
                found[read] = len(self.order)
        return found

    def matters_from(self) -> dict[int, int]:
        """By block: the least rank that can be reached from its end; loops lead back."""
        count = len(self.order)
        back = list(
            range(count)
        )  # by rank: the least rank that an edge leads to, from there or later
        least = count
        for rank in range(count - 1, -1, -1):
            ahead = (self.rank[target] for target in self.successors[self.order[rank]])
            least = min(least, *ahead, count)
            back[rank] = min(rank, least)
        for rank, to in enumerate(back):
            back[rank] = back[to]  # and from there further back
        return {
            block: min(
                (back[self.rank[target]] for target in self.successors[block]), default=count
            )
            for block in self.order
        }

    def _sources(self, instr: InstrId) -> Iterable[ValueId]:
        """Values that a φ, select or cast may pass on; those of a loop's next turn are left out."""
        facts = self.facts
        operands = facts.operands(instr)
        op = facts.op[instr]
        if op == OP_PHI:
            here = self.rank[facts.instr_block[instr]]
            origins = facts.operand_block[
                facts.operand_start[instr] : facts.operand_start[instr + 1]
            ]
            return [
                value
                for value, origin in zip(operands, origins, strict=True)
                if self.rank.get(origin, here) < here
            ]
        return operands[1:] if op == OP_SELECT else operands[:1]

    def equal(self, value: ValueId, instr: InstrId, most: int) -> frozenset[Name]:
        """Names that hold the same pointer as a value when an instruction is executed."""
        known = self._equal.get((value, instr))
        if known is None:
            known = self._equal[value, instr] = frozenset(self._find_equal(value, instr, most))
        return known

    def _find_equal(self, value: ValueId, instr: InstrId, most: int) -> set[Name]:
        facts = self.facts
        found: set[Name] = set()
        stack = [value]
        while stack and len(found) < most:
            one = stack.pop()
            if one in found or facts.value_kind[one] not in _HOLDERS:
                continue
            found.add(one)
            place = facts.place(one)
            if place[0] == Of.CONTENT and not self._replaced(place, one, instr):
                found.add(place)
                for called in (place, *self._before_join(place)):
                    stack += self.by_place.get(called, ())
            for kept, store in self.kept_in.get(one, ()):
                if self.rank[facts.instr_block[store]] <= self.rank[facts.instr_block[instr]]:
                    found.add(kept)
            stack += self.flows.get(one, ())
            if facts.value_kind[one] == VALUE_INSTR:
                maker = facts.value_index[one]
                if facts.op[maker] in (OP_PHI, OP_SELECT) or facts.op[maker] in SAME:
                    stack += self._sources(maker)
                elif facts.op[maker] in CALL_OPS and (same := facts.given_back(maker)) >= 0:
                    stack.append(same)
        return found

    def _before_join(self, place: Place) -> list[Place]:
        """A place that is told by a φ, as it was called on the ways that meet there."""
        facts, start = self.facts, root(place)
        if start[0] != Of.VALUE or facts.value_kind[start[1]] != VALUE_INSTR:
            return []
        maker = facts.value_index[start[1]]
        if facts.op[maker] != OP_PHI:
            return []
        return [rooted(place, facts.place(value)) for value in self._sources(maker)]

    def lying_in(self, place: Place, instr: InstrId, most: int) -> frozenset[Name]:
        """Names of what lies in a place when an instruction is executed, other than the place."""
        known = self._lying_in.get((place, instr))
        if known is None:
            found = self._find_lying_in(place, instr, most)
            known = self._lying_in[place, instr] = frozenset(found)
        return known

    def _find_lying_in(self, place: Place, instr: InstrId, most: int) -> set[Name]:
        facts, found = self.facts, set[Name]()
        for value in self.by_place.get(place, ()):
            is_before = self._is_before(facts.value_index[value], instr)
            if is_before and not self._replaced(place, value, instr):
                found |= self.equal(value, instr, most)
        for value, store in self.stored.get(place, ()):
            if self._is_before(store, instr) and not self._stored_between(place, store, instr):
                found |= self.equal(value, instr, most)
        found.discard(place)
        return found

    def is_first(self, place: Place, instr: InstrId) -> bool:
        """Whether nothing was stored in a place before: what lies there is from the caller."""
        return not any(self._is_before(store, instr) for _, store in self.stored.get(place, ()))

    def _is_before(self, one: int, other: int) -> bool:
        """In the order of blocks, and in a block in that of its instructions."""
        rank, blocks = self.rank, self.facts.instr_block
        first, second = rank.get(blocks[one], -1), rank.get(blocks[other], -1)
        return first < second or (first == second and one < other)

    def returned(self) -> int:
        """The argument that every return gives back, or NULL; -1: there is none."""
        place = self._given()
        return int(place[1]) if place[0] == Of.ARGUMENT else -1

    def got(self) -> Place | None:
        """The place whose contents every return gives, or NULL: nothing is stored there before."""
        place = self._given()
        is_plain = place[0] == Of.CONTENT and self.facts.is_told(place) and place not in self.stored
        return place if is_plain else None

    def put(self, most: int) -> tuple[tuple[Place, int], ...]:
        """Places that callers have a name for, and the argument that may lie there at the end."""
        facts, found = self.facts, set[tuple[Place, int]]()
        for value, places in self.kept_in.items():
            start = facts.place(value)
            if start[0] == Of.ARGUMENT:
                found |= {(kept, int(start[1])) for kept, _ in places if facts.is_told(kept)}
        return tuple(sorted(found, key=str)[:most])

    def _given(self) -> Place:
        """What every return gives, or NULL."""
        facts, found = self.facts, set[ValueId]()
        for block in self.order:
            last = self.instrs[block][-1]
            operands = facts.operands(last) if facts.op[last] == OP_RET else []
            found.update(one for value in operands for one in self._ends(value))
        found = {one for one in found if facts.value_kind[one] != VALUE_NULL}
        places = {facts.place(one) for one in found}
        return places.pop() if len(places) == 1 else (Of.VALUE, -1)

    def _ends(self, value: ValueId) -> list[ValueId]:
        """What a value is, if it is a φ of several."""
        facts, found, stack = self.facts, set[ValueId](), [value]
        while stack:
            one = stack.pop()
            if one in found:
                continue
            found.add(one)
            if facts.value_kind[one] == VALUE_INSTR and facts.op[facts.value_index[one]] == OP_PHI:
                stack += facts.operands(facts.value_index[one])
        return [
            one
            for one in found
            if facts.value_kind[one] != VALUE_INSTR or facts.op[facts.value_index[one]] != OP_PHI
        ]

    def _replaced(self, place: Place, value: ValueId, instr: InstrId) -> bool:
        """Whether something else was put there since, in the same block: taken, then released."""
        facts = self.facts
        loaded = facts.value_index[value]
        if (
            facts.value_kind[value] != VALUE_INSTR
            or facts.instr_block[loaded] != facts.instr_block[instr]
        ):
            return False
        return self._stored_between(place, loaded, instr)

    def _stored_between(self, place: Place, start: int, end: int) -> bool:
        blocks = self.facts.instr_block
        return blocks[start] == blocks[end] and any(
            start < store < end for _, store in self.stored.get(place, ())
        )
