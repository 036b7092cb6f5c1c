"""Replay a candidate: confirmed, refuted, none within the bound of turns, or not confirmed.

In:    Knowledge, ReplayConfig, a candidate of stage 1.     Out: `Replayed`.
Paper: SMOKE §V-VI: cheap candidates first, exact checks for the few that remain.
First, calls that do not touch the block are passed. If a path is found whose conditions rest on what such a call
returned or wrote, that call is entered and the search begins anew, until they rest on inputs alone.
Guarantees: the answer depends on the candidate alone, not on the order or the process.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from heapflow.replay.config import ReplayConfig
from heapflow.replay.hunt import Candidate
from heapflow.replay.knowledge import Knowledge
from heapflow.replay.matters import choices_that_matter
from heapflow.replay.path import LosingPath, tell_path
from heapflow.replay.search import Found, Search
from heapflow.replay.state import State


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
        found = self._refined(may_fail=False)
        if found.state is not None:
            return self._confirmed(found.state)
        exits, cuts = found.at_exit, found.cuts
        if exits is not None:
            return self._confirmed(exits, Severity.AT_EXIT)
        if self.steps < self.config.most_steps:
            found = self._refined(may_fail=True)
            path = found.state or found.at_exit
            if path is not None:
                return self._confirmed(path)
        cuts = cuts | found.cuts
        if not cuts:
            return self._answer(Outcome.REFUTED)
        if cuts == {"turns"}:
            return self._answer(Outcome.NONE_WITHIN, bounds=("turns",))
        return self._answer(Outcome.NOT_CONFIRMED, bounds=tuple(sorted(cuts)))

    def _confirmed(self, state: State, severity: Severity = Severity.LASTING) -> Replayed:
        assert self.search is not None
        if state.failed:
            severity = Severity.ALLOCATION_FAILS
        elif self._is_end_of_main(state):
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
        cuts: set[str] = set()
        while True:
            self.rounds += 1
            search = self.search = Search(
                self.knowledge, self.config, self.candidate, enter, may_fail
            )
            found = search.run(self.config.most_steps - self.steps)
            self.steps += found.steps
            self.solved += found.solved
            path = found.state or found.at_exit
            if path is None:
                found.cuts |= cuts
                return found
            self.matters = choices_that_matter(search, path)
            more = self._rests_on(search, path) - enter
            if not more:
                return found
            if self.rounds >= self.config.most_rounds or self.steps >= self.config.most_steps:
                return Found(cuts={"rounds"})
            enter = enter | more

    def _rests_on(self, search: Search, state: State) -> set[int]:
        """Passed calls with a body whose unknowns the decisions that matter speak of."""
        atoms: set[int] = set()
        choices, terms = state.choices(), search.executor.terms
        for number in self.matters:
            atoms |= terms.by_number[choices[number]].atoms
        return set(self._calls_of(search, atoms))

    def _calls_of(self, search: Search, atoms: Iterable[int]) -> Iterable[int]:
        executor = search.executor
        for atom in sorted(atoms):
            name = str(executor.terms.by_number[atom].args[0])
            call = _call_in(name, executor.call_of)
            if call is not None and self._can_be_entered(call):
                yield call

    def _can_be_entered(self, call: int) -> bool:
        known = self.knowledge
        return any(known.has_body(known.meant(func)) for func in known.calls.callees(call))


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
