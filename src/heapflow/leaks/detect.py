"""Leak candidates: objects for which no free, escape or holder remains on some path.

In:    the value-flow graph, guards.     Out: `Detection` (candidates, undecided sources, counts).
Paper: TSE'14 §5: a source leaks under RC(src) ∧ RC(exit) ∧ ¬FREED(src); SMOKE Fig. 8: an escape makes
only its path safe; spec 2 "Sources multiply by context".
Functions are taken callees first. An object that leaves a function becomes a source at its callers.
An object in a field of another fresh object lives as long as that one does: if the owner is freed, or
leaks, what its fields hold is lost with it (in the second case the owner's report tells it, unless
nobody ever frees such an object: `withheld.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from heapflow.guards.bdd import Guard, GuardOverflow
from heapflow.guards.book import GuardBook
from heapflow.guards.facts import narrowed
from heapflow.guards.results import Codes, ResultCodes
from heapflow.guards.waysout import ways_out
from heapflow.leaks.comeback import came_back_without
from heapflow.leaks.config import LeakConfig
from heapflow.leaks.confined import Confined
from heapflow.leaks.flow import follow
from heapflow.leaks.handover import Handovers, Offer, is_in_a_loop
from heapflow.leaks.holders import Asked, Holders
from heapflow.leaks.lists import GraphLists
from heapflow.leaks.loops import LostInTurn, lost_in_next_turn
from heapflow.leaks.outcome import Flow, State
from heapflow.leaks.pools import Pools
from heapflow.leaks.sources import Source, direct_sources
from heapflow.leaks.summaries import SummaryBook
from heapflow.leaks.surroundings import Surroundings
from heapflow.leaks.together import Batch, find_batches, part_of
from heapflow.leaks.touched import Touched
from heapflow.leaks.verdict import Verdict
from heapflow.leaks.withheld import Withheld
from heapflow.models.model import Family
from heapflow.support.scc import callees_first, strong_components

Progress = Callable[[int, int, str], None]
_TELL_EVERY = 16  # functions


@dataclass(slots=True)
class Detection:
    """The outcome of the phase."""

    leaks: list[Verdict] = field(default_factory=list)
    undecided: list[tuple[Source, str]] = field(default_factory=list)  # and the limit that was hit
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
        around: Surroundings,
    ) -> None:
        self.lists, self.book, self.config = lists, book, config
        self.space = book.space
        self.confined, self.touched = Confined(around), Touched(around)
        self.callees = callees
        calls = self._calls()
        self.summaries = SummaryBook(lists, book, config, _large(calls, config.large_recursion))
        self.replaced = self.summaries.engine.replacements.of
        self.result_codes = ResultCodes()
        direct = direct_sources(lists, book, config, families)
        self.callers: dict[int, list[int]] = {}
        for call in sorted(callees):
            for func in callees[call]:
                self.callers.setdefault(func, []).append(call)
        pools = Pools(book.context, self.callers)
        self.handovers = Handovers(
            lists, book, self.summaries, around.object_chain, direct, pools, self.touched
        )
        self.order = callees_first(calls)
        self.rank = {func: rank for rank, func in enumerate(self.order)}
        asked = Asked(self.replaced, self._survives, self._flow)
        self.holders = Holders(lists, book, config, self.confined, asked)
        self.result = Detection(sources=sum(len(found) for found in direct.values()))
        self.verdicts: dict[int, Verdict] = {}  # by id of the source object, within one function
        self.flows: dict[int, Flow] = {}  # the same
        self.fresh: frozenset[int] = frozenset()
        self.batches: dict[int, Batch] = {}  # by id of a member; gone once it was followed
        self.withheld = Withheld(self.space)

    def run(self, progress: Progress | None = None) -> Detection:
        """All functions, callees first; `progress` is told how many are done."""
        for done, func in enumerate(self.order):
            if progress is not None and done % _TELL_EVERY == 0:
                progress(done, len(self.order), self.lists.program.func_name(func))
            self._function(func)
        self.result.leaks += self.withheld.never_freed()
        self.result.derived = self.handovers.derived
        for source in self.handovers.too_large:
            self.result.limits_hit["nodes of all conditions"] += 1
            self.result.undecided.append((source, "nodes of all conditions"))
        self.result.limits_hit.update(self.holders.limits_hit)
        self.result.limits_hit.update(self.confined.limits_hit)
        self.result.limits_hit.update(self.touched.limits_hit)
        self.result.limits_hit.update(self.summaries.limits_hit)
        self.result.limits_hit.update(self.summaries.engine.limits_hit)
        self.result.limits_hit.update(self.book.context.limits_hit)
        return self.result

    def _calls(self) -> list[list[int]]:
        """The functions that each function calls.

        Calls that do not come back make no order: an allocator that ends the program through half
        of it where memory is short is no part of a recursion.
        """
        context = self.book.context
        edges: dict[int, set[int]] = {}
        for call, functions in self.callees.items():
            block = context.instr_block[call]
            if context.returning.comes_back(block):
                edges.setdefault(context.block_func[block], set()).update(functions)
        count = len(context.func_flags)
        return [sorted(edges.get(func, ())) for func in range(count)]

    def _function(self, func: int) -> None:
        sources = self.handovers.sources_of(func)
        if not sources:
            return
        if len(sources) > self.config.most_sources_per_function:
            self.result.limits_hit["sources per function"] += 1
            late = sources[self.config.most_sources_per_function :]
            limit = "leaks.most-sources-per-function"
            self.result.undecided += [(source, limit) for source in late]
            sources = sources[: self.config.most_sources_per_function]
        self.verdicts.clear()
        self.flows.clear()
        self.batches.clear()
        self.holders.begin(sources)
        self.space.collect_garbage()
        self.fresh = frozenset(self.holders.by_object)
        guards = self.book.guards(func)
        for batch in find_batches(self.lists, guards, sources):
            self.batches.update((id(member), batch) for member in batch.members)
        for source in sources:
            self._guarded(self._verdict, source, set())
        for source in sources:
            if id(source) in self.verdicts:
                self._guarded(self._conclude, self.verdicts[id(source)])

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
            self.result.undecided.append((source, "nodes of all conditions"))

    # One source ----------------------------------------------------------------------------------

    def _verdict(self, source: Source, busy: set[int]) -> Verdict:
        batch = self.batches.get(id(source))
        if batch is not None:
            self._follow_together(batch, busy)
        known = self.verdicts.get(id(source))
        if known is not None:
            return known
        busy = busy | {id(source)}
        flow = self._flow(source)
        guards = self.book.guards(source.func)
        survives = self.holders.at_the_end(source, flow, busy)
        leaving = guards.exit_from(self.book.context.instr_block[source.site])
        assume = self._assume(source, flow, busy)
        leaks = source.exists & leaving & assume & ~(flow.freed | survives)
        if flow.given:
            leaks = leaks & ~came_back_without(guards, self.space.any_of(flow.given))
        if not self.space.is_false(leaks) and self._follow_owners_on(source, flow, busy):
            survives = self.holders.at_the_end(source, flow, busy)
            leaks = leaks & ~survives
        in_loop = False
        if not self.space.is_false(leaks):
            leaks = ways_out(guards, self.book.context.instr_block[source.site], leaks)
            leaks = narrowed(guards, self._one_way(leaks))
        if self.space.is_false(leaks) and flow.decided:
            turn = self._lost_in_turn(source, flow, survives, busy)
            if turn is not None:
                leaks, in_loop = turn.leaks, turn.replaced
                leaks = narrowed(guards, self._one_way(leaks), ended=not in_loop)
        safe = source.exists & leaving & assume & (flow.freed | survives)
        verdict = Verdict(source, flow, survives, leaks, in_loop, not self.space.is_false(safe))
        self.verdicts[id(source)] = verdict
        return verdict

    def _follow_owners_on(self, source: Source, flow: Flow, busy: set[int]) -> bool:
        """Follow what holds an object to the end, if rounded conditions made that seem needless.

        What is freed at `fail:` seems to be freed on the way to `return o;`, too, where conditions
        were rounded: that it is returned there, with what it holds, was not looked for.
        """
        engine, found = self.summaries.engine, False
        if not (engine.gives_pointers(source.func) and self.book.guards(source.func).is_rounded):
            return found
        for owner in self.holders.owners(source, flow):
            known = self.verdicts.get(id(owner))
            if known is not None and known.flow.is_cut and id(owner) not in busy:
                start, places = owner.starts, owner.places
                whole = follow(engine, owner.func, start, self.fresh, places, whole=True)
                self.flows[id(owner)] = whole
                del self.verdicts[id(owner)]
                self._verdict(owner, busy)
                found = True
        return found

    def _follow_together(self, batch: Batch, busy: set[int]) -> None:
        """Verdicts on those members of a batch that cannot be lost."""
        whole, members = batch.whole, batch.members
        for member in members:
            del self.batches[id(member)]
        self.holders.selves[id(whole)] = {id(member) for member in members}
        busy = busy | self.holders.selves[id(whole)] | {id(whole)}
        engine, most = self.summaries.engine, self.config.most_nodes_together
        flow = follow(engine, whole.func, whole.starts, self.fresh, whole.places, most_nodes=most)
        if flow.given:
            return
        # A flow that was given up says less than there is, but what it says is true.
        guards, block_of = self.book.guards(whole.func), self.book.context.instr_block
        survives = self._surely_held(whole, flow, busy)
        assume = self._assume(whole, flow, busy)
        settled = flow.freed | survives
        ends = [m.exists & guards.exit_from(block_of[m.site]) & assume for m in members]
        safe = [(end & settled) == end for end in ends]
        if not any(safe) or self._lost_in_turn(whole, flow, survives, busy) is not None:
            return
        # By itself, a member would be given up where the others were: it goes the same way.
        is_hopeless = not flow.decided and len(flow.reached) > self.config.most_nodes
        for member, end, is_safe in zip(members, ends, safe, strict=True):
            if not is_safe and not is_hopeless:
                continue
            part = part_of(self.space, flow, batch, member)
            part.decided = is_safe
            self.verdicts[id(member)] = Verdict(
                member,
                part,
                survives & member.exists,
                end & ~settled,
                safe_elsewhere=not self.space.is_false(end & settled),
            )

    def _surely_held(self, whole: Source, flow: Flow, busy: set[int]) -> Guard:
        """Who holds a batch at the end; only what is not rounded, as that may hold for one member."""
        before = self.holders.limits_hit.total()
        survives = self.holders.at_the_end(whole, flow, busy)
        is_rounded = self.holders.limits_hit.total() != before
        return flow.returned | flow.escaped if is_rounded else survives

    def _flow(self, source: Source) -> Flow:
        known = self.flows.get(id(source))
        if known is None:
            engine = self.summaries.engine
            known = follow(engine, source.func, source.starts, self.fresh, source.places)
            self.flows[id(source)] = known
        return known

    def _survives(self, source: Source, busy: set[int]) -> Guard:
        return self._verdict(source, busy).survives

    def _lost_in_turn(
        self, source: Source, flow: Flow, survives: Guard, busy: set[int]
    ) -> LostInTurn | None:
        return lost_in_next_turn(
            self.summaries.engine,
            source,
            flow,
            self.fresh,
            lambda found: self.holders.at_the_end(source, found, busy),
            survives,
        )

    def _one_way(self, leaks: Guard) -> Guard:
        """Too many ways to lose the object: one of them stands for all."""
        if self.space.size(leaks) <= self.config.most_leak_nodes:
            return leaks
        self.result.limits_hit["leak condition too large"] += 1
        return self.space.cube(self.space.one_solution(leaks) or {})

    def _assume(self, source: Source, flow: Flow, busy: set[int]) -> Guard:
        """What the object's existence says; what holds it exists, too, and is not NULL."""
        found = flow.assume if flow.assume is not None else self.space.true
        for owner in self.holders.owners(source, flow):
            if id(owner) in busy:
                continue
            other = self._verdict(owner, busy).flow.assume
            if other is not None and self.space.size(found) <= self.config.most_assumed_nodes:
                found = found & other
        return found

    def _conclude(self, verdict: Verdict) -> None:
        source, flow = verdict.source, verdict.flow
        self.withheld.note(verdict, source.func in self.callers)
        if not self.space.is_false(flow.escaped):
            self.holders.gone |= source.objects
        if not flow.decided:
            self.result.undecided.append((source, flow.limit))
            return
        if not self.space.is_false(verdict.leaks):
            owners = self._leaking_owners(verdict)
            leaks = verdict.leaks & ~self.space.any_of(owner.leaks for owner in owners)
            own = source.is_value and not (source.inside or flow.frees or verdict.safe_elsewhere)
            if self.space.is_false(leaks) and not own:
                for owner in owners:
                    owner.contents.append(source)
                self.withheld.add(verdict)
            else:
                # Freeing the owner would not help what was made here and is freed nowhere.
                verdict.leaks = verdict.leaks if self.space.is_false(leaks) else leaks
                self.result.leaks.append(verdict)
        self._hand_over(verdict)

    def _leaking_owners(self, verdict: Verdict) -> list[Verdict]:
        """Where an owner leaks, what it holds is lost too: that is no finding of its own."""
        owners = self.holders.owners(verdict.source, verdict.flow)
        found = [self.verdicts[id(owner)] for owner in owners if id(owner) in self.verdicts]
        return [owner for owner in found if not self.space.is_false(owner.leaks)]

    # Handing objects to callers --------------------------------------------------------------------

    def _hand_over(self, verdict: Verdict) -> None:
        source, flow = verdict.source, verdict.flow
        sites = self.callers.get(source.func, ())
        if not sites or len(source.chain) > self.config.deepest_chain:
            return
        flow = self._through_recursion(source, flow)
        outs: list[tuple[State, Guard]] = []
        inside = True
        handed = flow.returned
        if not self.space.is_false(flow.returned):
            inside = False
        elif len(source.chain) > self.config.deepest_memory_chain:
            return  # it is in memory that came from far up: long-lived, not followed further
        for state, guard in [*flow.outs.items(), *self._unread_places(source, flow)]:
            alive = guard & self.holders.owner_lives(source, state[1], {id(source)})
            if self.space.is_false(alive):
                continue
            outs.append((state, alive))
            handed = handed | alive
            owned_here = all(o in self.holders.by_object for o in self.lists.objects_at(state[1]))
            inside = inside and owned_here
        assume = self._assume(source, flow, {id(source)})
        handed = source.exists & assume & handed & ~flow.freed & ~flow.escaped
        if flow is not verdict.flow:
            handed = handed | (flow.returned & ~verdict.flow.returned)
        if not source.is_rest:
            handed = handed & ~self.holders.linked_from_its_kind(source, flow)
        if self.space.is_false(handed):
            return
        guards = self.book.guards(source.func)
        # What is returned is the result itself.
        once = self.space.is_false(flow.returned) and not is_in_a_loop(
            self.lists, guards, source, flow
        )
        codes = self.result_codes.where(guards, handed, once)
        behind = [] if inside or source.is_rest else self._behind(source, outs)
        linked = self.space.any_of(guard for _, guard in behind)
        rest = source.exists & assume & linked & ~flow.freed & ~flow.escaped
        if not self.space.is_false(rest):
            outs = [out for out in outs if out not in behind]
            alone = replace(flow, returned=self.space.false)
            self._offer(source, alone, rest, behind, inside=False, is_rest=True)
        self._offer(source, flow, handed, outs, inside, source.is_rest, codes)

    def _offer(
        self,
        source: Source,
        flow: Flow,
        handed: Guard,
        outs: list[tuple[State, Guard]],
        inside: bool = True,
        is_rest: bool = False,
        codes: Codes | None = None,
    ) -> None:
        """Offer an object to all callers."""
        handed, context = self.summaries.small(handed), self.book.context
        known = codes if codes is not None else Codes()
        for site in self.callers.get(source.func, ()):
            caller = context.block_func[context.instr_block[site]]
            if self.rank[caller] > self.rank[source.func]:  # recursion: not followed round again
                self.handovers.offer(
                    Offer(source, flow, site, caller, handed, outs, inside, is_rest, known)
                )

    def _behind(self, source: Source, outs: list[tuple[State, Guard]]) -> list[tuple[State, Guard]]:
        """Where elements lie that a loop made and linked, behind the one that is handed over.

        They are a source of their own: who frees the first has not freed the others.
        """
        block = self.book.context.instr_block[source.site]
        if not self.book.guards(source.func).cfg.loops_of.get(block):
            return []
        places = [(out, self.lists.objects_at(out[0][1])) for out in outs]
        return [out for out, objects in places if objects and objects <= source.objects]

    def _through_recursion(self, source: Source, flow: Flow) -> Flow:
        """A function that returns what it got from calling itself returns the object then, too."""
        context, engine = self.book.context, self.summaries.engine
        if self.space.is_false(flow.returned):
            return flow
        returned = flow.returned
        for site in self.callers.get(source.func, ()):
            block, result = context.instr_block[site], context.result[site]
            if context.block_func[block] != source.func or result < 0:
                continue
            node = int(self.lists.svfg.node_of_value[result])
            reach = self.book.guards(source.func).reach.get(block, self.space.false)
            if node >= 0:
                again = follow(engine, source.func, [((node, -1), reach)], self.fresh)
                returned = returned | (again.returned & ~again.freed & ~again.escaped)
        return flow if returned == flow.returned else replace(flow, returned=returned)

    def _unread_places(self, source: Source, flow: Flow) -> list[tuple[State, Guard]]:
        """Where the object lies at the end though nobody reads it: the graph has no EXIT for that."""
        leaving = {held for _, held in flow.outs}
        found: dict[int, Guard] = {}
        for (node, held), guard in flow.reached.items():
            if held >= 0 and held not in leaving:
                kept = guard & ~self.replaced(self.lists.only_from[node])
                found[held] = found.get(held, self.space.false) | kept
        for held, guard in [*source.unread, *flow.unread.items()]:
            found[held] = found.get(held, self.space.false) | guard
        return [((-1, held), guard) for held, guard in sorted(found.items(), key=lambda i: i[0])]


def _large(calls: list[list[int]], size: int) -> dict[int, int]:
    """Functions of large recursions, with the number of that recursion."""
    components = strong_components(range(len(calls)), calls.__getitem__, len(calls))
    large = [component for component in components if len(component) > size]
    return {func: number for number, component in enumerate(large) for func in component}
