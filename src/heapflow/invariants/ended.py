"""Globals that are emptied while the program ends: who can still look at them.

In:    Cells, Calls, the global variables that are asked about.     Out: stores of nothing, blocks after
       them.
Example: `quit` frees every list, stores NULL into the variables, and calls `exit`: what runs before
       never sees this NULL.
Such a store is looked at by function: what comes after it is the rest of the function, what follows
its calls up to the end of the program, and all that is called there, and all that libraries may call.
Guarantees: a load outside of these blocks does not come after such a store.
Not modelled: calls by pointers of which nothing is known.
"""

from __future__ import annotations

from collections.abc import Iterable

from heapflow.invariants.calls import Calls
from heapflow.invariants.cells import Cells
from heapflow.invariants.config import InvariantConfig
from heapflow.ir.kinds import FuncFlag, Op, ValueKind
from heapflow.pointsto.facts import CALLS

_STORE, _RET = int(Op.STORE), int(Op.RET)
_INT, _NULL = int(ValueKind.INT), int(ValueKind.NULL)
_UNCALLED = int(FuncFlag.UNCALLED)


class Ended:
    """`stores`: rows that empty a global at the end; `after`: blocks that may come later, by cell."""

    def __init__(
        self, cells: Cells, calls: Calls, asked: Iterable[int], config: InvariantConfig
    ) -> None:
        self.facts, self.program, self.calls = cells.facts, cells.program, calls
        self._most = config.most_ending_functions
        self._rows = self.program.blocks.instr_start.tolist()
        self._edges = self.program.blocks.edge_start.tolist()
        self._target = self.program.blocks.edge_target.tolist()
        self._first = self.program.functions.block_start.tolist()
        self._block_of = self.program.instrs.block.tolist()
        self._returning: dict[int, bool] = {}
        self._called: dict[int, set[int]] = {}
        self.stores: set[int] = set()
        self.after: dict[int, set[int]] = {}
        self.cut_off = 0  # functions that empty globals, and are followed by too much
        graph = calls.graph
        back = {int(func) for func in graph.callback if self.facts.has_body(int(func))}
        emptying = self._emptying(cells, frozenset(asked))
        for func in graph.bottom_up() if emptying else ():
            if self.facts.has_body(func):
                self._returning[func] = self._comes_to_return(func)
        for func, rows in emptying.items():
            found = self._following(func, back)
            if found is not None:
                for row in rows:
                    self.stores.add(row)
                    cell = cells.of_value[self.facts.operand[self.facts.start[row]]]
                    self.after.setdefault(cell, set()).update(found)

    def _emptying(self, cells: Cells, asked: frozenset[int]) -> dict[int, list[int]]:
        """Stores of zero to what is asked about, by function."""
        facts, found = self.facts, dict[int, list[int]]()
        numbers = self.program.values.number
        for row in range(facts.instr_count):
            if facts.op[row] != _STORE:
                continue
            address, value = facts.operands(row)[:2]
            kind = facts.value_kind[value]
            is_nothing = kind == _NULL or (kind == _INT and not numbers[value])
            func = facts.func_of_instr[row]
            if is_nothing and cells.of_value.get(address) in asked:
                found.setdefault(func, []).append(row)
        return {
            func: rows for func, rows in found.items() if not facts.func_flags[func] & _UNCALLED
        }

    def _following(self, func: int, back: set[int]) -> set[int] | None:
        """Blocks that may be executed once a function has begun; None: too many, or not known."""
        entered, blocks = {func, *back}, set[int]()
        resumed, waiting = {func}, [func]
        while waiting:
            one = waiting.pop()
            callers = self.calls.all_callers(one) if self._returning[one] else []
            if not callers and self._returning[one] and self.calls.names[one] != "main":
                return None
            for call in callers:
                if self._resume(call, entered, blocks):
                    above = self.facts.func_of_instr[call]
                    waiting += [above] if above not in resumed else []
                    resumed.add(above)
            if not self._enter_all(entered):
                self.cut_off += 1
                return None
        for one in entered:
            blocks.update(range(self._first[one], self._first[one + 1]))
        return blocks

    def _resume(self, call: int, entered: set[int], blocks: set[int]) -> bool:
        """Go on behind a call; whether its function may return."""
        block = self._block_of[call]
        waiting, seen, returns = [(block, call + 1)], set[int](), False
        blocks.add(block)
        while waiting:
            block, row = waiting.pop()
            if not self._through(block, row, entered):
                continue
            returns = returns or self.facts.op[self._rows[block + 1] - 1] == _RET
            for target in self._target[self._edges[block] : self._edges[block + 1]]:
                if target not in seen:
                    seen.add(target)
                    waiting.append((target, self._rows[target]))
        blocks |= seen
        return returns

    def _through(self, block: int, row: int, entered: set[int] | None) -> bool:
        """Whether control comes from a row to the end of its block; what is called is entered."""
        for one in range(row, self._rows[block + 1]):
            if self.facts.op[one] in CALLS:
                targets = self.calls.targets(one)
                bodies = [func for func in targets if self.facts.has_body(func)]
                if entered is not None:
                    entered.update(bodies)
                # A function that calls itself may return, as far as this has not been found out.
                may = [self._returning.get(func, True) for func in bodies]
                is_all = targets and len(bodies) == len(targets)
                comes_back = self.program.call_returns(one) and (not is_all or any(may))
                if not comes_back:
                    return False
        return True

    def _comes_to_return(self, func: int) -> bool:
        """Whether a function may return."""
        first = self._first[func]
        waiting, seen = [first], {first}
        while waiting:
            block = waiting.pop()
            if not self._through(block, self._rows[block], None):
                continue
            if self.facts.op[self._rows[block + 1] - 1] == _RET:
                return True
            for target in self._target[self._edges[block] : self._edges[block + 1]]:
                if target not in seen:
                    seen.add(target)
                    waiting.append(target)
        return False

    def _enter_all(self, entered: set[int]) -> bool:
        """All that is called by what is entered; False: too much."""
        waiting = list(entered)
        while waiting:
            if len(entered) > self._most:
                return False
            new = self._calls_of(waiting.pop()) - entered
            entered |= new
            waiting += new
        return True

    def _calls_of(self, func: int) -> set[int]:
        found = self._called.get(func)
        if found is None:
            rows = range(self._rows[self._first[func]], self._rows[self._first[func + 1]])
            found = self._called[func] = {
                target
                for row in rows
                if self.facts.op[row] in CALLS
                for target in self.calls.targets(row)
                if self.facts.has_body(target)
            }
        return found
