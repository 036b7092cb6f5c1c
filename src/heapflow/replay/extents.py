"""How far what a pointer leads to reaches: a member, if it is the address of one.

In:    Knowledge, a value.     Out: the value that it was computed from, where the member begins behind
                               that, and how long it is.
Who gets `&s->name` writes to that member, whatever lies beside it.
Not modelled: code that is not known and computes the structure from the address of its member. The
              address of a first member that is a structure itself stands for the whole; an array at the
              end of a structure may be longer than it says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from heapflow.ir.kinds import Op, TypeKind, ValueKind
from heapflow.replay.instr import Instr, TypeFacts, make_instr

if TYPE_CHECKING:
    from heapflow.replay.knowledge import Knowledge

_GEP, _STRUCT, _ARRAY = int(Op.GEP), int(TypeKind.STRUCT), int(TypeKind.ARRAY)
_INSTR, _CONST_EXPR = int(ValueKind.INSTR), int(ValueKind.CONST_EXPR)


class Extent(NamedTuple):
    """A member: `start` bytes behind `base`, `size` bytes long (-1: to the end of the object)."""

    base: int
    start: int
    size: int


class Extents:
    """Asked for arguments of calls; answers are kept."""

    def __init__(self, knowledge: Knowledge) -> None:
        self.known = knowledge
        self._of: dict[int, Extent | None] = {}

    def of(self, value: int) -> Extent | None:
        """The member into which a pointer leads; None: no telling."""
        if value not in self._of:
            self._of[value] = self._find(value)
        return self._of[value]

    def _find(self, value: int) -> Extent | None:
        types = self.known.types
        instr = self._computed(value)
        while instr is not None and instr.op == _GEP:
            if instr.aux_type >= 0 and types.kind[instr.aux_type] == _STRUCT:
                found = member_at(types, instr.aux_type, instr.aux)
                return None if found is None else Extent(instr.operands[0], *found)
            instr = self._computed(instr.operands[0])
        return None

    def _computed(self, value: int) -> Instr | None:
        known = self.known
        if known.value_kind[value] == _CONST_EXPR:
            return known.const_expr(known.value_index[value])
        if known.value_kind[value] != _INSTR:
            return None
        return make_instr(known.program.instrs, known.types, known.value_index[value])


def member_at(types: TypeFacts, struct: int, offset: int) -> tuple[int, int] | None:
    """Start and size of the widest member that begins at an offset; None: there is none, or it may
    stand for more than itself."""
    if not 0 <= offset < types.size[struct]:
        return None
    before, is_first = 0, offset == 0
    while True:
        fields = types.fields(struct)
        number = max(n for n, (at, _) in enumerate(fields) if before + at <= offset)
        at, inner = fields[number]
        kind, size = types.kind[inner], types.size[inner]
        if before + at == offset:
            is_last = number == len(fields) - 1
            if is_first and kind == _STRUCT:
                return None
            return offset, -1 if size <= 0 or (is_last and kind == _ARRAY) else size
        if kind != _STRUCT:
            return None
        before, struct = before + at, inner
