"""What flows of objects ask about functions and calls, found once and remembered.

In:    the value-flow graph, guards.     Out: `FlowEngine`, which every flow gets.
Which conditions a release leaves open, in which order blocks run, and how a callee's outcome reads at a
call: none of it depends on the object.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from heapflow.flow.config import LeakConfig
from heapflow.flow.elements import reads_element
from heapflow.flow.lists import GraphLists
from heapflow.flow.outcome import State
from heapflow.flow.overwrites import Overwrites
from heapflow.flow.replaced import Address, Replacements
from heapflow.flow.sharing import Comparisons
from heapflow.guards.guards import FunctionGuards, GuardBook
from heapflow.ir.ids import BlockId, FuncId, InstrId
from heapflow.ir.kinds import TypeKind
from heapflow.logic.space import Guard

_MOST_REMEMBERED: Final = 50_000


class FlowEngine:
    """Holds what does not change between flows."""

    def __init__(self, lists: GraphLists, book: GuardBook, config: LeakConfig) -> None:
        self.lists, self.book, self.config = lists, book, config
        self.space, self.policies = book.space, book.context.policies
        # Formal nodes where an object is known to pass unharmed, and why.
        self.idle: dict[State, Comparisons | None] = {}
        self.overwrites = Overwrites(lists, book)
        self.replacements = Replacements(lists, book)
        self.limits_hit: Counter[str] = Counter()
        self._positions: dict[FuncId, dict[BlockId, int]] = {}
        self._edges: dict[tuple[BlockId, BlockId], Guard] = {}  # by source and target block
        self._elements: dict[tuple[Address, int], tuple[Guard, Guard]] = {}  # by address and load
        self._loop_variables: dict[tuple[int, int], frozenset[int]] = {}
        self._at_call: dict[tuple[Guard, int, int], Guard] = {}
        types = lists.program.types
        results = types.elem[lists.program.functions.type]
        self._gives_pointers: list[bool] = (types.kind[results] == TypeKind.POINTER).tolist()

    def positions(self, func: FuncId) -> dict[BlockId, int]:
        """Block -> rank, so that work is done in the order of execution."""
        known = self._positions.get(func)
        if known is None:
            order = self.book.guards(func).cfg.order
            known = self._positions[func] = {block: rank for rank, block in enumerate(order)}
        return known

    def edge_into(self, guards: FunctionGuards, source: BlockId, target: BlockId) -> Guard:
        """The condition under which control goes from one block straight to another."""
        key = (source, target)
        known = self._edges.get(key)
        if known is None:
            known = self.space.false
            for edge in guards.cfg.out_edges.get(source, ()):
                if guards.context.code.edge_target[edge] != target:
                    continue
                if edge in guards.cfg.back_edges:
                    leave = guards.leave.get(source, self.space.false)
                    known = known | (leave & guards.edge_condition(edge))
                else:
                    known = known | guards.edge_guard.get(edge, self.space.false)
            self._edges[key] = known
        return known

    def reads(self, guards: FunctionGuards, stored: Address, load: InstrId) -> tuple[Guard, Guard]:
        """When a load reads the element that was stored at an address, and what is always so."""
        key = (stored, load)
        known = self._elements.get(key)
        if known is None:
            known = self._elements[key] = reads_element(guards, stored, load)
        return known

    def loop_variables(self, func: FuncId, index: int) -> frozenset[int]:
        """Variables of the condition under which a loop is entered rather than passed by."""
        key = (func, index)
        known = self._loop_variables.get(key)
        if known is None:
            guards = self.book.guards(func)
            loop = guards.cfg.loops[index]
            found: frozenset[int] = frozenset()
            for edge in guards.turns.tests(index):
                found |= self.space.support(guards.edge_condition(edge))
            found -= self.space.support(guards.reach[loop.header])
            known = self._loop_variables[key] = found
        return known

    def gives_pointers(self, func: FuncId) -> bool:
        """Whether a function's result is a pointer."""
        return self._gives_pointers[func]

    def is_too_large_to_open(self, guard: Guard) -> bool:
        """Whether removing variables from a condition may take too long."""
        if self.space.size(guard) <= self.config.most_opened_nodes:
            return False
        self.limits_hit["condition too large to be opened"] += 1
        return True

    def at_call(self, guard: Guard, site: InstrId, callee: FuncId) -> Guard:
        """A callee's outcome as its caller sees it; objects ask the same of a call again and again."""
        key = (guard, site, callee)
        known = self._at_call.get(key)
        if known is None:
            if len(self._at_call) > _MOST_REMEMBERED:
                self._at_call.clear()  # what is remembered keeps its nodes alive
            known = self._at_call[key] = self.book.instantiate(guard, site, callee)
        return known
