"""Where it is asked whether a pointer that was loaded is NULL, for the policy `passed-on-is-there`.

In:    comparisons, as they are met.     Out: by variable, blocks with calls whose callees ask it of
       their argument, and blocks that ask it themselves. `facts.py` draws the conclusion.
"""

from __future__ import annotations

from heapflow.ir.ids import BlockId
from heapflow.logic.compare import constant_of
from heapflow.logic.space import Guard, GuardSpace
from heapflow.logic.term import Later, Load, Met, Term


class NullTests:
    """Blocks with such tests, by variable."""

    def __init__(self, space: GuardSpace) -> None:
        self._space = space
        self.of_arguments: dict[int, set[BlockId]] = {}  # by callees, of their argument
        self.others: dict[int, set[BlockId]] = {}

    def note(
        self, holds: Guard, left: Term, right: Term, block: BlockId, is_argument: bool
    ) -> None:
        """Remember a comparison, and the condition under which it holds."""
        if isinstance(left, Load | Later | Met) and constant_of(right) == 0:
            noted = self.of_arguments if is_argument else self.others
            for variable in self._space.support(holds):
                noted.setdefault(variable, set()).add(block)
