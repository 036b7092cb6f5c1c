"""Whether a loop that was passed can come to what a path takes of it.

In:    a losing path, a loop on which its decisions rest, the unknowns that it left.
Out:   yes, or not known.
The loop is executed alone, from its beginning, with constants as they are and all else unknown, for a
bounded number of steps: at the beginning of some turn, all must hold that the path asks of the values
which the loop carries on. What it leaves in memory is not asked: a number there may be any.
"""

from __future__ import annotations

from contextlib import suppress

from heapflow.replay.alone import Alone, follow, forks
from heapflow.replay.code import Block, Code
from heapflow.replay.config import ReplayConfig
from heapflow.replay.control import Choice, Cut, Ended
from heapflow.replay.decisions import model_with
from heapflow.replay.evaluate import evaluate
from heapflow.replay.events import End
from heapflow.replay.executor import Executor
from heapflow.replay.frame import Frame
from heapflow.replay.instr import Instr
from heapflow.replay.knowledge import Knowledge
from heapflow.replay.state import State
from heapflow.replay.step import constant_expression
from heapflow.replay.term import Term, Value


class Turning:
    """One loop, asked about one path."""

    def __init__(self, knowledge: Knowledge, config: ReplayConfig, key: int) -> None:
        self.knowledge, self.config = knowledge, config
        self.code = knowledge.code(knowledge.func_of(key))
        self.header = self.code.blocks[knowledge.instr_block[key]]
        self.steps = 0

    def comes_to(self, executor: Executor, path: State, names: set[str], passed: str) -> bool:
        """Whether some turn can begin with values of these names, of one time that it was passed."""
        terms = executor.terms
        by_name = {str(terms.by_number[n].args[0]): n for c in path.conditions for n in c.atoms}
        wanted = {
            phi: by_name[f"{passed}.{number}"]
            for number, phi in enumerate(self.header.phis)
            if f"{passed}.{number}" in names and f"{passed}.{number}" in by_name
        }
        if not wanted:
            return True
        atoms = set(wanted.values())
        about = [one for one in path.conditions if one.atoms <= atoms]
        taken = {n: evaluate(terms.by_number[n], path.current_model) for n in atoms}
        watch = _Turns(self.code, self.header, wanted, about, taken)
        alone = Executor(self.knowledge, self.config, constant_expression, watch)
        stack = self._first_states(alone)
        while stack and not watch.accepted and alone.steps <= self.config.most_alone_steps:
            self._run(alone, stack.pop(), stack)
        self.steps += alone.steps
        return watch.accepted

    def _first_states(self, alone: Executor) -> list[State]:
        """Before the first turn: one for each way into the loop."""
        inside, found = self.code.inside(self.header.id), list[State]()
        for block in self.code.blocks.values():
            for edge in block.edges:
                if block.id in inside or edge.target != self.header.id:
                    continue
                state = State(self.knowledge.first_object)
                frame = state.push(self.code)
                for value in self._given(inside):
                    frame.regs[value] = self._unknown(alone, value)
                for phi in self.header.phis:
                    first = phi.operands[phi.blocks.index(block.id)]
                    known = self.knowledge.scalar(first)
                    frame.regs[phi.result] = (
                        known if known is not None else self._unknown(alone, first)
                    )
                frame.block, frame.previous = self.header.id, block.id
                found.append(state)
                with suppress(Ended):
                    alone.watch.jumped(alone, state, frame, block.id, self.header)
        return found

    def _given(self, inside: set[int]) -> tuple[int, ...]:
        loop = self.knowledge.loop(self.code, self.header.id)
        assert loop is not None
        return loop.given

    def _unknown(self, alone: Executor, value: int) -> Term:
        kind = self.knowledge.value_type[value]
        width = alone.types.width(kind) or 64
        return alone.unknown(f"given{value}", width, alone.types.is_pointer(kind))

    def _run(self, alone: Executor, state: State, stack: list[State]) -> None:
        """Follow a way to its end or to a choice."""
        outcome = follow(alone, state)
        if isinstance(outcome, Choice):
            stack += forks(alone, state, reversed(outcome.alternatives))


class _Turns(Alone):
    """Looks at the values with which turns begin."""

    def __init__(
        self,
        code: Code,
        header: Block,
        wanted: dict[Instr, int],
        about: list[Term],
        taken: dict[int, int],
    ) -> None:
        self.code, self.header, self.wanted = code, header, wanted
        self.about, self.taken = about, taken
        self.accepted = False

    def jumped(
        self, executor: Executor, state: State, frame: Frame, source: int, target: Block
    ) -> None:
        if frame.code is not self.code or len(state.frames) > 1:
            return
        if target.id not in self.code.distance((self.header.id,)):
            raise Ended(End.POINTLESS)
        if target.id == self.header.id and self._accepts(executor, state, frame):
            self.accepted = True
            raise Ended(End.TURNED)

    def _accepts(self, executor: Executor, state: State, frame: Frame) -> bool:
        now = {
            number: executor.settled(state, frame.regs[phi.result])
            for phi, number in self.wanted.items()
        }
        example = {n: evaluate(value, state.current_model) for n, value in now.items()}
        if all(evaluate(one, example) for one in self.about):
            return True
        try:
            return self._can_be_taken(executor, state, now)
        except Cut:
            return False

    def _can_be_taken(self, executor: Executor, state: State, now: dict[int, Value]) -> bool:
        """Whether the values can be those of the path."""
        all_of: Value = 1
        for phi, number in self.wanted.items():
            same = executor.terms.eq(phi.width, now[number], self.taken[number])
            all_of = executor.terms.binary("and", 1, all_of, same)
        if isinstance(all_of, Term):
            return model_with(executor, state, all_of) is not None
        return bool(all_of)
