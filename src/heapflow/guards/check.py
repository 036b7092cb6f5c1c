"""Check what guards promise (`--check-phases`, tests).

- Control comes to the entry always; to every other block only over one of its edges, unless the
  condition was rounded.
- It comes to a block's end only if it comes to its beginning.
- It returns only from blocks that end in a return.
- No condition asks whether something is NULL that is known not to be: that was known before.
"""

from __future__ import annotations

from heapflow.guards.book import GuardBook
from heapflow.guards.function import FunctionGuards
from heapflow.guards.text import GuardText
from heapflow.ir.codes import OP_RET
from heapflow.ir.ids import BlockId
from heapflow.logic.atoms import Compared
from heapflow.logic.space import Guard
from heapflow.support.errors import InternalError


def check_guards(book: GuardBook) -> None:
    """Raises InternalError for the first guarantee that does not hold of a function seen so far."""
    for func in sorted(book.known()):
        broken = _broken(book.guards(func))
        if broken:
            name = book.context.program.func_name(func)
            raise InternalError(f"guards of {name}: {broken}")
    context = book.context
    for variable, atom in enumerate(context.variables.atoms):
        if isinstance(atom, Compared) and context.known.contradicts(atom):
            said = GuardText(context).literal(variable, True)
            raise InternalError(f"guards: `{said}` was asked before it was known")


def _broken(guards: FunctionGuards) -> str:
    context, space, cfg = guards.context, guards.context.space, guards.cfg

    def follows(guard: Guard, other: Guard) -> bool:
        return space.is_false(guard & ~other)

    if not space.is_true(guards.reach.get(cfg.entry, space.false)):
        return "control does not always come to the entry"
    for block, reach in sorted(guards.reach.items()):
        if not follows(guards.leave[block], reach):
            return f"control leaves block {block} where it does not come to it"
        if block == cfg.entry or block in guards.inexact or block in cfg.rejoins:
            continue
        edges = [guards.edge_guard.get(edge, space.true) for edge in cfg.in_edges[block]]
        if not follows(reach, space.any_of(edges)):
            return f"control comes to block {block} over no edge"
    ends = [block for block in guards.leave if _op_at_end(guards, block) == OP_RET]
    if not follows(guards.returns, space.any_of(guards.leave[block] for block in ends)):
        return "control returns from elsewhere than a return"
    if not follows(guards.returns | guards.unwinds, guards.exit):
        return "control returns and does not leave"
    assert context.code.block_func[cfg.entry] == guards.func
    return ""


def _op_at_end(guards: FunctionGuards, block: BlockId) -> int:
    return guards.context.code.op[guards.context.code.instr_start[block + 1] - 1]
