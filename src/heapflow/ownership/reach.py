"""Which functions a function calls, directly and at all."""

from __future__ import annotations

from heapflow.ownership.program import Whole


class Reach:
    """Found once for a program, function by function."""

    def __init__(self, whole: Whole) -> None:
        self._callees: dict[int, set[int]] = {}
        for call in whole.calls.call.tolist():
            caller = whole.tables.func_of(call)
            self._callees.setdefault(caller, set()).update(whole.targets(call))
        self._reached: dict[int, set[int]] = {}

    def callees(self, func: int) -> set[int]:
        return self._callees.get(func, set())

    def reached(self, func: int) -> set[int]:
        """Functions that it calls, and those that they call."""
        found = self._reached.get(func)
        if found is None:
            found, stack = set[int](), [func]
            while stack:
                more = self.callees(stack.pop()) - found
                found |= more
                stack += more
            self._reached[func] = found
        return found
