"""What is stored before something runs: globals that are set when the program starts.

In:    Cells, Calls, the global variables that are asked about.     Out: loads behind a store, on every
       way from the start of the program.
Example: `main` calls `init`, which sets `list`, and then everything else: whoever loads `list` there
       gets what some store put into it, and not the NULL of the beginning.
A function stores what it stores on every way to its return; a call, what all its targets do. When a
function begins, that much has been stored as at every call of it that is known, and as where its
address was taken: whoever calls it by that does so later. What was stored once stays stored.
Guarantees: nothing is said of functions that others may call, nor without `main`.
Not modelled: a table of functions that the program both calls through and gives to a library.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from heapflow.invariants.calls import Calls
from heapflow.invariants.cells import Cells
from heapflow.ir.kinds import FuncFlag, Op
from heapflow.pointsto.facts import CALLS
from heapflow.pointsto.taken import taken_in_code

_LOAD, _STORE, _RET = int(Op.LOAD), int(Op.STORE), int(Op.RET)
_TAKEN, _UNCALLED = int(FuncFlag.ADDRESS_TAKEN), int(FuncFlag.UNCALLED)


class Started:
    """Sets of cells as bits: what has been stored."""

    def __init__(self, cells: Cells, calls: Calls, asked: Iterable[int]) -> None:
        self.cells, self.calls = cells, calls
        self.facts, self.program = cells.facts, cells.program
        self._bit = {cell: 1 << number for number, cell in enumerate(sorted(asked))}
        self._all = (1 << len(self._bit)) - 1
        self._touching = self._find_touching()
        self._stores: dict[int, int] = {}  # function -> on every way to its return
        self._before: dict[int, int] = {}  # loads and calls -> since their function began
        self._edges = self.program.blocks.edge_start.tolist()
        self._target = self.program.blocks.edge_target.tolist()
        self._rows = self.program.blocks.instr_start.tolist()
        self.loads: dict[int, int] = {}  # those behind a store, with their cells
        if self._bit and calls.has_main:
            self._follow()

    def _find_touching(self) -> dict[int, int]:
        """Loads and stores of the cells, with their bits."""
        facts, found = self.facts, {}
        ops = np.asarray(self.program.instrs.op)
        for row in np.flatnonzero((ops == _LOAD) | (ops == _STORE)).tolist():
            cell = self.cells.of_value.get(facts.operand[facts.start[row]])
            if cell in self._bit:
                found[row] = self._bit[cell]
        return found

    def _follow(self) -> None:
        stored = {
            self.facts.func_of_instr[row] for row in self._touching if self.facts.op[row] == _STORE
        }
        for func in self.calls.graph.bottom_up():
            if self.facts.has_body(func):
                self._stores[func] = self._through(func, func in stored)
        begun = self._begun()
        facts = self.facts
        cell_of = {bit: cell for cell, bit in self._bit.items()}
        self.loads = {
            row: cell_of[bit]
            for row, bit in self._touching.items()
            if facts.op[row] == _LOAD
            and bit & (self._before.get(row, 0) | begun[facts.func_of_instr[row]])
        }

    # One function --------------------------------------------------------------------------------

    def _through(self, func: int, is_storing: bool) -> int:
        """What a function stores on every way; of its loads and calls, what it stored before."""
        first, last = self.program.functions.block_start[func : func + 2].tolist()
        called = {row: self._by(row) for row in self._calls_in(first, last)}
        if not is_storing and not any(called.values()):
            return 0
        order = self._order(first)
        inside = {block: self._in_block(block, called) for block in order}
        incoming = dict.fromkeys(order, self._all)
        incoming[first] = 0
        is_changed = True
        while is_changed:
            is_changed = False
            for block in order:
                after = incoming[block] | inside[block]
                for target in self._target[self._edges[block] : self._edges[block + 1]]:
                    if incoming[target] & ~after:
                        incoming[target] &= after
                        is_changed = True
        returned = self._all
        for block in order:
            returned &= self._note(block, incoming[block], called)
        return returned

    def _calls_in(self, first: int, last: int) -> Iterator[int]:
        ops = self.facts.op
        return (row for row in range(self._rows[first], self._rows[last]) if ops[row] in CALLS)

    def _by(self, row: int) -> int:
        """What a call stores, whatever it reaches."""
        if not self.program.call_returns(row):
            return self._all
        targets = self.calls.targets(row)
        found = self._all if targets else 0
        for func in targets:
            found &= self._stores.get(func, 0)
        return found

    def _order(self, first: int) -> list[int]:
        """Blocks that control comes to, each after one that leads to it."""
        found, waiting = {first: None}, [first]
        for block in waiting:
            for target in self._target[self._edges[block] : self._edges[block + 1]]:
                if target not in found:
                    found[target] = None
                    waiting.append(target)
        return waiting

    def _in_block(self, block: int, called: dict[int, int]) -> int:
        found, ops = 0, self.facts.op
        for row in range(self._rows[block], self._rows[block + 1]):
            if ops[row] == _STORE:
                found |= self._touching.get(row, 0)
            elif row in called:
                found |= called[row]
        return found

    def _note(self, block: int, before: int, called: dict[int, int]) -> int:
        """Keep what was stored before each load and call; what holds where the function returns."""
        ops = self.facts.op
        for row in range(self._rows[block], self._rows[block + 1]):
            if ops[row] == _STORE:
                before |= self._touching.get(row, 0)
            elif row in called:
                self._before[row] = before
                before |= called[row]
            elif ops[row] == _LOAD and row in self._touching:
                self._before[row] = before
            elif ops[row] == _RET:
                return before
        return self._all

    # All functions -------------------------------------------------------------------------------

    def _begun(self) -> list[int]:
        """What had been stored when a function began, at the least."""
        comes_from = self._comes_from()
        begun = [self._all if rows is not None else 0 for rows in comes_from]
        is_changed = True
        while is_changed:
            is_changed = False
            for func in reversed(self.calls.graph.bottom_up()):
                for row in comes_from[func] or ():
                    above = self._before.get(row, 0) | begun[self.facts.func_of_instr[row]]
                    if begun[func] & ~above:
                        begun[func] &= above
                        is_changed = True
        return begun

    def _comes_from(self) -> list[list[int] | None]:
        """Instructions before which nobody can call a function; None: others may."""
        facts, calls = self.facts, self.calls
        taken, back = taken_in_code(self.program), self._called_back()
        found: list[list[int] | None] = []
        for func, flags in enumerate(facts.func_flags):
            rows = [*calls.all_callers(func), *back.get(func, ())]
            if flags & _TAKEN:
                rows += taken.get(func, ())
            rows = [row for row in rows if not self._is_uncalled(facts.func_of_instr[row])]
            is_open = calls.names[func] == "main" or calls.is_wanted(func)
            is_known = bool(rows) or bool(flags & _UNCALLED)
            found.append(None if is_open or not is_known else rows)
        return found

    def _is_uncalled(self, func: int) -> bool:
        return bool(self.facts.func_flags[func] & _UNCALLED)

    def _called_back(self) -> dict[int, list[int]]:
        graph, found = self.calls.graph, dict[int, list[int]]()
        for number, call in enumerate(graph.call.tolist()):
            first, last = graph.callback_start[number], graph.callback_start[number + 1]
            for func in graph.callback[first:last].tolist():
                found.setdefault(func, []).append(call)
        return found
