"""What cells hold before anything was stored: initialisers of global variables.

In:    Cells, constants that are copied into variables of a struct type.     Out: cells and values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from heapflow.invariants.abstract import ANY, Abstract
from heapflow.invariants.cells import Cells
from heapflow.ir.kinds import GlobalFlag, Linkage, Op, TypeKind, ValueKind

_NOTHING_THERE: Abstract = frozenset((0,))
_OUTSIDE = GlobalFlag.DECLARATION | GlobalFlag.INCOMPLETE


def initial_contents(
    cells: Cells,
    templates: Sequence[tuple[int, int]],
    value_of: Callable[[int], Abstract],
    is_complete: bool,
) -> Iterator[tuple[int, Abstract]]:
    """Contents of global variables at the start; `templates`: structs, and constants copied there."""
    table, stored = cells.program.globals, _stored(cells)
    starts, values = table.init_start.tolist(), table.init_value.tolist()
    for number in range(len(table)):
        flags = int(table.flags[number])
        if flags & GlobalFlag.ALIAS:
            continue
        cell = cells.of_global(number)
        if cell < 0:
            yield from _of_struct(cells, cells.global_type(number), number, value_of)
        elif flags & _OUTSIDE or not (is_complete or table.linkage[number] == Linkage.INTERNAL):
            yield cell, ANY
        elif flags & GlobalFlag.TENTATIVE and cell not in stored:
            yield cell, ANY  # who sets it is not given
        else:
            leaves = range(starts[number], starts[number + 1])
            first = [value_of(values[leaf]) for leaf in leaves]
            yield from ((cell, one) for one in first or [_NOTHING_THERE])
    for struct, number in templates:
        yield from _of_struct(cells, struct, number, value_of)


def _stored(cells: Cells) -> set[int]:
    """Cells that some instruction stores to."""
    facts = cells.facts
    rows = (row for row in range(facts.instr_count) if facts.op[row] == Op.STORE)
    return {cells.of_value.get(facts.operand[facts.start[row]], -1) for row in rows}


def _of_struct(
    cells: Cells, type_id: int, number: int, value_of: Callable[[int], Abstract]
) -> Iterator[tuple[int, Abstract]]:
    """Members get what the initialiser says, and zero if it says nothing for some object."""
    layouts, table = cells.layouts, cells.program.globals
    inside, flags = cells.fields_in(type_id), int(table.flags[number])
    if not inside or flags & GlobalFlag.DECLARATION:
        return
    if flags & GlobalFlag.INCOMPLETE:
        yield from ((cell, ANY) for cell, _ in inside)
        return
    rows = slice(int(table.init_start[number]), int(table.init_start[number + 1]))
    leaves = zip(table.init_offset[rows].tolist(), table.init_value[rows].tolist(), strict=True)
    set_there: dict[int, int] = {}
    for offset, value in leaves:
        field = layouts.field_at(type_id, offset)
        cell = cells.cell(field) if field is not None else -1
        if cell >= 0:
            is_plain = cells.facts.value_kind[value] != ValueKind.BYTES
            yield cell, value_of(value) if is_plain else ANY
            set_there[cell] = set_there.get(cell, 0) + 1
    inner = type_id
    while layouts.kind[inner] == TypeKind.ARRAY:
        inner = layouts.elem[inner]
    objects = max(layouts.size[int(table.type[number])] // max(layouts.size[inner], 1), 1)
    for cell, _ in inside:
        if set_there.get(cell, 0) < objects * sum(one == cell for one, _ in inside):
            yield cell, _NOTHING_THERE
