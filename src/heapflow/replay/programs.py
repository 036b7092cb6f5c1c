"""Programs that share files: an execution is one of a single program.

In:    Program.     Out: of functions that a call may mean, those that are linked with the active ones.
A database may describe several programs with files in common. A callback in a variable that each
`main` sets is another function in each; so is a name that each program defines. Where nothing is known
of links, everything goes together.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from heapflow.ir.program import Program
from heapflow.ir.table import listed


class Programs:
    """Asked about functions."""

    def __init__(self, program: Program) -> None:
        modules = program.modules
        starts: list[int] = listed(modules.target_start)
        targets: list[int] = listed(modules.target)
        self._module: list[int] = listed(program.functions.module)
        self._targets = [frozenset(targets[first:last]) for first, last in pairwise(starts)]
        self.are_several = len(frozenset().union(*self._targets)) > 1
        self._program = program

    def together(self, found: Sequence[int], active: Iterable[int]) -> Sequence[int]:
        """Of several functions, those that a program has which has all the active ones."""
        if not self.are_several or len(found) < 2:
            return found
        shared: frozenset[int] | None = None
        for func in active:
            targets = self._of(func)
            if targets:
                shared = targets if shared is None else shared & targets
        if not shared:
            return found
        kept = [
            func for func in found if not self._of(func) or not shared.isdisjoint(self._of(func))
        ]
        return kept or found

    def named(self, func: int) -> list[int]:
        """The definitions that a declared name may mean, if there are several."""
        table = self._program.functions
        first, last = int(table.alternative_start[func]), int(table.alternative_start[func + 1])
        found: list[int] = table.alternative[first:last].tolist()
        return found

    def _of(self, func: int) -> frozenset[int]:
        module = self._module[func]
        return self._targets[module] if 0 <= module < len(self._targets) else frozenset()
