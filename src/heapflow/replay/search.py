"""The search for an execution that loses a candidate's block.

In:    Knowledge, a candidate, which calls to enter.     Out: `Found`.
Paths that keep to what stage 1's condition proposes come first, whether a branch was chosen or had to
be taken; among these depth first, but for loops in which much is chosen. Which way first: what is
nearer to the allocation, then, once the block is there, what is nearer to the end. Loops turn a few
times; paths with more turns wait until all others were followed, those with the fewest first.
Ways that are unlikely to matter (other values of an index, an allocation that fails) are tried when
nothing else is left. Every bound counts steps.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from typing import NamedTuple

from heapflow.replay.client import begin_call, fresh_argument, lay_block
from heapflow.replay.config import ReplayConfig
from heapflow.replay.control import JumpedBack, Lengthy, Postponed
from heapflow.replay.decisions import assume, require
from heapflow.replay.events import End
from heapflow.replay.executor import Alternative, Choice, Cut, Ended, Executor
from heapflow.replay.farfetched import strain
from heapflow.replay.hunt import Candidate
from heapflow.replay.jumps import jump_back
from heapflow.replay.keeps import keep
from heapflow.replay.knowledge import Knowledge
from heapflow.replay.proposal import by_condition, by_path
from heapflow.replay.solver import Solver
from heapflow.replay.state import State, Stop
from heapflow.replay.step import constant_expression, step
from heapflow.replay.term import Term


@dataclass(slots=True)
class Found:
    """What a search came to."""

    state: State | None = None  # a path on which the block is lost, and the function goes on
    end: End | None = None  # how it ended
    at_exit: State | None = None  # a path on which it is lost and the process ends
    cuts: set[str] = field(default_factory=set)  # bounds that were met
    left_out: set[str] = field(default_factory=set)  # see `Executor.left_out`
    unwound: bool = False  # a path that still had the block jumped out of all frames
    steps: int = 0
    paths: int = 0
    solved: int = 0  # questions to the solver


class _Way(NamedTuple):
    """One of the alternatives of a choice that was not taken yet: the state is made when it is."""

    stop: Stop
    alternative: Alternative
    strain: int


def beyond(bound: int, shortest: int) -> int:
    """A bound of steps, half of which at least is left beyond the shortest way."""
    return max(bound, shortest + bound // 2)


class Search:
    """One search; the executor stays for questions about what was found."""

    def __init__(
        self,
        knowledge: Knowledge,
        config: ReplayConfig,
        candidate: Candidate,
        enter: frozenset[int] = frozenset(),
        may_fail: bool = False,
        solver: Solver | None = None,
        like: State | None = None,
    ) -> None:
        self.knowledge, self.config, self.candidate = knowledge, config, candidate
        on_route = frozenset(knowledge.func_of(call) for call in candidate.chain)
        self.hunt = candidate.hunt(enter, on_route)
        self.hunt.proposal = by_condition(knowledge, candidate.func, candidate.deferred)
        # Which way is tried first: that of a path which was found with fewer calls entered.
        self.first = self.hunt.proposal if like is None else by_path(knowledge, like)
        first = knowledge.func_of(candidate.outwards[0]) if candidate.outwards else candidate.func
        if candidate.script:
            first = candidate.script[0].func
        self.start = first
        is_main = knowledge.program.func_name(first) == "main"
        self.executor = Executor(knowledge, config, constant_expression, self.hunt, is_main, solver)
        self.executor.may_fail = may_fail
        self.shortest_way = 0 if candidate.script else knowledge.code(first).shortest_way()
        self.most_path_steps = beyond(config.most_path_steps, self.shortest_way)
        self.found = Found()
        # A heap: how far-fetched it is (once a path was found), turns beyond the bound, branches
        # against the proposal, rank; newest first.
        self.waiting: list[tuple[int, int, int, int, int, State | _Way]] = []
        self.is_resumed = False
        self.forks: Counter[int] = Counter()  # by instruction
        self.pushed = 0
        self.last_step = 0  # of the executor: no path goes on beyond

    def run(self, most_steps: int, most_late_steps: int = 0) -> Found:
        """Search from the entry of the outermost function. Steps that every path through it takes are
        no search: where they are many, they come on top."""
        if most_steps > 0:
            most_steps = beyond(most_steps, self.shortest_way)
        self.hunt.latest = self.config.most_late_turns if most_late_steps else 0
        return self._run(self.first_state(), most_steps, most_late_steps)

    def resume(self, most_steps: int) -> Found | None:
        """Search on, for another path than the one that was found: the least far-fetched ones first.
        None: all were followed."""
        if not self.waiting:
            return None
        if not self.is_resumed:
            self.is_resumed = True
            self.waiting = [(one[-1].strain, *one[1:]) for one in self.waiting]
            heapify(self.waiting)
        self.found = Found()
        self.hunt.stops_at_loss = False
        return self._run(self._next(), self.executor.steps + most_steps, 0)

    def go_back_to(self, found: Found) -> None:
        """Questions are about a path that was found before the last one."""
        self.found = found
        path = found.state or found.at_exit
        self.hunt.latest = path.late if path is not None else 0

    def _run(self, first: State, most_steps: int, most_late_steps: int) -> Found:
        self.hunt.postpones = True
        self._search(first, most_steps, most_late_steps)
        self.hunt.postpones = False
        found, executor = self.found, self.executor
        self.go_back_to(found)
        found.steps = executor.steps
        found.solved = executor.solver.stats.solved
        found.cuts |= executor.cuts
        found.left_out |= executor.left_out
        return found

    def _search(self, first: State, most_steps: int, most_late_steps: int) -> None:
        found, executor = self.found, self.executor
        self.last_step = most_steps
        state: State | None = first
        is_late = False
        while found.state is None and state is not None:
            found.paths += 1
            # Few paths are followed as they are: comparing states costs more than following them.
            self.hunt.merges = found.paths > self.config.most_unmerged
            if state.late and not is_late:
                is_late, self.last_step = True, min(executor.steps + most_late_steps, most_steps)
            if executor.steps > self.last_step:
                found.cuts.add("turns" if is_late else "steps")
                return
            if found.paths > self.config.most_states:
                found.cuts.add("paths")
                return
            state = self._follow(state)
            # (Not `found`, of which a type checker knows that there is none: the path may have set it.)
            if state is None and self.found.state is None and self.waiting:
                state = self._next()

    def _follow(self, state: State) -> State | None:
        """Run a path to its end or to a choice; the state with which to go on at once."""
        try:
            end = self.run_path(state)
        except Choice as choice:
            return self._fork(state, choice)
        except Postponed:
            self._wait(state, 0)
            return None
        except Lengthy:
            state.astray += 1
            self._wait(state, self.config.last_rank)
            return None
        except Cut as cut:
            late = state.late and cut.bound == "steps"
            self.found.cuts.add("turns" if late else cut.bound)
            return None
        if end is End.UNWOUND and state.tracked:
            self.found.unwound = True
        if state.loss is None:
            return None
        if end in (End.RETURNED, End.TURNED, End.MISUSED):
            self.found.state, self.found.end = state, end
        elif end is End.EXITED and self.found.at_exit is None:
            self.found.at_exit = state
        return None

    def run_path(self, state: State) -> End:
        """Step until the path is over; a Choice or Cut comes out as such. One that has not come to a
        choice for long waits if there are others: a loop that nothing ends would use up all steps."""
        executor, most, last = self.executor, self.most_path_steps, self.last_step
        if self.waiting and self.hunt.postpones and state.loss is None:
            last = min(last, executor.steps + self.config.most_straight_steps)
        try:
            while True:
                try:
                    while state.steps < most and executor.steps <= last:
                        step(executor, state)
                    if state.steps < most and last < self.last_step:
                        raise Lengthy
                    raise Cut("steps" if executor.steps > last else "steps of a path")
                except JumpedBack as back:
                    jump_back(executor, state, back)
        except Ended as ended:
            return ended.end

    def _fork(self, state: State, choice: Choice) -> State | None:
        """The best alternative goes on, the others wait: those of branches that were chosen at often
        behind those of branches that were not, so that one loop does not use up all steps."""
        frame = state.frames[-1]
        instr = frame.code.blocks[frame.block].instrs[frame.index].id
        self.forks[instr] += 1
        last = self.config.last_rank
        rank = min(self.forks[instr] // max(self.config.often, 1), last - 1)
        ordered = self._ordered(state, choice)
        # Without a failure, all paths were followed before: see which failure loses the block.
        first = next((one for one in ordered if one.fails and state.tracked), None)
        first = first or next((one for one in ordered if not one.later), None)
        stop = Stop(state, choice.alternatives)  # kept for questions about the path (`matters`)
        for alternative in reversed(ordered):
            if alternative is not first:
                self._push(stop, alternative, last if alternative.later else rank)
        if first is None:
            return None
        forked = state.fork()
        assume(self.executor, forked, first, stop)
        return forked

    def _push(self, stop: Stop, alternative: Alternative, rank: int) -> None:
        if len(self.waiting) >= self.config.most_waiting:
            self.found.cuts.add("paths waiting")
            return
        state = stop.state
        total = state.strain + strain(self.executor, state, alternative.condition)
        self._add(_Way(stop, alternative, total), state, total, rank)

    def _wait(self, state: State, rank: int) -> None:
        self._add(state, state, state.strain, rank)

    def _add(self, one: State | _Way, state: State, total: int, rank: int) -> None:
        self.pushed += 1
        first = total if self.is_resumed else 0
        heappush(self.waiting, (first, state.late, state.astray, rank, -self.pushed, one))

    def _next(self) -> State:
        """The most promising one of those that wait. Most of them never get their turn."""
        one = heappop(self.waiting)[-1]
        if isinstance(one, State):
            return one
        state = one.stop.state.fork()
        assume(self.executor, state, one.alternative, one.stop)
        return state

    def _ordered(self, state: State, choice: Choice) -> list[Alternative]:
        """The most promising first."""
        if not choice.edges:
            return choice.alternatives
        frame = state.frames[-1]
        code = frame.code
        by_edge = list(zip(choice.alternatives, choice.edges, strict=True))
        distance = code.distance(self.hunt.goal(self.executor, state, code))
        far = 1 << 30

        def rank(pair: tuple[Alternative, object]) -> tuple[bool, int]:
            edge = pair[1]
            skipped = state.loss is None and self.first.is_against(
                frame,
                frame.block,
                edge.target,  # type: ignore[attr-defined]
            )
            return skipped, distance.get(edge.target, far)  # type: ignore[attr-defined]

        return [alternative for alternative, _ in sorted(by_edge, key=rank)]

    # The start -----------------------------------------------------------------------------------

    def first_state(self) -> State:
        """The entry of the outermost function: its arguments are not known."""
        knowledge, executor = self.knowledge, self.executor
        state = State(knowledge.first_object)
        if self.candidate.script:
            begin_call(executor, state, 0, self.candidate.script[0])
            if self.candidate.laid is not None:
                lay_block(executor, state, self.candidate.laid, self.candidate.chain[0])
            return state
        code = knowledge.code(self.start)
        frame = state.push(code)
        for position, parameter in enumerate(code.params):
            given = frame.regs[parameter] = fresh_argument(executor, state, code, position)
            said = knowledge.invariants.params.get((self.start, position))
            if isinstance(given, Term) and said is not None:
                keep(executor, state, given, said)
        if executor.from_main and code.params:
            count = frame.regs[code.params[0]]
            if isinstance(count, Term):
                require(executor, state, executor.terms.slt(count.width, 0, count))
        return state
