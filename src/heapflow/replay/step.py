"""What every instruction does to a state.

In:    an `Executor`, a state.     Out: the state after one instruction, or a Choice, an end, a cut.
One function per instruction, in a table by opcode. A function returns True if it has moved control
itself.
"""

from __future__ import annotations

from collections.abc import Callable

from heapflow.ir.kinds import CmpPredicate, EdgeKind, Op
from heapflow.replay.aggregates import Aggregate, load_typed, part_of, store_typed
from heapflow.replay.calls import call, give_back
from heapflow.replay.code import Block, Edge, Instr
from heapflow.replay.executor import Choice, Cut, Ended, Executor, is_address
from heapflow.replay.floats import float_binary, float_cast, float_compare, float_negate
from heapflow.replay.knowledge import BLOCK_ADDRESSES
from heapflow.replay.memory import Kind
from heapflow.replay.state import End, EventKind, Frame, State
from heapflow.replay.terms import Term, Value

Handler = Callable[[Executor, State, Frame, Instr], "bool | None"]


def step(executor: Executor, state: State) -> None:
    """Execute the next instruction."""
    frame = state.top()
    instr = frame.code.blocks[frame.block].instrs[frame.index]
    state.steps += 1
    executor.steps += 1
    if instr.bindings:
        frame.variables.update(instr.bindings)
        if state.tracked:
            executor.watch.bound(executor, state, frame, instr)
    if not _HANDLERS[instr.op](executor, state, frame, instr):
        frame.index += 1


def constant_expression(executor: Executor, state: State, frame: Frame, expression: Instr) -> Value:
    """The value of a constant expression: computed like the instruction of the same name."""
    if expression.op == Op.AGGREGATE:
        parts = executor.types.parts(expression.type)
        values = [executor.value(state, frame, operand) for operand in expression.operands]
        found: dict[int, Value] = {}
        for offset, value in zip(expression.numbers, values, strict=True):
            inner = value.parts if isinstance(value, Aggregate) else {0: value}
            found |= {offset + at: part for at, part in inner.items()}
        for offset, _ in parts:
            found.setdefault(offset, 0)
        return Aggregate(found)  # type: ignore[return-value]
    return _computed(executor, state, frame, expression)


# Control -----------------------------------------------------------------------------------------


def _branch(executor: Executor, state: State, frame: Frame, instr: Instr) -> bool:
    block = frame.code.blocks[frame.block]
    if not instr.operands:
        jump(executor, state, frame, block.edges[0])
        return True
    condition = executor.value(state, frame, instr.operands[0])
    yes = next(edge for edge in block.edges if edge.kind == EdgeKind.IF_TRUE)
    no = next(edge for edge in block.edges if edge.kind == EdgeKind.IF_FALSE)
    was = state.last_choice
    try:
        taken = executor.decide(state, condition)
    except Choice as choice:
        choice.edges = [yes, no]
        raise
    edge = yes if taken else no
    _note_branch(executor, state, instr, edge, condition, was)
    jump(executor, state, frame, edge)
    return True


def _note_branch(
    executor: Executor, state: State, instr: Instr, edge: Edge, condition: Value, was: int
) -> None:
    chosen = False
    if isinstance(condition, Term):
        other = executor.terms.negate(condition)
        chosen = was in (condition.number, other.number)  # type: ignore[union-attr]
    state.note(EventKind.BRANCH, instr.id, edge.id, chosen)


def _switch(executor: Executor, state: State, frame: Frame, instr: Instr) -> bool:
    block = frame.code.blocks[frame.block]
    tested = executor.value(state, frame, instr.operands[0])
    width = executor.types.width(executor.knowledge.value_type[instr.operands[0]])
    if isinstance(tested, int):
        edge = _case(block, tested, width)
        state.note(EventKind.BRANCH, instr.id, edge.id)
        jump(executor, state, frame, edge)
        return True
    ways = _ways(executor, block, tested, width)
    for condition, edge in ways:
        if isinstance(condition, Term) and state.known.get(condition.number) == 1:
            chosen = state.last_choice == condition.number
            state.note(EventKind.BRANCH, instr.id, edge.id, chosen)
            jump(executor, state, frame, edge)
            return True
    possible = [(c, e) for c, e in ways if c != 0]
    alternatives = executor.alternatives(state, [condition for condition, _ in possible])
    by_number = {c.number: e for c, e in possible if isinstance(c, Term)}
    if not alternatives:
        raise Ended(End.BROKEN)
    choice = Choice(alternatives)
    choice.edges = [by_number[one.condition.number] for one in alternatives]
    raise choice


def _case(block: Block, tested: int, width: int) -> Edge:
    bits = (1 << width) - 1
    for edge in block.edges:
        if edge.kind == EdgeKind.CASE and edge.number & bits == tested:
            return edge
    return next(edge for edge in block.edges if edge.kind == EdgeKind.DEFAULT)


def _ways(executor: Executor, block: Block, tested: Term, width: int) -> list[tuple[Value, Edge]]:
    """The condition of every target: cases that lead to the same place are one."""
    terms, bits = executor.terms, (1 << width) - 1
    cases: dict[int, tuple[Value, Edge]] = {}
    default: Value = 1
    other: Edge | None = None
    for edge in block.edges:
        if edge.kind != EdgeKind.CASE:
            other = edge
            continue
        same = terms.eq(width, tested, edge.number & bits)
        default = terms.binary("and", 1, default, terms.negate(same))
        if edge.target in cases:
            before, first = cases[edge.target]
            cases[edge.target] = (terms.binary("or", 1, before, same), first)
        else:
            cases[edge.target] = (same, edge)
    found = list(cases.values())
    if other is not None:
        found.append((default, other))
    return found


def _indirect(executor: Executor, state: State, frame: Frame, instr: Instr) -> bool:
    block = frame.code.blocks[frame.block]
    target = executor.value(state, frame, instr.operands[0])
    if not isinstance(target, int):
        target = executor.settle(state, target)
    for edge in block.edges:
        if edge.target == target - BLOCK_ADDRESSES:
            jump(executor, state, frame, edge)
            return True
    raise Ended(End.BROKEN)


def jump(executor: Executor, state: State, frame: Frame, edge: Edge) -> None:
    """Follow an edge: φs all at once, then the next block."""
    target = frame.code.blocks[edge.target]
    source = frame.block
    if target.phis:
        values = []
        for phi in target.phis:
            operand = phi.operands[phi.blocks.index(source)]
            values.append(executor.value(state, frame, operand))
        for phi, value in zip(target.phis, values, strict=True):
            frame.regs[phi.result] = value
            if phi.bindings:
                frame.variables.update(phi.bindings)
    frame.block, frame.index, frame.previous = edge.target, 0, source
    executor.watch.jumped(executor, state, frame, source, target)


def _unreachable(executor: Executor, state: State, frame: Frame, instr: Instr) -> bool:
    raise Ended(End.BROKEN)


# Memory ------------------------------------------------------------------------------------------


def _alloca(executor: Executor, state: State, frame: Frame, instr: Instr) -> None:
    size: Value = instr.aux
    if instr.aux < 0:
        types, known = executor.types, executor.knowledge
        count = executor.value(state, frame, instr.operands[0])
        width = types.width(known.value_type[instr.operands[0]])
        wide = executor.terms.zext(64, count, width)
        size = executor.terms.mul(64, wide, max(types.size[instr.aux_type], 1))
    made = executor.new_object(state, Kind.STACK, f"local:{frame.number}", size, instr.id)
    made.type = instr.aux_type
    frame.allocas.append(made.id)
    frame.regs[instr.result] = made.base


def _load(executor: Executor, state: State, frame: Frame, instr: Instr) -> None:
    address = executor.value(state, frame, instr.operands[0])
    frame.regs[instr.result] = load_typed(executor, state, address, instr.type)


def _store(executor: Executor, state: State, frame: Frame, instr: Instr) -> None:
    address = executor.value(state, frame, instr.operands[0])
    value = executor.value(state, frame, instr.operands[1])
    store_typed(executor, state, address, executor.knowledge.value_type[instr.operands[1]], value)
    executor.watch.stored(executor, state, instr, value)


def _gep(executor: Executor, state: State, frame: Frame, instr: Instr) -> None:
    frame.regs[instr.result] = _address(executor, state, frame, instr)


def _address(executor: Executor, state: State, frame: Frame, instr: Instr) -> Value:
    terms, known = executor.terms, executor.knowledge
    address = executor.value(state, frame, instr.operands[0])
    constant = instr.aux + instr.aux2
    if constant:
        address = terms.add(64, address, constant & 0xFFFFFFFFFFFFFFFF)
    for operand, stride in zip(instr.operands[1:], instr.numbers[1:], strict=True):
        index = executor.value(state, frame, operand)
        width = executor.types.width(known.value_type[operand])
        wide = terms.sext(64, index, width) if width < 64 else index
        address = terms.add(64, address, terms.mul(64, wide, stride & 0xFFFFFFFFFFFFFFFF))
    return address


def _compare_exchange(executor: Executor, state: State, frame: Frame, instr: Instr) -> None:
    address, expected, new = (executor.value(state, frame, o) for o in instr.operands[:3])
    type_id = executor.knowledge.value_type[instr.operands[1]]
    width = executor.types.width(type_id)
    old = executor.load(state, address, width, executor.types.is_pointer(type_id))
    same = executor.decide(state, executor.terms.eq(width, old, expected))
    if same:
        executor.store(state, address, width, new)
    offsets = [offset for offset, _ in executor.types.parts(instr.type)]
    parts: dict[int, Value] = {offsets[0]: old, offsets[-1]: int(same)}
    frame.regs[instr.result] = Aggregate(parts)  # type: ignore[assignment]
    executor.watch.stored(executor, state, instr, new)


_RMW = {1: "add", 2: "sub", 3: "and", 5: "or", 6: "xor"}


def _read_modify_write(executor: Executor, state: State, frame: Frame, instr: Instr) -> None:
    address, operand = (executor.value(state, frame, o) for o in instr.operands[:2])
    terms, width = executor.terms, instr.width
    old = executor.load(state, address, width, executor.types.is_pointer(instr.type))
    new: Value
    match instr.aux2:
        case 0:
            new = operand
        case kind if kind in _RMW:
            new = terms.binary(_RMW[kind], width, old, operand)
        case 4:
            both = terms.binary("and", width, old, operand)
            new = terms.binary("xor", width, both, (1 << width) - 1)
        case 7 | 8 | 9 | 10:
            compare = terms.slt if instr.aux2 in (7, 8) else terms.ult
            less = compare(width, old, operand)
            larger = instr.aux2 in (7, 9)
            new = (
                terms.ite(width, less, operand, old)
                if larger
                else terms.ite(width, less, old, operand)
            )
        case _:
            new = terms.opaque(f"rmw{instr.aux2}", width, old, operand)
    executor.store(state, address, width, new)
    frame.regs[instr.result] = old
    executor.watch.stored(executor, state, instr, new)


def _nothing(executor: Executor, state: State, frame: Frame, instr: Instr) -> None:
    return None


# Values ------------------------------------------------------------------------------------------


def _compute(executor: Executor, state: State, frame: Frame, instr: Instr) -> None:
    value = _computed(executor, state, frame, instr)
    if isinstance(value, Term) and value.depth > executor.config.deepest_term:
        value = executor.terms.var(f"deep:{state.steps}", value.width)
    frame.regs[instr.result] = value


def _computed(executor: Executor, state: State, frame: Frame, instr: Instr) -> Value:
    """The result of an instruction without an effect."""
    op = instr.op
    if op == Op.GEP:
        return _address(executor, state, frame, instr)
    values = [executor.value(state, frame, operand) for operand in instr.operands]
    if op == Op.SELECT:
        return _selected(executor, state, instr, values)
    first = executor.knowledge.value_type[instr.operands[0]]
    if any(isinstance(value, Aggregate) for value in values) or not executor.types.width(first):
        return _by_lane(executor, state, instr, values)
    width = executor.types.width(first)
    return scalar(executor, state, instr, values, width, instr.width or 1)


_BINARY = {
    Op.ADD: "add",
    Op.SUB: "sub",
    Op.MUL: "mul",
    Op.UDIV: "udiv",
    Op.SDIV: "sdiv",
    Op.UREM: "urem",
    Op.SREM: "srem",
    Op.SHL: "shl",
    Op.LSHR: "lshr",
    Op.ASHR: "ashr",
    Op.AND: "and",
    Op.OR: "or",
    Op.XOR: "xor",
}
_DIVISIONS = (Op.UDIV, Op.SDIV, Op.UREM, Op.SREM)
_SAME_BITS = (Op.FREEZE, Op.BIT_CAST, Op.ADDR_SPACE_CAST)


def scalar(
    executor: Executor, state: State, instr: Instr, values: list[Value], width: int, result: int
) -> Value:
    """An operation on scalars; `width` is that of the operands."""
    op, terms = instr.op, executor.terms
    name = _BINARY.get(op)
    if name is not None:
        if op in _DIVISIONS:
            executor.require(state, terms.negate(terms.eq(width, values[1], 0)))
        return terms.binary(name, width, values[0], values[1])
    match op:
        case Op.ICMP:
            return compare(executor, state, instr.aux, width, values[0], values[1])
        case Op.FCMP:
            return float_compare(terms, instr.aux, width, values[0], values[1])
        case Op.TRUNC | Op.PTR_TO_INT | Op.INT_TO_PTR | Op.ZEXT | Op.PTR_TO_ADDR:
            if result < width:
                return terms.extract(result, values[0], 0)
            return terms.zext(result, values[0], width)
        case Op.SEXT:
            return terms.sext(result, values[0], width)
        case Op.FNEG:
            return float_negate(terms, width, values[0])
        case Op.FADD | Op.FSUB | Op.FMUL | Op.FDIV | Op.FREM:
            return float_binary(terms, op, width, values[0], values[1])
        case _ if op in _SAME_BITS:
            return values[0]
        case _:
            return float_cast(terms, op, values[0], width, result)


def compare(
    executor: Executor, state: State, predicate: int, width: int, a: Value, b: Value
) -> Value:
    """ICMP. An unknown pointer is not the address of what was made during this execution."""
    terms = executor.terms
    if predicate in (CmpPredicate.EQ, CmpPredicate.NE):
        same: Value = 0 if _cannot_be_same(executor, state, a, b) else terms.eq(width, a, b)
        return same if predicate == CmpPredicate.EQ else terms.negate(same)
    match predicate:
        case CmpPredicate.UGT:
            return terms.ult(width, b, a)
        case CmpPredicate.UGE:
            return terms.negate(terms.ult(width, a, b))
        case CmpPredicate.ULT:
            return terms.ult(width, a, b)
        case CmpPredicate.ULE:
            return terms.negate(terms.ult(width, b, a))
        case CmpPredicate.SGT:
            return terms.slt(width, b, a)
        case CmpPredicate.SGE:
            return terms.negate(terms.slt(width, a, b))
        case CmpPredicate.SLT:
            return terms.slt(width, a, b)
        case _:
            return terms.negate(terms.slt(width, b, a))


def _cannot_be_same(executor: Executor, state: State, a: Value, b: Value) -> bool:
    if isinstance(a, int):
        a, b = b, a
    if not isinstance(a, Term) or not is_address(b) or a.op not in ("var", "sum"):
        return False
    obj = state.objects.get(b >> 32)  # type: ignore[operator]
    if obj is None or obj.kind not in (Kind.HEAP, Kind.STACK) or obj.id in state.kept:
        return False
    constant = a.args[0] if a.op == "sum" else 0
    return isinstance(constant, int) and constant < 1 << 32


def _selected(executor: Executor, state: State, instr: Instr, values: list[Value]) -> Value:
    condition, yes, no = values
    if isinstance(condition, int):
        return yes if condition else no
    scalars = not isinstance(yes, Aggregate) and not isinstance(no, Aggregate)
    if (
        scalars
        and not executor.types.is_pointer(instr.type)
        and not isinstance(condition, Aggregate)
    ):
        return executor.terms.ite(instr.width, condition, yes, no)
    return yes if executor.decide(state, condition) else no


def _by_lane(executor: Executor, state: State, instr: Instr, values: list[Value]) -> Value:
    """An operation on vectors: lane by lane; casts between shapes by bits."""
    types = executor.types
    sources = types.parts(executor.knowledge.value_type[instr.operands[0]])
    results = types.parts(instr.type)
    if instr.op == Op.BIT_CAST:
        return _recast(executor, values[0], sources, results)
    parts: dict[int, Value] = {}
    for (offset, part), (target, result) in zip(sources, results, strict=True):
        lanes = [part_of(executor, value, offset, part) for value in values]
        width = types.width(part)
        parts[target] = scalar(executor, state, instr, lanes, width, types.width(result) or 1)
    return Aggregate(parts)  # type: ignore[return-value]


def _recast(
    executor: Executor,
    value: Value,
    sources: list[tuple[int, int]],
    results: list[tuple[int, int]],
) -> Value:
    """The same bits in another shape."""
    types, terms = executor.types, executor.terms
    bits: Value = 0
    total = 0
    for offset, part in sources:
        width = types.width(part)
        piece = part_of(executor, value, offset, part)
        bits = terms.concat(piece, width, bits, total) if total else piece
        total += width
    if len(results) == 1:
        return terms.extract(types.width(results[0][1]), bits, 0)
    parts: dict[int, Value] = {}
    low = 0
    for offset, part in results:
        width = types.width(part)
        parts[offset] = terms.extract(width, bits, low)
        low += width
    return Aggregate(parts)  # type: ignore[return-value]


def _extract_value(executor: Executor, state: State, frame: Frame, instr: Instr) -> None:
    value = executor.value(state, frame, instr.operands[0])
    if instr.width:
        frame.regs[instr.result] = part_of(executor, value, instr.aux, instr.type)
        return
    parts = {
        offset: part_of(executor, value, instr.aux + offset, part)
        for offset, part in executor.types.parts(instr.type)
    }
    frame.regs[instr.result] = Aggregate(parts)  # type: ignore[assignment]


def _insert_value(executor: Executor, state: State, frame: Frame, instr: Instr) -> None:
    whole, value = (executor.value(state, frame, operand) for operand in instr.operands[:2])
    parts = {
        offset: part_of(executor, whole, offset, part)
        for offset, part in executor.types.parts(instr.type)
    }
    inner = value.parts if isinstance(value, Aggregate) else {0: value}
    for offset, part_value in inner.items():
        parts[instr.aux + offset] = part_value
    frame.regs[instr.result] = Aggregate(parts)  # type: ignore[assignment]


def _lane(executor: Executor, state: State, frame: Frame, operand: int) -> int:
    index = executor.value(state, frame, operand)
    return index if isinstance(index, int) else executor.settle(state, index)


def _extract_element(executor: Executor, state: State, frame: Frame, instr: Instr) -> None:
    vector = executor.value(state, frame, instr.operands[0])
    lane = _lane(executor, state, frame, instr.operands[1])
    lanes = executor.types.parts(executor.knowledge.value_type[instr.operands[0]])
    if lane >= len(lanes):
        raise Ended(End.BROKEN)
    frame.regs[instr.result] = part_of(executor, vector, *lanes[lane])


def _insert_element(executor: Executor, state: State, frame: Frame, instr: Instr) -> None:
    vector, value = (executor.value(state, frame, operand) for operand in instr.operands[:2])
    lane = _lane(executor, state, frame, instr.operands[2])
    lanes = executor.types.parts(instr.type)
    if lane >= len(lanes):
        raise Ended(End.BROKEN)
    parts = {offset: part_of(executor, vector, offset, part) for offset, part in lanes}
    parts[lanes[lane][0]] = value
    frame.regs[instr.result] = Aggregate(parts)  # type: ignore[assignment]


def _shuffle(executor: Executor, state: State, frame: Frame, instr: Instr) -> None:
    first, second = (executor.value(state, frame, operand) for operand in instr.operands[:2])
    lanes = executor.types.parts(executor.knowledge.value_type[instr.operands[0]])
    pool = [part_of(executor, first, *lane) for lane in lanes]
    pool += [part_of(executor, second, *lane) for lane in lanes]
    results = executor.types.parts(instr.type)
    chosen = executor.knowledge.shuffle_mask(instr, len(results))
    parts = {
        offset: pool[index] if index >= 0 else 0
        for (offset, _), index in zip(results, chosen, strict=True)
    }
    frame.regs[instr.result] = Aggregate(parts)  # type: ignore[assignment]


def _not_executed(executor: Executor, state: State, frame: Frame, instr: Instr) -> bool:
    raise Cut(f"instruction {Op(instr.op).name.lower().replace('_', ' ')}")


def _handlers() -> list[Handler]:
    table: list[Handler] = [_not_executed] * 256
    table[Op.RET], table[Op.BR], table[Op.SWITCH] = give_back, _branch, _switch
    table[Op.INDIRECT_BR], table[Op.UNREACHABLE] = _indirect, _unreachable
    table[Op.ALLOCA], table[Op.LOAD], table[Op.STORE], table[Op.GEP] = _alloca, _load, _store, _gep
    table[Op.CMPXCHG], table[Op.ATOMIC_RMW] = _compare_exchange, _read_modify_write
    table[Op.FENCE] = _nothing
    for op in (Op.CALL, Op.INVOKE, Op.CALL_BR):
        table[op] = call
    table[Op.EXTRACT_VALUE], table[Op.INSERT_VALUE] = _extract_value, _insert_value
    table[Op.EXTRACT_ELEMENT], table[Op.INSERT_ELEMENT] = _extract_element, _insert_element
    table[Op.SHUFFLE_VECTOR] = _shuffle
    for op in Op:
        if Op.ICMP <= op <= Op.PTR_TO_ADDR or op in (Op.SELECT, Op.FREEZE):
            table[op] = _compute
    return table


_HANDLERS: list[Handler] = _handlers()
