"""Numbers of constants as bytes, least significant first: what memory holds on our targets.

In:    the operands of constant records.     Out: bytes.
"""

from __future__ import annotations

import numpy as np

from heapflow.frontend.bitcode.unit import signed

_WORD = 0xFFFF_FFFF_FFFF_FFFF


def data_bytes(bits: int, elements: list[int]) -> bytes:
    """An array of integers, or of floats by their bit patterns, of 8 to 64 bits each."""
    return np.array(elements, dtype=np.uint64).astype(f"<u{bits // 8}").tobytes()


def wide_bytes(bits: int, words: list[int]) -> bytes:
    """An integer of more than 64 bits: its words, lowest first; words that are left out are zero."""
    number = 0
    for position, word in enumerate(words):
        number |= (signed(word) & _WORD) << 64 * position
    return (number & ((1 << bits) - 1)).to_bytes((bits + 7) // 8, "little")


def float_bytes(bits: int, words: list[int]) -> bytes:
    """A float by its bit pattern. The 80-bit one is written as its upper 64 and its lower 16 bits."""
    if bits <= 64:
        number = words[0]
    elif bits == 80:
        number = words[0] << 16 | words[1]
    else:
        number = words[0] | words[1] << 64
    return number.to_bytes(bits // 8, "little")
