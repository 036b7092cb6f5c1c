"""Replay a candidate: confirmed, refuted, none within the bound of turns, or not confirmed.

In:    Knowledge, ReplayConfig, a candidate of stage 1.     Out: `Replayed`.
Paper: SMOKE §V-VI: cheap candidates first, exact checks for the few that remain.
First, calls that do not touch the block are passed. If a path is found whose conditions rest on
what such a call returned or wrote, that call is entered and the search begins anew, until they rest
on inputs alone.
Guarantees: the answer depends on the candidate alone, not on the order or the process.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum

from heapflow.replay.config import ReplayConfig
from heapflow.replay.hunt import Candidate
from heapflow.replay.knowledge import Knowledge
from heapflow.replay.matters import choices_that_matter
from heapflow.replay.path import LosingPath, tell_path
from heapflow.replay.search import Found, Search
from heapflow.replay.state import EventKind, State
from heapflow.replay.terms import Term

_MADE = (EventKind.ALLOCATED, EventKind.FAILED, EventKind.FREED)
_SIMPLE = 150  # instructions of a function that is entered to see whether it comes back


class Outcome(Enum):
    """What became of a candidate."""

    CONFIRMED = "confirmed"
    REFUTED = "refuted"  # every path was followed to its end
    NONE_WITHIN = "none within the bound of turns"
    NOT_CONFIRMED = "not confirmed"  # a bound ended the search


class Severity(Enum):
    """When a confirmed loss happens."""

    LASTING = "lasting"  # the program goes on
    ALLOCATION_FAILS = "allocation fails"
    AT_EXIT = "at exit"


@dataclass(frozen=True, slots=True)
class Replayed:
    """The answer."""

    outcome: Outcome
    severity: Severity = Severity.LASTING
    bounds: tuple[str, ...] = ()
    path: LosingPath | None = None
    steps: int = 0
    rounds: int = 0
    solved: int = 0


class Replayer:
    """All questions about one candidate."""

    def __init__(self, knowledge: Knowledge, config: ReplayConfig, candidate: Candidate) -> None:
        self.knowledge, self.config, self.candidate = knowledge, config, candidate
        self.steps = self.rounds = self.solved = 0
        self.search: Search | None = None
        self.matters: frozenset[int] = frozenset()  # choices of the path that was found last

    def run(self) -> Replayed:
        """The answer, with the path if there is one."""
        found = self._outwards(may_fail=False)
        if found.state is not None:
            return self._confirmed(found.state)
        exits, cuts = found.at_exit, found.cuts
        if exits is not None:
            return self._confirmed(exits, Severity.AT_EXIT)
        if self.steps < self.config.most_steps:
            found = self._outwards(may_fail=True)
            path = found.state or found.at_exit
            if path is not None:
                return self._confirmed(path)
        cuts = cuts | found.cuts
        if not cuts:
            return self._answer(Outcome.REFUTED)
        if cuts == {"turns"}:
            return self._answer(Outcome.NONE_WITHIN, bounds=("turns",))
        return self._answer(Outcome.NOT_CONFIRMED, bounds=tuple(sorted(cuts)))

    # Callers that are known ----------------------------------------------------------------------

    def _outwards(self, may_fail: bool) -> Found:
        """A path that also a caller can take, where its decisions rest on what callers give."""
        self.candidate = replace(self.candidate, outwards=())
        found = self._refined(may_fail)
        inner, search, matters = found, self.search, self.matters
        for _ in range(self.config.farthest_caller):
            path = found.state or found.at_exit
            if path is None and not found.unwound:
                return found
            if path is not None and not self._rests_on_callers(path):
                return found
            further = self._from_callers(may_fail)
            if further is None:
                break
            if path is None and not (further.state or further.at_exit):
                return found
            if further.state is None and further.at_exit is None:
                asked = search, inner, matters
                if not further.cuts or self._is_invented(*asked):
                    return further
                if self._rests_on_global_pointer(*asked):
                    return further
                break
            if inner.state is not None and further.state is None and further.cuts:
                break  # whether the program ends in any case was not found out
            found, inner, search, matters = further, further, self.search, self.matters
        self.search, self.matters = search, matters
        if self._is_invented(search, inner, matters):
            return Found(cuts={"invented contents of a global"})
        path = inner.state or inner.at_exit
        if path is not None and self.candidate.made_up(
            path, self._given_names(search, inner, matters)
        ):
            return Found(cuts={"invented contents of the block"})
        return inner

    def _from_callers(self, may_fail: bool) -> Found | None:
        """What a search comes to that begins in a caller; None: callers are not known."""
        outwards = self.candidate.outwards
        func = self.knowledge.func_of(outwards[0]) if outwards else self.candidate.func
        calls = self.knowledge.callers(func)
        if not calls or self.steps >= self.config.most_steps:
            return None
        cuts: set[str] = set()
        if len(calls) > self.config.most_callers:
            cuts.add("callers")
        for call in calls[: self.config.most_callers]:
            self.candidate = replace(self.candidate, outwards=(call, *outwards))
            found = self._refined(may_fail)
            if found.state is not None or found.at_exit is not None:
                return found
            cuts |= found.cuts
        return Found(cuts=cuts)

    def _rests_on_callers(self, state: State) -> bool:
        assert self.search is not None
        if self.search.executor.from_main:
            return False
        return any(_is_given(name) for name in self._names(self.search, state, self.matters))

    def _is_invented(self, search: Search | None, found: Found, matters: frozenset[int]) -> bool:
        """Whether decisions rest on memory behind a pointer that a global of the program's own holds:
        what it looks like there was made up."""
        names = self._given_names(search, found, matters)
        return any(name[:1] == "*" and name.lstrip("*")[:1] == "@" for name in names)

    def _rests_on_global_pointer(
        self, search: Search | None, found: Found, matters: frozenset[int]
    ) -> bool:
        """Whether decisions rest on where a global points to, NULL included: callers that are known
        would have to make it so."""
        if search is None:
            return False
        terms, pointers = search.executor.terms, search.executor.pointers
        held = {str(terms.by_number[number].args[0]) for number in pointers}
        names = self._given_names(search, found, matters)
        return any(name.startswith("@") and name in held for name in names)

    def _given_names(
        self, search: Search | None, found: Found, matters: frozenset[int]
    ) -> list[str]:
        state = found.state or found.at_exit
        if search is None or state is None or search.executor.from_main:
            return []
        return self._names(search, state, matters)

    def _names(self, search: Search, state: State, matters: frozenset[int]) -> list[str]:
        """Names of the unknowns in the decisions that matter."""
        choices, terms = state.choices(), search.executor.terms
        atoms: set[int] = set()
        for number in matters:
            atoms |= terms.by_number[choices[number]].atoms
        related, found = search.executor.related, []
        stack = sorted(atoms, reverse=True)
        while stack:
            term = terms.by_number[stack.pop()]
            name = str(term.args[0])
            found.append(name)
            found += related.get(name, ())
            if term.op == "opaque":
                stack += [
                    a for arg in term.args if isinstance(arg, Term) for a in sorted(arg.atoms)
                ]
        return found

    def _confirmed(self, state: State, severity: Severity = Severity.LASTING) -> Replayed:
        assert self.search is not None
        if state.failed:
            severity = Severity.ALLOCATION_FAILS
        elif self.candidate.is_loss and self._is_end_of_main(state):
            severity = Severity.AT_EXIT
        path = tell_path(self.search, state, self.matters)
        return self._answer(Outcome.CONFIRMED, severity, path=path)

    def _is_end_of_main(self, state: State) -> bool:
        loss = state.loss
        assert loss is not None
        name = self.knowledge.program.func_name(loss.func)
        return loss.depth == 1 and name == "main" and self._returns(loss.instr)

    def _returns(self, instr: int) -> bool:
        block = self.knowledge.instr_block[instr]
        code = self.knowledge.code(self.knowledge.func_of(instr))
        return block in code.exits() and code.blocks[block].instrs[-1].id == instr

    def _answer(
        self,
        outcome: Outcome,
        severity: Severity = Severity.LASTING,
        bounds: tuple[str, ...] = (),
        path: LosingPath | None = None,
    ) -> Replayed:
        return Replayed(outcome, severity, bounds, path, self.steps, self.rounds, self.solved)

    # Calls that matter ---------------------------------------------------------------------------

    def _refined(self, may_fail: bool) -> Found:
        """Search, enter the calls that the answer rests on, search again."""
        enter: frozenset[int] = frozenset()
        rounds = 0
        while True:
            rounds += 1
            self.rounds += 1
            search = self.search = Search(
                self.knowledge, self.config, self.candidate, enter, may_fail
            )
            found = search.run(self.config.most_steps - self.steps)
            self.steps += found.steps
            self.solved += found.solved
            path = found.state or found.at_exit
            if path is None:
                return found
            self.matters = choices_that_matter(search, path)
            self.steps += search.executor.steps - found.steps
            more = self._rests_on(search, path) - enter
            if not more:
                return found
            if rounds >= self.config.most_rounds or self.steps >= self.config.most_steps:
                return Found(cuts={"rounds"})
            enter = enter | more

    def _rests_on(self, search: Search, state: State) -> set[int]:
        """Passed calls with a body whose unknowns the decisions that matter speak of, and those that
        may not come back."""
        calls = search.executor.call_of
        found = {_call_in(name, calls) for name in self._names(search, state, self.matters)}
        found.update(self._may_end(state))
        return {call for call in found if call is not None and self._can_be_entered(call)}

    def _may_end(self, state: State) -> Iterable[int]:
        """Calls that were passed while the block was there, and may end the process."""
        made = False
        for event in state.events():
            if event.kind is EventKind.LOST:
                return
            made = made or event.kind in _MADE
            if made and event.kind is EventKind.PASSED and event.detail >= 0:
                touches = self.knowledge.touches(event.detail)
                if touches.ends and self.knowledge.code(event.detail).size <= _SIMPLE:
                    yield event.instr

    def _can_be_entered(self, call: int) -> bool:
        known = self.knowledge
        return any(known.has_body(known.meant(func)) for func in known.callees(call))


def _is_given(name: str) -> bool:
    """Whether an unknown comes from the caller: an argument, a global, or what lies behind one."""
    plain = name.lstrip("*")
    return plain.startswith(("argument", "@"))


def _call_in(name: str, calls: dict[str, int]) -> int | None:
    """The call that an unknown's name begins with, through any number of dereferences."""
    plain = name.lstrip("*").split("[")[0].split(":")[0]
    while plain:
        if plain in calls:
            return calls[plain]
        cut = plain.rfind(".")
        if cut < 0:
            return None
        plain = plain[:cut]
    return None
