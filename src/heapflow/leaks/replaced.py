"""When what a store put into memory is replaced by a later store to the same place.

The graph shows this by private versions (`only_from`): they end where a second store through the same
address runs. Here the same fact as a condition: the later stores' reach conditions.
"""

from __future__ import annotations

from heapflow.guards.bdd import Guard
from heapflow.guards.book import GuardBook
from heapflow.ir.kinds import Op, ValueKind
from heapflow.leaks.lists import GraphLists

Address = tuple[int, int]  # an SSA value and a constant distance from it


def replaced(lists: GraphLists, book: GuardBook, node: int) -> Guard:
    """The condition under which the value of a private version is gone before the function ends."""
    store = lists.only_from[node]
    if store < 0:
        return book.space.false
    guards, context = book.guards(lists.func[node]), book.context
    first = lists.instr[store]
    address = address_of(book, context.operands(first)[0])
    found = book.space.false
    rank = {block: position for position, block in enumerate(guards.cfg.order)}
    start = rank.get(context.instr_block[first], 0)
    for block in guards.cfg.order:
        for instr in range(context.instr_start[block], context.instr_start[block + 1]):
            if context.op[instr] != Op.STORE or instr == first:
                continue
            later = rank[block] > start or (rank[block] == start and instr > first)
            if later and address_of(book, context.operands(instr)[0]) == address:
                found = found | guards.reach.get(block, book.space.false)
    return found


def address_of(book: GuardBook, pointer: int) -> Address:
    """Where a pointer value points, relative to the value it was computed from."""
    context, offset = book.context, 0
    while context.value_kind[pointer] == ValueKind.INSTR:
        instr = context.value_index[pointer]
        operands = context.operands(instr)
        if context.op[instr] != Op.GEP or len(operands) > 1:
            break
        offset += context.aux[instr] + context.aux2[instr]
        pointer = operands[0]
    return pointer, offset
