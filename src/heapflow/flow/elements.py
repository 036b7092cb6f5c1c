"""Elements of arrays that loops fill and release.

    for (i = 0; i < 4; i++) a[i] = malloc(n);    for (j = 0; j < 3; j++) free(a[j]);    a[3] is lost

In:    where an object was stored, where a load reads.     Out: when that is one place.
To the graph all elements of an array are one place. Where both indices are counters between constants,
or one is a constant, more is known: the load reads the object if the counter with which it was stored,
as it was then, lies in what the load's index passes through.
Guarantees: the condition holds whenever the load reads the object; without counters it is "always".
Not modelled: bounds that are no constants, counters that go down, elements filled by callees, elements
that a loop moves by stores after it has read them and reads again in its next turn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from heapflow.flow.replaced import Address
from heapflow.guards.guards import FunctionGuards
from heapflow.ir.codes import EDGE_IF_TRUE
from heapflow.ir.ids import NO_BLOCK, NO_INSTR, BlockId, InstrId, ValueId
from heapflow.ir.kinds import CmpPredicate, Op
from heapflow.logic.address import moved, place_of
from heapflow.logic.compare import constant_of
from heapflow.logic.space import Guard
from heapflow.logic.term import Indexed, Int, Term, Val

_BELOW: Final = {CmpPredicate.SLT: 0, CmpPredicate.ULT: 0, CmpPredicate.SLE: 1, CmpPredicate.ULE: 1}


@dataclass(frozen=True, slots=True)
class _Element:
    base: Term
    offset: int
    index: Term | None  # None: the offset is all there is
    stride: int
    block: BlockId  # where the address is made


@dataclass(frozen=True, slots=True)
class _Range:
    low: int
    high: int  # beyond the last one

    def holds(self, other: _Range) -> bool:
        return self.low <= other.low and other.high <= self.high


def reads_element(guards: FunctionGuards, stored: Address, load: InstrId) -> tuple[Guard, Guard]:
    """When a load reads what was stored at an address, and what is so in any case."""
    space, pointer = guards.context.space, guards.context.code.operands(load)[0]
    put, read = _element(guards, *stored), _element(guards, pointer)
    if put is None or read is None or put.base != read.base or put.index == read.index:
        return space.true, space.true
    filled, passed = _passed(guards, put, read), _passed(guards, read, put)
    if filled is None or passed is None or passed.holds(filled):
        return space.true, space.true
    if any(_moves(guards, call, put.base) for call in guards.memory.calls_that_write(put.base)):
        return space.true, space.true
    if put.index is None:
        return space.false, space.true
    reads, is_so = _is_in(guards, put.index, passed), _is_in(guards, put.index, filled)
    first = guards.turns.is_first_turn(_header_of(guards, put.index))
    if first is not None:  # there, the counter is what it begins with
        is_so = is_so & (~first | (reads if passed.low <= filled.low < passed.high else ~reads))
    return reads, is_so


def _moves(guards: FunctionGuards, call: InstrId, base: Term) -> bool:
    """Whether a call that writes an array may move its elements, as `memmove` and `qsort` do."""
    context = guards.context
    code = context.code
    if base == Val(code.result[call]):
        return False  # it makes the array
    func = code.external_callee(call)
    block = context.externals.of(func).block if func >= 0 else None
    return block is None or bool(block.source)  # `memset` does not


def _is_in(guards: FunctionGuards, index: Term, passed: _Range) -> Guard:
    comparison, less = guards.context.variables.comparison, CmpPredicate.SLT
    below = comparison(less, index, Int(passed.low))
    return comparison(less, index, Int(passed.high)) & ~below


def _element(guards: FunctionGuards, pointer: ValueId, further: int = 0) -> _Element | None:
    instr, address = guards.context.code.instr_of(pointer), moved(guards.term(pointer), further)
    block = guards.context.code.instr_block[instr] if instr >= 0 else NO_BLOCK
    match address:
        case Indexed(base, offset, ((index, stride),)) if stride > 0:
            return _Element(base, offset, index, stride, block)
    base, known = place_of(address)
    return _Element(base, known, None, 0, block) if known is not None else None


def _header_of(guards: FunctionGuards, term: Term) -> BlockId:
    """The header of the loop whose variable a term is, or -1."""
    code = guards.context.code
    instr = code.instr_of(term.value) if isinstance(term, Val) else NO_INSTR
    if instr < 0 or code.op[instr] != Op.PHI:
        return NO_BLOCK
    return code.instr_block[instr] if code.instr_block[instr] in guards.loop_at else NO_BLOCK


def _passed(guards: FunctionGuards, one: _Element, other: _Element) -> _Range | None:
    """The indices that an access goes through, counted as the other one does."""
    if one.index is None:
        distance = one.offset - other.offset
        if not other.stride or distance % other.stride:
            return None
        return _Range(distance // other.stride, distance // other.stride + 1)
    if other.index is not None and (one.offset, one.stride) != (other.offset, other.stride):
        return None
    return _counted(guards, one.index, one.block)


def _counted(guards: FunctionGuards, index: Term, block: BlockId) -> _Range | None:
    """What a counter is in a block of its loop, if it grows from one constant to below another."""
    context = guards.context
    loop = guards.loop_at.get(_header_of(guards, index))
    low = context.counters.lowest_of(index.value) if loop and isinstance(index, Val) else None
    if loop is None or low is None or block == loop.header or block not in loop.blocks:
        return None
    for edge in guards.cfg.out_edges[loop.header]:
        if context.code.edge_target[edge] in loop.blocks:
            high = _bound(guards, edge, index)
            return None if high is None else _Range(low, high)
    return None


def _bound(guards: FunctionGuards, edge: int, index: Term) -> int | None:
    """The first number that a counter does not have where an edge is taken."""
    code = guards.context.code
    kind, test = (
        code.edge_kind[edge],
        code.instr_of(code.edge_condition[edge]),
    )
    if kind != EDGE_IF_TRUE or test < 0 or code.op[test] != Op.ICMP:
        return None
    left, right = code.operands(test)
    number = constant_of(guards.term(right))
    predicate = CmpPredicate(code.aux[test])
    if number is None or predicate not in _BELOW or guards.term(left) != index:
        return None
    return number + _BELOW[predicate]
