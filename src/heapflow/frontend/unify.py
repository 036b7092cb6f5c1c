"""Find equal types across units.

LLVM structs are equal if their names (without LLVM's homonym number) and layouts are; C structs if
kind, name and size are. A C struct that one unit only names is the one that another unit describes,
if there is only one such. Among equal rows, the one with most members is kept.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from heapflow.frontend.renumber import I64Array, RowMap
from heapflow.ir.kinds import CTypeKind
from heapflow.ir.program import Program

_Key = tuple[Any, ...]


def unify_types(program: Program) -> RowMap:
    """Classes of equal LLVM types."""
    types = program.types
    kind, bits, size = types.kind.tolist(), types.bits.tolist(), types.size.tolist()
    elem, count = types.elem.tolist(), types.count.tolist()
    names = [_plain(program.strings[i]) for i in types.name.tolist()]
    start, fields = types.field_start.tolist(), types.field_type.tolist()
    ctype = types.ctype.tolist()
    new_id: list[int] = [-1] * len(kind)
    classes: dict[_Key, int] = {}
    representative: list[int] = []

    def visit(root: int) -> int:
        if new_id[root] >= 0:
            return new_id[root]
        new_id[root] = -2  # by-value recursion does not exist in valid input
        inner = tuple(
            visit(f) if new_id[f] != -2 else -2 for f in fields[start[root] : start[root + 1]]
        )
        element = elem[root]
        if element >= 0:
            element = visit(element) if new_id[element] != -2 else -2
        key = (kind[root], bits[root], size[root], element, count[root], names[root], inner)
        found = classes.get(key)
        if found is None:
            found = classes[key] = len(representative)
            representative.append(root)
        elif ctype[representative[found]] < 0 <= ctype[root]:
            representative[found] = root
        new_id[root] = found
        return found

    for row in range(len(kind)):
        visit(row)
    return RowMap(_i64(representative), _i64(new_id))


def _plain(name: str) -> str:
    head, _, tail = name.rpartition(".")
    return head if tail.isdigit() and "." in head else name


def unify_ctypes(program: Program) -> RowMap:
    """Classes of equal C types."""
    return _CTypeUnifier(program).run()


class _CTypeUnifier:
    def __init__(self, program: Program) -> None:
        ctypes = program.ctypes
        self.kind = ctypes.kind.tolist()
        self.name = ctypes.name.tolist()
        self.size = ctypes.size.tolist()
        self.elem = ctypes.elem.tolist()
        self.count = ctypes.count.tolist()
        self.start = ctypes.member_start.tolist()
        self.member_name = ctypes.member_name.tolist()
        self.member_offset = ctypes.member_offset.tolist()
        self.member_type = ctypes.member_type.tolist()
        self.new_id = [-1] * len(self.kind)
        self.classes: dict[_Key, int] = {}
        self.representative: list[int] = []
        self.only_size = self._only_sizes()

    def run(self) -> RowMap:
        for row in range(len(self.kind)):
            self._visit(row)
        return RowMap(_i64(self.representative), _i64(self.new_id))

    def _only_sizes(self) -> dict[tuple[int, int], int]:
        """(kind, name) -> the one size that complete structs of that name have."""
        sizes: dict[tuple[int, int], set[int]] = {}
        for kind, name, size in zip(self.kind, self.name, self.size, strict=True):
            if kind in (CTypeKind.STRUCT, CTypeKind.UNION) and size >= 0:
                sizes.setdefault((kind, name), set()).add(size)
        return {key: min(found) for key, found in sizes.items() if len(found) == 1}

    def _visit(self, first: int) -> None:
        """Number a type, after those that it is told from others by."""
        stack = [first]
        begun: set[int] = set()  # should damaged types consist of themselves
        while stack:
            row = stack[-1]
            if self.new_id[row] < 0:
                inner = [] if row in begun else self._inner(row)
                begun.add(row)
                if inner:
                    stack += reversed(inner)
                    continue
                self._number(row)
            stack.pop()

    def _inner(self, row: int) -> list[int]:
        """Types without a number yet that are part of a type's key."""
        if self.kind[row] in (CTypeKind.STRUCT, CTypeKind.UNION):
            return []
        found = [self.elem[row]]
        if self.kind[row] == CTypeKind.FUNC:
            found = self.member_type[self.start[row] : self.start[row + 1]] + found
        return [one for one in found if one >= 0 and self.new_id[one] < 0]

    def _number(self, row: int) -> None:
        key = self._key(row)
        found = self.classes.get(key)
        if found is None:
            found = self.classes[key] = len(self.representative)
            self.representative.append(row)
        else:
            best = self.representative[found]
            if self._richness(row) > self._richness(best):
                self.representative[found] = row
        self.new_id[row] = found

    def _richness(self, row: int) -> tuple[int, int]:
        return self.start[row + 1] - self.start[row], self.size[row]

    def _brief(self, row: int, depth: int = 6) -> _Key:
        """What a member of an unnamed struct is: the list links of two element types differ.

        Pointers are followed to the first named struct, which stops the recursion.
        """
        if row < 0 or not depth:
            return (min(row, 0),)
        kind, name = self.kind[row], self.name[row]
        if kind in (CTypeKind.STRUCT, CTypeKind.UNION):
            if name:
                return kind, name
            return kind, self.size[row], *self.member_name[self.start[row] : self.start[row + 1]]
        inner = self._brief(self.elem[row], depth - 1)
        return kind, name, self.size[row], self.count[row], inner

    def _key(self, row: int) -> _Key:
        kind, name = self.kind[row], self.name[row]
        if kind in (CTypeKind.STRUCT, CTypeKind.UNION):
            size = self.size[row]
            if name:  # a struct's name and size stop the recursion through its pointers
                return kind, name, size if size >= 0 else self.only_size.get((kind, name), -1)
            begin, end = self.start[row], self.start[row + 1]
            members = tuple(
                (name, offset, self._brief(member))
                for name, offset, member in zip(
                    self.member_name[begin:end],
                    self.member_offset[begin:end],
                    self.member_type[begin:end],
                    strict=True,
                )
            )
            # An unnamed struct without listed members cannot be told from another: keep apart.
            return (kind, size, members) if members else (kind, size, "row", row)
        inner: tuple[int, ...] = ()
        if kind == CTypeKind.FUNC:
            inner = tuple(
                self.new_id[m] if m >= 0 else -1
                for m in self.member_type[self.start[row] : self.start[row + 1]]
            )
        elem = self.elem[row]
        element = self.new_id[elem] if elem >= 0 else -1
        return kind, name, self.size[row], self.count[row], element, inner


def _i64(values: list[int]) -> I64Array:
    return np.array(values, dtype=np.int64)
