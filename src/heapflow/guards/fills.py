"""Which parameters of a function point to memory that external functions may write for it.

    void format(char **ret, const char *fmt, …) { …; vasprintf(ret, fmt, ap); }       `ret`, not `fmt`

    run(&job), where `ret` is stored in `job`                                        `ret`

An external function writes an unknown number of bytes. Behind which of its arguments its model says;
which parameters of the function that calls it, and of that one's callers, these are, is found here.
Not modelled: pointers that were loaded from memory, or that functions with a body returned, as far as
they lead to what a parameter points to (docs/unsoundness.md#flags-in-memory).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from heapflow.guards.origins import origins_of
from heapflow.guards.places import root_of
from heapflow.ir.ids import FuncId, InstrId
from heapflow.logic.term import Val

if TYPE_CHECKING:
    from heapflow.guards.context import GuardContext

Link = tuple[int, int, int]  # callee, the argument's position, positions of parameters it may be
EVERY: Final = -1  # all bits: every parameter


class Fills:
    """One integer per function: bit n for the parameter that is argument n (from 1)."""

    def __init__(
        self,
        context: GuardContext,
        callees: Callable[[InstrId], tuple[FuncId, ...]],
        components: list[list[FuncId]],
    ) -> None:
        self._context, self._callees = context, callees
        self._of_func = [0] * len(context.code.func_flags)
        for component in components:
            self._close([func for func in component if not context.code.is_declared[func]])

    def positions(self, func: int) -> int:
        return self._of_func[func]

    def _close(self, component: list[FuncId]) -> None:
        links: dict[int, list[Link]] = {}
        within = frozenset(component)
        for func in component:
            self._of_func[func], links[func] = self._own(func, within)
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

    def _own(self, func: FuncId, component: frozenset[int]) -> tuple[int, list[Link]]:
        """What is filled here and by callees that are done; what callees in the same component get."""
        context, bits, links = self._context, 0, list[Link]()
        code = context.code
        params = range(code.param_start[func], code.param_start[func + 1])
        if not any(code.is_pointer(code.param_value[row]) for row in params):
            return bits, links
        for block in code.blocks_of(func):
            calls = context.returning.calls(block)
            if not calls or not context.returning.comes_back(block):
                continue
            for instr in calls:
                for callee in self._callees(instr):
                    if callee in component and not code.is_declared[callee]:
                        for position in range(1, len(code.operands(instr))):
                            if found := self._params(func, instr, position):
                                links.append((callee, position, found))
                    else:
                        for position in self._filled(callee, len(code.operands(instr))):
                            bits |= self._params(func, instr, position)
        return bits, links

    def _filled(self, callee: int, count: int) -> list[int]:
        """The arguments, of so many, behind which a function that is done writes."""
        context = self._context
        if not context.code.is_declared[callee]:
            bits = self._of_func[callee]
            return [at for at in range(1, count) if bits >> at & 1] if bits else []
        return context.externals.of(callee).fills(count - 1)

    def _params(self, func: FuncId, call: int, position: int) -> int:
        """The parameters that an argument of a call may come from."""
        context = self._context
        code = context.code
        value = code.operands(call)[position]
        if not code.is_pointer(value):
            return 0
        origins = origins_of(context, value)
        if origins is None:
            return EVERY
        variable, _ = root_of(context, value)
        for root, _ in context.stored.behind(func, variable):
            if isinstance(root, Val):
                origins.add(root.value)
        first, last, bits = code.param_start[func], code.param_start[func + 1], 0
        for row in range(first, last):
            if code.param_value[row] in origins:
                bits |= 1 << (row - first + 1)
        return bits
