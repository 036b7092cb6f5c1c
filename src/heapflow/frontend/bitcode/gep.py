"""Split an address computation into constant bytes and variable indices.

`p->a[i].b` is p + (offset of a and of b) + i·sizeof(element). Later phases keep the first part
(which member), and drop or summarise the second (which element), so the two are kept apart.
A constant step over single bytes counts as a member offset: container-of idioms are written so.
"""

from __future__ import annotations

from typing import NamedTuple

from heapflow.frontend.bitcode.unit import Unit, wrap64
from heapflow.ir.kinds import TypeKind


class GepParts(NamedTuple):
    """The parts of an address computation; `strides` belong to `variables`."""

    member_bytes: int
    array_bytes: int
    variables: list[int]
    strides: list[int]


def split_gep(unit: Unit, source_type: int, indices: list[int]) -> GepParts:
    """`indices` are our value ids; the first one steps over whole `source_type` objects."""
    types, numbers = unit.types, unit.value_number
    member = array = 0
    variables: list[int] = []
    strides: list[int] = []
    current = source_type
    for position, index in enumerate(indices):
        constant = numbers.get(index)
        if position and types.kind[current] == TypeKind.STRUCT:
            number = constant or 0
            member += types.offsets[current][number]
            current = types.fields[current][number]
            continue
        if position:
            current = types.elem[current]
        stride = max(0, types.size[current])
        if constant is None:
            variables.append(index)
            strides.append(stride)
        elif not position and stride == 1:
            member += constant
        else:
            array += constant * stride
    return GepParts(wrap64(member), wrap64(array), variables, strides)
