"""Reach conditions of one function's blocks, and the values that decide its branches.

In:    Program (through `GuardContext`).     Out: `FunctionGuards`.
Paper: TSE'14 §5 (guards), Fig. 8; spec "Guards: the part that decides precision".
RC(b) is the condition under which control reaches block b on the loop-bounded CFG. A loop's body
runs at most once; leaving a loop after its body drops the exit condition (TSE'14 §5.3):
    for (C1) { if (C2) w1 = v; else return; } w2 = v;   RC(w1) = C1∧C2,  RC(w2) = ¬C1 ∨ (C1∧C2)
A condition is evaluated, not numbered: `cases` splits a value into terms under guards, comparisons of
equal terms share a variable.
Guarantees: RC of the exits of a branch are disjoint and add up to RC of the branch, if no limit was
hit.
Not modelled: what calls and stores do to integers in memory between two loads of the same address
(docs/unsoundness.md#flags-in-memory).
"""

from __future__ import annotations

from collections.abc import Callable

from heapflow.guards.bdd import Guard
from heapflow.guards.cfg import FunctionCfg, build_cfg
from heapflow.guards.context import GuardContext
from heapflow.guards.terms import FALSE, NULL, TRUE, Term, constant_of, int_term
from heapflow.ir.kinds import (
    AccessFlag,
    CallFlag,
    CmpPredicate,
    EdgeKind,
    FuncFlag,
    Op,
    ValueKind,
)

Case = tuple[Guard, Term]
CalleeCases = Callable[[int, int], "list[Case] | None"]  # (call instr, callee) -> result cases
CalleeReturns = Callable[[int, int], Guard]

_SAME_VALUE = frozenset(
    {
        Op.ZEXT,
        Op.SEXT,
        Op.TRUNC,
        Op.FREEZE,
        Op.BIT_CAST,
        Op.PTR_TO_INT,
        Op.INT_TO_PTR,
        Op.ADDR_SPACE_CAST,
        Op.PTR_TO_ADDR,
    }
)
_FOLDABLE = {
    Op.ADD: lambda a, b: a + b,
    Op.SUB: lambda a, b: a - b,
    Op.MUL: lambda a, b: a * b,
    Op.AND: lambda a, b: a & b,
    Op.OR: lambda a, b: a | b,
    Op.XOR: lambda a, b: a ^ b,
}
_PURE = frozenset(
    {
        *_FOLDABLE,
        Op.SHL,
        Op.LSHR,
        Op.ASHR,
        Op.UDIV,
        Op.SDIV,
        Op.UREM,
        Op.SREM,
    }
)
_DEEPEST_TERM = 12


class FunctionGuards:
    """Guards of one function; blocks and values are evaluated when first asked for."""

    def __init__(
        self,
        context: GuardContext,
        func: int,
        callee_cases: CalleeCases,
        callee_returns: CalleeReturns,
    ) -> None:
        self.context = context
        self.func = func
        self.cfg: FunctionCfg = build_cfg(context.program, func)
        self._callee_cases = callee_cases
        self._callee_returns = callee_returns
        self._cases: dict[int, list[Case]] = {}
        self._busy: set[int] = set()
        self._edge_source = {e: block for block, edges in self.cfg.out_edges.items() for e in edges}
        self._stored = self._stored_addresses()
        space = context.space
        self.reach: dict[int, Guard] = {}
        self.leave: dict[
            int, Guard
        ] = {}  # RC at the end of a block, after calls that may not return
        self.edge_guard: dict[int, Guard] = {}
        self.turn_guard: list[Guard] = [space.false] * len(self.cfg.loops)
        self.exit = space.false

    # Reach conditions ----------------------------------------------------------------------------

    def compute(self) -> None:
        """Fill the reach conditions; callees are asked for theirs on the way."""
        context, cfg, space = self.context, self.cfg, self.context.space
        header_loop = {loop.header: index for index, loop in enumerate(cfg.loops)}
        limit = context.limits.most_nodes
        pending_exits: dict[int, list[int]] = {}  # exit edge -> loops whose turns also leave by it
        for index, loop in enumerate(cfg.loops):
            at_header = [e for e in loop.exits if e in cfg.out_edges[loop.header]]
            for edge in at_header or loop.exits:
                pending_exits.setdefault(edge, []).append(index)
        for block in self._order_after_turns():
            guard = space.true if block == cfg.entry else space.false
            for edge in cfg.in_edges[block]:
                guard = guard | self._edge(edge, pending_exits)
            if space.size(guard) > limit:
                context.limits_hit["reach condition too large"] += 1
                guard = space.true
            self.reach[block] = guard
            self._leave_block(block, guard)
            for edge in cfg.out_edges[block]:
                if edge in cfg.back_edges:
                    index = header_loop[context.edge_target[edge]]
                    turn = self.leave[block] & self.edge_condition(edge)
                    self.turn_guard[index] = self.turn_guard[index] | turn
        self._compute_exit()

    def _order_after_turns(self) -> list[int]:
        """Topological order in which a loop's latches come before what follows the loop."""
        cfg, targets = self.cfg, self.context.edge_target
        after: dict[int, list[int]] = {}
        for loop in cfg.loops:
            for latch in loop.latches:
                after.setdefault(latch, []).extend(targets[edge] for edge in loop.exits)
        successors = {
            block: [targets[e] for e in cfg.out_edges[block] if e not in cfg.back_edges]
            + after.get(block, [])
            for block in cfg.order
        }
        done: set[int] = set()
        seen: set[int] = {cfg.entry}
        order: list[int] = []
        stack = [(cfg.entry, iter(successors[cfg.entry]))]
        while stack:
            block, rest = stack[-1]
            for target in rest:
                if target not in seen:
                    seen.add(target)
                    stack.append((target, iter(successors[target])))
                    break
            else:
                stack.pop()
                done.add(block)
                order.append(block)
        order.reverse()
        return order

    def _edge(self, edge: int, pending_exits: dict[int, list[int]]) -> Guard:
        """The condition under which control follows a forward edge."""
        known = self.edge_guard.get(edge)
        if known is not None:
            return known
        space = self.context.space
        source = self._source_of(edge)
        guard = self.leave.get(source, space.false) & self.edge_condition(edge)
        for index in pending_exits.get(edge, ()):
            turn = self.turn_guard[index]
            several = len(self._turn_exits(index)) > 1
            guard = guard | (turn & self.context.free_choice("leave", edge) if several else turn)
        self.edge_guard[edge] = guard
        return guard

    def _turn_exits(self, index: int) -> list[int]:
        loop = self.cfg.loops[index]
        header = [e for e in loop.exits if e in self.cfg.out_edges[loop.header]]
        return header or loop.exits

    def _source_of(self, edge: int) -> int:
        return self._edge_source[edge]

    def _leave_block(self, block: int, guard: Guard) -> None:
        context = self.context
        for instr in range(context.instr_start[block], context.instr_start[block + 1]):
            if context.op[instr] in context.call_ops:
                guard = guard & self._returns(instr)
        self.leave[block] = guard

    def _returns(self, instr: int) -> Guard:
        """The condition under which control comes back from a call."""
        context, space = self.context, self.context.space
        if context.aux[instr] & CallFlag.NO_RETURN:
            return space.false
        callee = context.operand[context.operand_start[instr]]
        if context.value_kind[callee] != ValueKind.FUNCTION:
            return space.true
        func = context.value_index[callee]
        flags = context.func_flags[func]
        if flags & FuncFlag.NO_RETURN:
            return space.false
        return self._callee_returns(instr, func)

    def _compute_exit(self) -> None:
        context, cfg = self.context, self.cfg
        for block in cfg.order:
            last = context.instr_start[block + 1] - 1
            if context.op[last] in (Op.RET, Op.RESUME):
                self.exit = self.exit | self.leave[block]
        for index, loop in enumerate(cfg.loops):
            if not loop.exits:  # an endless loop: each turn ends what it did not keep
                self.exit = self.exit | self.turn_guard[index]

    def edge_condition(self, edge: int) -> Guard:
        """The branch's own condition for an edge, without what led to the branch."""
        context = self.context
        kind = context.edge_kind[edge]
        condition = context.edge_condition[edge]
        if kind == EdgeKind.ALWAYS:
            return context.space.true
        if kind == EdgeKind.IF_TRUE:
            return self.condition(condition)
        if kind == EdgeKind.IF_FALSE:
            return ~self.condition(condition)
        if kind == EdgeKind.CASE:
            return self._equals(condition, context.edge_number[edge])
        if kind == EdgeKind.DEFAULT:
            guard = context.space.true
            for other in self.cfg.out_edges[self._source_of(edge)]:
                if context.edge_kind[other] == EdgeKind.CASE:
                    guard = guard & ~self._equals(condition, context.edge_number[other])
            return guard
        return context.free_choice("edge", edge)

    def _equals(self, value: int, number: int) -> Guard:
        found = self.context.space.false
        for guard, term in self.cases(value):
            same = self.context.comparison(CmpPredicate.EQ, term, int_term(number))
            found = found | (guard & same)
        return found

    # Values --------------------------------------------------------------------------------------

    def condition(self, value: int) -> Guard:
        """The condition under which an i1 value is true."""
        context = self.context
        if context.value_kind[value] == ValueKind.INSTR:
            instr = context.value_index[value]
            op = context.op[instr]
            operands = context.operands(instr)
            if op == Op.ICMP:
                return self._compare(context.aux[instr], operands[0], operands[1])
            if op in (Op.AND, Op.OR, Op.XOR) and context.is_bool(context.instr_type[instr]):
                left, right = self.condition(operands[0]), self.condition(operands[1])
                if op == Op.AND:
                    return left & right
                return left | right if op == Op.OR else left ^ right
        found = context.space.false
        for guard, term in self.cases(value):
            found = found | (guard & self._is_true(term))
        return found

    def _is_true(self, term: Term) -> Guard:
        number = constant_of(term)
        if number is not None:
            return self.context.space.true if number & 1 else self.context.space.false
        return ~self.context.comparison(CmpPredicate.EQ, term, FALSE)

    def _compare(self, predicate: int, left: int, right: int) -> Guard:
        found = self.context.space.false
        for left_guard, left_term in self.cases(left):
            for right_guard, right_term in self.cases(right):
                holds = self.context.comparison(CmpPredicate(predicate), left_term, right_term)
                found = found | (left_guard & right_guard & holds)
        return found

    def cases(self, value: int) -> list[Case]:
        """The terms that a value may be, each with its condition."""
        known = self._cases.get(value)
        if known is not None:
            return known
        opaque: list[Case] = [(self.context.space.true, ("val", value))]
        if value in self._busy:
            return opaque  # a value that depends on itself through a loop
        self._busy.add(value)
        found = self._make_cases(value) or opaque
        self._busy.discard(value)
        if len(found) > self.context.limits.most_cases:
            self.context.limits_hit["too many cases of a value"] += 1
            found = opaque
        self._cases[value] = found
        return found

    def term(self, value: int) -> Term:
        """The one term of a value; an opaque one if it is split."""
        found = self.cases(value)
        return found[0][1] if len(found) == 1 else ("val", value)

    def _make_cases(self, value: int) -> list[Case] | None:
        context = self.context
        true = context.space.true
        kind = ValueKind(context.value_kind[value])
        match kind:
            case ValueKind.INT:
                return [(true, int_term(context.value_number[value]))]
            case ValueKind.NULL:
                return [(true, NULL)]
            case ValueKind.FUNCTION | ValueKind.GLOBAL:
                return [(true, ("object", kind.name, context.value_index[value]))]
            case ValueKind.CONST_EXPR:
                return [(true, self._constant_term(context.value_index[value], value))]
            case ValueKind.INSTR:
                return self._instr_cases(value, context.value_index[value])
            case _:
                return None

    def _constant_term(self, row: int, value: int) -> Term:
        """A constant address inside a global: not NULL."""
        exprs = self.context.program.const_exprs
        if exprs.op[row] == Op.GEP:
            base = int(exprs.operand[exprs.operand_start[row]])
            if self.context.value_kind[base] == ValueKind.GLOBAL:
                offset = int(exprs.aux[row] + exprs.aux2[row])
                return ("object", "GLOBAL", self.context.value_index[base], offset)
        return ("val", value)

    def _instr_cases(self, value: int, instr: int) -> list[Case] | None:
        context, space = self.context, self.context.space
        op = Op(context.op[instr])
        operands = context.operands(instr)
        if op == Op.PHI:
            return self._phi_cases(instr, operands)
        if op in _SAME_VALUE:
            source = operands[0]
            if op in (Op.ZEXT, Op.SEXT) and context.is_bool(context.value_type[source]):
                holds = self.condition(source)
                one = int_term(1 if op == Op.ZEXT else -1)
                return self._merge([(holds, one), (~holds, FALSE)])
            return self.cases(source)
        if op == Op.ICMP:
            holds = self.condition(value)
            return self._merge([(holds, TRUE), (~holds, FALSE)])
        if op == Op.SELECT:
            holds = self.condition(operands[0])
            split = [(holds & g, t) for g, t in self.cases(operands[1])]
            split += [(~holds & g, t) for g, t in self.cases(operands[2])]
            return self._merge(split)
        if op == Op.ALLOCA:
            return [(space.true, ("object", "ALLOCA", value))]
        if op == Op.LOAD:
            return self._load_cases(value, instr, operands[0])
        if op in _PURE:
            return self._arithmetic(value, op, operands)
        if op == Op.GEP:
            return [(space.true, self._gep_term(value, instr, operands))]
        if op in (Op.CALL, Op.INVOKE):
            callee = context.direct_callee(instr)
            if callee >= 0:
                found = self._callee_cases(instr, callee)
                return self._merge(found) if found else None
        return None

    def _phi_cases(self, instr: int, operands: list[int]) -> list[Case] | None:
        """A φ is what its incoming edge chose (SATURN: correlated branches)."""
        context, cfg = self.context, self.cfg
        block = context.instr_block[instr]
        if any(context.edge_target[e] == block for e in cfg.back_edges):
            return None  # changes from turn to turn
        first = context.operand_start[instr]
        if len(operands) > 4 * context.limits.most_cases:
            return None
        split: list[Case] = []
        for position, operand in enumerate(operands):
            source = context.operand_block[first + position]
            guard = self.context.space.false
            for edge in cfg.in_edges.get(block, ()):
                if self._source_of(edge) == source:
                    guard = guard | self.edge_guard.get(edge, context.space.false)
            split += [(guard & g, t) for g, t in self.cases(operand)]
        return self._merge(split)

    def _merge(self, split: list[Case]) -> list[Case]:
        """Equal terms become one case; impossible ones go."""
        space = self.context.space
        by_term: dict[Term, Guard] = {}
        for guard, term in split:
            if not space.is_false(guard):
                known = by_term.get(term)
                by_term[term] = guard if known is None else known | guard
        if len(by_term) == 1:
            return [(space.true, term) for term in by_term]
        return [(guard, term) for term, guard in by_term.items()]

    def _arithmetic(self, value: int, op: Op, operands: list[int]) -> list[Case]:
        context = self.context
        left, right = self.cases(operands[0]), self.cases(operands[1])
        fold = _FOLDABLE.get(op)
        if fold is not None:
            numbers = [
                (lg & rg, fold(a, b))
                for lg, lt in left
                for rg, rt in right
                if (a := constant_of(lt)) is not None and (b := constant_of(rt)) is not None
            ]
            if len(numbers) == len(left) * len(right):
                return self._merge([(g, int_term(_wrap(n))) for g, n in numbers])
        if len(left) == 1 and len(right) == 1:
            term: Term = ("op", op.name, left[0][1], right[0][1])
            if _depth(term) <= _DEEPEST_TERM:
                return [(context.space.true, term)]
        return [(context.space.true, ("val", value))]

    def _gep_term(self, value: int, instr: int, operands: list[int]) -> Term:
        context = self.context
        base = self.term(operands[0])
        offset = context.aux[instr] + context.aux2[instr]
        indices = tuple(self.term(operand) for operand in operands[1:])
        if not offset and not indices:
            return base
        if not indices and base[0] == "object":
            return (*base, offset)
        term: Term = ("gep", base, offset, *indices)
        return term if _depth(term) <= _DEEPEST_TERM else ("val", value)

    # Memory --------------------------------------------------------------------------------------

    def _load_cases(self, value: int, instr: int, pointer: int) -> list[Case] | None:
        context = self.context
        if context.value_kind[pointer] == ValueKind.GLOBAL:
            number = context.constant_globals.get(context.value_index[pointer])
            if number is not None:
                return [(context.space.true, int_term(number))]
        if context.aux[instr] & AccessFlag.VOLATILE:
            return None
        address = self.term(pointer)
        if address in self._stored or (address[0] == "val" and address[1] != pointer):
            return None
        return [(context.space.true, ("load", address))]

    def _stored_addresses(self) -> set[Term]:
        """Addresses that the function itself stores to: two loads of them may differ."""
        context = self.context
        self._stored = set()
        found: set[Term] = set()
        for block in self.cfg.order:
            for instr in range(context.instr_start[block], context.instr_start[block + 1]):
                if context.op[instr] == Op.STORE:
                    found.add(self._address_shape(context.operand[context.operand_start[instr]], 0))
        return found

    def _address_shape(self, value: int, depth: int) -> Term:
        """Like `term`, but without guards, which do not exist yet."""
        context = self.context
        kind = context.value_kind[value]
        if kind in (ValueKind.GLOBAL, ValueKind.FUNCTION):
            return ("object", ValueKind(kind).name, context.value_index[value])
        if kind != ValueKind.INSTR or depth > _DEEPEST_TERM:
            return ("val", value)
        instr = context.value_index[value]
        op, operands = context.op[instr], context.operands(instr)
        if op == Op.ALLOCA:
            return ("object", "ALLOCA", value)
        if op == Op.GEP and len(operands) == 1:
            base = self._address_shape(operands[0], depth + 1)
            offset = context.aux[instr] + context.aux2[instr]
            if not offset:
                return base
            return (*base, offset) if base[0] == "object" else ("gep", base, offset)
        if op == Op.LOAD:
            return ("load", self._address_shape(operands[0], depth + 1))
        return ("val", value)


def _depth(term: object) -> int:
    if not isinstance(term, tuple):
        return 0
    return 1 + max((_depth(part) for part in term), default=0)


def _wrap(number: int) -> int:
    number &= 0xFFFF_FFFF_FFFF_FFFF
    return number - (1 << 64) if number >> 63 else number
