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
from heapflow.ir.kinds import TypeKind
from heapflow.logic.atoms import Atom, Choice
from heapflow.logic.space import Guard
from heapflow.logic.term import At, Val

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
        self._loop_variables: dict[tuple[int, int], frozenset[int]] = {}
        self._positions: dict[int, dict[int, int]] = {}
        self._edges: dict[tuple[int, int], Guard] = {}  # by source and target block
        self._elements: dict[tuple[Address, int], tuple[Guard, Guard]] = {}  # by address and load
        self._search_variables: dict[int, frozenset[int]] = {}
        self._at_call: dict[tuple[Guard, int, int], Guard] = {}
        types = lists.program.types
        results = types.elem[lists.program.functions.type]
        self._gives_pointers: list[bool] = (types.kind[results] == TypeKind.POINTER).tolist()

    def positions(self, func: int) -> dict[int, int]:
        """Block -> rank, so that work is done in the order of execution."""
        known = self._positions.get(func)
        if known is None:
            order = self.book.guards(func).cfg.order
            known = self._positions[func] = {block: rank for rank, block in enumerate(order)}
        return known

    def edge_into(self, guards: FunctionGuards, source: int, target: int) -> Guard:
        """The condition under which control goes from one block straight to another."""
        key = (source, target)
        known = self._edges.get(key)
        if known is None:
            known = self.space.false
            for edge in guards.cfg.out_edges.get(source, ()):
                if guards.context.edge_target[edge] != target:
                    continue
                if edge in guards.cfg.back_edges:
                    leave = guards.leave.get(source, self.space.false)
                    known = known | (leave & guards.edge_condition(edge))
                else:
                    known = known | guards.edge_guard.get(edge, self.space.false)
            self._edges[key] = known
        return known

    def reads(self, guards: FunctionGuards, stored: Address, load: int) -> tuple[Guard, Guard]:
        """When a load reads the element that was stored at an address, and what is always so."""
        key = (stored, load)
        known = self._elements.get(key)
        if known is None:
            known = self._elements[key] = reads_element(guards, stored, load)
        return known

    def loop_variables(self, func: int, index: int) -> frozenset[int]:
        """Variables of the condition under which a loop is entered rather than passed by."""
        key = (func, index)
        known = self._loop_variables.get(key)
        if known is None:
            guards = self.book.guards(func)
            loop = guards.cfg.loops[index]
            found: frozenset[int] = frozenset()
            for edge in guards.loop_tests(index):
                found |= self.space.support(guards.edge_condition(edge))
            found -= self.space.support(guards.reach[loop.header])
            known = self._loop_variables[key] = found
        return known

    def gives_pointers(self, func: int) -> bool:
        """Whether a function's result is a pointer."""
        return self._gives_pointers[func]

    def is_opaque(self, site: int, callee: int) -> bool:
        """Whether the caller looks at a result of which we cannot say how it depends on anything."""
        context = self.book.context
        result = context.result[site]
        if result < 0 or not context.is_used(result):
            return False
        return context.callee(site) < 0 or self.book.callee_cases(site, callee) is None

    def at_call(self, guard: Guard, site: int, callee: int) -> Guard:
        """A callee's outcome as its caller sees it; objects ask the same of a call again and again."""
        key = (guard, site, callee)
        known = self._at_call.get(key)
        if known is None:
            if len(self._at_call) > _MOST_REMEMBERED:
                self._at_call.clear()  # what is remembered keeps its nodes alive
            opened = self._open(guard, site, callee)
            known = self._at_call[key] = self.book.instantiate(opened, site, callee)
        return known

    def _open(self, guard: Guard, site: int, callee: int) -> Guard:
        """A callee's outcome without those of its conditions that the caller need not care for.

        A result that cannot be evaluated tells the caller what happened, but not us: then the
        callee's own choices are left open, so that the caller's test is not held against it.
        """
        space = self.space
        if space.is_true(guard) or space.is_false(guard) or self.is_too_large_to_open(guard):
            return guard
        variables = self.unheeded(site, callee)
        if self.is_opaque(site, callee) and self.policies.acts("results-unknown"):
            atoms = self.book.context.atoms
            variables |= {v for v in space.support(guard) if self.is_private(atoms[v])}
        return space.forget(guard, variables)

    def is_too_large_to_open(self, guard: Guard) -> bool:
        """Whether removing variables from a condition may take too long."""
        if self.space.size(guard) <= self.config.most_opened_nodes:
            return False
        self.limits_hit["condition too large to be opened"] += 1
        return True

    def is_private(self, atom: Atom) -> bool:
        """A condition on values that only the callee knows."""
        if isinstance(atom, Choice) or isinstance(atom.left, At):
            return True
        return isinstance(atom.left, Val) and self.book.context.param_of(atom.left) < 0

    def unheeded(self, site: int, callee: int) -> frozenset[int]:
        """Conditions under which a callee's search ends early, if the caller ignores what it found.

        `RB_INSERT` gives back an equal element instead of inserting. Who does not look at it knows
        that there is none; the variables are left open then. An ignored error code is another matter.
        """
        context = self.book.context
        result = context.result[site]
        if result < 0 or context.is_used(result) or not context.is_pointer(result):
            return frozenset()
        known = self._search_variables.get(callee)
        if known is None:
            known = self._search_variables[callee] = self._find_search_variables(callee)
        return known if known and self.policies.acts("ignored-search") else frozenset()

    def _find_search_variables(self, func: int) -> frozenset[int]:
        guards, found = self.book.guards(func), set[int]()
        for index, loop in enumerate(guards.cfg.loops):
            regular = set(guards.loop_tests(index))
            before = self.space.support(guards.reach[loop.header])
            for edge in loop.exits:
                if edge not in regular and edge in guards.edge_guard:
                    found |= self.space.support(guards.edge_guard[edge]) - before
        return frozenset(found)
