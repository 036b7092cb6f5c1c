"""The value-flow graph as text: nodes with their edges, then sources, frees and escapes."""

from __future__ import annotations

from collections.abc import Iterator

from heapflow.memssa.ssa import MemorySsa
from heapflow.svfg.graph import (
    EscapeKind,
    Escapes,
    FreeKind,
    Frees,
    NodeKind,
    SourceKind,
    Sources,
    Svfg,
)
from heapflow.svfg.names import Names


def dump_svfg(ssa: MemorySsa, svfg: Svfg) -> str:
    """Sorted by name and stable."""
    names = Names(ssa, svfg)
    lines = [*_nodes(names, svfg), "", *_marks(names, svfg)]
    return "".join(line + "\n" for line in lines)


def _nodes(names: Names, svfg: Svfg) -> Iterator[str]:
    rows: list[tuple[str, list[str]]] = []
    for node in range(len(svfg.nodes)):
        kind = NodeKind(svfg.nodes.kind[node]).name.lower().replace("_", "-")
        line = names.line(int(svfg.nodes.instr[node]))
        at = f" line {line}" if line else ""
        edges = sorted(
            f"    -> {names.node(int(svfg.edges.target[edge]))}  [{names.edge(edge)}]"
            for edge in svfg.out_edges(node)
        )
        rows.append((f"{names.node(node)}  {kind}{at}", edges))
    for head, edges in sorted(rows):
        yield head
        yield from edges


def _marks(names: Names, svfg: Svfg) -> Iterator[str]:
    yield from sorted(_rows(names, "source", svfg.sources, SourceKind))
    yield from sorted(_rows(names, "free", svfg.frees, FreeKind))
    yield from sorted(_rows(names, "escape", svfg.escapes, EscapeKind))


def _rows(
    names: Names,
    word: str,
    table: Sources | Frees | Escapes,
    kinds: type[SourceKind] | type[FreeKind] | type[EscapeKind],
) -> Iterator[str]:
    for row in range(len(table)):
        kind = kinds(int(table.kind[row])).name.lower().replace("_", "-")
        callee = int(table.callee[row])
        by = f" by {names.program.func_name(callee)}" if callee >= 0 else ""
        line = names.line(int(table.instr[row]))
        yield f"{word} {names.node(int(table.node[row]))}: {kind}{by} at line {line}"
