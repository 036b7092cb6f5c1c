"""Sizes, alignments and member offsets, from the module's data-layout string.

Only what clang's targets for C use: pointer, integer, float, vector and aggregate alignments.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class DataLayout:
    """ABI alignments in bytes by bit width; sizes of pointers in bytes by address space."""

    ints: dict[int, int] = field(default_factory=lambda: {1: 1, 8: 1, 16: 2, 32: 4, 64: 4})
    floats: dict[int, int] = field(default_factory=lambda: {16: 2, 32: 4, 64: 8, 80: 16, 128: 16})
    vectors: dict[int, int] = field(default_factory=lambda: {64: 8, 128: 16})
    pointers: dict[int, tuple[int, int]] = field(default_factory=lambda: {0: (8, 8)})

    def int_align(self, bits: int) -> int:
        """LLVM's rule: the entry itself, else the next larger one, else the largest."""
        found = self.ints.get(bits)
        if found is None:
            larger = [width for width in self.ints if width > bits]
            found = self.ints[min(larger) if larger else max(self.ints)]
        return found

    def float_align(self, bits: int) -> int:
        return self.floats.get(bits, max(1, bits // 8))

    def vector_align(self, bits: int) -> int:
        if bits in self.vectors:
            return self.vectors[bits]
        return max(1, 1 << ((bits + 7) // 8 - 1).bit_length())

    def pointer(self, space: int) -> tuple[int, int]:
        return self.pointers.get(space, self.pointers[0])


def parse_data_layout(text: str) -> DataLayout:
    """`e-m:e-p270:32:32-i64:64-f80:128-n8:16:32:64-S128` and the like."""
    layout = DataLayout()
    for part in text.split("-"):
        if not part:
            continue
        kind, numbers = part[0], part[1:].split(":")
        if kind not in "pifv" or not all(n.isdigit() for n in numbers if n):
            continue  # mangling, endianness, native widths, stack alignment
        if kind == "p":
            space = int(numbers[0] or 0)
            layout.pointers[space] = (int(numbers[1]) // 8, int(numbers[2]) // 8)
        elif len(numbers) > 1:
            table = {"i": layout.ints, "f": layout.floats, "v": layout.vectors}[kind]
            table[int(numbers[0])] = max(1, int(numbers[1]) // 8)
    return layout


def round_up(value: int, align: int) -> int:
    return (value + align - 1) // align * align
