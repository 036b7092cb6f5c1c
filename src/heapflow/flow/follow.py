"""Guarded reachability of one object inside one function.

In:    start nodes with guards; the value-flow graph; guards; summaries of callees.     Out: `Flow`.
Paper: TSE'14 §5 (all-path detection), SMOKE §5 (summaries).
The guard of a node is the disjunction, over value-flow paths to it, of the reach conditions of the
blocks on the path and of the φ edges taken. A call is passed with the callee's summary, renamed for the
call site.
Guarantees: terminates (guards only grow; steps are bounded); a bound that is hit makes the flow
undecided.
"""

from __future__ import annotations

from heapflow.flow.ask import Summaries
from heapflow.flow.outcome import Flow, State
from heapflow.flow.overwrites import PlacesOf
from heapflow.flow.scope import Scope
from heapflow.flow.sharing import Comparisons
from heapflow.flow.track import Track
from heapflow.flow.transfer import Transfer
from heapflow.guards.guards import identity_facts, store_facts
from heapflow.ir.ids import FuncId, ObjectId
from heapflow.logic.space import Guard
from heapflow.logic.term import Term, Val


def follow(
    summaries: Summaries,
    func: FuncId,
    starts: list[tuple[State, Guard]],
    fresh: frozenset[ObjectId] = frozenset(),
    places: PlacesOf | None = None,
    most_steps: int = 0,
    most_nodes: int = 0,
    whole: bool = False,
    compared: Comparisons | None = None,
    scope: Scope | None = None,
) -> Flow:
    """Follow an object from its start nodes through function `func`.

    `fresh`: objects that the function makes itself, and so answers for.
    `places`: addresses behind the location sets in which it lies at the start.
    `whole`: also where it is known to be freed or out of our hands in any case.
    `scope`: what counts; nothing said: all of the function.
    `compared`: takes down what the location set is compared with in which the object comes.
    """
    track = Track(summaries, func, starts, fresh, places, compared, scope or Scope())
    config = summaries.engine.config
    _run(track, most_steps or config.most_steps, most_nodes or config.most_nodes, whole)
    track.outcomes.settle()
    track.flow.assume = _assumptions(track) & track.assumed_on_the_way
    return track.flow


def _run(track: Track, most_steps: int, most_nodes: int, whole: bool) -> None:
    transfer, steps, flow = Transfer(track), 0, track.flow
    check = track.guards.context.check
    while (state := track.next()) is not None:
        check()
        steps += 1
        if steps > most_steps or len(flow.reached) > most_nodes:
            many = len(flow.reached) > most_nodes
            track.outcomes.give_up("leaks.most-nodes" if many else "leaks.most-steps")
            break
        track.scope.leave(track, state)
        transfer.leave(state, flow.reached[state])
        track.scope.done()
        if track.outcomes.overfull or (not whole and track.outcomes.are_final()):
            flow.is_cut = not track.outcomes.overfull
            break


def _assumptions(track: Track) -> Guard:
    """A pointer to the object is not NULL and is no other object's address (SABER: "decided")."""
    lists, false = track.lists, track.space.false
    carriers: dict[Term, Guard] = {}
    for state, guard in track.flow.reached.items():
        node, held = state
        if held < 0 and lists.is_value(node) and track.scope.is_certain(track, node):
            value = lists.value[node]
            split = track.guards.cases(value)
            if len(split) > 1:  # conditions that were rounded are about the value as such
                carriers[Val(value)] = guard
            for case, term in split:
                carriers[term] = carriers.get(term, false) | (guard & case)
    found = identity_facts(track.guards.context, carriers)
    return found & store_facts(track.guards, carriers) if track.is_fresh else found
