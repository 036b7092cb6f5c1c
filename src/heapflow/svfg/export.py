"""A slice of the value-flow graph as DOT and JSON; page.py makes the HTML page from the same facts.

In:    Slice, Names, the source text.     Out: text.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from heapflow.support.visible import escape_json, visible
from heapflow.svfg.graph import Direction, EscapeKind, NodeKind
from heapflow.svfg.names import Names
from heapflow.svfg.slice import Slice


@dataclass(frozen=True, slots=True)
class ShownNode:
    """What every output says of a node."""

    id: int
    name: str
    kind: str
    function: str
    file: str
    line: int
    source: str  # text of the line
    region: str  # locations of the region, for versions
    marks: tuple[str, ...]  # "source", "free", "escape: …"


@dataclass(frozen=True, slots=True)
class ShownEdge:
    """What every output says of an edge."""

    source: int
    target: int
    label: str
    direction: str


def shown_nodes(names: Names, part: Slice) -> list[ShownNode]:
    """The nodes of a slice."""
    from heapflow.memssa.dump import region_text

    marks = _marks(names)
    nodes, program = names.svfg.nodes, names.program
    found = []
    for node in part.nodes:
        func, instr = int(nodes.func[node]), int(nodes.instr[node])
        if nodes.kind[node] == NodeKind.REGION_PHI:
            instr = int(program.blocks.instr_start[nodes.block[node]])
        file, line, _ = program.position(instr) if instr >= 0 else ("", 0, 0)
        if not line:
            file = program.strings[program.functions.file[func]]
            line = int(program.functions.line[func])
        region = int(nodes.region[node])
        found.append(
            ShownNode(
                id=node,
                name=names.node(node),
                kind=NodeKind(nodes.kind[node]).name.lower().replace("_", "-"),
                function=program.func_name(func),
                file=file,
                line=line,
                source=names.source_line(file, line),
                region=region_text(names.ssa, region) if region >= 0 else "",
                marks=tuple(marks.get(node, ())),
            )
        )
    return found


def shown_edges(names: Names, part: Slice) -> list[ShownEdge]:
    """The edges of a slice."""
    edges = names.svfg.edges
    return [
        ShownEdge(
            int(edges.source[edge]),
            int(edges.target[edge]),
            names.edge(edge),
            Direction(edges.direction[edge]).name.lower(),
        )
        for edge in part.edges
    ]


def _marks(names: Names) -> dict[int, list[str]]:
    svfg = names.svfg
    found: dict[int, list[str]] = {}
    for node in svfg.sources.node.tolist():
        found.setdefault(node, []).append("source")
    for node in svfg.frees.node.tolist():
        found.setdefault(node, []).append("free")
    for node, kind in zip(svfg.escapes.node.tolist(), svfg.escapes.kind.tolist(), strict=True):
        word = EscapeKind(kind).name.lower().replace("_", " ")
        found.setdefault(node, []).append(f"escape: {word}")
    return {node: list(dict.fromkeys(words)) for node, words in found.items()}


def to_json(names: Names, part: Slice) -> str:
    """Nodes and edges as one JSON object."""
    document = {
        "format": 1,
        "title": part.title,
        "cut": part.cut,
        "roots": list(part.roots),
        "nodes": [asdict(node) for node in shown_nodes(names, part)],
        "edges": [asdict(edge) for edge in shown_edges(names, part)],
    }
    return escape_json(json.dumps(document, ensure_ascii=False, indent=1)) + "\n"


_COLOURS = {"source": "#c6f0c2", "free": "#cfe3ff", "escape": "#ffe2b8"}


def colour_of(node: ShownNode) -> str:
    """Fill colour: green sources, blue frees, orange escapes."""
    for mark in node.marks:
        return _COLOURS[mark.split(":")[0]]
    return "#ffffff" if node.kind == "value" else "#f1eefb"


def to_dot(names: Names, part: Slice) -> str:
    """Graphviz: one cluster per function."""
    lines = [f"digraph {json.dumps(part.title, ensure_ascii=False)} {{"]
    lines.append('  node [shape=box, style="rounded,filled", fontname="sans-serif"];')
    by_function: dict[str, list[ShownNode]] = {}
    for node in shown_nodes(names, part):
        by_function.setdefault(node.function, []).append(node)
    for number, (function, nodes) in enumerate(by_function.items()):
        lines.append(f"  subgraph cluster_{number} {{ label={json.dumps(function)};")
        for node in nodes:
            text = f"{node.name}\n{node.line}: {node.source}"
            label = json.dumps(text, ensure_ascii=False)
            lines.append(f'    n{node.id} [label={label}, fillcolor="{colour_of(node)}"];')
        lines.append("  }")
    for edge in shown_edges(names, part):
        style = "" if edge.direction == "intra" else ", style=dashed"
        label = json.dumps(edge.label, ensure_ascii=False)
        lines.append(f"  n{edge.source} -> n{edge.target} [label={label}{style}];")
    return visible("\n".join([*lines, "}"]), keep="\n") + "\n"
