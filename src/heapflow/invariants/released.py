"""Parameters that a function releases, or hands on to one that does.

In:    Facts, Calls.     Out: `Released`, asked for single parameters.
"""

from __future__ import annotations

from collections.abc import Iterator

from heapflow.invariants.calls import Calls
from heapflow.invariants.config import InvariantConfig
from heapflow.models.model import AccessPath, Arg, Free, Realloc, Unref
from heapflow.pointsto.facts import CALLS


class Released:
    """Answers are kept."""

    def __init__(self, calls: Calls, config: InvariantConfig) -> None:
        self.calls, self.facts, self.config = calls, calls.facts, config
        self._freed: dict[tuple[int, int], bool] = {}

    def by_model(self, func: int, given: list[int]) -> bool:
        """Whether a function without a body releases one of these arguments, or never returns."""
        model = self.calls.model(func)
        if model is None or not given:
            return model is not None and model.never_returns
        paths = [AccessPath(Arg(position + 1)) for position in given]
        return model.never_returns or any(
            (isinstance(effect, Free | Unref) and effect.target in paths)
            or (isinstance(effect, Realloc) and effect.source in paths)
            for effect in model.effects
        )

    def by(self, func: int, position: int) -> bool:
        """Whether a function hands a parameter to one that releases it."""
        found = self._freed.get((func, position))
        if found is None:
            found = self._freed[func, position] = self._leads_to_release(func, position)
        return found

    def _leads_to_release(self, func: int, position: int) -> bool:
        seen, stack = {(func, position)}, [(func, position)]
        while stack:
            one = stack.pop()
            known = self._freed.get(one)
            if known:
                return True
            for target, given in self._handed_on(*one) if known is None else ():
                if self.facts.has_body(target):
                    ahead = {(target, at) for at in given} - seen
                    seen |= ahead
                    stack += ahead
                elif given and self.by_model(target, given):
                    return True
        return False

    def _handed_on(self, func: int, position: int) -> Iterator[tuple[int, list[int]]]:
        """Functions that get a parameter, and as which of their arguments."""
        facts, params = self.facts, self.facts.params(func)
        if position >= len(params):
            return
        for name in facts.flows_on(params[position], self.config.most_origins):
            for row in facts.users(name):
                if row < facts.instr_count and facts.op[row] in CALLS:
                    given = [at for at, one in enumerate(facts.operands(row)[1:]) if one == name]
                    for target in self.calls.targets(row):
                        yield target, given
