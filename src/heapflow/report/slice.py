"""The value-flow slice of a finding, small enough to be drawn: one node per source line.

In:    what the leak phase reached from the allocation, the finding.     Out: `Slice`.
Definitions on the same line are one node; flow through called functions is the edge between the call
and what comes after it. A free hangs on the node that it takes the pointer from, or on the allocation
if it happens in a called function; so does the loss.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from heapflow.flow.flow import GraphLists, State
from heapflow.ir.ids import NodeId
from heapflow.report.finding import Finding, Place, Slice, SliceEdge, SliceNode
from heapflow.report.source import Sources
from heapflow.report.wording import condition, deciding_branch

MOST_NODES = 24  # of a larger slice those nearest to the allocation are drawn
_LONGEST_LABEL = 48
_Line = tuple[str, int]
_PlaceOf = Callable[[int], Place]


@dataclass(slots=True)
class _Drawing:
    """Nodes by source line and the edges between them, in the order in which they were met."""

    sources: Sources
    numbers: dict[_Line, int] = field(default_factory=dict)
    nodes: list[SliceNode] = field(default_factory=list)
    edges: dict[tuple[int, int], str] = field(default_factory=dict)

    def add(self, place: Place, kind: str) -> int:
        """The node of a line; the first thing met on it says what kind it is. -1: no room."""
        line = (place.file, place.line)
        if line not in self.numbers:
            if len(self.nodes) >= MOST_NODES and kind not in ("free", "lost"):
                return -1
            self.numbers[line] = len(self.nodes)
            self.nodes.append(SliceNode(self._label(place), place, kind))
        return self.numbers[line]

    def append(self, place: Place, kind: str) -> int:
        """A node of its own, also where the line has one already."""
        self.nodes.append(SliceNode(self._label(place), place, kind))
        return len(self.nodes) - 1

    def connect(self, source: int, target: int, guard: str = "") -> None:
        if source >= 0 and target >= 0 and source != target:
            self.edges.setdefault((source, target), guard)

    def _label(self, place: Place) -> str:
        text = " ".join(self.sources.line(place.file, place.line).split()) or str(place)
        return text if len(text) <= _LONGEST_LABEL else text[: _LONGEST_LABEL - 1] + "…"


def make_slice(
    finding: Finding,
    lists: GraphLists,
    reached: Iterable[State],
    place_of: _PlaceOf,
    sources: Sources,
) -> Slice | None:
    """The slice of one finding; None if it would show nothing but the allocation and the loss."""
    drawing = _Drawing(sources)
    start = drawing.add(finding.allocation, "source")
    flow_nodes = list(dict.fromkeys(node for node, _ in reached))
    numbers = {node: _number(drawing, lists, node, place_of, start) for node in flow_nodes}
    for node in flow_nodes:
        for edge in lists.edges_of(node):
            drawing.connect(numbers[node], numbers.get(lists.target[edge], -1))
    freed_from = _freed_from(lists, numbers, place_of)
    for place in finding.frees:
        holder = freed_from.get((place.file, place.line), start)
        holder = holder if holder >= 0 else start  # for which there was no room
        drawing.connect(holder, drawing.append(place, "free"))
    guard = condition(finding).replace("`", "") if deciding_branch(finding) else ""
    drawing.connect(start, drawing.append(finding.lost, "lost"), guard)
    if len(drawing.nodes) <= 2:
        return None
    edges = tuple(SliceEdge(*ends, guard) for ends, guard in sorted(drawing.edges.items()))
    return Slice(tuple(drawing.nodes), edges)


def _number(
    drawing: _Drawing, lists: GraphLists, node: NodeId, place_of: _PlaceOf, start: int
) -> int:
    """The drawn node of a flow node; those without an instruction are parameters and merges."""
    instr = lists.instr[node]
    if instr < 0:
        return start
    place = place_of(instr)
    if place.line <= 0:
        return start
    return drawing.add(place, "value" if lists.is_value(node) else "memory")


def _freed_from(
    lists: GraphLists, numbers: dict[NodeId, int], place_of: _PlaceOf
) -> dict[_Line, int]:
    """The drawn node that each free in this function takes the pointer from, by the free's line."""
    found: dict[_Line, int] = {}
    for node, number in numbers.items():
        for row in lists.frees.get(node, ()):
            place = place_of(lists.free_instr[row])
            found.setdefault((place.file, place.line), number)
    return found
