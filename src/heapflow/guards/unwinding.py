"""Functions that can reach a call which jumps elsewhere (longjmp)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heapflow.ir.ids import FuncId, InstrId

if TYPE_CHECKING:
    from heapflow.guards.context import GuardContext


def find_unwinding(context: GuardContext) -> frozenset[FuncId]:
    """From the functions that jump up to all that call them."""
    callers: dict[FuncId, set[FuncId]] = {}
    for row, op in enumerate(context.code.op):
        if op in context.code.call_ops:
            instr = InstrId(row)
            func = context.code.block_func[context.code.instr_block[instr]]
            for callee in context.writes.callees(instr):
                callers.setdefault(callee, set()).add(func)
    declared = [func for func in callers if context.code.is_declared[func]]
    found = {func for func in declared if _jumps(context, func)}
    pending = sorted(found)
    while pending:
        more = callers.get(pending.pop(), set()) - found
        found |= more
        pending += sorted(more)
    return frozenset(found)


def _jumps(context: GuardContext, func: FuncId) -> bool:
    external = context.externals.of(func)
    return external.unwinds or (external.writes_all and not context.has_models)
