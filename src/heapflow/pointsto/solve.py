"""Solve an inclusion-constraint system: Andersen's analysis with the call graph on the fly.

In:    System (after `offline.reduce_system`), Layouts.     Out: Solution.
Paper: TSE'14 §3 (pre-analysis); the waves and the cycle collapse follow Pereira and Berlin (CGO'09),
       the field model Pearce, Kelly and Hankin (TOPLAS'07); docs/paper-map.md "points-to".
Method: nodes are variables and cells. Each visit passes on only what is new at the node. Nodes are
       visited in topological order of the inclusion edges; before a round, cycles are collapsed if
       enough edges have been added. A node may carry a filter; sets are cut to it on arrival.
Guarantees (`tests/pointsto/test_solve.py`): the least solution, equal to the naive fixpoint's.
Not modelled: cells that overlap without starting at the same byte (docs/unsoundness.md).
"""

from __future__ import annotations

from dataclasses import dataclass

from heapflow.pointsto.cells import Cells
from heapflow.pointsto.system import NO_FILTER, CallKind, Layouts, System
from heapflow.support.bitset import members
from heapflow.support.scc import strong_components
from heapflow.support.unionfind import UnionFind
from heapflow.support.worklist import RankedWorklist

# A search for cycles costs about as much as a round over everything; these make it pay.
NEW_EDGES_FOR_SEARCH = 1000
NEW_EDGE_SHARE = 6
# From so many pairs of places on, a memcpy of unknown size goes through a relay: n + m steps instead
# of n * m. What is copied within one object is then not told from what is copied between two.
RELAY_PAIRS = 4096


@dataclass(frozen=True)
class Solution:
    """Sets as bitmaps over cells; equal sets are the same object."""

    cells: Cells
    var_set: list[int]
    cell_set: list[int]
    targets: list[list[int]]  # per call by value: functions, ascending
    mismatches: int  # (call, function) pairs discarded by signature
    not_copied: int  # (place, place) pairs of types that a memcpy does not copy between
    edges: int
    rounds: int
    feeders: dict[int, list[int]]  # node -> nodes with an inclusion edge into it (vars, then cells)


class _Relay:
    """What a memcpy copies between places of unknown type, by distance from their beginning."""

    __slots__ = ("obj", "targets")

    def __init__(self, obj: int) -> None:
        self.obj = obj
        self.targets: list[int] = []


class Solver:
    """The state of one run; `solve` is the entry point."""

    def __init__(self, system: System, layouts: Layouts) -> None:
        self.system = system
        self.first_cell = count = system.var_count
        self.cells = Cells(system.obj_shape.tolist(), layouts)
        self.obj_func: list[int] = system.obj_func.tolist()
        self.filter: list[int] = system.var_filter.tolist()
        self.pts = [0] * count
        self.new = [0] * count  # members that successors and constraints have not seen
        self.out: list[set[int]] = [set() for _ in range(count)]
        self.geps: dict[int, set[tuple[int, int, int]]] = {}
        self.loads: dict[int, set[int]] = {}
        self.stores: dict[int, set[int]] = {}
        self.memcpys: dict[int, set[tuple[int, bool]]] = {}  # constraint, is it the target
        self.calls: dict[int, set[int]] = {}
        self.groups = UnionFind(count)
        self.work = RankedWorklist()
        self.work.grow(count)
        self.targets: list[set[int]] = [set() for _ in range(len(system.call_fn))]
        self.mismatches = 0
        self.edges = 0
        self.searched_edges = 0
        self.rounds = 0
        self.copied: set[tuple[int, int, int]] = set()
        self.watched: dict[int, list[tuple[int, int, int]]] = {}  # object -> copies from it
        self.relays: dict[int, tuple[_Relay, _Relay]] = {}  # by memcpy: into untyped, into typed
        self.relayed: dict[int, list[tuple[_Relay, int]]] = {}  # object -> relays that copy from it
        self.not_copied: set[tuple[int, int, int, int]] = set()
        self.layouts = layouts
        self.merged = False  # since the last search for cycles
        self.to_copy: list[int] = []  # cells made in watched objects
        self._fill()

    def _fill(self) -> None:
        s = self.system
        rows = zip(
            s.gep_dst.tolist(),
            s.gep_src.tolist(),
            s.gep_delta.tolist(),
            s.gep_filter.tolist(),
            strict=True,
        )
        for dst, src, delta, type_filter in rows:
            self.geps.setdefault(src, set()).add((delta, type_filter, dst))
        for dst, ptr in zip(s.load_dst.tolist(), s.load_ptr.tolist(), strict=True):
            self.loads.setdefault(ptr, set()).add(dst)
        for ptr, src in zip(s.store_ptr.tolist(), s.store_src.tolist(), strict=True):
            self.stores.setdefault(ptr, set()).add(src)
        for row, (dst, src) in enumerate(
            zip(s.memcpy_dst.tolist(), s.memcpy_src.tolist(), strict=True)
        ):
            self.memcpys.setdefault(dst, set()).add((row, True))
            self.memcpys.setdefault(src, set()).add((row, False))
        for call, fn in enumerate(s.call_fn.tolist()):
            if fn >= 0:
                self.calls.setdefault(fn, set()).add(call)
        for dst, src in zip(s.copy_dst.tolist(), s.copy_src.tolist(), strict=True):
            self._add_edge(src, dst)
        offsets = s.address_offset.tolist()
        for row, (var, obj) in enumerate(
            zip(s.address_var.tolist(), s.address_obj.tolist(), strict=True)
        ):
            cell = self.cells.at(obj, offsets[row])
            self._admit_new_cells()
            if cell >= 0:
                self._add(var, 1 << cell)

    def run(self) -> None:
        self._collapse_cycles()
        work = self.work
        while work.next_round():
            self.rounds += 1
            while (node := work.pop()) >= 0:
                if self.groups.parent[node] == node and self.new[node]:
                    self._visit(node)
            grown = self.edges - self.searched_edges
            if grown > NEW_EDGES_FOR_SEARCH + self.edges // NEW_EDGE_SHARE:
                self._collapse_cycles()

    # -- propagation --------------------------------------------------------------------------

    def _add(self, node: int, bits: int) -> None:
        type_filter = self.filter[node]
        if type_filter != NO_FILTER:
            bits = self.cells.admitted(type_filter, bits)
        fresh = bits & ~self.pts[node]
        if fresh:
            self.pts[node] |= fresh
            self.new[node] |= fresh
            self.work.push(node)

    def _add_edge(self, src: int, dst: int) -> None:
        find = self.groups.find
        src, dst = find(src), find(dst)
        if src == dst or dst in self.out[src]:
            return
        self.out[src].add(dst)
        self.edges += 1
        if self.pts[src]:
            self._add(dst, self.pts[src])

    def _visit(self, node: int) -> None:
        fresh, self.new[node] = self.new[node], 0
        find = self.groups.find
        for target in self.out[node]:
            target = find(target)
            if target != node:
                self._add(target, fresh)
        for delta, type_filter, dst in self.geps.get(node, ()):
            bits = fresh
            if type_filter != NO_FILTER:
                bits = self.cells.admitted(type_filter, bits)
            if bits:
                bits = self.cells.moved(bits, delta)
                self._admit_new_cells()
                self._add(find(dst), bits)
        if node in self.loads or node in self.stores:
            self._dereference(node, fresh)
        for row, is_dst in list(self.memcpys.get(node, ())):
            self._memcpy(row, fresh, is_dst)
        for call in self.calls.get(node, ()):
            self._call(call, fresh)
        while self.to_copy:
            cell = self.to_copy.pop()
            obj = self.cells.obj[cell]
            for dst, src, size in list(self.watched.get(obj, ())):
                self._copy_cell(cell, dst, src, size)
            for relay, src in list(self.relayed.get(obj, ())):
                self._into_relay(relay, src, cell)

    def _dereference(self, node: int, fresh: int) -> None:
        loads, stores = self.loads.get(node, ()), self.stores.get(node, ())
        for cell in members(fresh):
            place = self.first_cell + cell
            for dst in loads:
                self._add_edge(place, dst)
            for src in stores:
                self._add_edge(src, place)

    def _admit_new_cells(self) -> None:
        known = len(self.pts)
        total = self.first_cell + len(self.cells)
        if known == total:
            return
        self.groups.grow(total)
        self.work.grow(total)
        for node in range(known, total):
            self.filter.append(self.cells.content_filter(node - self.first_cell))
            self.pts.append(0)
            self.new.append(0)
            self.out.append(set())
        for node in range(known, total):
            cell = node - self.first_cell
            if self.cells.obj[cell] in self.watched or self.cells.obj[cell] in self.relayed:
                self.to_copy.append(cell)

    # -- memcpy -------------------------------------------------------------------------------

    def _memcpy(self, row: int, fresh: int, is_dst: bool) -> None:
        s, find = self.system, self.groups.find
        others = self.pts[find(int(s.memcpy_src[row] if is_dst else s.memcpy_dst[row]))]
        if not others:
            return
        size = int(s.memcpy_size[row])
        relays = self.relays.get(row)
        targets, sources = (fresh, others) if is_dst else (others, fresh)
        if relays is None and size < 0 and fresh.bit_count() * others.bit_count() > RELAY_PAIRS:
            relays = self.relays[row] = (_Relay(self.cells.relay()), _Relay(self.cells.relay()))
            self._relay(relays, targets, is_dst=True)
            self._relay(relays, sources, is_dst=False)
        elif relays is not None:
            self._relay(relays, fresh, is_dst=is_dst)
        by_target, by_source = self._by_place(targets), self._by_place(sources)
        for (shape, offset), to in by_target.items():
            for (other, other_offset), of in by_source.items():
                if relays is not None and (
                    self.layouts.is_untyped(shape) or self.layouts.is_untyped(other)
                ):
                    continue
                if not self.layouts.copies(shape, offset, other, other_offset):
                    self.not_copied.add((shape, offset, other, other_offset))
                else:
                    for dst in to:
                        for src in of:
                            self._copy_object(dst, src, size)

    def _by_place(self, bits: int) -> dict[tuple[int, int], list[int]]:
        """Cells by shape of the object and offset in it."""
        found: dict[tuple[int, int], list[int]] = {}
        cells = self.cells
        for cell in members(bits):
            place = (cells.shape_of(cells.obj[cell]), cells.offset[cell])
            found.setdefault(place, []).append(cell)
        return found

    def _copy_object(self, dst: int, src: int, size: int) -> None:
        key = (dst, src, size)
        obj = self.cells.obj[src]
        # Within one object (memmove): elements of an array, which are one place anyway.
        if obj == self.cells.obj[dst] or key in self.copied:
            return
        self.copied.add(key)
        self.watched.setdefault(obj, []).append(key)
        for place in list(self.cells.by_obj[obj]):
            self._copy_cell(place, dst, src, size)

    def _relay(self, relays: tuple[_Relay, _Relay], bits: int, *, is_dst: bool) -> None:
        """Many places to many, of unknown types: sources into a relay, targets out of it."""
        cells = self.cells
        into_untyped, into_typed = relays
        for cell in members(bits):
            obj = cells.obj[cell]
            shape, offset = cells.shape_of(obj), cells.offset[cell]
            if not self.layouts.copies(shape, offset, shape, offset):
                continue
            untyped = self.layouts.is_untyped(shape)
            if is_dst:
                relay = into_untyped if untyped else into_typed
                relay.targets.append(cell)
                for passing in list(cells.by_obj[relay.obj]):
                    self._out_of_relay(passing, cell)
                continue
            for relay in relays if untyped else (into_untyped,):
                self.relayed.setdefault(obj, []).append((relay, cell))
                for place in list(cells.by_obj[obj]):
                    self._into_relay(relay, cell, place)

    def _into_relay(self, relay: _Relay, src: int, place: int) -> None:
        cells = self.cells
        distance = cells.offset[place] - cells.offset[src]
        step = cells.element_size(cells.obj[src])
        if step:
            distance %= step
        if distance < 0:
            return
        known = len(cells)
        passing = cells.in_relay(relay.obj, distance)
        self._admit_new_cells()
        self._add_edge(self.first_cell + place, self.first_cell + passing)
        if len(cells) > known:
            for target in relay.targets:
                self._out_of_relay(passing, target)

    def _out_of_relay(self, passing: int, dst: int) -> None:
        cells = self.cells
        target = cells.at(cells.obj[dst], cells.offset[dst] + cells.offset[passing])
        self._admit_new_cells()
        if target >= 0:
            self._add_edge(self.first_cell + passing, self.first_cell + target)

    def _copy_cell(self, place: int, dst: int, src: int, size: int) -> None:
        """Copy one cell of the source object to where memcpy puts it."""
        cells = self.cells
        distance = cells.offset[place] - cells.offset[src]
        step = cells.element_size(cells.obj[src])
        if step:
            distance %= step
        if distance < 0 or 0 <= size <= distance:
            return
        base = cells.offset[dst]
        reached = {cells.at(cells.obj[dst], base + distance)}
        if step and size > step:  # an array into something whose parts are told apart
            reached.update(
                cells.at(cells.obj[dst], base + k)
                for k in range(distance, min(size, 64 * step), step)
            )
        self._admit_new_cells()
        for target in reached:
            if target >= 0:
                self._add_edge(self.first_cell + place, self.first_cell + target)

    # -- calls --------------------------------------------------------------------------------

    def _call(self, call: int, fresh: int) -> None:
        for cell in members(fresh):
            func = self.obj_func[self.cells.obj[cell]]
            if func < 0 or func in self.targets[call]:
                continue
            sig = self.system.call_sig[call]
            if sig >= 0 and not self.system.sig_match[sig, self.system.func_sig[func]]:
                self.mismatches += 1
                continue
            self.targets[call].add(func)
            self._bind(call, func)

    def _bind(self, call: int, func: int) -> None:
        """[I-CALL] arguments to parameters, the returned value to the result."""
        s = self.system
        args = s.call_arg[s.call_arg_start[call] : s.call_arg_start[call + 1]].tolist()
        params = s.func_param[s.func_param_start[func] : s.func_param_start[func + 1]].tolist()
        if s.call_kind[call] == CallKind.CALLBACK:
            args = [args[0]] * len(params)
        for position, arg in enumerate(args):
            param = params[position] if position < len(params) else int(s.func_variadic[func])
            if arg >= 0 and param >= 0:
                self._add_edge(arg, param)
        # A function that calls itself through a pointer gets no block that its callers do not get.
        own = s.call_func[call] == func
        result = int(s.func_rest[func] if own else s.func_ret[func])
        if s.call_ret[call] >= 0 and result >= 0:
            self._add_edge(result, int(s.call_ret[call]))

    # -- cycles -------------------------------------------------------------------------------

    def _collapse_cycles(self) -> None:
        """Order the nodes; merge those on a cycle of edges that cut nothing off.

        Nodes that hold nothing yet and nodes that lead nowhere cannot be on a cycle that matters now;
        most nodes are one or the other.
        """
        self.searched_edges = self.edges
        find, out, pts = self.groups.find, self.out, self.pts
        steps = {node: [find(dst) for _, _, dst in entries] for node, entries in self.geps.items()}
        inner = [node for node in range(len(pts)) if pts[node] and (out[node] or node in steps)]
        is_inner = bytearray(len(pts))
        for node in inner:
            is_inner[node] = 1
        successors: dict[int, list[int]] = {}
        for node in inner:
            if self.merged:
                out[node] = {find(target) for target in out[node]} - {node}
            reached = [target for target in out[node] if is_inner[target]]
            if node in steps:
                reached += [target for target in steps[node] if is_inner[target]]
            successors[node] = reached
        self.merged = False
        components = strong_components(inner, successors.__getitem__, len(pts))
        rank = self.work.rank
        rank[:] = [len(components)] * len(rank)
        for position, component in enumerate(reversed(components)):
            for node in component:
                rank[node] = position
            if len(component) > 1:
                self._merge_within(component)

    def _merge_within(self, component: list[int]) -> None:
        inside = {node: number for number, node in enumerate(component)}
        free = [
            [
                inside[target]
                for target in self.out[node]
                if target in inside and self.filter[target] in (NO_FILTER, self.filter[node])
            ]
            for node in component
        ]
        groups = strong_components(range(len(component)), free.__getitem__, len(component))
        for group in groups:
            keep = component[group[0]]
            for number in group[1:]:
                self._merge(keep, component[number])
            if len(group) > 1 and self.new[keep]:
                self.work.push(keep)

    def _merge(self, keep: int, drop: int) -> None:
        """Both hold the same set from now on; what only one of them passed on is new again."""
        self.merged = True
        passed_on = self.pts[keep] & ~self.new[keep] & self.pts[drop] & ~self.new[drop]
        self.groups.union(keep, drop)
        self.pts[keep] |= self.pts[drop]
        self.new[keep] = self.pts[keep] & ~passed_on
        self.pts[drop] = self.new[drop] = 0
        self.out[keep] |= self.out[drop]
        self.out[drop] = set()
        self.out[keep].discard(keep)
        self.out[keep].discard(drop)
        for table in (self.geps, self.loads, self.stores, self.memcpys, self.calls):
            _move_entry(table, keep, drop)


def _move_entry(table: dict[int, set[object]] | object, keep: int, drop: int) -> None:
    assert isinstance(table, dict)
    entry = table.pop(drop, None)
    if entry:
        table.setdefault(keep, set()).update(entry)


def solve(system: System, layouts: Layouts) -> Solution:
    """The least solution of the constraints."""
    solver = Solver(system, layouts)
    solver.run()
    pool: dict[int, int] = {}
    find = solver.groups.find
    sets = [solver.pts[find(node)] for node in range(len(solver.pts))]
    sets = [pool.setdefault(bits, bits) for bits in sets]
    feeders: dict[int, list[int]] = {}
    for node, targets in enumerate(solver.out):
        for target in targets:
            feeders.setdefault(find(target), []).append(node)
    return Solution(
        cells=solver.cells,
        var_set=sets[: solver.first_cell],
        cell_set=sets[solver.first_cell :],
        targets=[sorted(found) for found in solver.targets],
        mismatches=solver.mismatches,
        not_copied=len(solver.not_copied),
        edges=solver.edges,
        rounds=solver.rounds,
        feeders=feeders,
    )
