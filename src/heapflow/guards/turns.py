"""Turns of a function's loops: which is the first, and by which exit a loop is left after one.

A body stands for all its turns. What only the first turn knows, and which exit is taken, are choices:
Boolean variables without a meaning of their own.
"""

from __future__ import annotations

from heapflow.guards.cfg import FunctionCfg
from heapflow.guards.context import GuardContext
from heapflow.ir.ids import BlockId, EdgeId, FuncId
from heapflow.logic.atoms import ChoiceOf
from heapflow.logic.space import Guard


class LoopTurns:
    """The choices of one function."""

    def __init__(
        self, context: GuardContext, cfg: FunctionCfg, func: FuncId, order: list[BlockId]
    ) -> None:
        self._space, self._variables, self._writes = (
            context.space,
            context.variables,
            context.writes,
        )
        self._cfg, self._func, self._order = cfg, func, order
        self.first: dict[int, int] = {}  # loop header -> variable

    def first_turn(self, header: BlockId) -> Guard:
        """The choice that the turn in question is the loop's first."""
        space = self._space
        if header not in self.first:
            choice = self._variables.free_choice(ChoiceOf.FIRST_TURN, header)
            self.first[header] = min(space.support(choice))
        return space.literal(self.first[header])

    def is_first_turn(self, header: BlockId) -> Guard | None:
        """That choice, if some condition of the function makes it."""
        variable = self.first.get(header)
        return None if variable is None else self._space.literal(variable)

    def exits(self, index: int) -> list[EdgeId]:
        """The exits by which a loop is left after a turn."""
        return self.tests(index) or self._cfg.loops[index].exits

    def leaves_by(self, index: int, edge: int) -> Guard:
        """The choice of one exit for a loop that is left after a turn: exactly one of them is taken."""
        exits, found = self.exits(index), self._space.true
        for other in exits[:-1]:
            chosen = self._variables.free_choice(ChoiceOf.LEAVE, other)
            if other == edge:
                return found & chosen
            found = found & ~chosen
        return found

    def tests(self, index: int) -> list[EdgeId]:
        """The exits that a loop's own condition takes: those of the first block that can leave, if
        nothing is stored before (`while (p && i < n)` is tested in several blocks)."""
        loop = self._cfg.loops[index]
        exits = set(loop.exits)
        for block in self._order:
            if block not in loop.blocks:
                continue
            found = [edge for edge in self._cfg.out_edges[block] if edge in exits]
            if found:
                return found
            events = self._writes.events(self._func).get(block, ())
            if block in loop.latches or any(event.root is not None for event in events):
                return []
        return []
