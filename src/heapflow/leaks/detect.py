"""Leak candidates: objects for which no free, escape or holder remains on some path.

In:    the value-flow graph, guards.     Out: `Detection` (candidates, undecided sources, counts).
Paper: TSE'14 §5: an allocation is a source in each context that can tell its blocks apart.
Functions are taken callees first. An object that leaves a function becomes a source at its callers.
`judge.py` says of each whether it is lost. What is lost with an owner is told with it, unless nobody
ever frees such an object (`withheld.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from heapflow.flow.config import LeakConfig
from heapflow.flow.flow import (
    Flow,
    GraphLists,
    Source,
    SummaryBook,
)
from heapflow.guards.guards import GuardBook, narrowed
from heapflow.ir.ids import FuncId, InstrId
from heapflow.leaks.confined import Confined
from heapflow.leaks.handover import Handovers
from heapflow.leaks.judge import Judge
from heapflow.leaks.lostwith import follow_inside, is_told_apart, lies_inside
from heapflow.leaks.offering import Offering
from heapflow.leaks.secondlook import brief, is_doubtful
from heapflow.leaks.sources import direct_sources
from heapflow.leaks.surroundings import Surroundings
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
    # Of these: their own function has a verdict on them; what callers do with them is not known.
    open_above: set[Source] = field(default_factory=set)
    cut_off: list[tuple[Verdict, str]] = field(default_factory=list)  # the same as verdicts
    settled: list[Verdict] = field(default_factory=list)  # safe, for reasons that are not exact
    rounded: list[tuple[Verdict, str]] = field(default_factory=list)  # safe, beyond that limit
    known: set[tuple[InstrId, InstrId]] = field(
        default_factory=set
    )  # allocation, call that gives it
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
        callees: Mapping[InstrId, tuple[FuncId, ...]],
        around: Surroundings,
    ) -> None:
        self.lists, self.book, self.config = lists, book, config
        self.space = book.space
        self.confined, self.touched = Confined(around), Touched(around, config)
        self.callees = callees
        calls = self._calls()
        self.summaries = SummaryBook(lists, book, config, _large(calls, config.large_recursion))
        direct = direct_sources(lists, book, config, families)
        self.callers: dict[FuncId, list[InstrId]] = {}
        for call in sorted(callees):
            for func in callees[call]:
                self.callers.setdefault(func, []).append(call)
        self.handovers = Handovers(
            lists, book, self.summaries, around.object_chain, direct, self.touched
        )
        self.order = [FuncId(func) for func in callees_first(calls)]
        self.rank = {func: rank for rank, func in enumerate(self.order)}
        self.judge = Judge(self.summaries, config, self.confined)
        self.holders, self.verdicts = self.judge.holders, self.judge.verdicts
        self.offering = Offering(
            self.summaries, self.handovers, self.judge, self.callers, self.rank
        )
        self.result = Detection(sources=sum(len(found) for found in direct.values()))
        self.withheld = Withheld(self.space)
        self.hear: Callable[[Verdict], None] = _ignore  # is told of every verdict
        self.open: list[Source] = []  # of one function, so far without a conclusion
        work = max(len(lists.program.instrs), config.least_work_per_function)
        self.work_per_function = min(work, config.most_work_per_function)
        self._gave_up: set[Source] = set()  # of one function: conditions outgrew all bounds

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
        above = (self.handovers.too_large, self.offering.too_far, self.offering.beyond)
        self.result.open_above.update(source for sources in above for source in sources)
        far = [(source, "leaks.deepest-chain") for source in self.offering.too_far]
        self.result.undecided += far
        self.result.limits_hit["calls through which an object is returned"] += len(far)
        limit = "leaks.most-offers-in-large-recursion"
        self.result.undecided += [(source, limit) for source in self.offering.beyond]
        self.result.limits_hit["objects handed on in a large recursion"] += len(
            self.offering.beyond
        )
        self.result.limits_hit.update(self.judge.limits_hit)
        self.result.limits_hit.update(self.holders.limits_hit)
        self.result.limits_hit.update(self.confined.limits_hit)
        self.result.limits_hit.update(self.touched.limits_hit)
        self.result.limits_hit.update(self.summaries.limits_hit)
        self.result.limits_hit.update(self.summaries.engine.limits_hit)
        self.result.limits_hit.update(self.book.context.limits_hit)
        return self.result

    def _calls(self) -> list[list[FuncId]]:
        """The functions that each function calls.

        Calls that do not come back make no order: an allocator that ends the program through half
        of it where memory is short is no part of a recursion.
        """
        context = self.book.context
        code = context.code
        edges: dict[FuncId, set[FuncId]] = {}
        for call, functions in self.callees.items():
            block = code.instr_block[call]
            if context.returning.comes_back(block):
                edges.setdefault(code.block_func[block], set()).update(functions)
        count = len(code.func_flags)
        return [sorted(edges.get(func, ())) for func in map(FuncId, range(count))]

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
        WORK.allow(self.work_per_function)
        self.judge.begin(func, sources)
        self._gave_up.clear()
        for source in sources:
            self._guarded(self.judge.verdict, source, set())
        for number, source in enumerate(sources):
            if source in self.verdicts:
                if source in self._gave_up:
                    self._take_back(source)
                self.hear(self.verdicts[source])
                self._guarded(self._conclude, self.verdicts[source])
            self.open = sources[number + 1 :]

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
            if isinstance(what, Verdict):  # there is one, but it could not be handed on
                self.result.open_above.add(source)
            self.verdicts.pop(source, None)
            self._gave_up.add(source)
            self.result.undecided.append((source, limit))
            false = self.space.false
            nothing = Flow(false, false, false, decided=False, limit=limit)
            self.result.cut_off.append((Verdict(source, nothing, false, false), limit))

    def _take_back(self, source: Source) -> None:
        """There is a verdict now: it was asked for once more, as that of an owner."""
        result = self.result
        result.undecided = [one for one in result.undecided if one[0] is not source]
        result.cut_off = [one for one in result.cut_off if one[0].source is not source]

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
            leaks = self.judge.one_way(leaks) & ~owner.leaks
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
        flow = follow_inside(self.summaries, source, owner, self.judge.fresh)
        survives = self.holders.at_the_end(source, flow, {source})
        lost = lost & ~(flow.freed | survives)
        if flow.assume is not None:
            lost = lost & flow.assume
        if not flow.decided or self.space.is_false(lost):
            return False
        guards = self.book.guards(source.func)
        return not self.space.is_false(narrowed(guards, self.judge.one_way(lost)))


def _large(calls: list[list[FuncId]], size: int) -> dict[FuncId, int]:
    """Functions of large recursions, with the number of that recursion."""
    components = strong_components(map(FuncId, range(len(calls))), calls.__getitem__, len(calls))
    large = [component for component in components if len(component) > size]
    return {func: number for number, component in enumerate(large) for func in component}


def _ignore(verdict: Verdict) -> None:
    """Nobody listens."""
