"""Pointers that a function stores in its own variables: who gets the variable may write there, too.

    int status = -1;
    struct job job = { .status = &status };
    run(&job);                                       may write `status`

In:    the program.     Out: `Stored`: by variable, what the pointers in it lead to; one level deep.
Wherever the store is: whether it comes before the call is not asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from heapflow.guards.places import root_of
from heapflow.ir.codes import OP_STORE
from heapflow.logic.term import Function, Local, Term

if TYPE_CHECKING:
    from heapflow.guards.context import GuardContext

Place = tuple[Term, int | None]


class Stored:
    """Found per function, when first asked for."""

    def __init__(self, context: GuardContext) -> None:
        self._context = context
        self._of_func: dict[int, dict[Term, tuple[Place, ...]]] = {}

    def behind(self, func: int, variable: Term) -> tuple[Place, ...]:
        """Where the pointers lead that a function stores in a variable."""
        if not isinstance(variable, Local):
            return ()
        known = self._of_func.get(func)
        if known is None:
            known = self._of_func[func] = self._find(func)
        return known.get(variable, ())

    def _find(self, func: int) -> dict[Term, tuple[Place, ...]]:
        context, found = self._context, dict[Term, dict[Place, None]]()
        code = context.code
        for instr in range(
            code.instr_start[code.block_start[func]], code.instr_start[code.block_start[func + 1]]
        ):
            if code.op[instr] != OP_STORE:
                continue
            pointer, value = code.operands(instr)[:2]
            if not code.is_pointer(value):
                continue
            variable, _ = root_of(context, pointer)
            place = root_of(context, value)
            if isinstance(variable, Local) and not isinstance(place[0], Function):
                found.setdefault(variable, {})[place] = None
        return {variable: tuple(places) for variable, places in found.items()}
