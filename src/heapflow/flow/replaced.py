"""When what a store put into memory is replaced by a later store to the same place.

The graph shows this by private versions (`only_from`): they end where a second store through the same
address runs. Here the same fact as a condition: the later stores' reach conditions.
"""

from __future__ import annotations

from heapflow.flow.lists import GraphLists
from heapflow.guards.guards import GuardBook
from heapflow.ir.ids import FuncId, InstrId, ValueId
from heapflow.ir.kinds import Op, ValueKind
from heapflow.logic.space import Guard

Address = tuple[ValueId, int]  # an SSA value and a constant distance from it


class Replacements:
    """What later stores replace; looked up once per store."""

    def __init__(self, lists: GraphLists, book: GuardBook) -> None:
        self.lists, self.book = lists, book
        self._by_store: dict[InstrId, Guard] = {}  # instruction -> condition
        self._stores: dict[FuncId, dict[Address, list[InstrId]]] = {}  # of a function, as they run

    def of(self, store: int) -> Guard:
        """The condition under which what a store put there is gone when the function ends.

        `store`: the node from which a private version comes (`only_from`), or -1.
        """
        if store < 0:
            return self.book.space.false
        first = self.lists.instr[store]
        known = self._by_store.get(first)
        if known is None:
            known = self._by_store[first] = self._later(self.lists.func[store], first)
        return known

    def _later(self, func: FuncId, first: InstrId) -> Guard:
        book, context = self.book, self.book.context
        guards, found = book.guards(func), book.space.false
        address = address_of(book, context.code.operands(first)[0])
        same = self._stores_of(func).get(address, [])
        for instr in same[same.index(first) + 1 :] if first in same else same:
            reach = guards.reach.get(context.code.instr_block[instr], book.space.false)
            found = found | reach
        return found

    def _stores_of(self, func: FuncId) -> dict[Address, list[InstrId]]:
        known = self._stores.get(func)
        if known is None:
            known = self._stores[func] = {}
            code = self.book.context.code
            for block in self.book.guards(func).cfg.order:
                for instr in code.instrs_in(block):
                    if code.op[instr] == Op.STORE:
                        address = address_of(self.book, code.operands(instr)[0])
                        known.setdefault(address, []).append(instr)
        return known


def address_of(book: GuardBook, pointer: ValueId) -> Address:
    """Where a pointer value points, relative to the value it was computed from."""
    context, offset = book.context, 0
    code = context.code
    while code.value_kind[pointer] == ValueKind.INSTR:
        instr = code.value_index[pointer]
        operands = code.operands(instr)
        if code.op[instr] != Op.GEP or len(operands) > 1:
            break
        offset += code.aux[instr] + code.aux2[instr]
        pointer = operands[0]
    return pointer, offset
