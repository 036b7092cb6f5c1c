"""Leak candidates: objects for which no free, escape or holder remains on some path.

In:    the value-flow graph, guards.     Out: `Detection` (candidates, undecided sources, counts).
Paper: TSE'14 §5: a source leaks under RC(src) ∧ RC(exit) ∧ ¬FREED(src); SMOKE Fig. 8: an escape makes
only its path safe; an allocation is a source in each context that can tell its blocks apart.
Functions are taken callees first. An object that leaves a function becomes a source at its callers.
An object in a field of another fresh object lives as long as that one does: if the owner is freed, or
leaks, what its fields hold is lost with it (in the second case the owner's report tells it, unless
nobody ever frees such an object: `withheld.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from heapflow.flow.config import LeakConfig
from heapflow.flow.flow import (
    TURN_TOO_LARGE,
    Flow,
    GraphLists,
    Source,
    SummaryBook,
    follow,
    lost_in_next_turn,
)
from heapflow.guards.guards import FunctionGuards, GuardBook, narrowed, ways_out
from heapflow.ir.ids import FuncId, InstrId
from heapflow.leaks.confined import Confined
from heapflow.leaks.handover import Handovers
from heapflow.leaks.holders import Asked, Holders
from heapflow.leaks.lostwith import follow_inside, is_told_apart, lies_inside
from heapflow.leaks.offering import Offering
from heapflow.leaks.secondlook import brief, is_doubtful
from heapflow.leaks.sources import direct_sources
from heapflow.leaks.surroundings import Surroundings
from heapflow.leaks.together import Batch, find_batches, part_of
from heapflow.leaks.touched import Touched
from heapflow.leaks.verdict import Verdict
from heapflow.leaks.withheld import Withheld
from heapflow.logic.space import BEYOND_BOUNDS, WORK, Guard
from heapflow.models.model import Family
from heapflow.policies.owners_tell import told_by
from heapflow.support.limits import OutOfBudget
from heapflow.support.scc import callees_first, strong_components

Progress = Callable[[int, int, str], None]
_TELL_EVERY: Final = 16  # functions


@dataclass(slots=True)
class Detection:
    """The outcome of the phase."""

    leaks: list[Verdict] = field(default_factory=list)
    undecided: list[tuple[Source, str]] = field(default_factory=list)  # and the limit that was hit
    cut_off: list[tuple[Verdict, str]] = field(default_factory=list)  # the same as verdicts
    settled: list[Verdict] = field(default_factory=list)  # safe, for reasons that are not exact
    rounded: list[tuple[Verdict, str]] = field(default_factory=list)  # safe, beyond that limit
    known: set[tuple[int, int]] = field(default_factory=set)  # allocation, call that gives it
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
        families: Mapping[str, Family],
        callees: Mapping[int, tuple[int, ...]],
        around: Surroundings,
    ) -> None:
        self.lists, self.book, self.config = lists, book, config
        self.space = book.space
        self.confined, self.touched = Confined(around), Touched(around, config)
        self.callees = callees
        calls = self._calls()
        self.summaries = SummaryBook(lists, book, config, _large(calls, config.large_recursion))
        self.replaced = self.summaries.engine.replacements.of
        direct = direct_sources(lists, book, config, families)
        self.callers: dict[FuncId, list[InstrId]] = {}
        for call in map(InstrId, sorted(callees)):
            for func in map(FuncId, callees[call]):
                self.callers.setdefault(func, []).append(call)
        self.handovers = Handovers(
            lists, book, self.summaries, around.object_chain, direct, self.touched
        )
        self.order = [FuncId(func) for func in callees_first(calls)]
        self.rank = {func: rank for rank, func in enumerate(self.order)}
        asked = Asked(self.replaced, self._survives, self._flow)
        self.holders = Holders(lists, book, config, self.confined, asked)
        self.offering = Offering(
            self.summaries, self.handovers, self.holders, self.callers, self.rank, self._assume
        )
        self.result = Detection(sources=sum(len(found) for found in direct.values()))
        self.verdicts: dict[Source, Verdict] = {}  # within one function
        self.flows: dict[Source, Flow] = {}  # the same
        self.fresh: frozenset[int] = frozenset()
        self.batches: dict[Source, Batch] = {}  # by member; gone once it was followed
        self.withheld = Withheld(self.space)
        self.hear: Callable[[Verdict], None] = _ignore  # is told of every verdict
        self.open: list[Source] = []  # of one function, so far without a conclusion

    def run(
        self, progress: Progress | None = None, check: Callable[[], None] | None = None
    ) -> Detection:
        """All functions, callees first; `progress` is told how many are done.

        `check` raises `OutOfBudget` when it is time to stop: what is not decided then stays so.
        """
        context = self.book.context
        unchecked, context.check = context.check, check or context.check
        try:
            for done, func in enumerate(self.order):
                if progress is not None and done % _TELL_EVERY == 0:
                    progress(done, len(self.order), self.lists.program.func_name(func))
                self._function(func)
        except OutOfBudget as over:
            left = self.open + self.handovers.not_taken()
            self.result.undecided += [(source, str(over)) for source in left]
            self.result.limits_hit[str(over)] += len(left)
        context.check = unchecked
        WORK.allow(0)
        self.result.leaks += self.withheld.never_freed()
        self.result.derived = self.handovers.derived
        for source in self.handovers.too_large:
            self.result.limits_hit["nodes of all conditions"] += 1
            self.result.undecided.append((source, "nodes of all conditions"))
        far = [(source, "leaks.deepest-chain") for source in self.offering.too_far]
        self.result.undecided += far
        self.result.limits_hit["calls through which an object is returned"] += len(far)
        limit = "leaks.most-offers-in-large-recursion"
        self.result.undecided += [(source, limit) for source in self.offering.beyond]
        self.result.limits_hit["objects handed on in a large recursion"] += len(
            self.offering.beyond
        )
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
        code = context.code
        edges: dict[int, set[int]] = {}
        for call, functions in self.callees.items():
            block = code.instr_block[call]
            if context.returning.comes_back(block):
                edges.setdefault(code.block_func[block], set()).update(functions)
        count = len(code.func_flags)
        return [sorted(edges.get(func, ())) for func in range(count)]

    def _function(self, func: FuncId) -> None:
        sources = self.handovers.sources_of(func)
        if not sources:
            return
        if len(sources) > self.config.most_sources_per_function:
            self.result.limits_hit["sources per function"] += 1
            late = sources[self.config.most_sources_per_function :]
            limit = "leaks.most-sources-per-function"
            self.result.undecided += [(source, limit) for source in late]
            sources = sources[: self.config.most_sources_per_function]
        self.open = sources
        self.book.context.policies.at = func
        WORK.allow(self.config.most_work_per_function)
        self.verdicts.clear()
        self.flows.clear()
        self.batches.clear()
        self.holders.begin(sources)
        self.space.collect_garbage()
        self.fresh = frozenset(self.holders.by_object)
        guards = self.book.guards(func)
        self._find_batches(guards, sources)
        for source in sources:
            self._guarded(self._verdict, source, set())
        for number, source in enumerate(sources):
            if source in self.verdicts:
                self.hear(self.verdicts[source])
                self._guarded(self._conclude, self.verdicts[source])
            self.open = sources[number + 1 :]

    def _find_batches(self, guards: FunctionGuards, sources: list[Source]) -> None:
        """Sources that can be judged together; where their conditions outgrow all bounds, each is
        judged alone, which costs more and says the same."""
        try:
            batches = find_batches(self.lists, guards, sources)
        except BEYOND_BOUNDS:
            self.result.limits_hit["conditions of objects that are judged together"] += 1
            self.space.collect()
            return
        for batch in batches:
            self.batches.update((member, batch) for member in batch.members)

    def _guarded(self, step: Callable[..., object], what: Source | Verdict, *more: object) -> None:
        """A step whose conditions outgrow all bounds leaves its source undecided: execution decides."""
        self.space.collect_garbage()
        try:
            step(what, *more)
        except BEYOND_BOUNDS:
            used_up = WORK.is_used_up()
            if not used_up:
                self.space.collect()
            limit = "leaks.most-work-per-function" if used_up else "nodes of all conditions"
            self.result.limits_hit[limit] += 1
            source = what if isinstance(what, Source) else what.source
            self.verdicts.pop(source, None)
            self.result.undecided.append((source, limit))
            false = self.space.false
            nothing = Flow(false, false, false, decided=False, limit=limit)
            self.result.cut_off.append((Verdict(source, nothing, false, false), limit))

    # One source ----------------------------------------------------------------------------------

    def _verdict(self, source: Source, busy: set[Source]) -> Verdict:
        batch = self.batches.get(source)
        if batch is not None:
            self._follow_together(batch, busy)
        known = self.verdicts.get(source)
        if known is not None:
            return known
        busy = busy | {source}
        outer, self.holders.rounded = self.holders.rounded, ""
        flow = self._flow(source)
        guards = self.book.guards(source.func)
        survives = self.holders.at_the_end(source, flow, busy)
        leaving = guards.exit
        assume = self._assume(source, flow, busy)
        # [TSE'14 §5]   leaks = RC(src) ∧ RC(exit) ∧ ¬FREED(src)
        # Differs from the paper: what somebody holds at the end counts like what is freed, and carrying
        # the object says something of the function's own conditions.
        leaks = source.exists & leaving & assume & ~(flow.freed | survives)
        if not self.space.is_false(leaks) and self._follow_owners_on(source, flow, busy):
            survives = self.holders.at_the_end(source, flow, busy)
            leaks = leaks & ~survives
        if not self.space.is_false(leaks):
            leaks = ways_out(guards, self.book.context.code.instr_block[source.site], leaks)
            leaks = self._possible(guards, leaks)
        if self.space.is_false(leaks) and flow.decided:
            turn = self._lost_in_turn(source, flow, survives, busy)
            if turn is not None:
                leaks = self._possible(guards, turn)
        safe = source.exists & leaving & assume & (flow.freed | survives)
        rounded = source.rounded or flow.rounded or self.holders.rounded or guards.opaque
        rounded = rounded or self._rounded_ways(guards, flow)
        self.holders.rounded = outer
        verdict = Verdict(source, flow, survives, leaks, not self.space.is_false(safe), rounded)
        self.verdicts[source] = verdict
        return verdict

    def _rounded_ways(self, guards: FunctionGuards, flow: Flow) -> str:
        """The limit because of which blocks that decide what became of an object seem to be reached
        more often than they are."""
        inexact, lists = guards.inexact, self.lists
        if not inexact:
            return ""
        decides = any(block in inexact for block, _ in flow.settled) or any(
            lists.block[node] in inexact and (held >= 0 or node in lists.returns)
            for node, held in flow.reached
        )
        return "guards.most-nodes" if decides else ""

    def _follow_owners_on(self, source: Source, flow: Flow, busy: set[Source]) -> bool:
        """Follow what holds an object to the end, if rounded conditions made that seem needless.

        What is freed at `fail:` seems to be freed on the way to `return o;`, too, where conditions
        were rounded: that it is returned there, with what it holds, was not looked for.
        """
        engine, found = self.summaries.engine, False
        if not (engine.gives_pointers(source.func) and self.book.guards(source.func).inexact):
            return found
        for owner in self.holders.owners(source, flow):
            known = self.verdicts.get(owner)
            if known is not None and known.flow.is_cut and owner not in busy:
                start, places = owner.starts, owner.places
                whole = follow(self.summaries, owner.func, start, self.fresh, places, whole=True)
                self.flows[owner] = whole
                del self.verdicts[owner]
                self._verdict(owner, busy)
                found = True
        return found

    def _follow_together(self, batch: Batch, busy: set[Source]) -> None:
        """Verdicts on those members of a batch that cannot be lost."""
        whole, members = batch.whole, batch.members
        for member in members:
            del self.batches[member]
        self.holders.selves[whole] = set(members)
        busy = busy | self.holders.selves[whole] | {whole}
        flow = follow(
            self.summaries,
            whole.func,
            whole.starts,
            self.fresh,
            whole.places,
            most_nodes=self.config.most_nodes_together,
        )
        # A flow that was given up says less than there is, but what it says is true.
        guards = self.book.guards(whole.func)
        survives = self._surely_held(whole, flow, busy)
        assume = self._assume(whole, flow, busy)
        settled = flow.freed | survives
        ends = [member.exists & guards.exit & assume for member in members]
        safe = [(end & settled) == end for end in ends]
        if not any(safe) or self._lost_in_turn(whole, flow, survives, busy) is not None:
            return
        # By itself, a member would be given up where the others were: it goes the same way.
        is_hopeless = not flow.decided and len(flow.reached) > self.config.most_nodes
        for member, end, is_safe in zip(members, ends, safe, strict=True):
            if not (is_safe or is_hopeless):
                continue
            part = part_of(self.space, flow, batch, member)
            part.decided = is_safe
            self.verdicts[member] = Verdict(
                member,
                part,
                survives & member.exists,
                end & ~settled,
                safe_elsewhere=not self.space.is_false(end & settled),
                rounded=flow.rounded or self._rounded_ways(guards, flow),
            )

    def _surely_held(self, whole: Source, flow: Flow, busy: set[Source]) -> Guard:
        """Who holds a batch at the end; only what is not rounded, as that may hold for one member."""
        before = self.holders.limits_hit.total()
        survives = self.holders.at_the_end(whole, flow, busy)
        is_rounded = self.holders.limits_hit.total() != before
        return flow.returned | flow.escaped if is_rounded else survives

    def _flow(self, source: Source) -> Flow:
        known = self.flows.get(source)
        if known is None:
            start, places = source.starts, source.places
            known = follow(self.summaries, source.func, start, self.fresh, places)
            self.flows[source] = known
        return known

    def _survives(self, source: Source, busy: set[Source]) -> Guard:
        verdict = self._verdict(source, busy)
        self.holders.rounded = self.holders.rounded or verdict.rounded
        return verdict.survives

    def _lost_in_turn(
        self, source: Source, flow: Flow, survives: Guard, busy: set[Source]
    ) -> Guard | None:
        engine = self.summaries.engine
        before = engine.limits_hit[TURN_TOO_LARGE]
        found = lost_in_next_turn(
            self.summaries,
            source,
            flow,
            self.fresh,
            lambda found: self.holders.at_the_end(source, found, busy),
            survives,
        )
        if engine.limits_hit[TURN_TOO_LARGE] != before:
            flow.rounded = flow.rounded or "guards.most-nodes"
        return found

    def _possible(self, guards: FunctionGuards, leaks: Guard) -> Guard:
        """What facts leave of a condition; if one way stands for many, another may be left."""
        one = self._one_way(leaks)
        found = narrowed(guards, one)
        return one if self.space.is_false(found) and one != leaks else found

    def _one_way(self, leaks: Guard) -> Guard:
        """Too many ways to lose the object: one of them stands for all."""
        if self.space.size(leaks) <= self.config.most_leak_nodes:
            return leaks
        self.result.limits_hit["leak condition too large"] += 1
        return self.space.cube(self.space.one_solution(leaks) or {})

    def _assume(self, source: Source, flow: Flow, busy: set[Source]) -> Guard:
        """What the object's existence says; what holds it exists, too, and is not NULL."""
        found = flow.assume if flow.assume is not None else self.space.true
        for owner in self.holders.owners(source, flow):
            if owner in busy or len(busy) > self.config.deepest_owners:
                continue
            other = self._verdict(owner, busy).flow.assume
            if other is not None and self.space.size(found) <= self.config.most_assumed_nodes:
                found = found & other
        return found

    def _conclude(self, verdict: Verdict) -> None:
        source, flow = verdict.source, verdict.flow
        self.withheld.note(verdict, source.func in self.callers)
        self.result.known.add((source.chain[0], source.site))
        if not self.space.is_false(flow.escaped):
            self.holders.gone |= source.objects
        if not flow.decided:
            self.result.undecided.append((source, flow.limit))
            self.result.cut_off.append((verdict, flow.limit))
            return
        if not self.space.is_false(verdict.leaks):
            owners = self._leaking_owners(verdict)
            leaks = self._without_owners(verdict.leaks, owners)
            own = source.is_value and not (source.inside or flow.frees or verdict.safe_elsewhere)
            if self.space.is_false(leaks) and not own:
                for owner in owners:
                    owner.contents.append(source)
                self.withheld.add(verdict)
            else:
                # Freeing the owner would not help what was made here and is freed nowhere.
                verdict.leaks = verdict.leaks if self.space.is_false(leaks) else leaks
                self.result.leaks.append(verdict)
        else:
            for owner in self._leaking_owners(verdict):
                if self._goes_with(owner, verdict):
                    owner.contents.append(source)
            if verdict.rounded:
                self.result.rounded.append((brief(self.space, verdict), verdict.rounded))
            elif is_doubtful(self.book.guards(source.func), flow) or self._comes_round(source):
                self.result.settled.append(brief(self.space, verdict))
        self.offering.hand_over(verdict)

    def _comes_round(self, source: Source) -> bool:
        """Whether a function that hands the object on calls itself: what becomes of its own result,
        turn after turn, is not followed."""
        code = self.book.context.code
        funcs = {code.block_func[code.instr_block[call]] for call in source.chain}
        return any(self.offering.calls_itself(func) for func in funcs)

    def _without_owners(self, leaks: Guard, owners: list[Verdict]) -> Guard:
        """The condition without what is lost with an owner; one after the other, each step bounded."""
        for owner in owners:
            leaks = self._one_way(leaks) & ~owner.leaks
        return leaks

    def _leaking_owners(self, verdict: Verdict) -> list[Verdict]:
        """Where an owner leaks, what it holds is lost too: that is no finding of its own."""
        owners = self.holders.owners(verdict.source, verdict.flow)
        found = [self.verdicts[owner] for owner in owners if owner in self.verdicts]
        lost = [owner for owner in found if not self.space.is_false(owner.leaks)]
        return told_by(self.book.context.policies, lost)

    def _goes_with(self, owner: Verdict, verdict: Verdict) -> bool:
        """Whether a block that seems to be safe is lost with an owner that leaks."""
        if not is_told_apart(owner):
            return False
        source, engine = verdict.source, self.summaries.engine
        inside = lies_inside(engine, source, verdict.flow, owner.source)
        lost = source.exists & owner.leaks & inside
        if self.space.is_false(lost):
            return False
        flow = follow_inside(self.summaries, source, owner, self.fresh)
        survives = self.holders.at_the_end(source, flow, {source})
        lost = lost & ~(flow.freed | survives)
        if flow.assume is not None:
            lost = lost & flow.assume
        if not flow.decided or self.space.is_false(lost):
            return False
        guards = self.book.guards(source.func)
        return not self.space.is_false(narrowed(guards, self._one_way(lost)))


def _large(calls: list[list[int]], size: int) -> dict[int, int]:
    """Functions of large recursions, with the number of that recursion."""
    components = strong_components(range(len(calls)), calls.__getitem__, len(calls))
    large = [component for component in components if len(component) > size]
    return {func: number for number, component in enumerate(large) for func in component}


def _ignore(verdict: Verdict) -> None:
    """Nobody listens."""
