"""What functions may do, everything that they call included.

In:    Knowledge.     Out: `Touches` per function, found for all functions at once.
Guarantees: nothing that a function can do to memory or to control is left out, as far as the call graph
            is right; what is said may be too much.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from heapflow.ir.kinds import CALLS, COPIES, CallFlag, FuncFlag, Op, ValueKind
from heapflow.models.model import Ensures, Exit, NoReturn, Pure
from heapflow.models.world import EVERYTHING, changes_of
from heapflow.support.scc import components_of

if TYPE_CHECKING:
    from heapflow.replay.knowledge import Knowledge

# Plain numbers: looking up a member of an enumeration costs more than what is done with it.
_CALLS = frozenset(int(op) for op in CALLS)
_WRITES = frozenset(int(op) for op in (Op.STORE, Op.ATOMIC_RMW, Op.CMPXCHG))
_RET, _ALLOCA, _GEP = int(Op.RET), int(Op.ALLOCA), int(Op.GEP)
_COPIES = frozenset(int(op) for op in COPIES)
_GLOBAL, _CONST_EXPR = int(ValueKind.GLOBAL), int(ValueKind.CONST_EXPR)
_FUNCTION, _INSTR = int(ValueKind.FUNCTION), int(ValueKind.INSTR)
_NO_RETURN, _INTRINSIC = int(FuncFlag.NO_RETURN), int(FuncFlag.INTRINSIC)
_CALL_NO_RETURN = int(CallFlag.NO_RETURN)
_HARMLESS = (Ensures, Pure)  # effects that write nothing


class Touches:
    """What a function and all that it calls may do."""

    __slots__ = (
        "asks",
        "changes",
        "ends",
        "external",
        "globals",
        "reads_only",
        "returns",
        "stores",
        "unwinds",
    )

    def __init__(self) -> None:
        self.globals: set[int] = set()  # objects that are named in it
        # Parts of the world outside of memory (`answers`) that it asks about, and may change.
        self.asks: set[str] = set()
        self.changes: set[str] = set()
        self.stores = False  # to memory that is not a variable of its own
        self.external = False  # code that is not known is called
        self.reads_only = True  # its result depends on its arguments and on memory alone
        self.returns = True
        self.unwinds = False  # some call in it may jump out of its frame
        self.ends = False  # some call in it may end the process, or jump away

    @property
    def only_looks(self) -> bool:
        """Whether nothing can be written, released or kept by it."""
        return not (self.stores or self.unwinds)

    def join(self, other: Touches) -> None:
        self.globals |= other.globals
        self.asks |= other.asks
        self.changes |= other.changes
        self.stores = self.stores or other.stores
        self.external = self.external or other.external
        self.reads_only = self.reads_only and other.reads_only
        self.ends = self.ends or other.ends
        self.unwinds = self.unwinds or other.unwinds


def find_touches(knowledge: Knowledge) -> list[Touches]:
    """By function; functions that call each other share theirs."""
    return _Finder(knowledge).run()


def touches_of_part(knowledge: Knowledge, known: list[Touches], parts: Iterable[range]) -> Touches:
    """What a part of a function may do, by rows of instructions."""
    finder, found, edges = _Finder(knowledge), Touches(), set[int]()
    for rows in parts:
        finder.touch(rows, found, edges)
    for callee in edges:
        found.join(known[callee])
    return found


class _Finder:
    def __init__(self, knowledge: Knowledge) -> None:
        self.known, self.program = knowledge, knowledge.program
        table = self.program.instrs
        self.ops: list[int] = table.op.tolist()
        self.aux: list[int] = table.aux.tolist()
        self.starts: list[int] = table.operand_start.tolist()
        self.operand: list[int] = table.operand.tolist()
        self.found: list[Touches] = []

    def run(self) -> list[Touches]:
        known = self.known
        count = len(known.func_flags)
        own = [Touches() for _ in range(count)]
        edges: list[set[int]] = [set() for _ in range(count)]
        for func in range(count):
            if known.has_body(func):
                self.touch(self.program.instr_range(func), own[func], edges[func])
        self.found = own
        for component in components_of([sorted(e) for e in edges]):
            inside = set(component)
            joined = Touches()
            for func in component:
                joined.join(own[func])
                for callee in edges[func] - inside:
                    joined.join(self.found[callee])
            joined.returns = any(self._may_return(func, inside) for func in component)
            joined.ends = joined.ends or not joined.returns
            joined.reads_only = joined.reads_only and not joined.stores
            for func in component:
                self.found[func] = joined
        return self.found

    def _operands(self, row: int) -> list[int]:
        return self.operand[self.starts[row] : self.starts[row + 1]]

    def touch(self, rows: range, found: Touches, edges: set[int]) -> None:
        known, kinds = self.known, self.known.value_kind
        for value in self.operand[self.starts[rows.start] : self.starts[rows.stop]]:
            if kinds[value] == _GLOBAL or kinds[value] == _CONST_EXPR:
                self._name(value, found)
        for row in rows:
            op = self.ops[row]
            if op in _WRITES:
                found.stores = found.stores or not self._is_local(self.operand[self.starts[row]])
            elif op in _CALLS:
                targets = [known.meant(target) for target in known.callees(row)]
                direct = self._direct(row)
                edges.update(targets)
                if direct >= 0 and not targets:
                    edges.add(known.meant(direct))
                if not any(known.has_body(target) for target in targets):
                    found.external = True
                    found.unwinds = found.unwinds or self._unwinds(direct)
                    found.stores = found.stores or self._may_write(direct, row)
                    self._ask(direct, found)
                    found.reads_only = found.reads_only and self._only_reads(direct, row)

    def _direct(self, row: int) -> int:
        callee = self.operand[self.starts[row]]
        is_named = self.known.value_kind[callee] == _FUNCTION
        return self.known.value_index[callee] if is_named else -1

    def _unwinds(self, func: int) -> bool:
        """Whether an external function leaves by a jump (longjmp)."""
        known = self.known
        model = known.model(func) if func >= 0 else None
        if model is None or known.func_flags[func] & _INTRINSIC:
            return False
        return any(
            isinstance(effect, NoReturn) and effect.exit is Exit.UNWIND for effect in model.effects
        )

    def _may_write(self, func: int, row: int) -> bool:
        if func < 0:
            return True
        if self.known.func_flags[func] & _INTRINSIC:
            return self.program.func_name(func).startswith(("llvm.mem", "llvm.va"))
        model = self.known.model(func)
        if model is None or any(not isinstance(one, _HARMLESS) for one in model.effects):
            return True
        arguments = self._operands(row)[1:]
        return any(
            at > len(arguments) or not self._is_local(arguments[at - 1])
            for at in model.written_args
        )

    def _ask(self, func: int, found: Touches) -> None:
        """What an external function asks and changes outside of memory."""
        if func >= 0 and self.known.func_flags[func] & _INTRINSIC:
            return
        model = self.known.model(func) if func >= 0 else None
        if model is None:
            found.changes.add(EVERYTHING)
        else:
            found.asks.update(model.asks)
            families = self.known.models.families
            found.changes.update(one.world for one in changes_of(families, model))

    def _only_reads(self, func: int, row: int) -> bool:
        """Whether an external function's result depends on arguments and memory alone."""
        if func < 0:
            return False
        if self.known.func_flags[func] & _INTRINSIC:
            return not self._may_write(func, row)
        model = self.known.model(func)
        return model is not None and (model.pure or bool(model.asks))

    def _is_local(self, pointer: int) -> bool:
        """Whether an address is that of a variable of the function itself."""
        for _ in range(8):
            if self.known.value_kind[pointer] != _INSTR:
                return False
            row = self.known.value_index[pointer]
            op = self.ops[row]
            if op == _ALLOCA:
                return True
            if op != _GEP and op not in _COPIES:
                return False
            pointer = self.operand[self.starts[row]]
        return False

    def _name(self, value: int, found: Touches) -> None:
        """Globals that an operand names, also inside constants."""
        known = self.known
        kind = known.value_kind[value]
        if kind == _GLOBAL:
            found.globals.add(known.global_address(known.value_index[value]) >> 32)
        elif kind == _CONST_EXPR:
            for operand in known.const_expr(known.value_index[value]).operands:
                self._name(operand, found)

    # Whether it comes back -----------------------------------------------------------------------

    def _may_return(self, func: int, inside: set[int]) -> bool:
        """Whether a way to a return passes no call that never comes back."""
        known, blocks = self.known, self.program.blocks
        if not known.has_body(func):
            model = known.model(func)
            is_known = model is not None and model.never_returns
            return not known.func_flags[func] & _NO_RETURN and not is_known
        first = int(self.program.functions.block_start[func])
        seen, stack = {first}, [first]
        while stack:
            block = stack.pop()
            rows = range(int(blocks.instr_start[block]), int(blocks.instr_start[block + 1]))
            if not self._all_come_back(rows, inside):
                continue
            if self.ops[rows[-1]] == _RET:
                return True
            low, high = int(blocks.edge_start[block]), int(blocks.edge_start[block + 1])
            ahead = set(blocks.edge_target[low:high].tolist()) - seen
            seen |= ahead
            stack += ahead
        return False

    def _all_come_back(self, rows: Iterable[int], inside: set[int]) -> bool:
        return all(self.ops[row] not in _CALLS or self._comes_back(row, inside) for row in rows)

    def _comes_back(self, row: int, inside: set[int]) -> bool:
        if self.aux[row] & _CALL_NO_RETURN:
            return False
        callee = self._direct(row)
        if callee < 0:
            return True
        if self.known.func_flags[callee] & _NO_RETURN:
            return False
        callee = self.known.meant(callee)
        return callee in inside or self.found[callee].returns
