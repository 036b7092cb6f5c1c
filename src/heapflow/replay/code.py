"""Functions in the form that the executor steps through, and what of them is still needed where.

In:    Program.     Out: `Code` per function, made when it is first entered.
Instructions become objects with plain numbers; constants become values. Liveness is the usual backward
analysis over SSA names, by block, as bit sets.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from heapq import heappop, heappush

import numpy as np

from heapflow.ir.kinds import BindingKind, EdgeKind, Op, ValueKind
from heapflow.ir.program import Program
from heapflow.replay.instr import Instr, TypeFacts, make_instrs
from heapflow.support.bitset import members

_NAMED = frozenset((int(ValueKind.INSTR), int(ValueKind.PARAM)))
_PHI, _UNWIND = int(Op.PHI), int(EdgeKind.UNWIND)
_MARK_EVERY = 32  # instructions of a block: liveness is kept there once it is asked


@dataclass(slots=True)
class Edge:
    """A way out of a block."""

    id: int
    target: int
    kind: int
    number: int
    moves: list[int] | None = None  # operands of the target's φs for this edge


@dataclass(slots=True)
class Block:
    """Straight code; φs apart."""

    id: int
    phis: list[Instr] = field(default_factory=list)
    instrs: list[Instr] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    live_in: int = 0  # bits: values of the function, by their number in `Code.bit`
    live_start: int = 0  # the same after the φs
    live_out: int = 0
    joins: bool = False  # several ways lead here
    cases: dict[int, Edge] | None = None  # of a switch, by number


class NamedValues:
    """Values that debug information gives to variables, in the order of the instructions from which
    they hold, so that one function's are found without looking at all."""

    def __init__(self, program: Program) -> None:
        table = program.bindings
        chosen = np.flatnonzero((table.kind == BindingKind.VALUE) & (table.offset >= 0))
        rows = chosen[np.argsort(table.instr[chosen], kind="stable")]
        self.instr = table.instr[rows]
        self.variable, self.offset = table.variable[rows], table.offset[rows]
        self.value = table.value[rows]

    def of(self, instrs: range) -> dict[int, list[tuple[tuple[int, int], int]]]:
        """By instruction: variable and offset, and the value."""
        first, last = np.searchsorted(self.instr, (instrs.start, instrs.stop)).tolist()
        columns = (self.instr, self.variable, self.offset, self.value)
        found: dict[int, list[tuple[tuple[int, int], int]]] = {}
        for row in zip(*(column[first:last].tolist() for column in columns), strict=True):
            instr, variable, offset, value = row
            found.setdefault(instr, []).append(((variable, offset), value))
        return found


class Code:
    """A function ready to be executed."""

    def __init__(
        self,
        program: Program,
        types: TypeFacts,
        func: int,
        kinds: list[int],
        bound: NamedValues,
    ) -> None:
        self.func = func
        functions = program.functions
        first, last = int(functions.block_start[func]), int(functions.block_start[func + 1])
        start, end = int(functions.param_start[func]), int(functions.param_start[func + 1])
        self.params: list[int] = program.params.value[start:end].tolist()
        self.param_flags: list[int] = program.params.flags[start:end].tolist()
        self.param_pointees: list[int] = program.params.pointee[start:end].tolist()
        self.type = int(functions.type[func])
        self.entry = first
        self.blocks: dict[int, Block] = {}
        self.variables: dict[int, int] = {}
        self.size = 0
        rows = program.instr_range(func)
        made = make_instrs(program.instrs, types, rows.start, rows.stop)
        for block in range(first, last):
            self.blocks[block] = self._block(program, made, rows.start, block)
        self._bind(bound.of(rows))
        self._find_joins()
        self.bit: dict[int, int] = {}  # of an SSA name
        self._by_bit: list[int] = []
        self._find_liveness(kinds)
        self._live_after: dict[int, int] = {}
        self._live_marks: dict[int, list[int]] = {}  # by block
        self._names: dict[int, tuple[int, ...]] = {}
        self.back_edges = self._find_back_edges()
        self.distances: dict[tuple[int, ...], dict[int, int]] = {}
        self._exits: tuple[int, ...] | None = None
        self._shortest_way: int | None = None
        self._tested_loops: frozenset[int] | None = None
        self._own_exits: dict[tuple[int, int], int] | None = None
        self._tests: dict[int, frozenset[int]] = {}  # by header
        self.turn_lines: dict[tuple[int, int], int] = {}  # by jump, noted when it is asked (`hunt`)

    def _block(self, program: Program, made: list[Instr], start: int, number: int) -> Block:
        blocks = program.blocks
        block = Block(number)
        first, last = int(blocks.instr_start[number]), int(blocks.instr_start[number + 1])
        for instr in made[first - start : last - start]:
            instr.block = number
            (block.phis if instr.op == _PHI else block.instrs).append(instr)
        self.size += last - first
        begin, end = int(blocks.edge_start[number]), int(blocks.edge_start[number + 1])
        columns = (blocks.edge_target, blocks.edge_kind, blocks.edge_number)
        ways = zip(*(column[begin:end].tolist() for column in columns), strict=True)
        for edge, (target, kind, value) in enumerate(ways, begin):
            if kind != _UNWIND:
                block.edges.append(Edge(edge, target, kind, value))
        return block

    def _bind(self, by_instr: dict[int, list[tuple[tuple[int, int], int]]]) -> None:
        """What debug information says of variables, at the instructions from which it holds."""
        for block in self.blocks.values():
            for one in (*block.phis, *block.instrs):
                one.bindings = by_instr.get(one.id, [])

    def _find_joins(self) -> None:
        seen: set[int] = set()
        for block in self.blocks.values():
            for target in {edge.target for edge in block.edges}:
                if target in seen:
                    self.blocks[target].joins = True
                seen.add(target)

    def _find_back_edges(self) -> frozenset[tuple[int, int]]:
        """Edges to a block that is being visited: each closes a loop."""
        found: set[tuple[int, int]] = set()
        state: dict[int, int] = {self.entry: 1}
        stack = [(self.entry, iter(self.blocks[self.entry].edges))]
        while stack:
            block, edges = stack[-1]
            for edge in edges:
                mark = state.get(edge.target, 0)
                if mark == 1:
                    found.add((block, edge.target))
                elif mark == 0:
                    state[edge.target] = 1
                    stack.append((edge.target, iter(self.blocks[edge.target].edges)))
                    break
            else:
                state[block] = 2
                stack.pop()
        return frozenset(found)

    def tested_loops(self) -> frozenset[int]:
        """Headers of loops that can be left where a turn begins."""
        if self._tested_loops is None:
            headers = {header for _, header in self.back_edges}
            self._tested_loops = frozenset(h for h in headers if self._is_tested(h))
        return self._tested_loops

    def _is_tested(self, header: int) -> bool:
        return not self.inside(header).issuperset(e.target for e in self.blocks[header].edges)

    def inside(self, header: int) -> set[int]:
        """Blocks of a loop."""
        before: dict[int, list[int]] = {}
        for block in self.blocks.values():
            for edge in block.edges:
                before.setdefault(edge.target, []).append(block.id)
        inside, stack = {header}, [s for s, target in self.back_edges if target == header]
        while stack:
            block_id = stack.pop()
            if block_id not in inside:
                inside.add(block_id)
                stack += before.get(block_id, ())
        return inside

    def own_exits(self) -> dict[tuple[int, int], int]:
        """Jumps by which the test of a loop leaves it, with the loop's header. The blocks of a test
        (`a && b`) follow each other from the header on and leave for the same place."""
        if self._own_exits is None:
            self._own_exits = {}
            for header in self.tested_loops():
                inside = self.inside(header)
                ways = [edge.target for edge in self.blocks[header].edges]
                left = {target for target in ways if target not in inside}
                stack = [header]
                for block in stack:
                    targets = {edge.target for edge in self.blocks[block].edges}
                    if targets & left:
                        self._own_exits.update({(block, one): header for one in targets & left})
                        stack += [one for one in targets & inside if one not in stack]
        return self._own_exits

    def tests(self, header: int) -> frozenset[int]:
        """Blocks in which a loop decides, where a turn begins, whether there is one; also if the
        outcome is put together first (`while (a && b)`)."""
        found = self._tests.get(header)
        if found is None:
            own = frozenset(block for (block, _), one in self.own_exits().items() if one == header)
            found = self._tests[header] = own or self._joined_test(header)
        return found

    def _joined_test(self, header: int) -> frozenset[int]:
        inside, chain, stack = self.inside(header), {header}, [header]
        for block in stack:
            for edge in self.blocks[block].edges:
                ahead = self.blocks[edge.target]
                if (
                    ahead.id not in inside
                    or ahead.id in chain
                    or not self._only_after(ahead.id, chain)
                ):
                    continue
                made = {phi.result for phi in ahead.phis}
                leaves = any(one.target not in inside for one in ahead.edges)
                if leaves and made.intersection(ahead.instrs[-1].operands):
                    return frozenset((*chain, ahead.id))
                if not ahead.phis:
                    chain.add(ahead.id)
                    stack.append(ahead.id)
        return frozenset()

    def _only_after(self, block: int, chain: set[int]) -> bool:
        """Whether all ways to a block come from some blocks."""
        return all(
            number in chain
            for number, one in self.blocks.items()
            if any(edge.target == block for edge in one.edges)
        )

    def comes_again(self, block: int) -> bool:
        """Whether a block can be reached from itself."""
        back = self.distance((block,))
        return any(edge.target in back for edge in self.blocks[block].edges)

    # Liveness ------------------------------------------------------------------------------------

    def _find_liveness(self, kinds: list[int]) -> None:
        uses: dict[int, int] = {}
        defs: dict[int, int] = {}
        phi_uses: dict[int, int] = {}  # by predecessor
        before_instrs: dict[int, int] = {}  # used by instructions other than φs, and not made there
        made: dict[int, int] = {}
        for number, block in self.blocks.items():
            used = defined = 0
            for instr in block.instrs:
                for operand in instr.operands:
                    if kinds[operand] in _NAMED:
                        used |= self._bit(operand) & ~defined
                if instr.result >= 0:
                    defined |= self._bit(instr.result)
            before_instrs[number], made[number] = used, defined
            for phi in block.phis:
                defined |= self._bit(phi.result)
                used &= ~self._bit(phi.result)
                for operand, before in zip(phi.operands, phi.blocks, strict=True):
                    if kinds[operand] in _NAMED:
                        phi_uses[before] = phi_uses.get(before, 0) | self._bit(operand)
            uses[number], defs[number] = used, defined
        changed = True
        order = list(self.blocks.values())[::-1]
        while changed:
            changed = False
            for block in order:
                out = phi_uses.get(block.id, 0)
                for edge in block.edges:
                    out |= self.blocks[edge.target].live_in
                live = uses[block.id] | (out & ~defs[block.id])
                if live != block.live_in or out != block.live_out:
                    block.live_in, block.live_out = live, out
                    changed = True
        for block in order:
            block.live_start = before_instrs[block.id] | (block.live_out & ~made[block.id])

    def _bit(self, value: int) -> int:
        number = self.bit.get(value)
        if number is None:
            number = self.bit[value] = len(self.bit)
        return 1 << number

    def live_after(self, block: int, index: int) -> int:
        """Names that are used after an instruction (by its position in the block)."""
        here = self.blocks[block]
        key = here.instrs[index].id
        found = self._live_after.get(key)
        if found is None:
            # From the next mark behind it: a block of thousands is not walked to its end each time.
            mark = (index + _MARK_EVERY) // _MARK_EVERY
            marks = self._live_marks.get(block)
            if marks is None:
                marks = self._live_marks[block] = self._marks_of(here)
            found = self._live_back(here, marks[mark], index + 1, mark * _MARK_EVERY)
            self._live_after[key] = found
        return found

    def _marks_of(self, block: Block) -> list[int]:
        """Names that are used from every so many instructions of a block on, and at its end."""
        size = len(block.instrs)
        found = [block.live_out]
        for begin in range((size - 1) // _MARK_EVERY * _MARK_EVERY, -1, -_MARK_EVERY):
            found.append(self._live_back(block, found[-1], begin, begin + _MARK_EVERY))
        return found[::-1]

    def _live_back(self, block: Block, live: int, begin: int, end: int) -> int:
        """Names that are used from one instruction on, by those that are from a later one on."""
        for instr in reversed(block.instrs[begin:end]):
            made = self.bit.get(instr.result)
            if made is not None:
                live &= ~(1 << made)
            for operand in instr.operands:
                used = self.bit.get(operand)
                if used is not None:
                    live |= 1 << used
        return live

    def names(self, live: int) -> tuple[int, ...]:
        """The names in a set of bits, in order."""
        found = self._names.get(live)
        if found is None:
            if len(self._by_bit) < len(self.bit):
                self._by_bit = list(self.bit)  # numbers were given in this order
            chosen = (self._by_bit[number] for number in members(live))
            found = self._names[live] = tuple(sorted(chosen))
        return found

    # Distances -----------------------------------------------------------------------------------

    def distance(self, targets: tuple[int, ...]) -> dict[int, int]:
        """Edges from each block to the nearest target; blocks that cannot reach one are missing."""
        found = self.distances.get(targets)
        if found is None:
            found = self.distances[targets] = self._distance(targets)
        return found

    def _distance(self, targets: tuple[int, ...]) -> dict[int, int]:
        before: dict[int, list[int]] = {}
        for block in self.blocks.values():
            for edge in block.edges:
                before.setdefault(edge.target, []).append(block.id)
        found = dict.fromkeys(targets, 0)
        queue = list(targets)
        for block_id in queue:
            for previous in before.get(block_id, ()):
                if previous not in found:
                    found[previous] = found[block_id] + 1
                    queue.append(previous)
        return found

    def shortest_way(self) -> int:
        """Instructions that any path from the entry to a return executes; 0: none returns."""
        if self._shortest_way is None:
            best: dict[int, int] = {}
            exits = frozenset(self.exits())
            queue = [(len(self.blocks[self.entry].instrs), self.entry)]
            while queue:
                length, block = heappop(queue)
                if block in best:
                    continue
                best[block] = length
                if block in exits:
                    break
                for edge in self.blocks[block].edges:
                    if edge.target not in best:
                        more = len(self.blocks[edge.target].instrs)
                        heappush(queue, (length + more, edge.target))
            self._shortest_way = min((best[one] for one in exits if one in best), default=0)
        return self._shortest_way

    def exits(self) -> tuple[int, ...]:
        """Blocks that return."""
        if self._exits is None:
            last = ((b.id, b.instrs[-1].op) for b in self.blocks.values())
            self._exits = tuple(ident for ident, op in last if op == Op.RET)
        return self._exits
