"""What a loop's variables are once the loop is done.

In:    one function's guards.     Out: `AfterLoops`.
Inside the loop a header's φ is another value in every turn and opaque. After it, the turn that was
followed is the last one: the φ is what the latch passed on, or, if there was no turn, the first value.
    p = NULL; while (more()) p = xmalloc(n);     if (p) …       p is the block, or NULL without a turn
Guarantees: opaque, as inside the loop, where conditions were rounded or cases are too many.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from heapflow.guards.cfg import Loop
from heapflow.ir.ids import BlockId, ValueId
from heapflow.logic.address import is_constant
from heapflow.logic.compare import Case
from heapflow.logic.space import Guard
from heapflow.logic.term import Term, Val

if TYPE_CHECKING:
    from heapflow.guards.function import FunctionGuards


class AfterLoops:
    """Loop variables of one function, seen from behind their loops."""

    def __init__(self, guards: FunctionGuards) -> None:
        self.guards, self.context, self.space = guards, guards.context, guards.context.space
        self.index = {loop.header: index for index, loop in enumerate(guards.cfg.loops)}
        self._left_early: dict[int, Guard | None] = {}
        self._cases: dict[int, list[Case]] = {}

    def cases(self, phi: ValueId, loop: Loop) -> list[Case]:
        """What a φ of the loop's header is after the loop."""
        known = self._cases.get(phi)
        if known is None:
            opaque: list[Case] = [(self.space.true, Val(phi))]
            self._cases[phi] = opaque  # should it lead back here
            try:
                known = self._make_cases(phi, loop) or opaque
            except BaseException:
                del self._cases[phi]
                raise
            self._cases[phi] = known
        return known

    def _make_cases(self, phi: ValueId, loop: Loop) -> list[Case] | None:
        values, index = self.guards.values, self.index[loop.header]
        early, turn = self._early(index), self.guards.turn_guard[index]
        last = self.passed_on(phi, loop)
        if early is None or last is None:
            return None
        # Whoever asks got past the header: what led there need not be said again.
        care = self.guards.reach.get(loop.header, self.space.true)
        turn, early = self.space.given(turn, care), self.space.given(early, care)
        last = [(self.space.given(guard, care), term) for guard, term in last]
        split = [(turn & guard, term) for guard, term in last]
        before = self.before(phi, loop)
        if before is not None and is_constant(before):
            split.append((~turn & ~early, before))
            split.append((~turn & early, Val(phi)))
        else:
            split.append((~turn, Val(phi)))
        found = values.merge(split)
        limits = self.context.limits
        few = len(found) <= limits.most_loop_cases
        most = limits.most_loop_case_nodes
        small = all(self.space.size(guard) <= most for guard, _ in found)
        if few and small:
            return found or None
        self.context.limits_hit["cases of a variable after its loop"] += 1
        return None

    def passed_on(self, phi: int, loop: Loop) -> list[Case] | None:
        """What the latches give a φ for the next turn, each with its condition."""
        guards, values = self.guards, self.guards.values
        found: list[Case] = []
        for block, operand in self._operands(phi):
            if block not in loop.blocks:
                continue
            taken = self.space.true
            if len(loop.latches) > 1:
                taken = self._back(block, loop.header)
            found += [(taken & guard, term) for guard, term in values.cases_in(operand, block)]
            if len(found) > 2 * guards.context.limits.most_cases:
                return None
        return found

    def before(self, phi: int, loop: Loop) -> Term | None:
        """What a φ is in the first turn, if that is one term."""
        found: Term | None = None
        for block, operand in self._operands(phi):
            if block in loop.blocks:
                continue
            terms = self.guards.values.cases_in(operand, block)
            if len(terms) > 1 or found not in (None, terms[0][1]):
                return None
            found = terms[0][1]
        return found

    def _operands(self, phi: int) -> list[tuple[BlockId, ValueId]]:
        code = self.context.code
        instr = code.value_index[phi]
        first = code.operand_start[instr]
        operands = code.operands(instr)
        return [(code.operand_block[first + at], value) for at, value in enumerate(operands)]

    def _back(self, latch: BlockId, header: BlockId) -> Guard:
        guards, found = self.guards, self.space.false
        for edge in guards.cfg.out_edges[latch]:
            if edge in guards.cfg.back_edges and self.context.code.edge_target[edge] == header:
                found = found | guards.edge_condition(edge)
        return found & guards.leave.get(latch, self.space.false)

    def _early(self, index: int) -> Guard | None:
        """The condition of leaving in the middle of a turn; None if it cannot be told from a turn."""
        if index not in self._left_early:
            guards, loop, found = self.guards, self.guards.cfg.loops[index], self.space.false
            tests = set(guards.turns.tests(index))
            for edge in loop.exits:
                source = guards.edge_source[edge]
                if edge in tests and source not in loop.latches:
                    continue
                leave = guards.leave.get(source, self.space.false)
                found = found | (leave & guards.edge_condition(edge))
            small = self.space.size(found) <= self.context.limits.most_nodes
            apart = small and self.space.is_false(found & guards.turn_guard[index])
            self._left_early[index] = found if apart else None
        return self._left_early[index]
