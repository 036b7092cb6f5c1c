"""Reach conditions of one function's blocks, and the values that decide its branches.

In:    Program (through `GuardContext`).     Out: `FunctionGuards`.
Paper: TSE'14 §5 (guards), Fig. 8.
RC(b) is the condition under which control reaches block b on the loop-bounded CFG. A loop's body
runs at most once; leaving a loop after its body drops the exit condition (TSE'14 §5.3):
    for (C1) { if (C2) w1 = v; else return; } w2 = v;   RC(w1) = C1∧C2,  RC(w2) = ¬C1 ∨ (C1∧C2)
A condition is evaluated, not numbered: `cases` splits a value into terms under guards, comparisons of
equal terms share a variable.
Guarantees: RC of the exits of a branch are disjoint and add up to RC of the branch, if no limit was
hit.
Not modelled: what depends on how often a loop turned (docs/unsoundness.md, "Conditions").
"""

from __future__ import annotations

from typing import Final, Protocol

from heapflow.guards.afterloop import AfterLoops
from heapflow.guards.cfg import FunctionCfg, Loop, build_cfg
from heapflow.guards.conditions import Conditions
from heapflow.guards.context import GuardContext
from heapflow.guards.memory import MemoryReader
from heapflow.guards.places import root_of
from heapflow.guards.turns import LoopTurns
from heapflow.guards.values import Values
from heapflow.ir.codes import (
    CALL_NO_RETURN,
    CMP_EQ,
    EDGE_ALWAYS,
    EDGE_CASE,
    EDGE_DEFAULT,
    EDGE_IF_FALSE,
    EDGE_IF_TRUE,
    FUNC_NO_RETURN,
    OP_RESUME,
    OP_RET,
)
from heapflow.ir.ids import NO_BLOCK, NO_VALUE, BlockId, EdgeId, FuncId, InstrId, ValueId
from heapflow.logic.atoms import ChoiceOf
from heapflow.logic.compare import Case
from heapflow.logic.space import Guard
from heapflow.logic.term import Int, Term
from heapflow.models.conditions import PREDICATES
from heapflow.models.model import Arg, Comparison, Ret

# As numbers: combining with an enum member is slow.
_MEASURE_EVERY: Final = 2  # edges into a block: measuring a condition costs as much as joining it


class Callees(Protocol):
    """What a function asks about the functions that it calls (`GuardBook`)."""

    def callee_cases(self, instr: InstrId, func: FuncId) -> list[Case] | None: ...

    def callee_returns(self, instr: InstrId, func: FuncId) -> Guard: ...

    def callee_unwinds(self, instr: InstrId, func: FuncId) -> Guard: ...

    def callee_memory(
        self, instr: InstrId, func: FuncId, address: Term, size: int, before: list[Case]
    ) -> list[Case] | None: ...

    def may_unwind(self, func: FuncId) -> bool: ...


class FunctionGuards:
    """Guards of one function; blocks and values are evaluated when first asked for."""

    def __init__(self, context: GuardContext, func: FuncId, callees: Callees) -> None:
        self.context = context
        self.func = func
        self.callees = callees
        self.cfg: FunctionCfg = build_cfg(context.program, func)
        self.edge_source = {e: block for block, edges in self.cfg.out_edges.items() for e in edges}
        self.loop_at = {loop.header: loop for loop in self.cfg.loops}
        self.order = self._order_after_turns()
        self.position = {block: index for index, block in enumerate(self.order)}
        self.values = Values(self)
        self.memory = MemoryReader(self)
        self.after = AfterLoops(self)
        space = context.space
        self.reach: dict[BlockId, Guard] = {}
        self.leave: dict[
            BlockId, Guard
        ] = {}  # RC at a block's end, after calls that may not return
        self.edge_guard: dict[EdgeId, Guard] = {}
        self.turn_guard: list[Guard] = [space.false] * len(self.cfg.loops)
        self.returns = space.false  # control goes back to the caller
        self.unwinds = space.false  # control leaves the function and its callers (longjmp)
        self.exit = space.false  # locals are gone: either of these, or a turn of an endless loop
        self._cuts: dict[
            int, list[tuple[int, Guard]]
        ] = {}  # calls that may not come back, RC after
        self._through: dict[
            int, Guard
        ] = {}  # where such calls are, the condition that all come back
        self.inexact: set[int] = set()  # blocks whose reach condition is more than it should be
        self.opaque = ""  # a limit that one of its branches' conditions met
        self._catches: bool | None = None
        self.turns = LoopTurns(context, self.cfg, func, self.order)
        self._roots: dict[int, tuple[Term, int | None]] = {}
        self.condition = Conditions(self).condition
        self.cases = self.values.cases
        self.term = self.values.term

    # Reach conditions ----------------------------------------------------------------------------

    def compute(self) -> None:
        """Fill the reach conditions; callees are asked for theirs on the way."""
        context, cfg, space = self.context, self.cfg, self.context.space
        loop_index = {loop.header: index for index, loop in enumerate(cfg.loops)}
        pending_exits: dict[int, list[int]] = {}  # exit edge -> loops whose turns also leave by it
        for index in range(len(cfg.loops)):
            for edge in self.turns.exits(index):
                pending_exits.setdefault(edge, []).append(index)
        cut = -1  # position of the last block that not every path leaves again
        positions: dict[int, int] = {}
        for position, block in enumerate(self.order):
            context.check()
            positions[block] = position
            edges = [self._edge(edge, pending_exits) for edge in cfg.in_edges[block]]
            joined = cfg.rejoins.get(block, NO_BLOCK)
            if joined in positions and positions[joined] > cut:
                guard = self.leave[joined]
                if joined in self.inexact:
                    self.inexact.add(block)
            else:
                guard = self._join(block, edges) if block != cfg.entry else space.true
            self.reach[block] = guard
            self._leave_block(block, guard)
            if self.leave[block] != guard:
                cut = position
            for edge in cfg.out_edges[block]:
                if edge in cfg.back_edges:
                    index = loop_index[context.code.edge_target[edge]]
                    turn = self.leave[block] & self.edge_condition(edge)
                    self.turn_guard[index] = self.turn_guard[index] | turn
        self._compute_exit()

    def give_up(self) -> None:
        """Every block may be reached: what remains if conditions outgrow all bounds."""
        true = self.context.space.true
        for block in self.order:
            self.reach[block] = self.leave[block] = true
            for edge in self.cfg.out_edges[block]:
                self.edge_guard[edge] = true
        self.turn_guard = [true] * len(self.cfg.loops)
        self.inexact.update(self.order)
        self._cuts.clear()
        self._through.clear()
        self._compute_exit()

    def _join(self, block: BlockId, edges: list[Guard]) -> Guard:
        """The disjunction of the edges into a block.

        Too large a one becomes the condition of the block's dominator: control passes it in any case.
        """
        space, limit = self.context.space, self.context.limits.most_nodes
        found = edges[0] if edges else space.false
        for number, guard in enumerate(edges[1:]):
            found = found | guard
            if number % _MEASURE_EVERY and space.size(found) > 4 * limit:
                break
        if any(self.edge_source[edge] in self.inexact for edge in self.cfg.in_edges[block]):
            self.inexact.add(block)
        if space.size(found) <= limit:
            return found
        self.context.limits_hit["reach condition too large"] += 1
        self.inexact.add(block)
        return self.leave.get(self.cfg.above.get(block, NO_BLOCK), space.true)

    def _order_after_turns(self) -> list[BlockId]:
        """Topological order in which a loop's latches come before what follows the loop."""
        cfg, targets = self.cfg, self.context.code.edge_target
        after: dict[BlockId, list[BlockId]] = {}
        for loop in cfg.loops:
            for latch in loop.latches:
                after.setdefault(latch, []).extend(targets[edge] for edge in loop.exits)
        successors = {
            block: [targets[e] for e in cfg.out_edges[block] if e not in cfg.back_edges]
            + after.get(block, [])
            for block in cfg.order
        }
        done: set[BlockId] = set()
        seen: set[BlockId] = {cfg.entry}
        order: list[BlockId] = []
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

    def _edge(self, edge: EdgeId, pending_exits: dict[int, list[int]]) -> Guard:
        """The condition under which control follows a forward edge."""
        known = self.edge_guard.get(edge)
        if known is not None:
            return known
        space = self.context.space
        source = self.edge_source[edge]
        leave = self.leave.get(source, space.false)
        guard = leave & self.first_condition(edge)
        for index in pending_exits.get(edge, ()):
            guard = guard | (self.turn_guard[index] & self.turns.leaves_by(index, edge))
        self.edge_guard[edge] = guard
        return guard

    def first_condition(self, edge: EdgeId) -> Guard:
        """The branch's own condition for an edge.

        Entering a loop or passing it by is the affair of the first test, if that is decided.
        """
        space, source = self.context.space, self.edge_source[edge]
        condition = self.edge_condition(edge)
        first = self.turns.first.get(source)
        if first is None or not self._is_tested(source):
            return condition
        return space.substitute(condition, {first: space.true})

    def _is_tested(self, header: BlockId) -> bool:
        """Whether the branch in a loop's header is the loop's test."""
        blocks, targets = self.loop_at[header].blocks, self.context.code.edge_target
        return any(targets[edge] not in blocks for edge in self.cfg.out_edges[header])

    def surely_turns(self, loop: Loop) -> bool:
        """Whether a loop that only its header leaves is not left at once."""
        space = self.context.space
        if not loop.exits or any(self.edge_source[edge] != loop.header for edge in loop.exits):
            return False
        tests = [self.first_condition(edge) for edge in loop.exits]
        return all(space.is_false(test) for test in tests)

    # Calls that do not come back -------------------------------------------------------------------

    def _leave_block(self, block: BlockId, guard: Guard) -> None:
        context = self.context
        code = context.code
        for instr in code.instrs_in(block):
            if code.op[instr] not in code.call_ops:
                continue
            unwinds = self._unwinds(instr)
            if not context.space.is_false(unwinds) and not self.catches():
                self.unwinds = self.unwinds | (guard & unwinds)
            returns = self._returns(instr)
            if not context.space.is_true(returns):
                guard = guard & returns
                self._through[block] = self._through.get(block, context.space.true) & returns
                self._cuts.setdefault(block, []).append((instr, guard))
        self.leave[block] = guard

    def comes_through(self, block: BlockId) -> Guard:
        """The condition under which the calls in a block come back, without what led to it."""
        return self._through.get(block, self.context.space.true)

    def reach_at(self, instr: int) -> Guard:
        """RC of an instruction: calls before it in its block have come back."""
        block = self.context.code.instr_block[instr]
        found = self.reach.get(block, self.context.space.false)
        for call, after in self._cuts.get(block, ()):
            found = after if call < instr else found
        return found

    def _returns(self, instr: InstrId) -> Guard:
        """The condition under which control comes back from a call."""
        context, space = self.context, self.context.space
        code = context.code
        if code.aux[instr] & CALL_NO_RETURN:
            return space.false
        func = code.callee(instr)
        if func < 0:
            return space.true
        if code.func_flags[func] & FUNC_NO_RETURN:
            return space.false
        if not code.is_declared[func]:
            return self.callees.callee_returns(instr, func)
        if others := code.alternatives(func):
            return space.any_of(self.callees.callee_returns(instr, other) for other in others)
        ends = space.false
        for when in context.externals.of(func).ends:
            holds = space.true
            for comparison in when:
                holds = holds & self.holds_at(instr, comparison)
            ends = ends | holds
        return ~ends

    def holds_at(self, call: InstrId, comparison: Comparison) -> Guard:
        """A model's comparison at a call; memory behind arguments is taken to fulfil it."""
        space, root = self.context.space, comparison.left.root
        value = NO_VALUE
        if not comparison.left.steps and isinstance(root, Ret):
            value = self.context.code.result[call]
        elif not comparison.left.steps and isinstance(root, Arg):
            operands = self.context.code.operands(call)
            value = operands[root.index] if root.index < len(operands) else NO_VALUE
        if value < 0:
            return space.true
        found, right = space.false, Int(comparison.right)
        for guard, term in self.cases(value):
            found = found | (
                guard & self.context.variables.comparison(PREDICATES[comparison.op], term, right)
            )
        return found

    def unwinds_in(self, block: BlockId) -> bool:
        """Whether a call in a block may leave this function's frame behind."""
        context = self.context
        code = context.code
        return any(
            not context.space.is_false(self._unwinds(instr))
            for instr in code.instrs_in(block)
            if code.op[instr] in code.call_ops
        )

    def _unwinds(self, instr: InstrId) -> Guard:
        """The condition under which a call leaves this function's frame behind."""
        context, space = self.context, self.context.space
        code = context.code
        func = code.callee(instr)
        if func < 0:
            return space.false
        if code.is_declared[func]:
            if others := code.alternatives(func):
                return space.any_of(self.callees.callee_unwinds(instr, other) for other in others)
            return space.true if context.externals.of(func).unwinds else space.false
        return self.callees.callee_unwinds(instr, func)

    def catches(self) -> bool:
        """Whether the function calls `setjmp`: jumps come back to it."""
        if self._catches is None:
            code = self.context.code
            first, last = (code.block_start[self.func + i] for i in (0, 1))
            rows = range(code.instr_start[first], code.instr_start[last])
            self._catches = any(instr in rows for instr in code.returning_twice)
        return self._catches

    def returns_twice(self, instr: InstrId) -> bool:
        return instr in self.context.code.returning_twice

    @property
    def may_unwind(self) -> bool:
        """Whether anything called from here can jump."""
        return self.callees.may_unwind(self.func)

    def _compute_exit(self) -> None:
        context, cfg = self.context, self.cfg
        code = context.code
        for block in cfg.order:
            last = code.instr_start[block + 1] - 1
            if code.op[last] in (OP_RET, OP_RESUME):
                self.returns = self.returns | self.leave[block]
        self.exit = self.returns | self.unwinds
        for index, loop in enumerate(cfg.loops):
            if not loop.exits:
                self.exit = self.exit | self.turn_guard[index]

    # Conditions ------------------------------------------------------------------------------------

    def edge_condition(self, edge: EdgeId) -> Guard:
        """The branch's own condition for an edge, without what led to the branch."""
        context = self.context
        code = context.code
        kind = code.edge_kind[edge]
        condition = code.edge_condition[edge]
        if kind == EDGE_ALWAYS:
            return context.space.true
        if kind == EDGE_IF_TRUE:
            return self.condition(condition)
        if kind == EDGE_IF_FALSE:
            return ~self.condition(condition)
        if kind == EDGE_CASE:
            return self._equals(condition, code.edge_number[edge], self.edge_source[edge])
        if kind == EDGE_DEFAULT:
            guard = context.space.true
            source = self.edge_source[edge]
            for other in self.cfg.out_edges[source]:
                if code.edge_kind[other] == EDGE_CASE:
                    same = self._equals(condition, code.edge_number[other], source)
                    guard = guard & ~same
            return guard
        return context.variables.free_choice(ChoiceOf.EDGE, edge)

    def _equals(self, value: ValueId, number: int, block: BlockId) -> Guard:
        found = self.context.space.false
        for guard, term in self.values.cases_in(value, block):
            same = self.context.variables.comparison(CMP_EQ, term, Int(number))
            found = found | (guard & same)
        return found

    def root(self, value: ValueId) -> tuple[Term, int | None]:
        """Base and offset of an address, from the instructions alone."""
        known = self._roots.get(value)
        if known is None:
            known = self._roots[value] = root_of(self.context, value)
        return known
