"""Which parameters of a function point to memory that external functions may write for it.

    void format(char **ret, const char *fmt, …) { …; vasprintf(ret, fmt, ap); }       `ret`, not `fmt`

An external function writes an unknown number of bytes. Behind which of its arguments its model says;
which parameters of the function that calls it, and of that one's callers, these are, is found here.
Not modelled: pointers that were loaded from memory, or that functions with a body returned, as far as
they lead to what a parameter points to (docs/unsoundness.md#flags-in-memory).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from heapflow.guards.origins import origins_of

if TYPE_CHECKING:
    from heapflow.guards.context import GuardContext

Link = tuple[int, int, int]  # callee, the argument's position, positions of parameters it may be
EVERY = -1  # all bits: every parameter


class Fills:
    """One integer per function: bit n for the parameter that is argument n (from 1)."""

    def __init__(
        self,
        context: GuardContext,
        callees: Callable[[int], tuple[int, ...]],
        components: list[list[int]],
        is_seen: Callable[[int], bool],
    ) -> None:
        self._context, self._callees, self._is_seen = context, callees, is_seen
        self._of_func = [0] * len(context.func_flags)
        for component in components:
            self._close([func for func in component if not context.is_declared[func]])

    def positions(self, func: int) -> int:
        return self._of_func[func]

    def _close(self, component: list[int]) -> None:
        links: dict[int, list[Link]] = {}
        for func in component:
            self._of_func[func], links[func] = self._own(func)
        changed = True
        while changed:
            changed = False
            for func in component:
                bits = self._of_func[func]
                for callee, position, params in links[func]:
                    if self._of_func[callee] >> position & 1:
                        bits |= params
                changed = changed or bits != self._of_func[func]
                self._of_func[func] = bits

    def _own(self, func: int) -> tuple[int, list[Link]]:
        context, bits, links = self._context, 0, list[Link]()
        for block in range(context.block_start[func], context.block_start[func + 1]):
            if not self._is_seen(block):
                continue
            for instr in range(context.instr_start[block], context.instr_start[block + 1]):
                if context.op[instr] in context.call_ops:
                    bits |= self._at_call(func, instr, links)
        return bits, links

    def _at_call(self, func: int, instr: int, links: list[Link]) -> int:
        context, bits = self._context, 0
        operands, params = context.operands(instr), dict[int, int]()
        for position in range(1, len(operands)):
            if context.is_pointer(operands[position]):
                found = self._params(func, operands[position])
                if found:
                    params[position] = found
        for callee in self._callees(instr) if params else ():
            if not context.is_declared[callee]:
                links += [(callee, position, found) for position, found in params.items()]
                continue
            external = context.externals.of(callee)
            for position, found in params.items():
                if external.writes_all or position in external.written:
                    bits |= found
        return bits

    def _params(self, func: int, value: int) -> int:
        """The parameters that a pointer may come from."""
        context = self._context
        origins = origins_of(context, value)
        if origins is None:
            return EVERY
        first, last, bits = context.param_start[func], context.param_start[func + 1], 0
        for row in range(first, last):
            if context.param_value[row] in origins:
                bits |= 1 << (row - first + 1)
        return bits
