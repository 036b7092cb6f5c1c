"""A slice of the value-flow graph as DOT and JSON; page.py makes the HTML page from the same facts.

In:    Slice, Names, the source text.     Out: text.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from heapflow.ir.kinds import Op
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
    return found + [use for use, _ in _uses(names, part)]


def _uses(names: Names, part: Slice) -> list[tuple[ShownNode, int]]:
    """What is done with the values of a slice that makes no new definition, with the node it uses."""
    program, nodes = names.program, names.svfg.nodes
    of_value = {int(nodes.value[n]): n for n in part.nodes if nodes.kind[n] == NodeKind.VALUE}
    found: list[tuple[ShownNode, int]] = []
    number = len(nodes)
    for func in dict.fromkeys(int(nodes.func[n]) for n in of_value.values()):
        if program.is_declaration(func):
            continue
        for instr in program.instr_range(func):
            word = _USES.get(Op(program.instrs.op[instr]))
            used = [of_value[one] for one in program.operands(instr) if one in of_value]
            file, line, _ = program.position(instr)
            if word is None or not used or not line:
                continue
            callee = program.direct_callee(instr) if word == "call" else -1
            name = f"{word} {program.func_name(callee)}" if callee >= 0 else word
            text, where = names.source_line(file, line), program.func_name(func)
            use = ShownNode(number, name, "use", where, file, line, text, "", ())
            found.append((use, used[0]))
            number += 1
    return found[:_MOST_USES]


_USES = {Op.CALL: "call", Op.RET: "return", Op.STORE: "store", Op.ICMP: "compare"}
_MOST_USES = 100


def shown_edges(names: Names, part: Slice) -> list[ShownEdge]:
    """The edges of a slice, and those to where its values are used."""
    edges = names.svfg.edges
    uses = [ShownEdge(node, use.id, "used", "intra") for use, node in _uses(names, part)]
    return uses + [
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


def _plain_name(node: ShownNode) -> str:
    """The variable, without the function and the number that tell values apart."""
    name = node.name.removeprefix(f"{node.function}.")
    return name.partition("%")[0] or "a value" if node.kind == "value" else name


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
            text = f"{node.source or node.name}\nline {node.line}: {_plain_name(node)}"
            label = json.dumps(text, ensure_ascii=False)
            lines.append(f'    n{node.id} [label={label}, fillcolor="{colour_of(node)}"];')
        lines.append("  }")
    for edge in shown_edges(names, part):
        style = "" if edge.direction == "intra" else ", style=dashed"
        label = json.dumps(edge.label, ensure_ascii=False)
        lines.append(f"  n{edge.source} -> n{edge.target} [label={label}{style}];")
    return visible("\n".join([*lines, "}"]), keep="\n") + "\n"
