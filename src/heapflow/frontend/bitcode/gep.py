"""Split an address computation into constant bytes and variable indices.

`p->a[i].b` is p + (offset of a and of b) + i·sizeof(element). Later phases keep the first part
(which member), and drop or summarise the second (which element), so the two are kept apart.
A constant step over single bytes counts as a member offset: container-of idioms are written so.
"""

from __future__ import annotations

from heapflow.frontend.bitcode.unit import Unit, wrap64
from heapflow.ir.kinds import TypeKind

_STRUCT = int(TypeKind.STRUCT)


def split_gep(
    unit: Unit, source_type: int, indices: list[int]
) -> tuple[int, int, list[int], list[int]]:
    """(member bytes, array bytes, variable indices, their strides) of an address computation.

    `indices` are our value ids; the first one steps over whole `source_type` objects.
    """
    types, numbers = unit.types, unit.value_number
    kinds = types.kind
    if len(indices) == 2 and kinds[source_type] == _STRUCT:  # p->member, by far the most frequent
        number = numbers.get(indices[1], 0)
        if numbers.get(indices[0]) == 0:
            return types.offsets[source_type][number], 0, [], []
    member = array = 0
    variables: list[int] = []
    strides: list[int] = []
    current = source_type
    is_first = True
    for index in indices:
        constant = numbers.get(index)
        if is_first:
            is_first = False
            if constant == 0:
                continue
            stride = types.size[current]
            if stride == 1 and constant is not None:
                member += constant
                continue
        elif kinds[current] == _STRUCT:
            number = constant or 0  # verified: a constant
            member += types.offsets[current][number]
            current = types.fields[current][number]
            continue
        else:
            current = types.elem[current]
            stride = types.size[current]
        stride = max(0, stride)
        if constant is None:
            variables.append(index)
            strides.append(stride)
        else:
            array += constant * stride
    return wrap64(member), wrap64(array), variables, strides
