"""A slice of the value-flow graph as one self-contained HTML page: boxes with their source lines.

In:    Slice, Names.     Out: HTML text. No scripts from elsewhere, no network; works from a file.
Rows are functions' steps in value-flow order; dashed edges enter (call) or leave (return) a function.
"""

from __future__ import annotations

from html import escape

from heapflow.support.layering import layered
from heapflow.support.visible import visible
from heapflow.svfg.export import ShownEdge, ShownNode, colour_of, shown_edges, shown_nodes
from heapflow.svfg.names import Names
from heapflow.svfg.slice import Slice

WIDTH, HEIGHT, GAP_X, GAP_Y = 300, 58, 26, 52
_TEXT = 42  # characters that fit in a box

_STYLE = """
body { font: 14px/1.4 system-ui, sans-serif; margin: 0; color: #1d1d26; background: #fafafc; }
header { padding: 12px 18px; background: #fff; border-bottom: 1px solid #ddd; }
h1 { font-size: 17px; margin: 0 0 4px; }
header span { margin-right: 14px; white-space: nowrap; }
.key { display: inline-block; width: 12px; height: 12px; border: 1px solid #777; margin-right: 4px;
  vertical-align: -1px; border-radius: 3px; }
main { overflow: auto; padding: 12px; }
text { font-size: 12px; } .name { font-weight: 600; } .code { font-family: ui-monospace, monospace;
  font-size: 11px; fill: #333; } .label { font-size: 10px; fill: #666; }
rect { stroke: #777; } path { fill: none; stroke: #8a8a99; stroke-width: 1.2; }
path.call, path.return { stroke-dasharray: 5 3; stroke: #5b6ee1; }
g.node:hover rect { stroke: #000; stroke-width: 2; }
.edge .label { paint-order: stroke; stroke: #fafafc; stroke-width: 4px; }
.dim { opacity: .12; }
"""

_SCRIPT = """
const edges = [...document.querySelectorAll('.edge')];
document.querySelectorAll('g.node').forEach(box => {
  box.addEventListener('mouseenter', () => edges.forEach(e =>
    e.classList.toggle('dim', e.dataset.from !== box.id && e.dataset.to !== box.id)));
  box.addEventListener('mouseleave', () => edges.forEach(e => e.classList.remove('dim')));
});
"""


def to_html(names: Names, part: Slice) -> str:
    """The page."""
    nodes, edges = shown_nodes(names, part), shown_edges(names, part)
    number = {node.id: position for position, node in enumerate(nodes)}
    pairs = [(number[edge.source], number[edge.target]) for edge in edges]
    places = layered(len(nodes), pairs)
    corners = _corners(places)
    width = max((x for x, _ in corners), default=0) + WIDTH + 20
    height = max((y for _, y in corners), default=0) + HEIGHT + 20
    drawn = [_edge(edge, corners[a], corners[b]) for edge, (a, b) in zip(edges, pairs, strict=True)]
    drawn += [_node(node, corner) for node, corner in zip(nodes, corners, strict=True)]
    cut = "<span>(cut off: the slice is larger)</span>" if part.cut else ""
    page = f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Value flow from {escape(part.title)}</title>
<style>{_STYLE}</style></head><body>
<header><h1>Value flow: {escape(part.title)}</h1>
<span>{len(nodes)} nodes, {len(edges)} edges</span>{cut}
<span><i class="key" style="background:#c6f0c2"></i>allocation</span>
<span><i class="key" style="background:#cfe3ff"></i>free</span>
<span><i class="key" style="background:#ffe2b8"></i>escape</span>
<span><i class="key" style="background:#f1eefb"></i>version of a memory region</span>
<span>dashed: into (k or out of )k a call</span></header>
<main><svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}">
<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7"
 orient="auto"><path d="M0 0L8 4L0 8z" style="fill:#8a8a99;stroke:none"/></marker></defs>
{"".join(drawn)}</svg></main><script>{_SCRIPT}</script></body></html>
"""
    return visible(page, keep="\n")


def _corners(places: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Upper left corners; every row is centred."""
    widths: dict[int, int] = {}
    for row, column in places:
        widths[row] = max(widths.get(row, 0), column + 1)
    widest = max(widths.values(), default=1)
    return [
        (
            10 + int((column + (widest - widths[row]) / 2) * (WIDTH + GAP_X)),
            10 + row * (HEIGHT + GAP_Y),
        )
        for row, column in places
    ]


def _short(text: str) -> str:
    return text if len(text) <= _TEXT else text[: _TEXT - 1] + "…"


def _node(node: ShownNode, corner: tuple[int, int]) -> str:
    x, y = corner
    what = ", ".join([node.kind, *node.marks])
    full = f"{node.name} ({what})\n{node.file}:{node.line}\n{node.source}\n{node.region}"
    code = _short(f"{node.line}: {node.source}") if node.line else ""
    return (
        f'<g class="node" id="n{node.id}"><title>{escape(full)}</title>'
        f'<rect x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="7" '
        f'fill="{colour_of(node)}"/>'
        f'<text class="name" x="{x + 8}" y="{y + 17}">{escape(_short(node.name))}</text>'
        f'<text class="label" x="{x + 8}" y="{y + 32}">{escape(what)}</text>'
        f'<text class="code" x="{x + 8}" y="{y + 48}">{escape(code)}</text></g>\n'
    )


def _edge(edge: ShownEdge, start: tuple[int, int], end: tuple[int, int]) -> str:
    x1, y1 = start[0] + WIDTH // 2, start[1] + HEIGHT
    x2, y2 = end[0] + WIDTH // 2, end[1]
    if y2 > y1:
        bend = (y2 - y1) // 2
        path = f"M{x1} {y1}C{x1} {y1 + bend} {x2} {y2 - bend} {x2} {y2}"
        at = ((x1 + x2) // 2, (y1 + y2) // 2)
    else:  # back to an earlier row: around the side
        x1, x2 = start[0] + WIDTH, end[0] + WIDTH
        y1, y2 = start[1] + HEIGHT // 2, end[1] + HEIGHT // 2
        side = max(x1, x2) + 24
        path = f"M{x1} {y1}C{side} {y1} {side} {y2} {x2} {y2}"
        at = (side - 10, (y1 + 3 * y2) // 4)
    return (
        f'<g class="edge" data-from="n{edge.source}" data-to="n{edge.target}">'
        f'<path class="{edge.direction}" d="{path}" marker-end="url(#tip)"/>'
        f'<text class="label" x="{at[0] + 4}" y="{at[1]}">{escape(edge.label)}</text></g>\n'
    )
