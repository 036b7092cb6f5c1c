"""Leak candidates: objects for which no free, escape or holder remains on some path.

In:    the value-flow graph, guards.     Out: `Detection` (candidates, undecided sources, counts).
Paper: TSE'14 §5: a source leaks under RC(src) ∧ RC(exit) ∧ ¬FREED(src); SMOKE Fig. 8: an escape makes
only its path safe; spec 2 "Sources multiply by context".
Functions are taken callees first. An object that leaves a function becomes a source at its callers.
An object in a field of another fresh object lives as long as that one does: if the owner is freed, or
leaks, what its fields hold is lost with it (reported only in the first case: the second has a report
already).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from heapflow.guards.bdd import Guard, GuardOverflow
from heapflow.guards.book import GuardBook
from heapflow.guards.theory import constant_constraints
from heapflow.leaks.config import LeakConfig
from heapflow.leaks.flow import Flow, State
from heapflow.leaks.lists import GraphLists
from heapflow.leaks.loops import lost_in_next_turn
from heapflow.leaks.overwrites import PlacesOf
from heapflow.leaks.replaced import address_of, replaced
from heapflow.leaks.sources import Source, direct_sources
from heapflow.leaks.summaries import SummaryBook
from heapflow.models.model import Family
from heapflow.support.scc import components_of
from heapflow.svfg.graph import NodeKind


@dataclass(slots=True)
class Verdict:
    """What became of a source in its function."""

    source: Source
    flow: Flow
    survives: Guard  # somebody holds it when the function is done
    leaks: Guard
    in_loop: bool = False  # lost when the loop comes round again
    safe_elsewhere: bool = False  # another path frees it or hands it on
    contents: list[Source] = field(default_factory=list)  # lost with it: what its fields hold


@dataclass(slots=True)
class Detection:
    """The outcome of the phase."""

    leaks: list[Verdict] = field(default_factory=list)
    undecided: list[Source] = field(default_factory=list)
    sources: int = 0
    derived: int = 0
    limits_hit: Counter[str] = field(default_factory=Counter)


class Detector:
    """Runs detection over a program."""

    def __init__(
        self,
        lists: GraphLists,
        book: GuardBook,
        config: LeakConfig,
        families: dict[str, Family],
        callees: Mapping[int, tuple[int, ...]],
        object_chain: Mapping[int, tuple[int, ...]],
    ) -> None:
        self.lists, self.book, self.config = lists, book, config
        self.space = book.space
        self.summaries = SummaryBook(lists, book, config)
        self.pending = direct_sources(lists, book, config, families)
        self.callers: dict[int, list[int]] = {}
        for call in sorted(callees):
            for func in callees[call]:
                self.callers.setdefault(func, []).append(call)
        self.callees, self.object_chain = callees, object_chain
        self.result = Detection()
        self.verdicts: dict[int, Verdict] = {}  # by id of the source object, within one function
        self.by_object: dict[int, list[Source]] = {}
        self.fresh: frozenset[int] = frozenset()
        self.waiting: dict[tuple[object, ...], Source] = {}

    def run(self) -> Detection:
        self.result.sources = sum(len(found) for found in self.pending.values())
        for func in self._bottom_up():
            self._function(func)
        self.result.limits_hit.update(self.summaries.limits_hit)
        self.result.limits_hit.update(self.summaries.engine.limits_hit)
        self.result.limits_hit.update(self.book.context.limits_hit)
        return self.result

    def _bottom_up(self) -> list[int]:
        """Functions, callees before callers."""
        context = self.book.context
        edges: dict[int, set[int]] = {}
        for call, functions in self.callees.items():
            caller = context.block_func[context.instr_block[call]]
            edges.setdefault(caller, set()).update(functions)
        count = len(context.func_flags)
        successors = [sorted(edges.get(func, ())) for func in range(count)]
        order = [func for component in components_of(successors) for func in component]
        self.rank = {func: rank for rank, func in enumerate(order)}
        return order

    def _function(self, func: int) -> None:
        sources = self.pending.pop(func, [])
        if not sources:
            return
        if len(sources) > self.config.most_sources_per_function:
            self.result.limits_hit["sources per function"] += 1
            self.result.undecided += sources[self.config.most_sources_per_function :]
            sources = sources[: self.config.most_sources_per_function]
        self.verdicts.clear()
        self.by_object.clear()
        self.space.collect_garbage()
        sources = self._in_our_hands(sources)
        for source in sources:
            for obj in source.objects:
                self.by_object.setdefault(obj, []).append(source)
        self.fresh = frozenset(self.by_object)
        for source in sources:
            self._guarded(self._verdict, source, set())
        for source in sources:
            if id(source) in self.verdicts:
                self._guarded(self._conclude, self.verdicts[id(source)])

    def _in_our_hands(self, sources: list[Source]) -> list[Source]:
        """Without those that callees put into memory which others than this function hold.

        Such memory is long-lived and was not made here. What was made here: objects that arrive as
        values, in local variables, or in something made here.
        """
        kept = [source for source in sources if any(held < 0 for (_, held), _ in source.starts)]
        waiting = [source for source in sources if all(held >= 0 for (_, held), _ in source.starts)]
        made = {obj for source in kept for obj in source.objects}
        grows = True
        while grows:
            left = [source for source in waiting if not self._is_held_here(source, made)]
            grows = len(left) < len(waiting)
            kept_ids = {id(source) for source in left}
            for source in waiting:
                if id(source) not in kept_ids:
                    made |= source.objects
            waiting = left
        dropped = {id(source) for source in waiting}
        return [source for source in sources if id(source) not in dropped]

    def _is_held_here(self, source: Source, made: set[int]) -> bool:
        """Whether an object in memory lies in something that is local, made here, or short-lived."""
        places = [held for (_, held), _ in source.starts]
        places += [held for held, _ in source.unread]
        return any(
            not self.lists.is_long_lived(held) or bool(self.lists.objects_at(held) & made)
            for held in places
        )

    def _guarded(self, step: Callable[..., object], what: Source | Verdict, *more: object) -> None:
        """A step whose conditions outgrow all bounds leaves its source undecided."""
        self.space.collect_garbage()
        try:
            step(what, *more)
        except GuardOverflow:
            self.space.collect()
            self.result.limits_hit["nodes of all conditions"] += 1
            source = what if isinstance(what, Source) else what.source
            self.verdicts.pop(id(source), None)
            self.result.undecided.append(source)

    # One source ----------------------------------------------------------------------------------

    def _verdict(self, source: Source, busy: set[int]) -> Verdict:
        known = self.verdicts.get(id(source))
        if known is not None:
            return known
        busy = busy | {id(source)}
        flow = self.summaries.engine.run(source.func, source.starts, self.fresh, source.places)
        guards = self.book.guards(source.func)
        survives = self._held_at_the_end(source, flow, busy)
        leaving = guards.exit_from(self.book.context.instr_block[source.site])
        assume = self._assume(source, flow, busy)
        leaks = source.exists & leaving & assume & ~(flow.freed | survives)
        in_loop = False
        if not self.space.is_false(leaks):
            leaks = self._one_way(leaks)
            leaks = leaks & constant_constraints(self.book.context, leaks)
        if self.space.is_false(leaks) and flow.decided:
            turn = lost_in_next_turn(
                self.summaries.engine,
                source,
                flow,
                self.fresh,
                lambda found: self._held_at_the_end(source, found, busy),
            )
            if turn is not None:
                leaks, in_loop = turn.leaks, turn.replaced
                leaks = self._one_way(leaks)
            leaks = leaks & constant_constraints(self.book.context, leaks)
        safe = source.exists & leaving & assume & (flow.freed | survives)
        verdict = Verdict(source, flow, survives, leaks, in_loop, not self.space.is_false(safe))
        self.verdicts[id(source)] = verdict
        return verdict

    def _one_way(self, leaks: Guard) -> Guard:
        """Too many ways to lose the object: one of them stands for all."""
        if self.space.size(leaks) <= self.config.most_leak_nodes:
            return leaks
        self.result.limits_hit["leak condition too large"] += 1
        return self.space.cube(self.space.one_solution(leaks) or {})

    def _assume(self, source: Source, flow: Flow, busy: set[int]) -> Guard:
        """What the object's existence says; what holds it exists, too, and is not NULL."""
        found = flow.assume if flow.assume is not None else self.space.true
        for owner in self._owners(source, flow):
            if id(owner) in busy:
                continue
            other = self._verdict(owner, busy).flow.assume
            if other is not None and self.space.size(found) <= self.config.most_assumed_nodes:
                found = found & other
        return found

    def _owners(self, source: Source, flow: Flow) -> list[Source]:
        """Fresh objects of this function in which the object may lie."""
        found: dict[int, Source] = {}
        places = {held for _, held in flow.reached if held >= 0}
        places |= {held for held, _ in source.unread}
        for held in sorted(places):
            for obj in self.lists.objects_at(held):
                for owner in self.by_object.get(obj, ()):
                    if owner is not source:
                        found[id(owner)] = owner
        return sorted(found.values(), key=lambda owner: (owner.site, owner.chain))

    def _held_at_the_end(self, source: Source, flow: Flow, busy: set[int]) -> Guard:
        """The condition under which somebody holds the object when the function is done."""
        survives = flow.returned | flow.escaped
        for state, guard in flow.reached.items():
            node, held = state
            if held < 0 or self.space.is_true(survives):
                continue
            kept = guard & ~replaced(self.lists, self.book, node)
            lives = self._owner_lives(source, held, busy, self._is_in_itself(flow, state))
            survives = self._round_up(survives | (kept & lives))
        for held, guard in source.unread:
            survives = self._round_up(survives | (guard & self._owner_lives(source, held, busy)))
        return survives

    def _is_in_itself(self, flow: Flow, state: State) -> bool:
        """Whether the object was stored through a pointer to itself.

        Elements of a list or tree are one object to us; an element that an older one links to is
        stored through a pointer that does not carry the new one.
        """
        lists, context = self.lists, self.book.context
        seen: set[State] = set()
        while state not in seen:
            seen.add(state)
            if lists.kind[state[0]] == NodeKind.STORE:
                pointer, _ = address_of(self.book, context.operands(lists.instr[state[0]])[0])
                return (int(lists.svfg.node_of_value[pointer]), -1) in flow.reached
            if lists.kind[state[0]] == NodeKind.ACTUAL_OUT:
                return False
            state = flow.came_from.get(state, state)
        return False

    def _owner_lives(
        self, source: Source, held: int, busy: set[int], in_itself: bool = False
    ) -> Guard:
        """The condition under which an object that holds `source` outlives the function."""
        if held < 0:
            return self.space.true
        found, existing = self.space.false, self.space.false
        for obj in sorted(self.lists.objects_at(held)):
            owners = self.by_object.get(obj, ())
            if not owners:
                if self.lists.stack_owner.get(obj, -1) == source.func:
                    continue  # a local variable: gone with the function
                return self.space.true  # not made here: the caller's
            for owner in owners:
                if owner is source:
                    if in_itself:
                        continue
                    return self.space.true  # an older object of the same kind holds it
                if id(owner) in busy:
                    return self.space.true  # structures that hold each other
                existing = existing | owner.exists
                found = self._round_up(found | self._verdict(owner, busy).survives)
                if self.space.is_true(found):
                    return found
        if self.space.is_false(existing):
            return found
        # Where no owner was made here, an older object of the same kind holds it.
        return self._round_up(found | ~existing)

    def _round_up(self, guard: Guard) -> Guard:
        """Holders live longer than we can say: then the object is taken to be held."""
        if self.space.size(guard) <= self.config.most_holder_nodes:
            return guard
        self.result.limits_hit["holder condition too large"] += 1
        return self.space.true

    def _conclude(self, verdict: Verdict) -> None:
        source, flow = verdict.source, verdict.flow
        if not flow.decided:
            self.result.undecided.append(source)
            return
        if not self.space.is_false(verdict.leaks):
            owners = self._leaking_owners(verdict)
            leaks = verdict.leaks & ~self.space.any_of(owner.leaks for owner in owners)
            if self.space.is_false(leaks):
                for owner in owners:
                    owner.contents.append(source)
            else:
                verdict.leaks = leaks
                self.result.leaks.append(verdict)
        self._hand_over(verdict)

    def _leaking_owners(self, verdict: Verdict) -> list[Verdict]:
        """Where an owner leaks, what it holds is lost too: that is no finding of its own."""
        owners = self._owners(verdict.source, verdict.flow)
        found = [self.verdicts[id(owner)] for owner in owners if id(owner) in self.verdicts]
        return [owner for owner in found if not self.space.is_false(owner.leaks)]

    # Handing objects to callers --------------------------------------------------------------------

    def _hand_over(self, verdict: Verdict) -> None:
        source, flow = verdict.source, verdict.flow
        sites = self.callers.get(source.func, ())
        if not sites or len(source.chain) > self.config.deepest_chain:
            return
        outs: list[tuple[State, Guard]] = []
        inside = True
        handed = flow.returned
        if not self.space.is_false(flow.returned):
            inside = False
        elif len(source.chain) > self.config.deepest_memory_chain:
            return  # it is in memory that came from far up: long-lived, not followed further
        for state, guard in [*flow.outs.items(), *self._unread_places(source, flow)]:
            alive = guard & self._owner_lives(source, state[1], {id(source)})
            if self.space.is_false(alive):
                continue
            outs.append((state, alive))
            handed = handed | alive
            owned_here = all(o in self.by_object for o in self.lists.objects_at(state[1]))
            inside = inside and owned_here
        assume = self._assume(source, flow, {id(source)})
        handed = source.exists & assume & handed & ~flow.freed & ~flow.escaped
        if self.space.is_false(handed):
            return
        handed = self.summaries.small(handed)
        for site in sites:
            self._derive(verdict, site, handed, outs, inside)

    def _unread_places(self, source: Source, flow: Flow) -> list[tuple[State, Guard]]:
        """Where the object lies at the end though nobody reads it: the graph has no EXIT for that."""
        leaving = {held for _, held in flow.outs}
        found: dict[int, Guard] = {}
        for (node, held), guard in flow.reached.items():
            if held >= 0 and held not in leaving:
                kept = guard & ~replaced(self.lists, self.book, node)
                found[held] = found.get(held, self.space.false) | kept
        for held, guard in source.unread:
            found[held] = found.get(held, self.space.false) | guard
        return [((-1, held), guard) for held, guard in sorted(found.items(), key=lambda i: i[0])]

    def _derive(
        self,
        verdict: Verdict,
        site: int,
        handed: Guard,
        outs: list[tuple[State, Guard]],
        inside: bool,
    ) -> None:
        source, lists, book = verdict.source, self.lists, self.book
        context = book.context
        caller = context.block_func[context.instr_block[site]]
        if self.rank[caller] <= self.rank[source.func]:
            return  # recursion: not followed round again
        guards = book.guards(caller)
        reach = guards.reach.get(context.instr_block[site], self.space.false)
        exists = reach & book.instantiate(handed, site, source.func)
        if self.space.is_false(exists):
            return
        starts: list[tuple[State, Guard]] = []
        result = context.result[site]
        node = int(lists.svfg.node_of_value[result]) if result >= 0 else -1
        if node >= 0 and not self.space.is_false(verdict.flow.returned):
            returned = book.instantiate(
                self.summaries.small(verdict.flow.returned), site, source.func
            )
            starts.append(((node, -1), exists & returned))
        unread: list[tuple[int, Guard]] = []
        unseen = self.space.false
        places: PlacesOf = {}
        for (exit_node, held), guard in outs:
            overwrites = self.summaries.engine.overwrites
            addresses = overwrites.places_in_caller(held, site, verdict.flow.places)
            back = exists & book.instantiate(self.summaries.small(guard), site, source.func)
            arrived = False
            for target in lists.come_back.get((exit_node, site), ()):
                if lists.meets(held, target):
                    part = lists.narrow(held, target)
                    places[part] = places.get(part, set()) | addresses
                    starts.append(((target, part), back))
                    arrived = True
            if arrived:
                continue
            if own := self._local_to(caller, held):
                unread.append((lists.within(held, own), back))
            else:
                unseen = unseen | back
        # It exists where it arrives: what was stored out of this caller's sight is not ours.
        arrived_as = [guard for _, guard in starts] + [guard for _, guard in unread]
        exists = self.space.any_of(arrived_as) & ~unseen
        if self.space.is_false(exists):
            return
        self._add_derived(
            Source(
                func=caller,
                site=site,
                chain=(*source.chain, site),
                starts=starts,
                exists=exists,
                objects=self._objects_here(source, site),
                callee=source.callee,
                inside=inside,
                effect=source.effect,
                unread=unread,
                places=places,
            )
        )

    def _local_to(self, func: int, held: int) -> frozenset[int]:
        """The objects at these locations that are variables or blocks of this function."""
        context = self.book.context
        found: set[int] = set()
        for obj in self.lists.objects_at(held):
            chain = self.object_chain.get(obj, ())
            if self.lists.stack_owner.get(obj, -1) == func or any(
                context.block_func[context.instr_block[call]] == func for call in chain
            ):
                found.add(obj)
        return frozenset(found)

    def _objects_here(self, source: Source, site: int) -> frozenset[int]:
        """The clones that this call site makes, where the points-to phase tells them apart."""
        own = frozenset(o for o in source.objects if site in self.object_chain.get(o, ()))
        return own or source.objects

    def _add_derived(self, source: Source) -> None:
        """Objects that arrive together at the same place are one source to the caller."""
        key = (source.func, source.inside, *source.key)
        other = self.waiting.get(key)
        if other is None:
            self.result.derived += 1
            self.waiting[key] = source
            self.pending.setdefault(source.func, []).append(source)
            return
        guards = dict(other.starts)
        for state, guard in source.starts:
            guards[state] = guards[state] | guard if state in guards else guard
        other.starts = list(guards.items())
        unread = dict(other.unread)
        for held, guard in source.unread:
            unread[held] = unread[held] | guard if held in unread else guard
        other.unread = list(unread.items())
        other.exists = other.exists | source.exists
        for held, addresses in source.places.items():
            other.places[held] = other.places.get(held, set()) | addresses
        other.objects = other.objects | source.objects
