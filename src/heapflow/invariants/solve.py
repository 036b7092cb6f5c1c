"""What every value of the program may be, cells, parameters and results included.

In:    Cells, what escapes, what is seen as zero, CallGraph, models.     Out: `Solution`.
Paper: Wegman and Zadeck, "Constant propagation with conditional branches" (TOPLAS'91), with a few
       constants or signs instead of one constant, over all functions at once; cells of structs and
       globals are variables of the program.
A way that no value takes is not followed. Behind a test a value is what passes the test. Allocations
succeed, as far as a model says that they fail for want of memory only.
Guarantees: a value that a run computes is in its abstract value, as far as what escapes is known.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from heapflow.invariants.abstract import (
    ANY,
    NOTHING,
    Abstract,
    join,
    narrowed,
)
from heapflow.invariants.calls import Calls
from heapflow.invariants.cells import Cells
from heapflow.invariants.config import InvariantConfig
from heapflow.invariants.ended import Ended
from heapflow.invariants.initial import initial_contents
from heapflow.invariants.shared import Group, Groups
from heapflow.invariants.started import Started
from heapflow.invariants.transfer import Transfer
from heapflow.invariants.values import Values
from heapflow.invariants.ways import Ways
from heapflow.ir.kinds import EdgeKind, FuncFlag, Op, ValueKind
from heapflow.pointsto.facts import CALLS

_UNDEF = int(ValueKind.UNDEF)
_LOAD, _STORE, _PHI, _RET = map(int, (Op.LOAD, Op.STORE, Op.PHI, Op.RET))
_UNCALLED = int(FuncFlag.UNCALLED)


class Solution:
    """Abstract values, found by iteration."""

    def __init__(
        self,
        cells: Cells,
        calls: Calls,
        dead: set[int],
        zero: int,
        config: InvariantConfig,
        templates: Sequence[tuple[int, int]] = (),
        with_cells: bool = True,
    ) -> None:
        self.cells, self.calls, self.config = cells, calls, config
        self.facts, self.program = cells.facts, cells.program
        facts, program = self.facts, self.program
        for number in range(len(program.globals)):
            cells.of_global(number)
        self.most = config.most_constants
        self.values = Values(facts)
        self.known, self.passed = self.values.known, self.values.passed
        self.value, self.at = self.values.value, self.values.at
        self.transfer = Transfer(self.values, config)
        self.content: list[Abstract] = [
            ANY
            if cell in dead or not with_cells
            else frozenset((0,))
            if zero >> cell & 1
            else NOTHING
            for cell in range(len(cells.width))
        ]
        self.readers: dict[int, list[int]] = {}  # cell -> loads
        self.given: dict[int, Abstract] = {}  # function -> what it returns
        self.groups = Groups(facts, calls, self.most)
        self._rows: list[int] = program.blocks.instr_start.tolist()
        self._edges: list[int] = program.blocks.edge_start.tolist()
        self._target: list[int] = program.blocks.edge_target.tolist()
        self._kind: list[int] = program.blocks.edge_kind.tolist()
        self._condition: list[int] = program.blocks.edge_condition.tolist()
        self._number: list[int] = program.blocks.edge_number.tolist()
        self._block_of = self.values.block_of
        self._block_start: list[int] = program.functions.block_start.tolist()
        self._operand_block: list[int] = program.instrs.operand_block.tolist()
        self._incoming: dict[int, dict[int, list[int]]] = {}  # see `_coming`
        self._reading: set[int] = set()
        self._entered: bytearray = bytearray(len(program.blocks))
        self._edge_taken: set[int] = set()
        self._returns: bytearray = bytearray(len(facts.func_flags))
        self.ways = Ways(self.facts, self.passed, config.most_ways)
        self._blocks_waiting: deque[int] = deque()
        self._rows_waiting: deque[int] = deque()
        self.open = calls.open_functions()
        self.gave_up = False
        first = list(initial_contents(cells, templates, self.value, calls.has_main))
        for cell, value in first:
            self._put(cell, value)
        # Of globals that all stores are known of: what these store, without the beginning.
        self.stored: dict[int, Abstract] = {}
        # Loads behind a store to their cell and before the program's end, stores while it ends.
        self.started: frozenset[int] = frozenset()
        self.ended: frozenset[int] = frozenset()
        self.cut_off = 0  # ends that are too long
        if with_cells:
            self.stored = dict.fromkeys(self._known_globals({cell for cell, _ in first}), NOTHING)
            ended = Ended(cells, calls, self.stored, config)
            self.ended, self.cut_off = frozenset(ended.stores), ended.cut_off
            self.started = frozenset(
                row
                for row, cell in Started(cells, calls, self.stored).loads.items()
                if self._block_of[row] not in ended.after.get(cell, ())
            )
        self._begin()
        self._run()
        while not self.gave_up and self._open_unset():
            self._run()

    def _known_globals(self, first: set[int]) -> list[int]:
        """Cells of global variables whose first content is known, in a program that is complete."""
        numbers = range(len(self.program.globals)) if self.calls.has_main else ()
        found = {self.cells.of_global(number) for number in numbers}
        return sorted(cell for cell in found & first if self.content[cell] != ANY)

    # The start -----------------------------------------------------------------------------------

    def _begin(self) -> None:
        facts = self.facts
        for func in range(len(facts.func_flags)):
            if not facts.has_body(func) or facts.func_flags[func] & _UNCALLED:
                continue
            if self.open[func]:
                for value in facts.params(func):
                    self.known[value] = ANY
            self._enter(self._block_start[func])

    def is_reached(self, row: int) -> bool:
        return bool(self._entered[self._block_of[row]])

    # Iteration -----------------------------------------------------------------------------------

    def _run(self) -> None:
        left = self.config.most_visits * max(self.facts.instr_count, 1)
        while self._blocks_waiting or self._rows_waiting:
            while self._rows_waiting:
                self._visit(self._rows_waiting.popleft())
                left -= 1
            if self._blocks_waiting:
                block = self._blocks_waiting.popleft()
                left -= self._walk(block)
            if left < 0:
                self.gave_up = True
                return

    def _open_unset(self) -> bool:
        """What is read and was stored by nobody comes from somewhere else."""
        unset = [cell for cell in sorted(self.readers) if not self.content[cell]]
        for cell in unset:
            self._put(cell, ANY)
        return bool(unset)

    def _enter(self, block: int) -> None:
        if not self._entered[block]:
            self._entered[block] = 1
            self._blocks_waiting.append(block)

    def _walk(self, block: int) -> int:
        """All instructions of a block, as far as control comes."""
        first, last = self._rows[block], self._rows[block + 1]
        for row in range(first, last):
            self._visit(row)
            if self.facts.op[row] in CALLS and not self._comes_back(row):
                return row - first
        self._leave(block)
        return last - first

    def _comes_back(self, row: int) -> bool:
        if not self.program.call_returns(row):
            return False
        group = self.groups.known(row)
        return group is None or group.returns

    def _leave(self, block: int) -> None:
        """Edges that may be taken."""
        for edge in range(self._edges[block], self._edges[block + 1]):
            if edge not in self._edge_taken and self._is_taken(block, edge):
                self._edge_taken.add(edge)
                target = self._target[edge]
                if self._entered[target]:
                    self._phis(target, block)
                else:
                    self._enter(target)

    def _phis(self, block: int, source: int) -> None:
        """What one more edge brings: what came by the others is known."""
        for row in range(self._rows[block], self._rows[block + 1]):
            if self.facts.op[row] != _PHI:
                return
            for number in self._coming(row).get(source, ()):
                self._set(self.facts.result[row], self._from(number, source, block))

    def _coming(self, row: int) -> dict[int, list[int]]:
        """The values that a choice takes, by the block from which they come."""
        found = self._incoming.get(row)
        if found is None:
            found = self._incoming[row] = {}
            for at in range(self.facts.start[row], self.facts.start[row + 1]):
                found.setdefault(self._operand_block[at], []).append(self.facts.operand[at])
        return found

    def _is_taken(self, block: int, edge: int) -> bool:
        kind, condition = self._kind[edge], self._condition[edge]
        if kind == EdgeKind.IF_TRUE or kind == EdgeKind.IF_FALSE:
            tested = self.at(condition, block)
            if isinstance(tested, int):
                return True
            return any(bool(number) == (kind == EdgeKind.IF_TRUE) for number in tested)
        if kind == EdgeKind.CASE:
            return bool(
                narrowed(
                    self.at(condition, block), 32, self._number[edge], self.values.width(condition)
                )
            )
        if kind == EdgeKind.DEFAULT:
            return bool(self.value(condition))
        return True

    def _changed(self, value: int) -> None:
        for row in self.facts.users(value):
            if row < self.facts.instr_count and self._entered[self._block_of[row]]:
                self._rows_waiting.append(row)

    def _set(self, value: int, found: Abstract) -> None:
        before = self.known[value]
        if before is None:
            before = NOTHING
        after = join(before, found, self.most)
        if after != before:
            self.known[value] = after
            self._changed(value)

    def _put(self, cell: int, value: Abstract) -> None:
        if cell >= len(self.content):
            return  # nobody reads or writes it
        before = self.content[cell]
        after = join(before, value, self.most)
        if after != before:
            self.content[cell] = after
            for row in self.readers.get(cell, ()):
                self._rows_waiting.append(row)

    def _put_later(self, cell: int, value: Abstract) -> None:
        """A store, for loads that do not see the beginning."""
        before = self.stored.get(cell)
        if before is None:
            return
        after = join(before, value, self.most)
        if after != before:
            self.stored[cell] = after
            self._rows_waiting += (r for r in self.readers.get(cell, ()) if r in self.started)

    # Instructions --------------------------------------------------------------------------------

    def _visit(self, row: int) -> None:
        facts = self.facts
        op = facts.op[row]
        if op in CALLS:
            self._call(row)
            return
        if op == _STORE:
            cell = self.cells.of_value.get(facts.operand[facts.start[row]])
            if cell is not None:
                value = self.at(facts.operand[facts.start[row] + 1], self._block_of[row])
                self._put(cell, value)
                if row not in self.ended:
                    self._put_later(cell, value)
            return
        if op == _RET:
            self._return(row)
            return
        result = facts.result[row]
        if result < 0:
            if row == self._rows[self._block_of[row] + 1] - 1:
                self._leave(self._block_of[row])
            return
        if not self.values.has_scalar(row):
            self._set(result, ANY)
            return
        self._set(result, self._computed(op, row))
        if row in self.ways.func_of_phi:
            for group in self.groups.of_function(self.ways.func_of_phi[row]):
                self._rows_waiting.extend(group.calls)

    def _computed(self, op: int, row: int) -> Abstract:
        if op == _LOAD:
            return self._loaded(row)
        return self._chosen(row) if op == _PHI else self.transfer.computed(op, row)

    def _loaded(self, row: int) -> Abstract:
        cell = self.cells.of_value.get(self.facts.operand[self.facts.start[row]])
        if cell is None or self.cells.width[cell] != self.values.width(self.facts.result[row]):
            return ANY
        readers = self.readers.setdefault(cell, [])
        if row not in self._reading:
            self._reading.add(row)
            readers.append(row)
        return self.content_at(row, cell)

    def content_at(self, row: int, cell: int) -> Abstract:
        """What a load finds in its cell."""
        return self.stored[cell] if row in self.started else self.content[cell]

    def _chosen(self, row: int) -> Abstract:
        facts, block = self.facts, self._block_of[row]
        found = NOTHING
        first = facts.start[row]
        for at in range(first, facts.start[row + 1]):
            value = self._from(facts.operand[at], self._operand_block[at], block)
            found = join(found, value, self.most)
        return found

    def _from(self, number: int, source: int, block: int) -> Abstract:
        """What a value is that comes from one block into the next, as far as control goes there."""
        if self.facts.value_kind[number] == _UNDEF:
            return NOTHING
        ways = [
            edge
            for edge in range(self._edges[source], self._edges[source + 1])
            if self._target[edge] == block and edge in self._edge_taken
        ]
        if not ways:
            return NOTHING
        value = self.at(number, source)
        if len(ways) == 1:
            for tested, predicate, constant in self.passed.said(ways[0]):
                if tested == number:
                    value = narrowed(value, predicate, constant, self.values.width(number))
        return value

    # Calls ---------------------------------------------------------------------------------------

    def _call(self, row: int) -> None:
        facts, block = self.facts, self._block_of[row]
        arguments = facts.operands(row)[1:]
        group, is_new = self.groups.of_call(row)
        found: Abstract = ANY
        if group is not None:
            if is_new:
                self._open_group(group)
            for position, argument in enumerate(arguments):
                before = group.given[position]
                after = join(before, self.at(argument, block), self.most)
                if after != before:
                    group.given[position] = after
                    self._give(group, position)
            found = group.back
            if len(self.calls.targets(row)) == len(group.functions) == 1:
                found = self._on_ways(group.functions[0], arguments, block, found)
        result = facts.result[row]
        if result >= 0:
            self._set(result, found if self.values.is_scalar(result) else ANY)

    def _on_ways(self, func: int, arguments: list[int], block: int, back: Abstract) -> Abstract:
        """What a function returns to a call, by the ways that its arguments allow."""
        ways = self.ways.of(func) if back and arguments else ()
        if not ways:
            return back
        found = NOTHING
        for way in ways:
            is_allowed = all(
                position >= len(arguments)
                or narrowed(
                    self.at(arguments[position], block),
                    predicate,
                    constant,
                    self.values.width(arguments[position]),
                )
                for position, predicate, constant in way.asked
            )
            if is_allowed:
                found = join(found, self._from(way.value, way.source, way.target), self.most)
        return found

    def _open_group(self, group: Group) -> None:
        """What no call of a group says of its functions: parameters that get nothing, or a struct."""
        for func in group.functions:
            group.back = join(group.back, self.given.get(func, NOTHING), self.most)
            group.returns = group.returns or bool(self._returns[func])
            if not self.open[func]:
                for position, value in enumerate(self.facts.params(func)):
                    if position >= len(group.given) or not self.values.is_scalar(value):
                        self._set(value, ANY)

    def _give(self, group: Group, position: int) -> None:
        """All functions of a group may get what one of its calls gives."""
        for func in group.functions:
            params = self.facts.params(func)
            if (
                not self.open[func]
                and position < len(params)
                and self.values.is_scalar(params[position])
            ):
                self._set(params[position], group.given[position])

    def _return(self, row: int) -> None:
        func = self.facts.func_of_instr[row]
        operands = self.facts.operands(row)
        before = self.given.get(func, NOTHING)
        is_new = not self._returns[func]
        if operands:
            value = self.at(operands[0], self._block_of[row])
            if not self.values.is_scalar(operands[0]):
                value = ANY
            if not value:
                return
            after = join(before, value, self.most)
            if after != before:
                self.given[func] = after
                for group in self.groups.of_function(func):
                    self._hand_back(group, after)
        if is_new:
            self._returns[func] = 1
            for group in self.groups.of_function(func):
                if not group.returns:
                    group.returns = True
                    self._blocks_waiting.extend(self._block_of[call] for call in group.calls)

    def _hand_back(self, group: Group, value: Abstract) -> None:
        """All calls of a group may get what one of its functions returns."""
        after = join(group.back, value, self.most)
        if after != group.back:
            group.back = after
            self._rows_waiting.extend(group.calls)
