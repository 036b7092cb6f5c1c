"""Replay a candidate: confirmed, refuted, none within the bound of turns, or not confirmed.

In:    Knowledge, ReplayConfig, a candidate of stage 1.     Out: `Replayed`.
Paper: SMOKE §V-VI: cheap candidates first, exact checks for the few that remain.
A path is sought (`refine`) whose decisions rest (`grounds`) on inputs alone. If they rest on what
callers give, it must also be found from the callers; if a better path is near, that one is told
(`otherpaths`).
Guarantees: the answer depends on the candidate alone, not on the order or the process.
"""

from __future__ import annotations

from dataclasses import replace

from heapflow.ir.ids import InstrId
from heapflow.replay.answer import NO_BUDGET, Outcome, Replayed, Severity
from heapflow.replay.client import RESULT, ClientCall, Given
from heapflow.replay.config import ReplayConfig
from heapflow.replay.hunt import Candidate
from heapflow.replay.inquiry import begin_inquiry
from heapflow.replay.knowledge import Knowledge
from heapflow.replay.matters import Matters
from heapflow.replay.otherpaths import OtherPaths
from heapflow.replay.path import LosingPath, tell_path
from heapflow.replay.refine import Inner, Refiner
from heapflow.replay.search import Found, Search
from heapflow.replay.state import State
from heapflow.replay.whence import is_given


class Replayer:
    """All questions about one candidate."""

    def __init__(
        self,
        knowledge: Knowledge,
        config: ReplayConfig,
        candidate: Candidate,
        skips: bool = False,
    ) -> None:
        self.knowledge, self.config, self.candidate = knowledge, config, candidate
        self.most_search_steps = config.most_search_steps
        if not candidate.is_loss:
            self.most_search_steps = config.most_misuse_steps
        inquiry = begin_inquiry(knowledge, config, skips)
        self.spent, self.grounds, self.calls = inquiry.spent, inquiry.grounds, inquiry.calls
        self.others = OtherPaths(inquiry)
        self.refiner = Refiner(inquiry, self.others)
        self.search: Search | None = None  # the last one
        self.matters: Matters | None = None  # of the path that was found last
        self.goes_beyond = False  # what the language leaves undefined

    def run(self) -> Replayed:
        """The answer, with the path if there is one."""
        if self.config.scouts:
            return self._scouted()
        if self.candidate.script:
            return self._by_client()
        found = self._outwards(may_fail=False)
        if found.state is not None:
            return self._confirmed(found.state)
        exits, cuts = found.at_exit, found.cuts
        if exits is not None:
            return self._confirmed(exits, Severity.AT_EXIT)
        beyond = self._beyond(cuts)
        if beyond is not None:
            return beyond
        if self.spent.skips and self.spent.glimpsed and "steps" in cuts:
            return self._open(cuts)  # a path on which none fails is only too long to be looked into
        most_steps = self.config.most_fail_steps if "steps" in cuts else self.most_search_steps
        if most_steps and not self._is_spent():
            self.most_search_steps = min(self.most_search_steps, most_steps)
            found = self._outwards(may_fail=True)
            path = found.state or found.at_exit
            if path is not None:
                return self._confirmed(path)
        return self._open(cuts | found.cuts)

    def _beyond(self, cuts: set[str]) -> Replayed | None:
        """A loss on paths that use a released block, if all paths that have the block do: what the
        language leaves undefined does not keep a program from going on. A block that is released or
        handed on otherwise is refuted."""
        if self.search is None or not self.candidate.is_loss or self.spent.skips:
            return None
        hunt = self.search.hunt
        if cuts or not hunt.was_misused or hunt.was_handed or hunt.was_released:
            return None
        self.goes_beyond = True
        found = self._outwards(may_fail=False)
        self.goes_beyond = False
        path = found.state or found.at_exit
        return None if path is None else self._confirmed(path)

    def _scouted(self) -> Replayed:
        """One search, and if nothing is found one with an allocation that fails: whether more pays."""
        spent = self.spent
        if spent.skips and self.candidate.script:
            return self._answer(Outcome.NOT_CONFIRMED, bounds=(NO_BUDGET,))
        cuts = self._scout(may_fail=False)
        if not (spent.glimpsed if spent.skips else spent.hurried):
            cuts |= self._scout(may_fail=True)
        spent.skips = spent.skips and spent.glimpsed
        if spent.hurried:
            bounds = tuple(sorted(cuts)) or (NO_BUDGET,)  # if this is all that is done
            return self._answer(Outcome.NOT_CONFIRMED, bounds=bounds)
        return self._open(cuts)

    def _scout(self, may_fail: bool) -> set[str]:
        """The bounds that one search met."""
        spent = self.spent
        search = self.refiner.search(self.candidate, frozenset(), may_fail)
        found = search.run(self.most_search_steps)
        spent.on_search(found)
        spent.glimpsed = found.state is not None or found.at_exit is not None or found.unwound
        spent.glimpsed |= search.hunt.was_misused
        spent.glimpsed |= bool(self.calls.holding(self.candidate, search, found))
        spent.hurried = spent.hurried or spent.glimpsed or bool(found.cuts)
        return found.cuts

    def _open(self, cuts: set[str]) -> Replayed:
        """No path was found. Where loops were passed, turns that do something with the block were not
        followed."""
        if self.spent.skips and not self.config.scouts:
            cuts = cuts | {"loops that were passed"}
        if not cuts:
            return self._answer(Outcome.REFUTED)
        if cuts == {"turns"}:
            return self._answer(Outcome.NONE_WITHIN, bounds=("turns",))
        return self._answer(Outcome.NOT_CONFIRMED, bounds=tuple(sorted(cuts)))

    # Clients --------------------------------------------------------------------------------------

    def _by_client(self) -> Replayed:
        """Calls in the order of a script. If the path rests on what the object they share was like
        at first, it must also be found with an object that some function of the program made."""
        plain, grounds = self.candidate, self.grounds
        found = self._refined(may_fail=False)
        if found.state is None:
            return self._open(found.cuts)
        matters = self.matters
        assert matters is not None
        if grounds.rests_on_shape(plain, matters) or grounds.rests_on_copy(plain, matters):
            return self._open({"invented contents of an argument"})
        answer = self._confirmed(found.state)
        if self.matters is None or not grounds.rests_on_shared(plain, self.matters):
            return answer
        cuts = set[str]()
        for maker in plain.makers:
            self.candidate = _made_first(plain, maker)
            found = self._refined(may_fail=False)
            if found.state is not None:
                return self._confirmed(found.state)
            cuts |= found.cuts
        return self._open(cuts) if plain.makers else answer

    # Callers that are known ----------------------------------------------------------------------

    def _outwards(self, may_fail: bool) -> Found:
        """A path that also a caller can take, where its decisions rest on what callers give."""
        grounds = self.grounds
        self.candidate = replace(self.candidate, outwards=())
        found = self._refined(may_fail)
        inner, search, matters = found, self.search, self.matters
        for _ in range(self.config.farthest_caller):
            path = found.state or found.at_exit
            if path is None and not found.unwound:
                return found
            if path is not None and not grounds.any_matters(self.matters, is_given):
                return found
            further = self._from_callers(may_fail)
            if further is None:
                is_blamed = not self.candidate.is_loss and bool(self._callers())
                if is_blamed and not grounds.is_at_once(matters):
                    return Found(cuts={"steps"})
                if path is None:
                    return Found(cuts={"callers"})  # who catches the jump may have the block
                break
            if path is None and not (further.state or further.at_exit):
                return found
            if further.state is None and further.at_exit is None:
                # Who is to blame for a misuse is who calls: one of those that are known has to do it.
                is_blamed = not self.candidate.is_loss and not grounds.is_at_once(matters)
                if not further.cuts or is_blamed or grounds.is_invented(matters):
                    return further
                if grounds.rests_on_global_pointer(matters) or _is_in_unread(path):
                    return further
                break
            if inner.state is not None and further.state is None and further.cuts:
                break  # whether the program ends in any case was not found out
            found, inner, search, matters = further, further, self.search, self.matters
        else:
            self.spent.left_out.add("callers of callers")
        self.search, self.matters = search, matters
        if grounds.is_invented(matters):
            return Found(cuts={"invented contents of a global"})
        path = inner.state or inner.at_exit
        if path is None or self.candidate.is_loss:
            return inner
        is_made_up = grounds.is_made_up(self.candidate, path, matters)
        return Found(cuts={"invented contents of the block"}) if is_made_up else inner

    def _from_callers(self, may_fail: bool) -> Found | None:
        """What a search comes to that begins in a caller; None: callers are not known."""
        outwards, calls = self.candidate.outwards, self._callers()
        if not calls or self._is_spent():
            return None
        cuts: set[str] = set()
        if len(calls) > self.config.most_callers:
            cuts.add("callers")
        inner = self._path_of_misuse()
        for call in calls[: self.config.most_callers]:
            self.candidate = replace(self.candidate, outwards=(call, *outwards))
            found = self._refined(may_fail, inner)
            if found.state is not None or found.at_exit is not None:
                return found
            cuts |= found.cuts
        return Found(cuts=cuts)

    def _path_of_misuse(self) -> Inner:
        """The path whose conditions a caller has to give, and the calls that were entered for it: what
        it rests on there, it rests on again. A loss may have another path from a caller."""
        if self.candidate.is_loss or self.search is None:
            return None
        path = self.search.found.state
        return None if path is None else (path, self.search.hunt.enter)

    def _callers(self) -> list[InstrId]:
        """Calls of the function in which the last search began, if all of them are known."""
        outwards = self.candidate.outwards
        func = self.knowledge.func_of(outwards[0]) if outwards else self.candidate.func
        return self.knowledge.callers(func)

    def _is_spent(self) -> bool:
        """Whether the candidate's steps are used up, so that something is not asked."""
        is_spent = self.spent.steps >= self.config.most_steps
        self.spent.hurried = self.spent.hurried or is_spent
        return is_spent

    # The answer ----------------------------------------------------------------------------------

    def _refined(self, may_fail: bool, inner: Inner = None) -> Found:
        """Search, and keep what was found last."""
        found, self.search, self.matters = self.refiner.refine(
            self.candidate, may_fail, self.most_search_steps, self.goes_beyond, inner
        )
        return found

    def _confirmed(self, state: State, severity: Severity = Severity.LASTING) -> Replayed:
        candidate, others = self.candidate, self.others
        search, matters = self.search, self.matters
        assert search is not None and matters is not None
        if state.failed:
            severity = Severity.ALLOCATION_FAILS
        elif severity is Severity.LASTING and others.ends_soon(candidate, search, state):
            lasting = others.lasting(candidate, search, matters)
            severity = Severity.AT_EXIT if lasting is None else severity
            state, matters = lasting or (state, matters)
        state, matters = others.plainer(candidate, search, state, matters)
        path = tell_path(search, state, matters.told())
        self.matters = matters
        if severity is Severity.LASTING and candidate.is_loss and not candidate.script:
            elsewhere = others.elsewhere(candidate, search, matters, path.lost_at)
            path = replace(path, elsewhere=elsewhere)
        return self._answer(Outcome.CONFIRMED, severity, path=path)

    def _answer(
        self,
        outcome: Outcome,
        severity: Severity = Severity.LASTING,
        bounds: tuple[str, ...] = (),
        path: LosingPath | None = None,
    ) -> Replayed:
        spent = self.spent
        if self.search is not None:  # asking which decisions matter met bounds, too
            spent.left_out |= self.search.executor.left_out
        return Replayed(
            outcome,
            severity,
            bounds,
            path,
            spent.steps,
            spent.rounds,
            spent.solved,
            hurried=spent.hurried,
            glimpsed=spent.glimpsed,
            skips=spent.skips,
            left_out=tuple(sorted(spent.left_out)),
        )


def _is_in_unread(path: State | None) -> bool:
    """Whether a global still leads to the block: from a caller's view it may be there until the end."""
    return path is not None and path.loss is not None and path.loss.in_unread


def _made_first(candidate: Candidate, maker: int) -> Candidate:
    """The same script, for an object that a function of the program makes."""
    moved = [
        ClientCall(
            call.func, tuple((at, replace(one, call=one.call + 1)) for at, one in call.arguments)
        )
        for call in candidate.script
    ]
    moved[0] = ClientCall(moved[0].func, ((candidate.shared, Given(0, RESULT)),))
    script = (ClientCall(maker), *moved)
    return replace(candidate, script=script, stage=candidate.stage + 1)
