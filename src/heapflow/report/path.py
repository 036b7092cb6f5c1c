"""One path on which the object is lost, and the decisions on it that matter.

In:    a leak, guards of its function.     Out: `Path`.
The leak's condition is satisfiable; a walk from the function's entry takes, at each branch, a successor
under which it still is. A decision is told only if without it the path could go on to a run that does
not lose the object; each branch once.
"""

from __future__ import annotations

from dataclasses import dataclass

from heapflow.guards.bdd import Guard
from heapflow.guards.function import FunctionGuards
from heapflow.ir.kinds import EdgeKind
from heapflow.leaks.verdict import Verdict

_MOST_NODES = 300  # BDD nodes of a condition that the walk keeps whole
_MOST_BLOCKS = 4000
_MOST_BRANCHES = 40


@dataclass(frozen=True, slots=True)
class Path:
    """Blocks of a losing path in order, and its deciding branches as (edge, position)."""

    blocks: list[int]
    decisions: list[tuple[int, int]]


def find_path(guards: FunctionGuards, verdict: Verdict) -> Path:
    """A path of the leak's function on which it leaks."""
    return _Walk(guards, verdict).run()


class _Walk:
    def __init__(self, guards: FunctionGuards, verdict: Verdict) -> None:
        self.guards, self.verdict = guards, verdict
        self.context, self.space = guards.context, guards.context.space
        self.site = self.context.instr_block[verdict.source.site]
        self.visits: dict[int, int] = {}
        self.blocks: list[int] = []
        self.taken: list[tuple[int, int]] = []  # edges of branches, with positions
        self.forced: set[int] = set()  # edges that the condition leaves no choice about

    def run(self) -> Path:
        block, condition = self.guards.cfg.entry, self._readable(self.verdict.leaks)
        self.blocks.append(block)
        while len(self.blocks) < _MOST_BLOCKS:
            edges = self.guards.cfg.out_edges[block]
            possible = self._possible(block, condition)
            if not possible:
                break
            edge, below = self._choose(possible)
            if self._is_decision(block, edge):
                self.taken.append((edge, len(self.blocks) - 1))
                if len(possible) < len(edges):
                    self.forced.add(edge)
            self.visits[block] = self.visits.get(block, 0) + 1
            condition = below
            block = self.context.edge_target[edge]
            self.blocks.append(block)
        return Path(self.blocks, self._decisions()[-_MOST_BRANCHES:])

    def _is_decision(self, block: int, edge: int) -> bool:
        """A second visit ends a loop, which it does sooner or later."""
        several = len(self.guards.cfg.out_edges[block]) > 1
        always = self.context.edge_kind[edge] == EdgeKind.ALWAYS
        return several and not always and block not in self.visits

    def _readable(self, leaks: Guard) -> Guard:
        """One way to lose the object, if all of them together are too much to walk with."""
        if self.space.size(leaks) <= _MOST_NODES:
            return leaks
        return self.space.cube(self.space.one_solution(leaks) or {})

    # Where to go ---------------------------------------------------------------------------------

    def _possible(self, block: int, condition: Guard) -> list[tuple[int, Guard]]:
        visits, targets = self.visits, self.context.edge_target
        edges = self.guards.cfg.out_edges[block]
        found: list[tuple[int, Guard]] = []
        for edge in edges:
            below = condition & self.guards.edge_condition(edge)
            again = edge in self.guards.cfg.back_edges or visits.get(targets[edge], 0)
            if not self.space.is_false(below) and not (again and visits.get(block, 0) > 1):
                found.append((edge, below))
        if found:
            return found
        # A turn of a loop was cut: leave it by any edge that has not been taken.
        return [(edge, condition) for edge in edges if not visits.get(targets[edge], 0)]

    def _choose(self, possible: list[tuple[int, Guard]]) -> tuple[int, Guard]:
        """Prefer the way that still passes the allocation, then fresh blocks, then the first."""
        targets = self.context.edge_target
        if self.site not in self.visits:
            reach = self.guards.reach.get(self.site, self.space.false)
            for edge, below in possible:
                can = not self.space.is_false(below & reach)
                if can and self._leads_to_site(targets[edge]):
                    return edge, below
        for edge, below in possible:
            if targets[edge] not in self.visits:
                return edge, below
        return possible[0]

    def _leads_to_site(self, start: int) -> bool:
        cfg, targets = self.guards.cfg, self.context.edge_target
        seen, stack = {start}, [start]
        while stack:
            block = stack.pop()
            if block == self.site:
                return True
            for edge in cfg.out_edges[block]:
                if targets[edge] not in seen and edge not in cfg.back_edges:
                    seen.add(targets[edge])
                    stack.append(targets[edge])
        return False

    # What to tell --------------------------------------------------------------------------------

    def _decisions(self) -> list[tuple[int, int]]:
        safe = self._safe()
        if safe is None:
            return [(edge, position) for edge, position in self.taken if edge in self.forced]
        kept = list(self.taken[-_MOST_BRANCHES:])
        for decision in self.taken[-_MOST_BRANCHES:]:
            if not self._is_needed(decision, kept, safe):
                kept.remove(decision)
        return kept

    def _safe(self) -> Guard | None:
        """The runs that make the object and do not lose it; None if that is not worth knowing."""
        verdict, source = self.verdict, self.verdict.source
        assume = verdict.flow.assume if verdict.flow.assume is not None else self.space.true
        if any(
            self.space.size(g) > 3 * _MOST_NODES for g in (verdict.leaks, source.exists, assume)
        ):
            return None
        if verdict.in_loop or not self.space.is_false(verdict.leaks & ~source.exists):
            return None  # the condition speaks of several turns of a loop
        safe = source.exists & self.guards.exit & assume & ~verdict.leaks
        return safe if self.space.size(safe) <= 10 * _MOST_NODES else None

    def _is_needed(
        self, decision: tuple[int, int], kept: list[tuple[int, int]], safe: Guard
    ) -> bool:
        """Whether the other decisions leave a safe run that goes the other way here."""
        other = safe & ~self.guards.edge_condition(decision[0])
        for edge, _ in reversed(kept):
            if self.space.is_false(other):
                return False
            if self.space.size(other) > 10 * _MOST_NODES:
                return decision[0] in self.forced
            if edge != decision[0]:
                other = other & self.guards.edge_condition(edge)
        return not self.space.is_false(other)
