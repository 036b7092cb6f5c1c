"""Numbers that serve as pointers: `#define LOCAL_ZONE ((struct zone *)1)`.

A number that is stored, passed or returned as a pointer somewhere in the program is a sentinel, and a
new block is never there. A number that pointers are only compared with (`if (*line == '\\n')` where
`**line` was meant) is nobody's sentinel: the comparison is a mistake, so neither of its outcomes is
taken for impossible. -1 is what system calls return.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from heapflow.guards.places import root_of
from heapflow.ir.kinds import Op, ValueKind

if TYPE_CHECKING:
    from heapflow.guards.context import GuardContext

_FROM_LIBRARY: Final = -1


def number_of(context: GuardContext, value: int) -> int | None:
    """The number that a constant pointer is; None if it is none."""
    if context.value_kind[value] != ValueKind.CONST_EXPR:
        return None
    root, offset = root_of(context, value)
    if root[0] != "val" or offset is None or not isinstance(inner := root[1], int):
        return None
    if context.value_kind[inner] != ValueKind.INT:
        return None
    return context.value_number[inner] + offset


def find_sentinels(context: GuardContext) -> frozenset[int]:
    """The numbers that some pointer of the program may be."""
    numbers = {
        value: number
        for value, kind in enumerate(context.value_kind)
        if kind == ValueKind.CONST_EXPR and (number := number_of(context, value)) is not None
    }
    if not numbers:
        return frozenset({_FROM_LIBRARY})
    given = set(context.program.globals.init_value.tolist())
    for instr, op in enumerate(context.op):
        if op != Op.ICMP:
            given.update(context.operands(instr))
    return frozenset(
        {_FROM_LIBRARY, *(number for value, number in numbers.items() if value in given)}
    )
