"""Which kinds of memory a call may write, callees of callees included.

In:    Program, the call graph.     Out: `CallWrites`.
A kind of memory is a global variable, or "so many bytes at this offset of what a pointer points to":
fields of unlike structs that lie alike are one kind. Locals and new blocks do not count, nor does what
is written on ways that do not come back (`if (!p) fatal(…);`). One bit per kind, one integer per
function. What external functions write through pointers is found by `fills.py`.
Not modelled: writes through pointers into the middle of a struct
(docs/unsoundness.md#flags-in-memory).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from heapflow.guards.fills import Fills
from heapflow.guards.places import root_of
from heapflow.ir.ids import BlockId, FuncId, InstrId
from heapflow.ir.kinds import Op
from heapflow.logic.address import is_variable
from heapflow.logic.term import Local, Object, Term, Val
from heapflow.support.scc import strong_components

if TYPE_CHECKING:
    from heapflow.guards.context import GuardContext

Place = tuple[Term, int | None]
Field = tuple[int | None, int]  # offset and size of what lies behind some pointer


class Event:
    """An instruction that may write memory. Stores: where; calls have no `root`.

    No dataclass: there are many, and a frozen one takes several times as long to make.
    """

    __slots__ = (
        "bits",
        "filled",
        "instr",
        "offset",
        "passed",
        "result",
        "root",
        "size",
        "written",
    )

    def __init__(
        self,
        instr: InstrId,
        root: Term | None = None,
        offset: int | None = 0,
        size: int = 0,
        result: Term | None = None,
        passed: tuple[Place, ...] = (),
        written: tuple[Place, ...] = (),
        filled: tuple[Place, ...] = (),
        bits: int = 0,
    ) -> None:
        self.instr, self.root, self.offset, self.size = instr, root, offset, size
        self.result = result  # of a call that gives a pointer
        self.passed = passed  # pointers that bodies get
        self.written = written  # pointers that external functions write through
        self.filled = filled  # pointers that bodies let external functions write through
        self.bits = bits  # what bodies write

    @property
    def matters(self) -> bool:
        """Whether it writes anything that functions see, or gives a pointer."""
        if self.root is not None or self.result is not None:
            return True
        return bool(self.written or self.filled or self.bits)


class CallWrites:
    """Bits per function; events per function."""

    def __init__(
        self, context: GuardContext, callees: Mapping[InstrId, tuple[FuncId, ...]] | None
    ) -> None:
        self._context = context
        self._bits: dict[Object | Field, int] = {}
        self._indirect = callees or {}
        self._events: dict[int, dict[BlockId, list[Event]]] = {}
        own, successors = self._all_own()
        components = strong_components(
            map(FuncId, range(len(successors))), successors.__getitem__, len(successors)
        )
        self._of_func = self._close(own, successors, components)
        self._fills = Fills(context, self.callees, components)

    def callees(self, instr: InstrId) -> tuple[FuncId, ...]:
        """The functions that a call may enter, declarations included."""
        callee = self._context.code.callee(instr)
        return (callee,) if callee >= 0 else self._indirect.get(instr, ())

    def may_write(self, bits: int, key: Object | Field) -> bool:
        bit = self._bits.get(key)
        return bit is not None and bool(bits >> bit & 1)

    def events(self, func: FuncId) -> dict[BlockId, list[Event]]:
        """Block -> stores and calls in it."""
        known = self._events.get(func)
        if known is None:
            known = self._events[func] = self._find_events(func)
        return known

    def _find_events(self, func: FuncId) -> dict[BlockId, list[Event]]:
        code = self._context.code
        found: dict[BlockId, list[Event]] = {}
        for block in code.blocks_of(func):
            events = [
                self._event(instr)
                for instr in code.instrs_in(block)
                if code.op[instr] in _WRITING or code.op[instr] in code.call_ops
            ]
            events = [
                e
                for e in events
                if e.root is not None or e.result is not None or e.written or e.filled or e.bits
            ]
            if events:
                found[block] = events
        return found

    def _event(self, instr: InstrId) -> Event:
        context = self._context
        code = context.code
        if code.op[instr] in code.call_ops:
            return self._call_event(instr)
        root, offset = root_of(context, code.operand[code.operand_start[instr]])
        return Event(instr, root, offset, code.access_size(instr))

    def _call_event(self, instr: InstrId) -> Event:
        context = self._context
        code = context.code
        operands, bits = code.operands(instr), 0
        positions, filled = set[int](), 0
        for func in self.callees(instr):
            if code.is_declared[func]:
                positions.update(context.externals.of(func).fills(len(operands) - 1))
            else:
                bits |= self._of_func[func]
                filled |= self._fills.positions(func)
        pointers = {
            position: root_of(context, operands[position])
            for position in range(1, len(operands))
            if (bits or filled or position in positions) and code.is_pointer(operands[position])
        }
        result = code.result[instr]
        given = {at: self._with_stored(instr, place) for at, place in pointers.items()}
        return Event(
            instr,
            result=Val(result) if result >= 0 and code.is_pointer(result) else None,
            passed=tuple(one for places in given.values() for one in places) if bits else (),
            written=tuple(one for at in given if at in positions for one in given[at]),
            filled=tuple(one for at in given if filled >> at & 1 for one in given[at]),
            bits=bits,
        )

    def _with_stored(self, instr: int, place: Place) -> tuple[Place, ...]:
        """Where an argument leads, and the pointers that lie there, if it is a variable."""
        code = self._context.code
        func = code.block_func[code.instr_block[instr]]
        return (place, *self._context.stored.behind(func, place[0]))

    # All functions -------------------------------------------------------------------------------

    def _all_own(self) -> tuple[list[int], list[list[FuncId]]]:
        code = self._context.code
        count = len(code.func_flags)
        own, successors = [0] * count, [list[FuncId]() for _ in range(count)]
        for func in map(FuncId, range(count)):
            if not code.is_declared[func]:
                own[func], called = self._own(func)
                successors[func] = sorted(called)
        return own, successors

    def _close(
        self, own: list[int], successors: list[list[FuncId]], components: list[list[FuncId]]
    ) -> list[int]:
        for component in components:
            bits = 0
            for func in component:
                bits |= own[func]
                for callee in successors[func]:
                    bits |= own[callee]
            for func in component:
                own[func] = bits
        return own

    def _own(self, func: FuncId) -> tuple[int, set[FuncId]]:
        context = self._context
        code = context.code
        bits, called = 0, set[FuncId]()
        for block in code.blocks_of(func):
            if context.returning.comes_back(block):
                bits |= self._own_in(block, called)
        return bits, called

    def _own_in(self, block: BlockId, called: set[FuncId]) -> int:
        context, bits = self._context, 0
        code = context.code
        for instr in code.instrs_in(block):
            op = code.op[instr]
            if op in _WRITING:
                root, offset = root_of(context, code.operand[code.operand_start[instr]])
                bits |= self._bit_of(root, offset, code.access_size(instr))
            elif op in code.call_ops:
                for callee in self.callees(instr):
                    if code.is_declared[callee]:
                        bits |= self._external_bits(instr, callee)
                    else:
                        called.add(callee)
        return bits

    def _external_bits(self, instr: int, func: int) -> int:
        context, bits = self._context, 0
        operands = context.code.operands(instr)
        for position in context.externals.of(func).fills(len(operands) - 1):
            if context.code.is_pointer(operands[position]):
                root, _ = root_of(context, operands[position])
                if is_variable(root):
                    bits |= self._bit_of(root, None, 0)
        return bits

    def _bit_of(self, root: Term, offset: int | None, size: int) -> int:
        if isinstance(root, Local) or self._is_fresh(root):
            return 0
        key = root if is_variable(root) else (offset, size)
        return 1 << self._bits.setdefault(key, len(self._bits))

    def _is_fresh(self, root: Term) -> bool:
        return isinstance(root, Val) and self._context.fresh.is_fresh(root.value)


_WRITING: Final = frozenset({Op.STORE, Op.CMPXCHG, Op.ATOMIC_RMW})
