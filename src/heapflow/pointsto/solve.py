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

from collections.abc import Callable
from dataclasses import dataclass

from heapflow.pointsto.cells import Cells
from heapflow.pointsto.config import DEFAULTS
from heapflow.pointsto.copying import RELAY_PAIRS, MemoryCopies
from heapflow.pointsto.merging import collapse_cycles, join_places
from heapflow.pointsto.system import NO_FILTER, CallKind, Layouts, System
from heapflow.support.bitset import members
from heapflow.support.unionfind import UnionFind
from heapflow.support.worklist import RankedWorklist

# A search for cycles costs about as much as a round over everything; these make it pay.
NEW_EDGES_FOR_SEARCH = 1000
NEW_EDGE_SHARE = 6
NO_LIMIT = 1 << 62
MANY = 1  # the set of a pointer to more places than the limit; cell 0 stands for anything


Told = Callable[[int, int], None]  # rounds done, places and variables so far


@dataclass(frozen=True)
class Solution:
    """Sets as bitmaps over cells; equal sets are the same object."""

    cells: Cells
    var_set: list[int]
    cell_set: list[int]
    targets: list[list[int]]  # per call by value: functions, ascending
    mismatches: int  # (call, function) pairs discarded by signature
    not_copied: int  # (place, place) pairs of types that a memcpy does not copy between
    many: frozenset[int]  # nodes that point to more places than the limit: unknown, without a set
    cut_off: int  # variables and cells of a known type that one of those is copied into
    own_blocks: int  # calls of an allocator by itself that give it no block of nobody's
    not_repeated: int  # places of arrays that are copied in part
    lowered: int  # times that the limit was halved as solving took too long
    edges: int
    rounds: int
    feeders: dict[int, list[int]]  # node -> nodes with an inclusion edge into it (vars, then cells)


class Solver:
    """The state of one run; `solve` is the entry point."""

    def __init__(
        self,
        system: System,
        layouts: Layouts,
        many: int = NO_LIMIT,
        *,
        skip_own: bool = True,
        most_places: int = NO_LIMIT,
        steps_each: int = 0,
        max_repeats: int = DEFAULTS.max_repeats,
        fewest: int = DEFAULTS.fewest_targets,
        told: Told | None = None,
    ) -> None:
        self.max_repeats, self.fewest = max_repeats, fewest
        self.system = system
        self.limit = many
        self.told = told
        self.steps = 0  # work done since the limit was lowered last
        self.steps_each = steps_each  # for each variable and cell; 0: as many as it takes
        self.lowered = 0
        self.skip_own = skip_own
        self.own_blocks = 0
        self.first_cell = count = system.var_count
        self.cells = Cells(system.obj_shape.tolist(), layouts, most_places)
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
        self.layouts = layouts
        self.copies = MemoryCopies(self)
        self.merged = False  # since the last search for cycles
        self.cut_off: set[int] = set()  # nodes that a filter keeps MANY out of
        self.cells.in_relay(self.cells.relay(), 0)  # the cell of MANY
        self.admit_new_cells()
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
            self.add_edge(src, dst)
        offsets = s.address_offset.tolist()
        for row, (var, obj) in enumerate(
            zip(s.address_var.tolist(), s.address_obj.tolist(), strict=True)
        ):
            cell = self.cells.at(obj, offsets[row])
            self.admit_new_cells()
            if cell >= 0:
                self.add(var, 1 << cell)

    def run(self) -> None:
        collapse_cycles(self)
        self._exhaust()
        self.copies.mirror()  # the new places may be reached by what was copied from anywhere
        self._exhaust()

    def _exhaust(self) -> None:
        work = self.work
        while work.next_round() or self.cells.joined:
            self.rounds += 1
            if self.cells.joined:
                join_places(self)
            while (node := work.pop()) >= 0:
                if self.groups.parent[node] == node and self.new[node]:
                    self._visit(node)
            if self.steps_each and self.steps > self.steps_each * len(self.pts):
                self._lower_limit()
            if self.told:
                self.told(self.rounds, len(self.pts))
            grown = self.edges - self.searched_edges
            if grown > NEW_EDGES_FOR_SEARCH + self.edges // NEW_EDGE_SHARE:
                collapse_cycles(self)

    def _lower_limit(self) -> None:
        """More work than the program's size is worth: what points to many places is unknown sooner."""
        largest = max(pts.bit_count() for pts in self.pts)
        self.limit = max(min(self.limit, largest) // 2, self.fewest)
        self.lowered += 1
        self.steps = 0
        for node, pts in enumerate(self.pts):
            if pts.bit_count() > self.limit:
                self.pts[node] = self.new[node] = MANY
                self.work.push(node)

    # -- propagation --------------------------------------------------------------------------

    def add(self, node: int, bits: int) -> None:
        if self.pts[node] == MANY:
            return
        type_filter = self.filter[node]
        if type_filter != NO_FILTER:
            if bits == MANY:
                self.cut_off.add(node)
                return
            bits = self.cells.admitted(type_filter, bits)
        fresh = bits & ~self.pts[node]
        if fresh:
            self.pts[node] |= fresh
            self.new[node] |= fresh
            if fresh == MANY or self.pts[node].bit_count() > self.limit:
                self.pts[node] = self.new[node] = MANY
            self.work.push(node)

    def add_edge(self, src: int, dst: int) -> None:
        find = self.groups.find
        src, dst = find(src), find(dst)
        if src == dst or dst in self.out[src]:
            return
        self.out[src].add(dst)
        self.edges += 1
        if self.pts[src]:
            self.add(dst, self.pts[src])

    def _visit(self, node: int) -> None:
        fresh, self.new[node] = self.new[node], 0
        self.steps += 1 + len(self.out[node])
        find = self.groups.find
        for target in self.out[node]:
            target = find(target)
            if target != node:
                self.add(target, fresh)
        if fresh == MANY:
            self._unknown(node)
            return
        for delta, type_filter, dst in self.geps.get(node, ()):
            bits = fresh
            if type_filter != NO_FILTER:
                bits = self.cells.admitted(type_filter, bits)
            if bits:
                bits = self.cells.moved(bits, delta)
                self.admit_new_cells()
                self.add(find(dst), bits)
        if node in self.loads or node in self.stores:
            self._dereference(node, fresh)
        for row, is_dst in list(self.memcpys.get(node, ())):
            self._memcpy(row, fresh, is_dst)
        for call in self.calls.get(node, ()):
            self._call(call, fresh)
        self.copies.filled(node)

    def _unknown(self, node: int) -> None:
        """A pointer to anything: so is what is read through it; what is written through it is lost."""
        for _, type_filter, dst in self.geps.get(node, ()):
            if type_filter == NO_FILTER:
                self.add(self.groups.find(dst), MANY)
        for dst in self.loads.get(node, ()):
            self.add(self.groups.find(dst), MANY)
        self.copies.filled(node)

    def _dereference(self, node: int, fresh: int) -> None:
        loads, stores = self.loads.get(node, ()), self.stores.get(node, ())
        self.steps += fresh.bit_count() * (len(loads) + len(stores))
        for cell in members(fresh):
            place = self.first_cell + cell
            for dst in loads:
                self.add_edge(place, dst)
            for src in stores:
                self.add_edge(src, place)

    def admit_new_cells(self) -> None:
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
            self.copies.new_cell(node, node - self.first_cell)

    def _memcpy(self, row: int, fresh: int, is_dst: bool) -> None:
        s = self.system
        other = s.memcpy_src[row] if is_dst else s.memcpy_dst[row]
        node = self.groups.find(int(other))
        others = self.pts[node]
        if others and others != MANY:
            self.steps += min(fresh.bit_count() * others.bit_count(), RELAY_PAIRS)
            self.copies.apply(row, fresh, others, int(s.memcpy_size[row]), is_dst=is_dst)

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
                self.add_edge(arg, param)
        # A function that calls itself through a pointer gets no block that its callers do not get.
        result = int(s.func_ret[func])
        if self.skip_own and s.call_func[call] == func and s.func_rest[func] != result:
            result = int(s.func_rest[func])
            self.own_blocks += 1
        if s.call_ret[call] >= 0 and result >= 0:
            self.add_edge(result, int(s.call_ret[call]))

    # -- cycles -------------------------------------------------------------------------------

    def merge(self, keep: int, drop: int) -> None:
        """Both hold the same set from now on; what only one of them passed on is new again."""
        self.merged = True
        passed_on = self.pts[keep] & ~self.new[keep] & self.pts[drop] & ~self.new[drop]
        self.groups.union(keep, drop)
        self.pts[keep] |= self.pts[drop]
        self.new[keep] = self.pts[keep] & ~passed_on
        if self.pts[keep] & MANY or self.pts[keep].bit_count() > self.limit:
            self.pts[keep] = MANY
            self.new[keep] = MANY if self.new[keep] else 0
        self.pts[drop] = self.new[drop] = 0
        self.out[keep] |= self.out[drop]
        self.out[drop] = set()
        self.out[keep].discard(keep)
        self.out[keep].discard(drop)
        tables = (self.geps, self.loads, self.stores, self.memcpys, self.calls, self.copies.idle)
        for table in tables:
            _move_entry(table, keep, drop)


def _move_entry(table: dict[int, set[object]] | object, keep: int, drop: int) -> None:
    assert isinstance(table, dict)
    entry = table.pop(drop, None)
    if entry:
        table.setdefault(keep, set()).update(entry)


def solve(
    system: System,
    layouts: Layouts,
    many: int = NO_LIMIT,
    *,
    skip_own: bool = True,
    most_places: int = NO_LIMIT,
    steps_each: int = 0,
    max_repeats: int = DEFAULTS.max_repeats,
    fewest: int = DEFAULTS.fewest_targets,
    told: Told | None = None,
) -> Solution:
    """The least solution of the constraints; a pointer to more than `many` places is unknown.

    After `steps_each` steps for each variable and cell, that number is halved, as often as need be.
    In memory of unknown type `most_places` places are told apart; beyond it, it is one place.
    `skip_own`: an allocator that calls itself through a pointer gets no block of no caller's.
    """
    solver = Solver(
        system,
        layouts,
        many,
        skip_own=skip_own,
        most_places=most_places,
        steps_each=steps_each,
        max_repeats=max_repeats,
        fewest=fewest,
        told=told,
    )
    solver.run()
    pool: dict[int, int] = {}
    find = solver.groups.find
    sets = [solver.pts[find(node)] for node in range(len(solver.pts))]
    unknown = frozenset(node for node, bits in enumerate(sets) if bits == MANY)
    sets = [0 if bits == MANY else bits for bits in sets]
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
        not_copied=len(solver.copies.not_copied),
        many=unknown,
        cut_off=len(solver.cut_off),
        own_blocks=solver.own_blocks,
        not_repeated=len(solver.copies.not_repeated),
        lowered=solver.lowered,
        edges=solver.edges,
        rounds=solver.rounds,
        feeders=feeders,
    )
