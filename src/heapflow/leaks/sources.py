"""Sources: fresh objects, where they are made and wherever a callee hands one over.

Paper: TSE'14 heap cloning carried to its end; SPARROW's Alloc2Ret and Alloc2Arg. An object that
leaves its function through the result or through memory of the caller is a source of its own at each
call site, under the condition under which it was handed over.
"""

from __future__ import annotations

from collections.abc import Mapping

from heapflow.flow.config import LeakConfig
from heapflow.flow.flow import GraphLists, Overwrites, Source, effect_guard
from heapflow.guards.guards import GuardBook
from heapflow.ir.ids import IN_VALUE, FuncId, InstrId, NodeId
from heapflow.models.model import Family


def direct_sources(
    lists: GraphLists, book: GuardBook, config: LeakConfig, families: Mapping[str, Family]
) -> dict[FuncId, list[Source]]:
    """Allocating calls by function."""
    svfg = lists.svfg
    found: dict[FuncId, list[Source]] = {}
    table = svfg.sources
    start = table.obj_start.tolist()
    objects = table.obj.tolist()
    overwrites = Overwrites(lists, book)
    for row in range(len(table)):
        effect = svfg.effects[int(table.effect[row])]
        family = families.get(getattr(effect, "family", ""))
        if family is not None and (family.arena or family.kind.value not in config.families):
            continue
        node, site = NodeId(int(table.node[row])), InstrId(int(table.instr[row]))
        func = lists.func[node]
        guards = book.guards(func)
        block = guards.context.code.instr_block[site]
        exists = guards.reach.get(block, book.space.false) & effect_guard(guards, site, effect)
        held = IN_VALUE if lists.is_value(node) else lists.locations[node]
        source = Source(
            func=func,
            site=site,
            chain=(site,),
            starts=[((node, held), exists)],
            exists=exists,
            objects=frozenset(objects[start[row] : start[row + 1]]),
            callee=int(table.callee[row]),
            effect=int(table.effect[row]),
            places={} if held < 0 else {held: overwrites.filled_by_model(site)},
        )
        found.setdefault(func, []).append(source)
    return found
