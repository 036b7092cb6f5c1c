"""Sets of small integers as Python integers: bit i says whether i is a member.

`|`, `&` and `& ~` on such sets are single passes in C over machine words. What this module adds is
the way back to member lists without touching every bit in Python: words that hold nothing are
skipped by NumPy, and a set of very few members is peeled from its low end.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np

from heapflow.support.arrays import I64

FEW: Final = 4  # below this, peeling single bits beats the fixed cost of the NumPy calls


def members(bits: int) -> list[int]:
    """The members of a set, ascending."""
    count = bits.bit_count()
    if count <= FEW:
        found: list[int] = []
        while bits:
            low = bits & -bits
            found.append(low.bit_length() - 1)
            bits ^= low
        return found
    listed: list[int] = member_array(bits).tolist()
    return listed


def member_array(bits: int) -> I64:
    """The members of a set as an array, ascending."""
    data = np.frombuffer(bits.to_bytes((bits.bit_length() + 7) // 8, "little"), dtype=np.uint8)
    used = np.flatnonzero(data)
    byte, bit = np.nonzero(np.unpackbits(data[used, None], axis=1, bitorder="little"))
    result: I64 = used[byte] * 8 + bit
    return result


def from_members(indices: Iterable[int]) -> int:
    """The set with the given members."""
    listed = list(indices)
    if len(listed) <= 2 * FEW:
        bits = 0
        for index in listed:
            bits |= 1 << index
        return bits
    flags = np.zeros(max(listed) + 1, dtype=np.uint8)
    flags[listed] = 1
    return int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little")
