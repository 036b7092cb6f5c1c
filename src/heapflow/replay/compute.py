"""Instructions that compute a value from values: arithmetic, comparisons, casts, selections, addresses.

In:    an instruction, the values of its operands.     Out: the value of its result.
Vectors are computed element by element. What the same instruction does with known numbers is in
`quick`.
"""

from __future__ import annotations

from typing import Final

from heapflow.replay.aggregates import Aggregate, joined_bits, part_of
from heapflow.replay.codes import (
    BINARY,
    CMP_EQ,
    CMP_NE,
    CMP_SGE,
    CMP_SGT,
    CMP_SLT,
    CMP_UGE,
    CMP_UGT,
    CMP_ULE,
    CMP_ULT,
    DIVISIONS,
    FLOAT_BINARY,
    OP_AGGREGATE,
    OP_BIT_CAST,
    OP_FCMP,
    OP_FNEG,
    OP_GEP,
    OP_ICMP,
    OP_SELECT,
    OP_SEXT,
    RESIZED,
    SAME_BITS,
)
from heapflow.replay.decisions import decide, require, settle
from heapflow.replay.descriptors import is_new_number
from heapflow.replay.executor import Executor, is_address
from heapflow.replay.floats import float_binary, float_cast, float_compare, float_negate
from heapflow.replay.frame import Frame
from heapflow.replay.instr import Instr
from heapflow.replay.memory import Kind
from heapflow.replay.state import State
from heapflow.replay.term import Term, Value, mask

_BITS_64 = mask(64)
_HEAP: Final = Kind.HEAP
_STACK: Final = Kind.STACK


def compute(executor: Executor, state: State, frame: Frame, instr: Instr) -> None:
    """An instruction without an effect."""
    value = computed(executor, state, frame, instr)
    if isinstance(value, Term):
        value = executor.cut_off(state, value)
    frame.regs[instr.result] = value


def constant_expression(executor: Executor, state: State, frame: Frame, expression: Instr) -> Value:
    """The value of a constant expression: computed like the instruction of the same name."""
    if expression.op != OP_AGGREGATE:
        return computed(executor, state, frame, expression)
    found: dict[int, Value] = {}
    for offset, operand in zip(expression.numbers, expression.operands, strict=True):
        value = executor.value(state, frame, operand)
        type_id = executor.knowledge.value_type[operand]
        for at, part in executor.types.parts(type_id):
            found[offset + at] = part_of(executor, value, at, part)
    for offset, _ in executor.types.parts(expression.type):
        found.setdefault(offset, 0)
    return Aggregate(found)


def computed(executor: Executor, state: State, frame: Frame, instr: Instr) -> Value:
    op = instr.op
    if op == OP_GEP:
        return address_of(executor, state, frame, instr)
    values = [executor.value(state, frame, operand) for operand in instr.operands]
    if op == OP_SELECT:
        return _selected(executor, state, instr, values)
    width = executor.types.width(executor.knowledge.value_type[instr.operands[0]])
    if width and (instr.width or op == OP_ICMP):
        return scalar(executor, state, instr, values, width, instr.width or 1)
    return _by_lane(executor, state, instr, values)


def address_of(executor: Executor, state: State, frame: Frame, instr: Instr) -> Value:
    """GEP."""
    values = [executor.value(state, frame, operand) for operand in instr.operands]
    if instr.width:
        return _address(executor, instr, values)
    types, kinds = executor.types, executor.knowledge.value_type
    parts: dict[int, Value] = {}
    for lane, (offset, _) in enumerate(types.parts(instr.type)):
        inner: list[Value] = []
        for value, operand in zip(values, instr.operands, strict=True):
            if types.width(kinds[operand]):
                inner.append(value)
            else:
                inner.append(part_of(executor, value, *types.parts(kinds[operand])[lane]))
        parts[offset] = _address(executor, instr, inner)
    return Aggregate(parts)


def _address(executor: Executor, instr: Instr, values: list[Value]) -> Value:
    terms, types, kinds = executor.terms, executor.types, executor.knowledge.value_type
    address = values[0]
    constant = instr.aux + instr.aux2
    if constant:
        address = terms.add(64, address, constant & _BITS_64)
    for position in range(1, len(values)):
        type_id = kinds[instr.operands[position]]
        width = types.width(type_id) or types.width(types.elem[type_id])
        wide = terms.sext(64, values[position], width) if width < 64 else values[position]
        stride = instr.numbers[position] & _BITS_64
        address = terms.add(64, address, terms.mul(64, wide, stride))
    return address


# Scalars -----------------------------------------------------------------------------------------


def scalar(
    executor: Executor, state: State, instr: Instr, values: list[Value], width: int, result: int
) -> Value:
    """An operation on scalars; `width` is that of the operands."""
    op, terms = instr.op, executor.terms
    name = BINARY.get(op)
    if name is not None:
        if op in DIVISIONS:
            require(executor, state, terms.negate(terms.eq(width, values[1], 0)))
        return terms.binary(name, width, values[0], values[1])
    if op == OP_ICMP:
        return compare(executor, state, instr.aux, width, values[0], values[1])
    if op in RESIZED:
        if result < width:
            return terms.extract(result, values[0], 0)
        return terms.zext(result, values[0], width)
    if op == OP_SEXT:
        return terms.sext(result, values[0], width)
    if op in SAME_BITS:
        return values[0]
    if op == OP_FCMP:
        return float_compare(terms, instr.aux, width, values[0], values[1])
    if op == OP_FNEG:
        return float_negate(terms, width, values[0])
    if op in FLOAT_BINARY:
        return float_binary(terms, op, width, values[0], values[1])
    return float_cast(terms, op, values[0], width, result)


def compare(
    executor: Executor, state: State, predicate: int, width: int, a: Value, b: Value
) -> Value:
    """ICMP. An unknown pointer is not the address of what was made during this execution, an unknown
    number not that of a descriptor."""
    terms = executor.terms
    if predicate in (CMP_EQ, CMP_NE):
        same: Value = 0 if _cannot_be_same(executor, state, a, b) else terms.eq(width, a, b)
        return same if predicate == CMP_EQ else terms.negate(same)
    if predicate == CMP_ULT:
        return terms.ult(width, a, b)
    if predicate == CMP_SLT:
        return terms.slt(width, a, b)
    if predicate == CMP_UGT:
        return terms.ult(width, b, a)
    if predicate == CMP_SGT:
        return terms.slt(width, b, a)
    if predicate == CMP_UGE:
        return terms.negate(terms.ult(width, a, b))
    if predicate == CMP_ULE:
        return terms.negate(terms.ult(width, b, a))
    if predicate == CMP_SGE:
        return terms.negate(terms.slt(width, a, b))
    return terms.negate(terms.slt(width, b, a))


def _cannot_be_same(executor: Executor, state: State, a: Value, b: Value) -> bool:
    if isinstance(a, int):
        a, b = b, a
    if b == 0 and isinstance(a, Term) and a.op == "sum":
        # What lies at a distance from a pointer is not NULL.
        return any(term.number in executor.pointers for term, factor in a.args[1] if factor == 1)
    if not isinstance(a, Term) or not isinstance(b, int) or a.op not in ("var", "sum"):
        return False
    if not is_address(b):
        return a.op == "var" and is_new_number(state, b)
    obj = state.objects.get(b >> 32)
    if obj is None or (obj.kind is not _HEAP and obj.kind is not _STACK) or obj.id in state.kept:
        return False
    constant = a.args[0] if a.op == "sum" else 0
    return isinstance(constant, int) and constant < 1 << 32


def _selected(executor: Executor, state: State, instr: Instr, values: list[Value]) -> Value:
    condition, yes, no = values
    if isinstance(condition, int):
        return yes if condition else no
    types = executor.types
    if isinstance(condition, Aggregate):
        parts: dict[int, Value] = {}
        for lane, (offset, part) in enumerate(types.parts(instr.type)):
            ways = (part_of(executor, yes, offset, part), part_of(executor, no, offset, part))
            chosen = condition.parts.get(lane, 0)
            parts[offset] = executor.terms.ite(types.width(part), chosen, *ways)
        return Aggregate(parts)
    if instr.width and not types.is_pointer(instr.type):
        return executor.terms.ite(instr.width, condition, yes, no)
    return yes if decide(executor, state, condition) else no


# Vectors -----------------------------------------------------------------------------------------


def _by_lane(executor: Executor, state: State, instr: Instr, values: list[Value]) -> Value:
    """An operation on vectors: lane by lane; casts between shapes by bits."""
    types = executor.types
    source = executor.knowledge.value_type[instr.operands[0]]
    if instr.op == OP_BIT_CAST:
        return _recast(executor, values[0], source, instr.type)
    parts: dict[int, Value] = {}
    pairs = zip(types.parts(source), types.parts(instr.type), strict=True)
    for (offset, part), (target, result) in pairs:
        lanes = [part_of(executor, value, offset, part) for value in values]
        width = types.width(part)
        parts[target] = scalar(executor, state, instr, lanes, width, types.width(result) or 1)
    return Aggregate(parts)


def _recast(executor: Executor, value: Value, source: int, result: int) -> Value:
    """The same bits in another shape."""
    types, terms = executor.types, executor.terms
    bits = value if types.width(source) else joined_bits(executor, value, source)
    if types.width(result):
        return bits
    parts: dict[int, Value] = {}
    low = 0
    for offset, part in types.parts(result):
        width = types.width(part)
        parts[offset] = terms.extract(width, bits, low)
        low += width
    return Aggregate(parts)


def lane_of(executor: Executor, state: State, frame: Frame, operand: int) -> int:
    """The number of an element, as a known number."""
    index = executor.value(state, frame, operand)
    return index if isinstance(index, int) else settle(executor, state, index)
