"""Objects that leave their function, offered to its callers.

In:    verdicts.     Out: `Offer`s to the callers, which make sources of them (`handover.py`).
Paper: TSE'14 heap cloning carried to its end; SPARROW's Alloc2Ret and Alloc2Arg.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from heapflow.flow.flow import Flow, Source, State, SummaryBook
from heapflow.ir.ids import FuncId, InstrId, LocationSetId
from heapflow.leaks.handover import Handovers, Offer
from heapflow.leaks.judge import Judge
from heapflow.leaks.verdict import Verdict
from heapflow.logic.space import Guard


class Offering:
    """Says what of a function's objects its callers get."""

    def __init__(
        self,
        summaries: SummaryBook,
        handovers: Handovers,
        judge: Judge,
        callers: dict[FuncId, list[InstrId]],  # function -> calls
        rank: dict[FuncId, int],  # of functions, callees first
    ) -> None:
        self.summaries, self.handovers, self.judge = summaries, handovers, judge
        self.lists, self.book, self.config = summaries.lists, summaries.book, summaries.config
        self.space = summaries.space
        self.callers, self.rank = callers, rank
        self.too_far: list[Source] = []  # returned through more calls than are followed
        self.beyond: dict[Source, None] = {}  # of which not every caller was told
        self._recursion_of = summaries.large_recursions  # by function, where it is a large one
        self._taken: Counter[int] = Counter()  # by function: objects from its own large recursion
        sizes = Counter(self._recursion_of.values())
        each = self.config.most_offers_in_large_recursion
        self._left = {one: each * size for one, size in sizes.items()}  # for all of it together
        self._replaced = summaries.engine.replacements.of

    def hand_over(self, verdict: Verdict) -> None:
        """Offer an object that leaves its function to all callers."""
        source, flow = verdict.source, verdict.flow
        sites = self.callers.get(source.func, ())
        if not sites:
            return
        if len(source.chain) > self.config.deepest_chain:
            if not self.space.is_false(flow.returned):
                self.too_far.append(source)
            return
        outs: list[tuple[State, Guard]] = []
        inside = True
        handed = flow.returned
        if not self.space.is_false(flow.returned):
            inside = False
        elif len(source.chain) > self.config.deepest_memory_chain:
            # It is in memory that came from far up: long-lived, not followed further.
            self.book.context.limits_hit["calls through which memory hands an object on"] += 1
            return
        for state, guard in [*flow.outs.items(), *self._unread_places(source, flow)]:
            alive = guard & self.judge.holders.owner_lives(source, state[1], {source})
            if self.space.is_false(alive):
                continue
            outs.append((state, alive))
            handed = handed | alive
            owned_here = all(
                o in self.judge.holders.by_object for o in self.lists.objects_at(state[1])
            )
            inside = inside and owned_here
        assume = self.judge.assume(source, flow, {source})
        kept = ~flow.freed & ~flow.escaped
        handed = source.exists & assume & handed & kept
        if self.space.is_false(handed):
            return
        behind = [] if inside or source.is_rest else self._behind(source, outs)
        linked = self.space.any_of(guard for _, guard in behind)
        rest = source.exists & assume & linked & kept
        if not self.space.is_false(rest):
            outs = [out for out in outs if out not in behind]
            alone = replace(flow, returned=self.space.false)
            self._offer(source, alone, rest, behind, inside=False, is_rest=True)
        self._offer(source, flow, handed, outs, inside, source.is_rest)

    def _offer(
        self,
        source: Source,
        flow: Flow,
        handed: Guard,
        outs: list[tuple[State, Guard]],
        inside: bool = True,
        is_rest: bool = False,
    ) -> None:
        """Offer an object to all callers."""
        context, small = self.book.context, self.summaries.small
        code = context.code
        handed, returned = small(handed), small(flow.returned)
        outs = [(state, small(guard)) for state, guard in outs]
        for site in self.callers.get(source.func, ()):
            caller = code.block_func[code.instr_block[site]]
            if self.rank[caller] <= self.rank[source.func]:
                continue  # recursion: not followed round again
            if not self._has_room(caller, source.func):
                self.beyond[source] = None
                continue
            self.handovers.offer(
                Offer(source, flow, site, caller, handed, returned, outs, inside, is_rest)
            )

    def _has_room(self, caller: FuncId, callee: FuncId) -> bool:
        """Whether a function takes one more object from functions that it forms a recursion with.

        Through a table, everybody in there may call everybody: that is the square of their number. A
        few take much where others take little, and each takes some, whatever the others took.
        """
        recursion = self._recursion_of.get(caller, -1)
        if recursion < 0 or recursion != self._recursion_of.get(callee, -1):
            return True
        self._taken[caller] += 1
        self._left[recursion] -= 1
        most = self.config.most_offers_in_large_recursion
        return self._taken[caller] <= most or self._left[recursion] >= 0

    def calls_itself(self, func: FuncId) -> bool:
        """Whether some calls of a function get nothing offered, since it takes part in a recursion."""
        context, rank = self.book.context, self.rank[func]
        code = context.code
        sites = self.callers.get(func, ())
        callers = (code.block_func[code.instr_block[site]] for site in sites)
        return any(self.rank[caller] <= rank for caller in callers)

    def _behind(self, source: Source, outs: list[tuple[State, Guard]]) -> list[tuple[State, Guard]]:
        """Where elements lie that a loop made and linked, behind the one that is handed over.

        They are a source of their own: who frees the first has not freed the others.
        """
        block = self.book.context.code.instr_block[source.site]
        if not self.book.guards(source.func).cfg.loops_of.get(block):
            return []
        places = [(out, self.lists.objects_at(out[0][1])) for out in outs]
        return [out for out, objects in places if objects and objects <= source.objects]

    def _unread_places(self, source: Source, flow: Flow) -> list[tuple[State, Guard]]:
        """Where the object lies at the end though nobody reads it: the graph has no EXIT for that."""
        leaving = {held for _, held in flow.outs}
        found: dict[LocationSetId, Guard] = {}
        for (node, held), guard in flow.reached.items():
            if held >= 0 and held not in leaving:
                kept = guard & ~self._replaced(self.lists.only_from[node])
                found[held] = found.get(held, self.space.false) | kept
        for held, guard in [*source.unread, *flow.unread.items()]:
            found[held] = found.get(held, self.space.false) | guard
        return [((-1, held), guard) for held, guard in sorted(found.items(), key=lambda i: i[0])]
