"""Single pointers in single functions: which values are the same one, what follows a call.

In:    Facts.     Out: `Walk`: names of a pointer, uses after a call, ways past some instructions.
Works on the tables alone, before points-to: a pointer is followed through copies, and through memory
only where the same place is read again that nobody wrote to in between.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple, NewType

from heapflow.ir.kinds import MIRRORED, CmpPredicate, EdgeKind, ValueKind
from heapflow.ir.table import listed
from heapflow.models.conditions import OPERATORS, OPPOSITE
from heapflow.models.model import AccessPath, Comparison, Ret
from heapflow.models.model import Op as CompareOp
from heapflow.ownership.config import BeliefConfig
from heapflow.pointsto.codes import Op
from heapflow.pointsto.facts import COPIES, Facts

Block = NewType("Block", int)

_CONSTANTS = (ValueKind.NULL, ValueKind.INT)
_TESTS = COPIES | {Op.ICMP, Op.TRUNC, Op.ZEXT, Op.SEXT, Op.AND, Op.OR, Op.XOR}


class Edge(NamedTuple):
    """A way from one block to the next."""

    target: Block
    condition: int  # value that is tested; -1
    kind: int  # EdgeKind
    number: int  # of a CASE


class Place(NamedTuple):
    """An address, as far as it is the same wherever it is computed."""

    base: int  # value
    inner: int  # bytes from the base at which a pointer is read; -1: none is
    offset: int  # bytes from there


class WayOut(NamedTuple):
    """How control leaves a function."""

    row: int  # the `return` statement's jump, or the instruction that returns
    is_return: bool  # a statement of its own, not the end of the function that all come to


class Walk:
    """Answers about single functions, with lists that are made when a function is first asked for."""

    def __init__(self, facts: Facts, config: BeliefConfig) -> None:
        self.facts, self.config = facts, config
        self.limits_hit = facts.limits_hit  # counted together
        blocks = facts.program.blocks
        self._block_of: list[int] = listed(facts.program.instrs.block)
        self._first: list[int] = listed(blocks.instr_start)
        self._edge_start: list[int] = listed(blocks.edge_start)
        self._target: list[int] = listed(blocks.edge_target)
        self._condition: list[int] = listed(blocks.edge_condition)
        self._kind: list[int] = listed(blocks.edge_kind)
        self._number: list[int] = listed(blocks.edge_number)
        self._operand_block: list[int] = listed(facts.program.instrs.operand_block)
        # What follows the block that was asked about last, by the block that is not entered.
        self._after_of: Block | None = None
        self._after: dict[Block | None, set[Block]] = {}
        self._loads: dict[int, dict[Place, list[int]]] = {}
        self._stores: dict[int, dict[Place, list[int]]] = {}

    # Blocks ---------------------------------------------------------------------------------------

    def block(self, row: int) -> Block:
        return Block(self._block_of[row])

    def last(self, block: Block) -> int:
        """The terminator of a block."""
        return self._first[block + 1] - 1

    def edges(self, block: Block) -> list[Edge]:
        rows = range(self._edge_start[block], self._edge_start[block + 1])
        return [
            Edge(Block(self._target[i]), self._condition[i], self._kind[i], self._number[i])
            for i in rows
        ]

    def reach(self, starts: Iterable[Block], barred: Collection[Block] = ()) -> set[Block]:
        """Blocks that control can come to; barred ones are not entered."""
        seen = {start for start in starts if start not in barred}
        pending = list(seen)
        while pending:
            for target in self._targets(pending.pop()):
                if target not in seen and target not in barred:
                    seen.add(target)
                    pending.append(target)
        return seen

    def _targets(self, block: Block) -> list[Block]:
        """Blocks that follow one at once."""
        return [
            Block(i) for i in self._target[self._edge_start[block] : self._edge_start[block + 1]]
        ]

    def after(self, row: int, value: int) -> set[Block]:
        """Blocks that control can enter after an instruction, before the value is made anew."""
        made = self.facts.row_of_value[value]
        barred = self.block(made) if 0 <= made < self.facts.instr_count else None
        start = self.block(row)
        if start != self._after_of:
            # All names of one pointer are asked about at the same call.
            self._after_of, self._after = start, {}
        found = self._after.get(barred)
        if found is None:
            found = self.reach(self._targets(start), () if barred is None else (barred,))
            self._after[barred] = found
        return found

    def follows(self, row: int, call: int, after: Collection[Block]) -> bool:
        """Whether an instruction can be executed after a call."""
        block = self.block(row)
        return block in after or (block == self.block(call) and row > call)

    def ways_out(
        self, row: int, barriers: Collection[int], not_null: Collection[int]
    ) -> list[WayOut]:
        """How control can leave the function after an instruction without one of the barriers; not
        where one of the values is NULL."""
        stops: dict[Block, int] = {}
        for barrier in barriers:
            block = self.block(barrier)
            stops[block] = max(stops.get(block, barrier), barrier)
        start = self.block(row)
        if stops.get(start, -1) >= row:
            return []
        found: list[WayOut] = []
        if self.facts.op[self.last(start)] == Op.RET:
            found.append(WayOut(self.last(start), False))
        pending, seen = [start], {start}
        while pending:
            block = pending.pop()
            edges = self.edges(block)
            for edge in edges:
                if edge.target in stops or self.says_null(edge, not_null):
                    continue
                if self.facts.op[self.last(edge.target)] == Op.RET:
                    jumps = len(edges) == 1 and self._only_returns(edge.target)
                    at = self.last(block) if jumps else self.last(edge.target)
                    found.append(WayOut(at, jumps))
                elif edge.target not in seen:
                    seen.add(edge.target)
                    pending.append(edge.target)
        return found

    def ways_from(self, func: int, barriers: Collection[int], values: Collection[int]) -> bool:
        """Whether a way leads through a function without one of the barriers; not where one of the
        values is NULL."""
        return bool(self.ways_out(self.facts.program.instr_range(func)[0], barriers, values))

    def _only_returns(self, block: Block) -> bool:
        """Whether a block is what clang makes of all `return` statements together."""
        rows = range(self._first[block], self.last(block))
        return all(self.facts.op[row] in (Op.PHI, Op.LOAD) for row in rows)

    def says_null(self, edge: Edge, values: Collection[int]) -> bool:
        """Whether control takes an edge only if one of the values is NULL."""
        compared = self._compared(edge.condition)
        if compared is None or compared[0] not in values or compared[2] != 0:
            return False
        wanted = {CmpPredicate.EQ: EdgeKind.IF_TRUE, CmpPredicate.NE: EdgeKind.IF_FALSE}
        return wanted.get(CmpPredicate(compared[1])) == edge.kind

    def _compared(self, condition: int) -> tuple[int, int, int] | None:
        """Value, predicate and number of a comparison with a constant."""
        facts = self.facts
        row = facts.row_of_value[condition] if condition >= 0 else -1
        if row < 0 or facts.op[row] != Op.ICMP:
            return None
        left, right = facts.operands(row)
        predicate = facts.aux[row]
        if facts.value_kind[left] in _CONSTANTS:  # `-1 == f(&p)`, `NULL != p`
            left, right, predicate = right, left, MIRRORED[CmpPredicate(predicate)]
        if facts.value_kind[right] == ValueKind.NULL:
            return left, predicate, 0
        if facts.value_kind[right] == ValueKind.INT:
            return left, predicate, int(facts.program.values.number[right])
        return None

    # What a call's result decides -----------------------------------------------------------------

    def tested(self, result: int) -> set[int]:
        """Values that are the result, or a test of it."""
        facts = self.facts
        seen, pending = {result}, [result]
        while pending and self._are_few(seen):
            for row in facts.users(pending.pop()):
                target = facts.result[row]
                if facts.op[row] in _TESTS and target >= 0 and target not in seen:
                    seen.add(target)
                    pending.append(target)
        return seen

    def splits(self, call: int, barred: Collection[Block]) -> tuple[set[Block], list[Block]]:
        """Blocks after a call that come before any branch on its result; the blocks that branch."""
        result = self.facts.result[call]
        tested = self.tested(result) if result >= 0 else set()
        seen: set[Block] = set()
        found: list[Block] = []
        pending = [self.block(call)]
        while pending:
            block = pending.pop()
            edges = self.edges(block)
            if any(edge.condition in tested for edge in edges):
                found.append(block)
                continue
            for edge in edges:
                if edge.target not in seen and edge.target not in barred:
                    seen.add(edge.target)
                    pending.append(edge.target)
        return seen, found

    def condition(self, edge: Edge, result: int) -> Comparison | None:
        """What an edge says of a call's result; None: nothing that a model can say."""
        where = AccessPath(Ret())
        if edge.kind == EdgeKind.CASE:
            return Comparison(where, CompareOp.EQ, edge.number)
        compared = self._compared(edge.condition)
        if compared is None or compared[0] not in self.facts.flows_on(result):
            return None
        op = OPERATORS.get(CmpPredicate(compared[1]))
        if op is None or edge.kind not in (EdgeKind.IF_TRUE, EdgeKind.IF_FALSE):
            return None
        return Comparison(
            where, OPPOSITE[op] if edge.kind == EdgeKind.IF_FALSE else op, compared[2]
        )

    # Names of one pointer -------------------------------------------------------------------------

    def names(self, value: int, call: int) -> list[int]:
        """Values that are the same pointer: copies, and what is read from the same place again."""
        facts = self.facts
        found = self._copies(value, call)
        row = facts.row_of_value[value]
        if not (0 <= row < facts.instr_count and facts.op[row] == Op.LOAD):
            return found
        func = facts.func_of_instr[row]
        place = self.place(facts.operand[facts.start[row]])
        same = self._loads_of(func).get(place, ()) if place is not None else ()
        if place is None or self._is_written(func, place, call):
            return found
        seen = set(found)
        for other in same:
            if other not in seen:
                more = self._copies(other, call)
                found += [name for name in more if name not in seen]
                seen.update(more)
        return found

    def _are_few(self, names: Collection[int]) -> bool:
        if len(names) <= self.config.most_names:
            return True
        self.limits_hit["names of a pointer"] += 1
        return False

    def _copies(self, value: int, call: int) -> list[int]:
        """Values that are this one, as far as control comes from the call to where they are made."""
        facts = self.facts
        before: set[Block] | None = None  # mostly nobody asks
        found, seen, pending = [value], {value}, [value]
        while pending and self._are_few(seen):
            current = pending.pop()
            for row in facts.users(current):
                target = facts.result[row]
                if facts.op[row] not in COPIES or target < 0 or target in seen:
                    continue
                if facts.op[row] == Op.PHI:
                    before = before or {self.block(call), *self.after(call, value)}
                    if not self._comes_from(row, current, before):
                        continue
                seen.add(target)
                found.append(target)
                pending.append(target)
        return found

    def _comes_from(self, phi: int, value: int, blocks: Collection[Block]) -> bool:
        facts = self.facts
        operands = range(facts.start[phi], facts.start[phi + 1])
        return any(
            facts.operand[at] == value and Block(self._operand_block[at]) in blocks
            for at in operands
        )

    def _is_written(self, func: int, place: Place, call: int) -> bool:
        """Whether a place may hold another pointer after a call; setting it to NULL does not count."""
        facts, after = self.facts, None
        for store in self._stores.get(func, {}).get(place, ()):
            if facts.value_kind[facts.operand[facts.start[store] + 1]] == ValueKind.NULL:
                continue
            after = after or self.reach(self._targets(self.block(call)))
            if self.follows(store, call, after):
                return True
        return False

    def loads_of(self, func: int, place: Place) -> list[int]:
        """Values that a function reads from a place."""
        return self._loads_of(func).get(place, [])

    def stores_to(self, func: int, place: Place) -> list[int]:
        """Instructions with which a function writes to a place."""
        self._loads_of(func)
        return self._stores[func].get(place, [])

    def _loads_of(self, func: int) -> dict[Place, list[int]]:
        if func not in self._loads:
            facts = self.facts
            loads: dict[Place, list[int]] = {}
            stores: dict[Place, list[int]] = {}
            for row in facts.program.instr_range(func):
                if facts.op[row] not in (Op.LOAD, Op.STORE):
                    continue
                place = self.place(facts.operand[facts.start[row]])
                if place is not None and facts.op[row] == Op.LOAD:
                    loads.setdefault(place, []).append(facts.result[row])
                elif place is not None:
                    stores.setdefault(place, []).append(row)
            self._loads[func], self._stores[func] = loads, stores
        return self._loads[func]

    def place(self, address: int) -> Place | None:
        """An address by its base, through one load at most; None if an index is not known."""
        found = self._stepped(address)
        if found is None:
            return None
        base, offset = found
        row = self.facts.row_of_value[base]
        if row < 0 or self.facts.op[row] != Op.LOAD:
            return Place(base, -1, offset)
        inner = self._stepped(self.facts.operand[self.facts.start[row]])
        return None if inner is None else Place(inner[0], inner[1], offset)

    def _stepped(self, address: int) -> tuple[int, int] | None:
        """Where an address computation begins, and how many bytes it adds."""
        facts, offset = self.facts, 0
        while True:
            row = facts.row_of_value[address]
            if row < 0 or facts.op[row] != Op.GEP:
                return address, offset
            if len(facts.operands(row)) > 1:
                return None
            offset += facts.aux[row] + facts.aux2[row]
            address = facts.operand[facts.start[row]]
