"""What becomes of the objects of one function: the verdict on each.

In:    its sources.     Out: `Verdict`: under which condition an object is lost.
Paper: TSE'14 §5: a source leaks under RC(src) ∧ RC(exit) ∧ ¬FREED(src); SMOKE Fig. 8: an escape makes
only its path safe.
An object in a field of another fresh object lives as long as that one does: its verdict is asked for
first (`holders.py`). Sources that exclude each other are followed together (`together.py`).
"""

from __future__ import annotations

from collections import Counter

from heapflow.flow.config import LeakConfig
from heapflow.flow.flow import TURN_TOO_LARGE, Flow, Source, SummaryBook, follow, lost_in_next_turn
from heapflow.guards.guards import FunctionGuards, narrowed, ways_out
from heapflow.ir.ids import FuncId, ObjectId
from heapflow.leaks.confined import Confined
from heapflow.leaks.holders import Holders
from heapflow.leaks.together import Batch, find_batches, part_of
from heapflow.leaks.verdict import Verdict
from heapflow.logic.space import BEYOND_BOUNDS, Guard


class Judge:
    """Asked about one function at a time."""

    def __init__(self, summaries: SummaryBook, config: LeakConfig, confined: Confined) -> None:
        self.summaries, self.config = summaries, config
        self.lists, self.book, self.space = summaries.lists, summaries.book, summaries.space
        self.holders = Holders(self.lists, self.book, config, confined, self)
        self.verdicts: dict[Source, Verdict] = {}
        self.flows: dict[Source, Flow] = {}
        self.fresh: frozenset[ObjectId] = frozenset()
        self.batches: dict[Source, Batch] = {}  # by member; gone once it was followed
        self.limits_hit: Counter[str] = Counter()

    def begin(self, func: FuncId, sources: list[Source]) -> None:
        """Another function, with these sources."""
        self.verdicts.clear()
        self.flows.clear()
        self.batches.clear()
        self.holders.begin(sources)
        self.space.collect_garbage()
        self.fresh = frozenset(self.holders.by_object)
        self._find_batches(self.book.guards(func), sources)

    def _find_batches(self, guards: FunctionGuards, sources: list[Source]) -> None:
        """Sources that can be judged together; where their conditions outgrow all bounds, each is
        judged alone, which costs more and says the same."""
        try:
            batches = find_batches(self.lists, guards, sources)
        except BEYOND_BOUNDS:
            self.limits_hit["conditions of objects that are judged together"] += 1
            self.space.collect()
            return
        for batch in batches:
            self.batches.update((member, batch) for member in batch.members)

    def verdict(self, source: Source, busy: set[Source]) -> Verdict:
        batch = self.batches.get(source)
        if batch is not None:
            self._follow_together(batch, busy)
        known = self.verdicts.get(source)
        if known is not None:
            return known
        busy = busy | {source}
        outer, self.holders.rounded = self.holders.rounded, ""
        flow = self.flow_of(source)
        guards = self.book.guards(source.func)
        survives = self.holders.at_the_end(source, flow, busy)
        leaving = guards.exit
        assume = self.assume(source, flow, busy)
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
                self.verdict(owner, busy)
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
        assume = self.assume(whole, flow, busy)
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

    def flow_of(self, source: Source) -> Flow:
        known = self.flows.get(source)
        if known is None:
            start, places = source.starts, source.places
            known = follow(self.summaries, source.func, start, self.fresh, places)
            self.flows[source] = known
        return known

    def replaced(self, store: int) -> Guard:
        """The condition under which what a STORE wrote is overwritten."""
        return self.summaries.engine.replacements.of(store)

    def survives(self, source: Source, busy: set[Source]) -> Guard:
        verdict = self.verdict(source, busy)
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
        one = self.one_way(leaks)
        found = narrowed(guards, one)
        return one if self.space.is_false(found) and one != leaks else found

    def one_way(self, leaks: Guard) -> Guard:
        """Too many ways to lose the object: one of them stands for all."""
        if self.space.size(leaks) <= self.config.most_leak_nodes:
            return leaks
        self.limits_hit["leak condition too large"] += 1
        return self.space.cube(self.space.one_solution(leaks) or {})

    def assume(self, source: Source, flow: Flow, busy: set[Source]) -> Guard:
        """What the object's existence says; what holds it exists, too, and is not NULL."""
        found = flow.assume if flow.assume is not None else self.space.true
        for owner in self.holders.owners(source, flow):
            if owner in busy or len(busy) > self.config.deepest_owners:
                continue
            other = self.verdict(owner, busy).flow.assume
            if other is not None and self.space.size(found) <= self.config.most_assumed_nodes:
                found = found & other
        return found
