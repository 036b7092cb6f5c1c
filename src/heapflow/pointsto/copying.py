"""Copies of memory (memcpy) in the solver.

In:    the solver's cells and sets.     Out: inclusion edges between cells.
A memcpy copies every filled cell behind each place of its source to behind each place of its target.
Up to RELAY_PAIRS pairs of places the pairs are gone through one by one. Beyond that sources and targets
meet in relays, objects of the solver's own: n + m edges instead of n * m. Between places in structs
there is a relay for each place in a struct that is copied from; it holds what is copied by its distance
from the beginning. What is copied into or out of memory of unknown type meets in one cell, whatever the
distance: places so many that they need a relay are not told apart by offset either.
Cells that hold nothing are not copied until they do: most cells of large objects never do. Once all is
solved, what is still empty gets its counterparts: later phases follow values that have no set (the
address of a string) through the same copies.
Guarantees (`tests/pointsto/test_solve.py`): without relays the least solution; with them no less.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from heapflow.support.bitset import members

if TYPE_CHECKING:
    from heapflow.pointsto.solve import Solver

RELAY_PAIRS = 4096
WORD = 8
Place = tuple[int, int]  # shape of an object, offset in it
UNTYPED: Place = (-1, 0)  # all places of unknown type


@dataclass(eq=False, slots=True)
class _Relay:
    """What passes from some places to some others."""

    obj: int
    size: int
    flat: bool  # the distance from the beginning does not count
    targets: list[int] = field(default_factory=list)
    mirrored: set[int] = field(default_factory=set)  # distances at which all targets have a place


@dataclass(eq=False, slots=True)
class _Relays:
    """The relays of one memcpy."""

    into_untyped: _Relay
    into_typed: dict[Place, _Relay] = field(default_factory=dict)  # by place of the source
    typed_targets: dict[Place, list[int]] = field(default_factory=dict)


class MemoryCopies:
    """All copies that memcpy constraints lead to."""

    def __init__(self, solver: Solver) -> None:
        self.solver, self.cells, self.layouts = solver, solver.cells, solver.layouts
        self.copied: set[tuple[int, int, int]] = set()
        self.watched: dict[int, list[tuple[int, int, int]]] = {}  # object -> copies from it
        self.relays: dict[int, _Relays] = {}  # by memcpy
        self.relayed: dict[int, list[tuple[_Relay, int]]] = {}  # object -> relays that copy from it
        self.of_whole: dict[tuple[int, int], _Relay] = {}  # by object that is one place, and size
        self.not_repeated: set[int] = set()  # places of arrays that are copied in part
        self.not_copied: set[tuple[int, int, int, int]] = set()
        self.fed: dict[
            int, list[tuple[_Relay, int]]
        ] = {}  # object -> flat relays that copy into it
        self.idle: dict[
            int, set[int]
        ] = {}  # empty node -> its cells in objects that are copied from

    def apply(self, row: int, fresh: int, others: int, size: int, *, is_dst: bool) -> None:
        """New places on one side of a memcpy, and all that are known on the other."""
        if row in self.relays:
            self._relay(self.relays[row], fresh, is_dst=is_dst)
            return
        targets, sources = (fresh, others) if is_dst else (others, fresh)
        if fresh.bit_count() * others.bit_count() > RELAY_PAIRS:
            self.relays[row] = _Relays(_Relay(self.cells.relay(), size, flat=True))
            self._relay(self.relays[row], targets, is_dst=True)
            self._relay(self.relays[row], sources, is_dst=False)
            return
        by_source = self._by_place(sources)
        for place, to in self._by_place(targets).items():
            for other, of in by_source.items():
                if self._copies(place, other):
                    for dst in to:
                        for src in of:
                            self._copy_object(dst, src, size)

    def _copies(self, target: Place, source: Place) -> bool:
        found = self.layouts.copies(*target, *source)
        if not found:
            self.not_copied.add((*target, *source))
        return found

    def _place(self, cell: int) -> Place:
        return self.cells.shape_of(self.cells.obj[cell]), self.cells.offset[cell]

    def _by_place(self, bits: int) -> dict[Place, list[int]]:
        found: dict[Place, list[int]] = {}
        for cell in members(bits):
            found.setdefault(self._place(cell), []).append(cell)
        return found

    # -- cells that are filled later ----------------------------------------------------------

    def new_cell(self, node: int, cell: int) -> None:
        if self.cells.obj[cell] in self.watched or self.cells.obj[cell] in self.relayed:
            self.idle[node] = {cell}
        for relay, dst in self.fed.get(self.cells.obj[cell], ()):
            self._out_of_flat(relay, dst, cell)

    def filled(self, node: int) -> None:
        """Cells that had nothing to copy so far hold something now."""
        for cell in sorted(self.idle.pop(node, ())):
            obj = self.cells.obj[cell]
            for dst, src, size in list(self.watched.get(obj, ())):
                self._copy_cell(cell, dst, src, size)
            for relay, src in list(self.relayed.get(obj, ())):
                self._into_relay(relay, src, cell)

    def _filled_cells(self, obj: int) -> list[int]:
        solver = self.solver
        find, pts, first = solver.groups.find, solver.pts, solver.first_cell
        found = []
        for cell in self.cells.by_obj[obj]:
            node = find(first + cell)
            if pts[node]:
                found.append(cell)
            else:
                self.idle.setdefault(node, set()).add(cell)
        return found

    def mirror(self) -> None:
        """Places for copies of the cells that hold nothing; some of them may be copied in turn."""
        known = -1
        while known != len(self.cells):
            known = len(self.cells)
            for obj, copies in list(self.watched.items()):
                for place in list(self.cells.by_obj[obj]):
                    for dst, src, size in copies:
                        for distance in self._distances(place, src, size):
                            self._place_behind(dst, distance)
            for obj, relayed in list(self.relayed.items()):
                for relay, src in relayed:
                    if not relay.flat:
                        self._mirror_relay(relay, src, list(self.cells.by_obj[obj]))

    def _mirror_relay(self, relay: _Relay, src: int, places: list[int]) -> None:
        for place in places:
            for distance in self._distances(place, src, relay.size):
                if distance not in relay.mirrored:
                    relay.mirrored.add(distance)
                    for dst in relay.targets:
                        self._place_behind(dst, distance)

    # -- pair by pair -------------------------------------------------------------------------

    def _copy_object(self, dst: int, src: int, size: int) -> None:
        key = (dst, src, size)
        obj = self.cells.obj[src]
        # Within one object (memmove): elements of an array, which are one place anyway.
        if obj == self.cells.obj[dst] or key in self.copied:
            return
        self.copied.add(key)
        if obj in self.cells.whole:
            self._copy_whole(dst, obj, size)
            return
        self.watched.setdefault(obj, []).append(key)
        for place in self._filled_cells(obj):
            self._copy_cell(place, dst, src, size)

    def joined(self, obj: int) -> None:
        """An object has become one place: what is copied from it may end anywhere."""
        for dst, _, size in self.watched.pop(obj, ()):
            self._copy_whole(dst, obj, size)

    def _copy_whole(self, dst: int, obj: int, size: int) -> None:
        relay = self.of_whole.get((obj, size))
        if relay is None:
            relay = self.of_whole[obj, size] = _Relay(self.cells.relay(), size, flat=True)
            self._add_sources(relay, [self.cells.whole[obj]])
        self._make_places(dst, size)
        self._add_targets(relay, [dst])

    def _make_places(self, dst: int, size: int) -> None:
        """Places for what is copied at no known distance: it may be copied on from there."""
        cells = self.cells
        obj = cells.obj[dst]
        shape = cells.shape_of(obj)
        if not self.layouts.is_shapeless(shape):
            offsets = list(self.layouts.pointer_offsets(shape))
        elif 0 <= size <= cells.most_places * WORD:
            offsets = [cells.offset[dst] + distance for distance in range(0, size, WORD)]
        else:
            cells.join(obj)
            offsets = []
        for offset in offsets:
            cells.at(obj, offset)
        self.solver.admit_new_cells()

    def _copy_cell(self, place: int, dst: int, src: int, size: int) -> None:
        """Copy one cell of the source object to where memcpy puts it."""
        for distance in self._distances(place, src, size):
            self._edge(place, dst, distance)

    def _edge(self, source: int, dst: int, distance: int) -> None:
        """From a cell to the place at a distance behind another."""
        target = self._place_behind(dst, distance)
        if target >= 0:
            first = self.solver.first_cell
            self.solver.add_edge(first + source, first + target)

    def _place_behind(self, dst: int, distance: int) -> int:
        target = self.cells.at(self.cells.obj[dst], self.cells.offset[dst] + distance)
        self.solver.admit_new_cells()
        return target

    def _distances(self, place: int, src: int, size: int) -> range:
        """How far behind the beginning a cell of the source lies; several times in an array."""
        distance = self.cells.offset[place] - self.cells.offset[src]
        step = self.cells.element_size(self.cells.obj[src])
        if step:
            distance %= step
        if distance < 0 or 0 <= size <= distance:
            return range(0)
        if step and size > step:  # an array into something whose parts are told apart
            end = self.solver.max_repeats * step
            if size > end:
                self.not_repeated.add(place)
            return range(distance, min(size, end), step)
        return range(distance, distance + 1)

    # -- through relays -----------------------------------------------------------------------

    def _relay(self, relays: _Relays, bits: int, *, is_dst: bool) -> None:
        for place, found in self._by_place(bits).items():
            if not self.layouts.copies(*place, *place):
                continue  # a function, or the middle of a word
            untyped = self.layouts.is_untyped(place[0])
            if is_dst and untyped:
                self._add_targets(relays.into_untyped, found)
            elif is_dst:
                relays.typed_targets.setdefault(place, []).extend(found)
                for source, relay in relays.into_typed.items():
                    if source == UNTYPED or self._copies(place, source):
                        self._add_targets(relay, found)
            else:
                self._add_sources(relays.into_untyped, found)
                self._add_sources(self._into_typed(relays, UNTYPED if untyped else place), found)

    def _into_typed(self, relays: _Relays, source: Place) -> _Relay:
        relay = relays.into_typed.get(source)
        if relay is None:
            relay = _Relay(self.cells.relay(), relays.into_untyped.size, flat=source == UNTYPED)
            relays.into_typed[source] = relay
            for place, found in relays.typed_targets.items():
                if source == UNTYPED or self._copies(place, source):
                    self._add_targets(relay, found)
        return relay

    def _add_targets(self, relay: _Relay, found: list[int]) -> None:
        cells = self.cells
        if relay.flat:
            for dst in found:
                self.fed.setdefault(cells.obj[dst], []).append((relay, dst))
                for cell in list(cells.by_obj[cells.obj[dst]]):
                    self._out_of_flat(relay, dst, cell)
            return
        relay.targets.extend(found)
        for passing in list(cells.by_obj[relay.obj]):
            for dst in found:
                self._edge(passing, dst, cells.offset[passing])

    def _out_of_flat(self, relay: _Relay, dst: int, cell: int) -> None:
        if not self._in_reach(cell, dst, relay.size):
            return
        passing = self.cells.in_relay(relay.obj, 0)
        self.solver.admit_new_cells()
        self.solver.add_edge(self.solver.first_cell + passing, self.solver.first_cell + cell)

    def _in_reach(self, cell: int, start: int, size: int) -> bool:
        """Does a cell lie in the first `size` bytes from another one of its object on?"""
        distance = self.cells.offset[cell] - self.cells.offset[start]
        obj = self.cells.obj[cell]
        if obj in self.cells.whole or self.cells.element_size(obj):
            return True
        return distance >= 0 and not 0 <= size <= distance

    def _add_sources(self, relay: _Relay, found: list[int]) -> None:
        for cell in found:
            obj = self.cells.obj[cell]
            self.relayed.setdefault(obj, []).append((relay, cell))
            for place in self._filled_cells(obj):
                self._into_relay(relay, cell, place)

    def _into_relay(self, relay: _Relay, src: int, place: int) -> None:
        if relay.flat:
            if self._in_reach(place, src, relay.size):
                self._pass(relay, place, 0)
            return
        for distance in self._distances(place, src, relay.size):
            for target in self._pass(relay, place, distance):
                self._edge(self.cells.in_relay(relay.obj, distance), target, distance)

    def _pass(self, relay: _Relay, place: int, distance: int) -> list[int]:
        """Let a cell into a relay; the targets that the relay did not lead to at this distance."""
        solver, known = self.solver, len(self.cells)
        passing = self.cells.in_relay(relay.obj, distance)
        solver.admit_new_cells()
        solver.add_edge(solver.first_cell + place, solver.first_cell + passing)
        return relay.targets if len(self.cells) > known else []
