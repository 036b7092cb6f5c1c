"""Summaries of functions, computed on demand and remembered.

In:    a formal node (parameter or ENTRY region) and where the object lies.     Out: `Summary`.
Paper: SMOKE's and SATURN's function summaries; SPARROW's Arg2Free, Arg2Glob, Arg2Ret, Arg2Arg.
Location sets: a summary made for one holds for others (`sharing.py`).
Depth: an argument is followed through a bounded number of calls; what was cut off for that is computed
again when it is asked for from fewer calls away.
Recursion: a summary that is asked for while it is computed is, at first, "does nothing"; the
function is recomputed with what was found until nothing changes, a few rounds at most.
Guarantees: a summary's conditions are over the callee's parameters and its own choices, and small.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final

from heapflow.flow.config import LeakConfig
from heapflow.flow.engine import FlowEngine
from heapflow.flow.follow import follow
from heapflow.flow.lists import GraphLists
from heapflow.flow.outcome import Flow, State, Summary
from heapflow.flow.sharing import Comparisons, first_that_fits
from heapflow.guards.guards import GuardBook
from heapflow.ir.codes import VALUE_PARAM
from heapflow.ir.ids import FuncId, LocationSetId, NodeId
from heapflow.logic.atoms import Compared
from heapflow.logic.compare import constant_of
from heapflow.logic.space import BEYOND_BOUNDS, Guard
from heapflow.logic.term import Callee, Indexed, Moved, Operation, Term, Turn, Val
from heapflow.logic.walk import parts_of
from heapflow.svfg.graph import NodeKind

_STORE: Final = int(NodeKind.STORE)
_NODES: Final = "nodes of all conditions"
_TOO_LARGE: Final = "summary condition too large"


class SummaryBook:
    """Summaries by formal node and location set."""

    def __init__(
        self,
        lists: GraphLists,
        book: GuardBook,
        config: LeakConfig,
        large_recursions: Mapping[FuncId, int],  # function -> number of the recursion
    ) -> None:
        self.lists, self.book, self.config = lists, book, config
        self.large_recursions = large_recursions
        self.space = book.space
        self.engine = FlowEngine(lists, book, config)
        self.limits_hit: Counter[str] = Counter()
        self._done: dict[State, Summary] = {}
        self._current: dict[State, Summary] = {}
        self._recursive: set[State] = set()
        self._cut_off = 0  # times that an argument was not followed further
        self._partial: dict[State, int] = {}  # what that concerns -> how deep it was asked for
        false = self.space.false
        self._too_deep = Summary(
            false, false, false, compared=Comparisons(is_cut=True), is_idle=True
        )
        self._shared: dict[NodeId, list[tuple[Comparisons, Summary]]] = {}  # by formal node
        self._of_params: dict[int, bool] = {}  # by variable
        self.count = 0

    def of(self, formal: NodeId, held: LocationSetId) -> Summary:
        state = (formal, held)
        done = self._done.get(state)
        if done is not None and not self._is_worth_another(state):
            return done
        current = self._current.get(state)
        if current is not None:
            self._recursive.add(state)
            return current
        if held >= 0 and done is None and self.config.share_summaries:
            shared = self._made_for_another(state)
            if shared is not None:
                return shared
        depth, before = len(self._current), self._cut_off
        if self._is_too_deep(state):
            self.limits_hit["depth of summaries"] += 1
            self._cut_off += held < 0
            return self._too_deep
        policies, outer = self.engine.policies, self.engine.policies.at
        policies.at = self.lists.func[formal]
        self._make(state)
        policies.at = outer
        self._recursive.discard(state)
        self._partial.pop(state, None)
        if self._cut_off != before:
            self._partial[state] = depth
        made = self._current.pop(state)
        self._keep(state, made)
        if held >= 0 and made.compared is not None and made.compared.is_complete:
            self._shared.setdefault(formal, []).append((made.compared, made))
        self.count += 1
        return made

    def _is_too_deep(self, state: State) -> bool:
        config, depth = self.config, len(self._current)
        if state[1] < 0:
            return depth > config.deepest_value_summary
        if depth > config.deepest_memory_summary:
            return True
        recursion = self._recursion(state)
        if recursion < 0 or depth < config.deepest_in_large_recursion:
            return False
        within = sum(self._recursion(other) == recursion for other in self._current)
        return within >= config.deepest_in_large_recursion

    def _recursion(self, state: State) -> int:
        return self.large_recursions.get(self.lists.func[state[0]], -1)

    def _keep(self, state: State, summary: Summary) -> None:
        self._done[state] = summary
        if summary.is_idle and state not in self._partial:
            self.engine.idle[state] = summary.compared

    def _made_for_another(self, state: State) -> Summary | None:
        """A summary of another location set that cannot be told from this one."""
        formal, held = state
        bits, depth = self.lists.location_sets[held], len(self._current)
        found = first_that_fits(self._shared.get(formal, ()), bits, depth)
        if found is not None:
            self._keep(state, found)
        return found

    def _make(self, state: State) -> None:
        """Follow an object from a formal node; what comes of it is in `_current`."""
        formal, held = state
        false = self.space.false
        self._current[state] = Summary(false, false, false)
        for _ in range(self.config.recursion_rounds):
            compared = Comparisons()
            try:
                flow = follow(
                    self,
                    self.lists.func[formal],
                    [(state, self.space.true)],
                    most_steps=self.config.most_summary_steps,
                    compared=compared,
                )
            except BEYOND_BOUNDS:
                self.space.collect()
                self.limits_hit["nodes of a summary's conditions"] += 1
                self._current[state] = Summary(false, false, false, decided=False, limit=_NODES)
                return
            compared.finish(self.lists.location_sets, len(self._current) - 1)
            if not flow.decided:
                # Too much happens to follow: whoever does it has the object in hand.
                self.limits_hit["steps of a summary"] += 1
                limit = "leaks.most-summary-steps"
                self._current[state] = Summary(
                    false, self.space.true, false, compared=compared, rounded=limit
                )
                return
            summary = self._shorten(flow, formal, held)
            summary.compared = compared
            same = _same(summary, self._current[state])
            self._current[state] = summary
            if state not in self._recursive or same:
                return
        self.limits_hit["recursion rounds"] += 1

    def _is_worth_another(self, state: State) -> bool:
        """Whether a summary lacks what was too deep, and is asked for from less deep now."""
        depth = self._partial.get(state)
        if depth is None:
            return False
        if len(self._current) < depth:
            return True
        self._cut_off += 1  # whoever asks lacks it, too
        return False

    def _shorten(self, flow: Flow, formal: NodeId, held: LocationSetId) -> Summary:
        """Apply what is assumed; keep conditions small.

        What lies where it lay is no outcome: the caller's region keeps it (V-CSCHI, weak part).
        """
        func, before = self.lists.func[formal], self.limits_hit[_TOO_LARGE]
        assume = flow.assume if flow.assume is not None else self.space.true
        never_back = ~self.book.guards(func).exit
        vacuous = ~assume | never_back
        outs = {}
        for state, guard in flow.outs.items():
            if held >= 0 and state[1] == held:
                continue
            outs[state] = self.small((guard | never_back) & assume)
        frees = {instr: guard for instr, guard in flow.frees if not self.space.is_false(guard)}
        freed = flow.freed if self.space.is_false(flow.freed) else flow.freed | vacuous
        escaped = flow.escaped if self.space.is_false(flow.escaped) else flow.escaped | vacuous
        if len(frees) > self.config.most_frees:
            self.limits_hit["releases that a summary names"] += 1
        summary = Summary(
            freed=self.small(freed),
            escaped=self.small(escaped),
            returned=self.small(flow.returned & assume),
            outs=outs,
            unread={
                place: self.small((guard | never_back) & assume)
                for place, guard in self._unread(flow, func, held)
            },
            frees=sorted(frees.items(), key=lambda item: item[0])[: self.config.most_frees],
            decided=flow.decided,
            places=flow.places,
            assume=assume if self.space.size(assume) <= self.config.most_summary_nodes else None,
        )
        summary.is_idle = self._is_idle(summary)
        is_rounded = self.limits_hit[_TOO_LARGE] != before
        summary.rounded = flow.rounded or ("leaks.most-summary-nodes" if is_rounded else "")
        return summary

    def _is_idle(self, summary: Summary) -> bool:
        space, assume = self.space, summary.assume
        ends = (summary.freed, summary.escaped, summary.returned)
        return (
            summary.decided
            and all(space.is_false(end) for end in ends)
            and not (summary.outs or summary.unread)
            and (assume is None or space.is_true(assume))
        )

    def _unread(
        self, flow: Flow, func: FuncId, entered: LocationSetId
    ) -> list[tuple[LocationSetId, Guard]]:
        """Places of the caller's that hold the object at the end and that nobody reads."""
        known = {place for _, place in flow.outs} | {entered}
        found = dict(flow.unread)
        for (node, place), guard in flow.reached.items():
            if place < 0 or place in known or self.lists.kind[node] != _STORE:
                continue
            kept = guard & ~self.engine.replacements.of(self.lists.only_from[node])
            found[place] = found.get(place, self.space.false) | kept
        owner = self.lists.stack_owner
        return [
            (place, guard)
            for place, guard in sorted(found.items(), key=lambda item: item[0])
            if any(owner.get(obj, -1) != func for obj in self.lists.objects_at(place))
        ]

    def small(self, guard: Guard) -> Guard:
        """A weaker condition if this one is too large: choices of the callee are left open."""
        if self.space.size(guard) <= self.config.most_summary_nodes:
            return guard
        self.limits_hit[_TOO_LARGE] += 1
        support = self.space.support(guard)
        guard = self.space.forget(guard, [v for v in support if not self._about_params(v)])
        if self.space.size(guard) <= self.config.most_summary_nodes:
            return guard
        return self.space.true

    def _about_params(self, variable: int) -> bool:
        """Whether a comparison is one of parameters: callers know most of those."""
        known = self._of_params.get(variable)
        if known is None:
            atom = self.book.context.variables.atoms[variable]
            known = isinstance(atom, Compared) and self._is_of_params(atom.left)
            self._of_params[variable] = known
        return known

    def _is_of_params(self, term: Term) -> bool:
        """A parameter, or something computed from parameters (`flags & 4`)."""
        if isinstance(term, Val):
            return self.book.context.code.value_kind[term.value] == VALUE_PARAM
        if not isinstance(term, Operation | Moved | Indexed | Turn | Callee):
            return False
        parts = [part for part in parts_of(term) if constant_of(part) is None]
        return bool(parts) and all(self._is_of_params(part) for part in parts)


def _same(one: Summary, other: Summary) -> bool:
    return (
        one.freed == other.freed
        and one.escaped == other.escaped
        and one.returned == other.returned
        and one.outs == other.outs
        and one.unread == other.unread
    )
