"""Sources that are followed together: the same way, after beginnings that exclude each other.

In:    the sources of one function.     Out: `Batch`es of them, and a member's part of a batch's flow.
    switch (rule) { case 1: v = make_word(…); break;  case 2: v = make_list(…); break; … }  push(v);
What becomes of `v` is followed once for all cases, not once for each. A flow's conditions are products
of the condition under which it begins and of what happens on the way; where the beginnings exclude
each other, a member's part of the flow is the flow where that member exists.
A member of which the batch does not show that it is freed or held in any case is followed by itself.
Guarantees: no way through the function, in one turn of its loops, makes two members of a batch.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final, TypeVar

from heapflow.flow.flow import Flow, GraphLists, Source
from heapflow.guards.guards import FunctionGuards
from heapflow.ir.ids import BlockId
from heapflow.logic.space import Guard, GuardSpace
from heapflow.svfg.graph import Direction, VRule

Key = TypeVar("Key")
_FEWEST: Final = 3  # members; fewer are not worth it


@dataclass(frozen=True, slots=True)
class Batch:
    """Sources of one function, and a source that stands for all of them."""

    members: list[Source]
    whole: Source


def find_batches(lists: GraphLists, guards: FunctionGuards, sources: list[Source]) -> list[Batch]:
    """Sources that have one use, the same φ."""
    if len(sources) < _FEWEST:
        return []
    meeting: dict[tuple[object, ...], list[Source]] = {}
    for source in sources:
        place = _meeting_place(lists, guards, source)
        if place is not None:
            meeting.setdefault(place, []).append(source)
    crowds = [crowd for crowd in meeting.values() if len(crowd) >= _FEWEST]
    if not crowds:
        return []
    space, after = guards.context.space, _blocks_after(guards)
    groups = [group for crowd in crowds for group in _exclusive(guards, after, crowd)]
    return [Batch(group, _whole(space, group)) for group in groups if len(group) >= _FEWEST]


def part_of(space: GuardSpace, flow: Flow, batch: Batch, member: Source) -> Flow:
    """A member's part of the flow of its batch.

    Where it was reached is told with the batch's conditions: there are many, and few are asked for.
    """
    exists = member.exists
    others = {state for one in batch.members if one is not member for state, _ in one.starts}
    return replace(
        flow,
        freed=flow.freed & exists,
        escaped=flow.escaped & exists,
        returned=flow.returned & exists,
        reached={state: guard for state, guard in flow.reached.items() if state not in others},
        outs=dict(_parts(space, flow.outs.items(), exists)),
        unread=dict(_parts(space, flow.unread.items(), exists)),
        frees=_parts(space, flow.frees, exists),
        escapes=_parts(space, flow.escapes, exists),
        settled=_parts(space, flow.settled, exists),
    )


def _parts(
    space: GuardSpace, conditions: Iterable[tuple[Key, Guard]], exists: Guard
) -> list[tuple[Key, Guard]]:
    parts = [(key, guard & exists) for key, guard in conditions]
    return [(key, guard) for key, guard in parts if not space.is_false(guard)]


def _meeting_place(
    lists: GraphLists, guards: FunctionGuards, source: Source
) -> tuple[object, ...] | None:
    """The φ that is the only use of a source, with what else its batch must have in common."""
    if len(source.starts) != 1 or source.unread or source.places:
        return None
    (node, held), _ = source.starts[0]
    edges = lists.forward(node)
    if held >= 0 or len(edges) != 1 or node in lists.frees or node in lists.escapes:
        return None
    (edge,) = edges
    if lists.direction[edge] != Direction.INTRA or lists.rule[edge] != VRule.PHI:
        return None
    block = guards.context.code.instr_block[source.site]
    return lists.target[edge], tuple(guards.cfg.loops_of.get(block, ())), source.inside


def _exclusive(
    guards: FunctionGuards, after: dict[BlockId, set[BlockId]], sources: list[Source]
) -> list[list[Source]]:
    """Sources in groups of which no two are made on the same way through the function."""
    block_of = guards.context.code.instr_block
    groups: list[list[Source]] = []
    for source in sources:
        block = block_of[source.site]
        for members in groups:
            others = [block_of[member.site] for member in members]
            if all(block not in after[other] and other not in after[block] for other in others):
                members.append(source)
                break
        else:
            groups.append([source])
    return groups


def _blocks_after(guards: FunctionGuards) -> dict[BlockId, set[BlockId]]:
    """Block -> itself and those that control reaches from it in the same turn of its loops."""
    found: dict[BlockId, set[BlockId]] = {}
    cfg, target = guards.cfg, guards.context.code.edge_target
    for block in reversed(cfg.order):
        found[block] = {block}
        for edge in cfg.out_edges[block]:
            if edge not in cfg.back_edges:
                found[block] |= found[target[edge]]
    return found


def _whole(space: GuardSpace, members: list[Source]) -> Source:
    starts = [start for member in members for start in member.starts]
    return replace(
        members[0],
        starts=starts,
        exists=space.any_of(member.exists for member in members),
        objects=frozenset().union(*(member.objects for member in members)),
    )
