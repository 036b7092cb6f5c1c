"""Mod-Ref: what a function and everything it calls may read and write through pointers.

In:    Accesses, Classes.     Out: ModRef (`uses` U_f and `defs` D_f by function; sets of classes).
Paper: TSE'14 §4.2.1, Fig. 3 (I-LD, I-ST, I-CALL, I-PROC), Definition 3.
Method: one pass over the call graph's components, callees first; the functions of a component share
       what they touch, so recursion needs no further rounds.
N_k of I-CALL ("visible inside f"): heap classes, and stack classes of functions that can be active
       above f. A location of a function that f cannot be called from is not f's business.
Guarantees (`check_modref`): a solution of the rules; locals of a function outside recursion stay in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from heapflow.memssa.accesses import Accesses, Event, EventKind
from heapflow.memssa.classes import Classes
from heapflow.memssa.facts import LocationKind
from heapflow.support.scc import components_of


@dataclass(frozen=True)
class ModRef:
    """Sets of classes by function."""

    uses: list[int]  # U_f
    defs: list[int]  # D_f
    local: list[int]  # Local_f: own stack classes; empty for functions on a recursion cycle
    visible: list[int]  # classes that f may name in its own regions, its locals included


def call_components(
    func_count: int, callees: dict[int, tuple[int, ...]], func_of_instr: Sequence[int]
) -> tuple[list[list[int]], list[set[int]], frozenset[int]]:
    """Components of the call graph (callees first), its edges, and the recursive functions."""
    graph: list[set[int]] = [set() for _ in range(func_count)]
    for call, targets in callees.items():
        graph[func_of_instr[call]].update(targets)
    components = components_of([sorted(targets) for targets in graph])
    recursive = {
        func
        for component in components
        for func in component
        if len(component) > 1 or func in graph[func]
    }
    return components, graph, frozenset(recursive)


def compute_modref(
    accesses: Accesses,
    classes: Classes,
    components: list[list[int]],
    graph: list[set[int]],
) -> ModRef:
    """U and D of every function."""
    count = len(graph)
    local = _locals(classes, count, accesses.recursive)
    visible = _visible(classes, components, graph, accesses.recursive, local)
    loaded = classes.translate(accesses.loaded)
    uses, defs = [0] * count, [0] * count
    for component in components:
        reads = writes = 0
        for func in component:
            for event in accesses.by_func.get(func, ()):
                own_reads, own_writes = event_sets(event, classes)
                reads |= own_reads
                writes |= own_writes & loaded
            for callee in graph[func]:
                reads |= uses[callee]  # [I-CALL]; members of this component add nothing yet
                writes |= defs[callee]
        for func in component:
            # [I-PROC] U = (∪ U_i) \ Local_f
            uses[func] = reads & visible[func] & ~local[func]
            defs[func] = writes & visible[func] & ~local[func]
    return ModRef(uses, defs, local, visible)


def event_sets(event: Event, classes: Classes) -> tuple[int, int]:
    """[I-LD], [I-ST] and the like: what one event itself reads and writes."""
    reads = writes = 0
    for places in event.reads:
        reads |= classes.translate(places)
    for places in event.writes:
        writes |= classes.translate(places)
    return reads, writes


def call_sets(
    event: Event, callees: tuple[int, ...], modref: ModRef, visible: int
) -> tuple[int, int]:
    """[I-CALL] U = N_k ∩ ∪ U_i, D = N_k ∩ ∪ D_i for the callees of one call."""
    if event.kind != EventKind.CALL:
        return 0, 0
    reads = writes = 0
    for callee in callees:
        reads |= modref.uses[callee]
        writes |= modref.defs[callee]
    return reads & visible, writes & visible


def _locals(classes: Classes, count: int, recursive: frozenset[int]) -> list[int]:
    """[Definition 3] Local_f."""
    local = [0] * count
    for number, (kind, owner) in enumerate(zip(classes.kind, classes.owner, strict=True)):
        if kind == LocationKind.STACK and owner not in recursive:
            local[owner] |= 1 << number
    return local


def _visible(
    classes: Classes,
    components: list[list[int]],
    graph: list[set[int]],
    recursive: frozenset[int],
    local: list[int],
) -> list[int]:
    heap = 0
    own = [0] * len(graph)
    for number, (kind, owner) in enumerate(zip(classes.kind, classes.owner, strict=True)):
        if kind == LocationKind.HEAP:
            heap |= 1 << number
        elif owner >= 0:
            own[owner] |= 1 << number
    above = [heap] * len(graph)  # of callers; filled callers first
    for component in reversed(components):
        seen = 0
        for func in component:
            seen |= above[func]
        if component[0] in recursive:
            for func in component:
                seen |= own[func]
        for func in component:
            above[func] = seen | own[func]
            for callee in graph[func]:
                above[callee] |= above[func] | local[func]
    return above
