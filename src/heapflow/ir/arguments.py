"""How a call passes an argument: what `Operations.operand_number` of an argument means."""

from __future__ import annotations

STRUCT_RETURN_NUMBER = -1  # the argument is the address of the space for the result
_ALIGN_BITS = 12


def by_value_number(size: int, align: int) -> int:
    """The number of an argument of which the callee gets a copy of `size` bytes."""
    return max(size, 0) << _ALIGN_BITS | min(align, (1 << _ALIGN_BITS) - 1)


def by_value_argument(number: int) -> tuple[int, int] | None:
    """Size and alignment of the copy that the callee gets; None of an argument passed as it is."""
    if number <= 0:
        return None
    return number >> _ALIGN_BITS, number & ((1 << _ALIGN_BITS) - 1)
