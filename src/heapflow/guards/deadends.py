"""Ways from a block to a call that does not come back, as conditions of their own.

    fp = fingerprint(key);  ra = art(key);  if (!fp || !ra) fatal("…");     … much more …     return;

Where ways meet and conditions get too large, reach conditions are rounded to what holds at the
dominator, and with them the condition of returning: the way into `fatal` seems to go on. What was made
in a block is lost at none of the dead ends behind it. This is added where the condition of a leak is
complete.
Guarantees: each way that is listed does end there (fewer are listed where conditions get large).
Not modelled: dead ends inside other loops than the block's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from heapflow.guards.bdd import Guard

if TYPE_CHECKING:
    from heapflow.guards.function import FunctionGuards

_MOST_BLOCKS = 200  # that are looked at behind one
_MOST_NODES = 200  # of the condition of one way
_MOST_IN_ALL = 400  # of all ways


def dead_ends_behind(guards: FunctionGuards, block: int) -> Guard:
    """The condition under which control does not come back once it was in a block."""
    space, cfg = guards.context.space, guards.cfg
    loops = cfg.loops_of.get(block, ())
    ways: dict[int, Guard] = {block: space.true}
    found, left = space.false, _MOST_BLOCKS
    first = guards.position.get(block)
    if first is None:
        return found
    for at in guards.order[first:]:
        way = ways.pop(at, None)
        if way is None:
            continue
        left -= 1
        if left < 0:
            guards.context.limits_hit["blocks behind one"] += 1
            break
        if space.is_false(guards.leave.get(at, space.true)):
            if guards.may_unwind and guards.unwinds_in(at):
                continue  # what a jump leaves behind is lost
            more = found | way
            found = more if space.size(more) <= _MOST_IN_ALL else found
            continue
        for edge in cfg.out_edges.get(at, ()):
            target = guards.context.edge_target[edge]
            if edge in cfg.back_edges or cfg.loops_of.get(target, ()) != loops:
                continue
            here = ways.get(target, space.false) | (way & guards.edge_condition(edge))
            if space.size(here) > _MOST_NODES:
                guards.context.limits_hit["way into a dead end too large"] += 1
            elif not space.is_false(here):
                ways[target] = here
    return found
