"""Annotate the events of one function with μ and χ.

In:    events, Classes, ModRef.     Out: Annotation: the function's regions, and each event's μ and χ
       as bitsets over them.
Paper: TSE'14 Fig. 4: S-LD, S-ST, S-CSMU, S-CSCHI, S-RET.
Example (Fig. 5): regions R(v), R(x,y), R(x,z), *p with ps(p) = {v, x}: μ of all three.
"""

from __future__ import annotations

from dataclasses import dataclass

from heapflow.memssa.accesses import Event, EventKind
from heapflow.memssa.classes import Classes
from heapflow.memssa.config import MemoryModel
from heapflow.memssa.modref import ModRef
from heapflow.memssa.regions import partition_regions
from heapflow.memssa.rename import Annotated


@dataclass(frozen=True)
class Annotation:
    """Regions of a function and its annotated events."""

    regions: list[int]  # sets of classes; local ones first
    local_count: int
    incoming: int  # regions that get a version 0 (bitset over regions)
    outgoing: int  # [S-RET] regions with a μ at returns
    events: list[Annotated]


def annotate_function(
    func: int,
    events: list[Event],
    classes: Classes,
    modref: ModRef,
    model: MemoryModel,
) -> Annotation:
    """Make the regions, then say what each event uses and defines."""
    local = modref.local[func]
    translate = classes.translate
    sides: list[tuple[Event, list[int], list[int], int, int]] = []
    accessed: dict[int, None] = {}
    called: dict[int, None] = {}
    for event in events:
        reads = [translate(places) for places in event.reads]
        writes = [translate(places) for places in event.writes]
        accessed.update(dict.fromkeys(reads))
        accessed.update(dict.fromkeys(writes))
        used = defined = 0
        if event.kind == EventKind.CALL:
            used, defined = modref.at_call[event.instr]
            called.update({used: None, defined: None})
        sides.append((event, reads, writes, used, defined))
    regions = partition_regions(accessed, called, local, model)
    local_count = sum(1 for region in regions if region & local)
    over = _Overlaps(regions)
    annotated = [_annotate(over, classes, *side) for side in sides]
    nonlocal_bits = (1 << len(regions)) - (1 << local_count)
    return Annotation(
        regions=regions,
        local_count=local_count,
        incoming=nonlocal_bits,
        # [S-RET] R ∈ R_f, R ∩ D_f ≠ ∅ ⟹ μ(R) at the return
        outgoing=over.of(modref.defs[func]) & nonlocal_bits,
        events=[event for event in annotated if event is not None],
    )


class _Overlaps:
    """Which regions a set overlaps, as a bitset over regions; remembered by set."""

    def __init__(self, regions: list[int]) -> None:
        self.regions = regions
        self._known: dict[int, int] = {0: 0}

    def of(self, places: int) -> int:
        known = self._known.get(places)
        if known is None:
            known = 0
            for number, region in enumerate(self.regions):
                if region & places:
                    known |= 1 << number
            self._known[places] = known
        return known


def _annotate(
    over: _Overlaps,
    classes: Classes,
    event: Event,
    reads: list[int],
    writes: list[int],
    used: int,
    defined: int,
) -> Annotated | None:
    uses = over.of(used)  # [S-CSMU] R ∩ U ≠ ∅ ⟹ μ(R)
    defs = over.of(defined)  # [S-CSCHI] R ∩ D ≠ ∅ ⟹ R = χ(R)
    own = 0
    for places in reads:
        uses |= over.of(places)  # [S-LD] R ∩ ps(q) ≠ ∅ ⟹ μ(R)
    for places in writes:
        own |= over.of(places)  # [S-ST] R ∩ ps(p) ≠ ∅ ⟹ R = χ(R)
    defs |= own
    if not uses and not defs and event.kind != EventKind.RETURN:
        return None
    # A strong update of a location that shares its region with others is none.
    strong = event.strong and own.bit_count() == 1 and _fills(over.regions, classes, own, writes)
    transfer = own if event.transfer else 0
    return Annotated(event.instr, event.kind, uses, defs, strong, own, transfer)


def _fills(regions: list[int], classes: Classes, own: int, writes: list[int]) -> bool:
    region = regions[own.bit_length() - 1]
    one_place = region.bit_count() == 1 and classes.size[region.bit_length() - 1] == 1
    return one_place and writes == [region]
