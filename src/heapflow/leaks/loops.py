"""Objects that are lost when a loop comes round again.

    for (…) { p = malloc(n); }  free(p);        every block but the last is lost

The bounded CFG runs a loop's body once, so `FREED` holds here: the exit frees what `p` holds. What is
missing is the second turn. An object made in the loop that at the end of a turn is held only by
variables which the next turn assigns again (φs at the loop's header), and which that turn neither
frees, stores nor passes on, is lost as soon as its allocation runs again.
"""

from __future__ import annotations

from heapflow.guards.bdd import Guard
from heapflow.guards.function import FunctionGuards
from heapflow.leaks.flow import Flow, State
from heapflow.leaks.lists import GraphLists
from heapflow.leaks.sources import Source
from heapflow.svfg.graph import Direction, NodeKind


def lost_in_next_turn(
    lists: GraphLists, guards: FunctionGuards, source: Source, flow: Flow
) -> Guard | None:
    """The condition of a turn after which the object is lost, or None."""
    space = guards.context.space
    block = guards.context.instr_block[source.site]
    for index in guards.cfg.loops_of.get(block, ()):
        loop = guards.cfg.loops[index]
        turn = guards.turn_guard[index]
        carried = _carried(lists, flow, loop.header, loop.blocks)
        if carried is None:
            return None  # it reaches memory, or something outside the loop's variables
        lost = source.exists & turn & ~_settled(lists, guards, flow, loop.blocks, carried)
        if carried and not space.is_false(lost):
            return lost
    return None


def _carried(lists: GraphLists, flow: Flow, header: int, blocks: set[int]) -> set[State] | None:
    """Header φs that hold the object at the start of the next turn, or None if they pass it on."""
    carried = {
        state
        for state in flow.reached
        if lists.kind[state[0]] == NodeKind.VALUE
        and lists.block[state[0]] == header
        and flow.came_from.get(state) is not None
    }
    reached = list(carried)
    seen = set(carried)
    while reached:
        node, held = reached.pop()
        if held >= 0 or _inside(lists, node, blocks):
            return None
        for edge in lists.edges_of(node):
            target = lists.target[edge]
            if lists.direction[edge] != Direction.INTRA:
                if lists.direction[edge] == Direction.CALL and _site_inside(lists, edge, blocks):
                    return None
                continue
            if lists.kind[target] != NodeKind.VALUE:
                return None
            if lists.block[target] not in blocks:
                continue  # what follows the loop sees the last turn's object only
            if lists.block[target] == header:
                return None  # kept for yet another turn
            state = (target, -1)
            if state not in seen:
                seen.add(state)
                reached.append(state)
    return carried


def _inside(lists: GraphLists, node: int, blocks: set[int]) -> bool:
    block_of = lists.program.instrs.block
    rows = [lists.free_instr[r] for r in lists.frees.get(node, ())]
    rows += [lists.escape_instr[r] for r in lists.escapes.get(node, ())]
    return any(int(block_of[instr]) in blocks for instr in rows)


def _site_inside(lists: GraphLists, edge: int, blocks: set[int]) -> bool:
    return int(lists.program.instrs.block[lists.site[edge]]) in blocks


def _settled(
    lists: GraphLists,
    guards: FunctionGuards,
    flow: Flow,
    blocks: set[int],
    carried: set[State],
) -> Guard:
    """Frees, escapes and stores of the first turn, which do not go through the header's φs."""
    found = guards.context.space.false
    for instr, guard in [*flow.frees, *flow.escapes]:
        block = guards.context.instr_block[instr]
        if block in blocks or guards.context.block_func[block] != guards.func:
            found = found | guard
    for (node, held), guard in flow.reached.items():
        if held >= 0 and lists.block[node] in blocks:
            found = found | guard
    return found
