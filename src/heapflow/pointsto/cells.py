"""Cells: the places that pointers point to, numbered as they are first reached.

Cells are made on demand, so that bitmaps are no longer than the number of places that some pointer
really reaches. Moving a whole set by an offset goes through one map per distance, filled on demand.
In memory of unknown type a limited number of places is told apart. Beyond it the object is one place
from then on (decision 21): a pointer that walks through an arena would otherwise reach every offset
there is, and what is copied from and into it grows with the square of that.
"""

from __future__ import annotations

import numpy as np

from heapflow.ir.table import I64
from heapflow.pointsto.system import ANYWHERE, NO_FILTER, Layouts
from heapflow.support.bitset import from_members, member_array, members

MANY = 48  # from this size on a set is moved by NumPy instead of a Python loop
UNKNOWN, OUTSIDE = -2, -1


class Cells:
    """The cell table and the maps on it."""

    __slots__ = (
        "_layouts",
        "_maps",
        "_moved",
        "_number",
        "_shape",
        "_tested",
        "by_obj",
        "dropped_by_filter",
        "dropped_outside",
        "joined",
        "most_places",
        "obj",
        "offset",
        "whole",
    )

    def __init__(self, shapes: list[int], layouts: Layouts, most_places: int = 1 << 62) -> None:
        self.obj: list[int] = []
        self.offset: list[int] = []
        self.by_obj: list[list[int]] = [[] for _ in shapes]
        self._number: dict[tuple[int, int], int] = {}
        self._shape = shapes
        self._layouts = layouts
        self._maps: dict[int, dict[int, int]] = {}
        self._moved: dict[tuple[int, int], int] = {}
        self._tested: dict[int, list[int]] = {}  # filter -> [cells tested, cells admitted]
        self.most_places = most_places
        self.whole: dict[int, int] = {}  # object that is one place -> its cell
        self.joined: list[tuple[int, list[int]]] = []  # such objects, their cells: to be merged
        self.dropped_outside: set[tuple[int, int]] = set()
        self.dropped_by_filter: set[tuple[int, int]] = set()

    def __len__(self) -> int:
        return len(self.obj)

    def at(self, obj: int, offset: int) -> int:
        """The cell at a place, made if need be; OUTSIDE if the object has no such place."""
        whole = self.whole.get(obj)
        if whole is not None:
            return whole
        offset = self._layouts.cell_offset(self._shape[obj], offset)
        if offset < 0:
            return OUTSIDE
        key = (obj, offset)
        cell = self._number.get(key)
        if cell is None:
            if self._is_crowded(obj):
                return self.join(obj)
            cell = self._make(obj, offset)
        return cell

    def _make(self, obj: int, offset: int) -> int:
        cell = self._number[obj, offset] = len(self.obj)
        self.obj.append(obj)
        self.offset.append(offset)
        self.by_obj[obj].append(cell)
        return cell

    def _is_crowded(self, obj: int) -> bool:
        if len(self.by_obj[obj]) < self.most_places:
            return False
        return self._layouts.is_shapeless(self._shape[obj])

    def join(self, obj: int) -> int:
        """Take an object for one place from now on; the solver merges what its cells hold."""
        if obj in self.whole:
            return self.whole[obj]
        cell = self.whole[obj] = len(self.obj)  # a new one: what was known of others is not of it
        self.obj.append(obj)
        self.offset.append(0)
        self.joined.append((obj, self.by_obj[obj]))
        self.by_obj[obj] = [cell]
        return cell

    def relay(self) -> int:
        """An object of the solver's own, which no pointer points to."""
        self.by_obj.append([])
        return len(self.by_obj) - 1

    def in_relay(self, obj: int, distance: int) -> int:
        key = (obj, distance)
        cell = self._number.get(key)
        return self._make(obj, distance) if cell is None else cell

    def shape_of(self, obj: int) -> int:
        return self._shape[obj]

    def content_filter(self, cell: int) -> int:
        if self.obj[cell] >= len(self._shape):
            return NO_FILTER
        if self.is_whole(cell):
            return NO_FILTER
        return self._layouts.content_filter(self._shape[self.obj[cell]], self.offset[cell])

    def is_whole(self, cell: int) -> bool:
        return self.whole.get(self.obj[cell]) == cell

    def element_size(self, obj: int) -> int:
        return self._layouts.element_size(self._shape[obj])

    def admitted(self, type_filter: int, bits: int) -> int:
        """The members of a set that pass a filter."""
        tested = self._tested.get(type_filter)
        if tested is None:
            tested = self._tested[type_filter] = [0, 0]
        fresh = bits & ~tested[0]
        if fresh:
            passed = []
            for cell in members(fresh):
                if self._admits(type_filter, cell):
                    passed.append(cell)
                else:
                    self.dropped_by_filter.add((type_filter, cell))
            tested[0] |= fresh
            tested[1] |= from_members(passed)
        return bits & tested[1]

    def _admits(self, type_filter: int, cell: int) -> bool:
        shape = self._shape[self.obj[cell]]
        if self.is_whole(cell):
            return self._layouts.admits_somewhere(type_filter, shape)
        return self._layouts.admits(type_filter, shape, self.offset[cell])

    def moved(self, bits: int, delta: int) -> int:
        """The set with every member moved by an offset; members that leave their object are gone."""
        if delta == 0:
            return bits
        if delta == ANYWHERE:
            return self._anywhere(bits)
        if bits.bit_count() >= MANY:
            key = (bits, delta)
            known = self._moved.get(key)
            if known is None:
                known = self._moved[key] = self._moved_by_array(member_array(bits), delta)
            return known
        step = self._maps.setdefault(delta, {})
        result = 0
        for cell in members(bits):
            target = step.get(cell, UNKNOWN)
            if target == UNKNOWN:
                target = step[cell] = self._step(cell, delta)
            if target >= 0:
                result |= 1 << target
        return result

    def _moved_by_array(self, indices: I64, delta: int) -> int:
        step = self._maps.setdefault(delta, {})
        for cell in indices.tolist():
            if cell not in step:
                step[cell] = self._step(cell, delta)
        targets = np.fromiter(map(step.__getitem__, indices.tolist()), dtype=np.int64)
        return from_members(targets[targets >= 0].tolist())

    def _step(self, cell: int, delta: int) -> int:
        target = self.at(self.obj[cell], self.offset[cell] + delta)
        if target == OUTSIDE:
            self.dropped_outside.add((cell, delta))
        return target

    def _anywhere(self, bits: int) -> int:
        result = bits
        for obj in {self.obj[cell] for cell in members(bits)}:
            places = self._layouts.pointer_offsets(self._shape[obj])
            cells = (self.at(obj, place) for place in places)
            result |= from_members(cell for cell in cells if cell >= 0)
        return result
