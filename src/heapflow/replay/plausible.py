"""Whether what a path takes of passed calls is possible, where executing them on it takes too long.

In:    a losing path, the calls on which its decisions rest.     Out: yes, or not known.
A callee is executed alone, from its entry, with arguments of which nothing is known: some way of it
must come back with a result for which all holds that the path asks of this result. That says less
than executing it on the path, but more than what is known of a function without a body, whose result
may be anything. Pointers that a callee left in memory are not judged so: what they lead to goes with
its result.
Guarantees: bounded; a bound that is met means "not known".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from heapflow.replay.aggregates import Aggregate
from heapflow.replay.alone import Alone, follow, forks
from heapflow.replay.client import fresh_argument
from heapflow.replay.code import Block
from heapflow.replay.config import ReplayConfig
from heapflow.replay.control import Choice, Cut, Ended
from heapflow.replay.decisions import model_with
from heapflow.replay.evaluate import evaluate
from heapflow.replay.events import End
from heapflow.replay.executor import Executor
from heapflow.replay.externals import call_in
from heapflow.replay.frame import Frame
from heapflow.replay.knowledge import Knowledge
from heapflow.replay.state import State
from heapflow.replay.step import constant_expression
from heapflow.replay.term import Term
from heapflow.replay.turning import Turning

_Accepts = Callable[[Executor, State], bool]


class Plausible:
    """What is asked of callees alone."""

    def __init__(self, knowledge: Knowledge, config: ReplayConfig) -> None:
        self.knowledge, self.config = knowledge, config
        self.steps = 0
        self.is_cut_off = False  # of some callee not all ways were followed

    def are(self, executor: Executor, path: State, calls: Iterable[int], names: set[str]) -> bool:
        """Whether each call may have come back as the path takes it; `names` are the unknowns on
        which its decisions rest."""
        terms, asked = executor.terms, dict[int, list[Term]]()
        pointers = {str(terms.by_number[number].args[0]) for number in executor.pointers}
        atoms = {str(terms.by_number[n].args[0]): n for c in path.conditions for n in c.atoms}
        for name in sorted(names):
            call = executor.call_of.get(name)
            if call is not None and name in atoms:
                asked.setdefault(call, []).append(terms.by_number[atoms[name]])
            elif call is None and (name in pointers or self._is_left_by_loop(executor, name)):
                return False
        for call in sorted(calls):
            if self.knowledge.is_loop(call):
                if not self._turns(executor, path, call, names):
                    return False
                continue
            results: list[Term | None] = [*asked.get(call, ())] or [None]
            if not all(self._comes_back(call, self._test(executor, path, one)) for one in results):
                return False
        return True

    def _is_left_by_loop(self, executor: Executor, name: str) -> bool:
        """Whether a loop that was passed left it in memory: what it counts goes with what it made."""
        loop = call_in(executor, name)
        if loop is None or not self.knowledge.is_loop(loop):
            return False
        carried = executor.call_of.get(name.rpartition(".")[0])
        return carried != loop

    def _turns(self, executor: Executor, path: State, loop: int, names: set[str]) -> bool:
        """Whether a loop, alone, may come to what the path takes of it, each time it was passed."""
        turning = Turning(self.knowledge, self.config, loop)
        passed = [name for name, call in sorted(executor.call_of.items()) if call == loop]
        found = all(turning.comes_to(executor, path, names, name) for name in passed)
        self.steps += turning.steps
        return found

    def _test(self, executor: Executor, path: State, result: Term | None) -> _Accepts:
        """What the path asks of one result."""
        if result is None:
            return lambda alone, state: True
        number = result.number
        if number in executor.pointers:
            is_null = executor.settled(path, result) == 0
            return lambda alone, state: _may_be(alone, state, is_null)
        about = [one for one in path.conditions if one.atoms == {number}]
        taken = evaluate(result, path.current_model)

        def accepts(alone: Executor, state: State) -> bool:
            value = state.returned
            if isinstance(value, Aggregate) or value is None:
                return False
            example = evaluate(value, state.current_model)
            if all(evaluate(one, {number: example}) for one in about):
                return True
            same = alone.terms.eq(result.width, value, taken)
            return isinstance(same, Term) and model_with(alone, state, same) is not None

        return accepts

    def _comes_back(self, call: int, accepts: _Accepts) -> bool:
        known = self.knowledge
        targets = [known.meant(func) for func in known.callees(call)]
        return any(known.has_body(func) and self._returns(func, accepts) for func in targets)

    def _returns(self, func: int, accepts: _Accepts) -> bool:
        """Whether some way of a function comes back with such a value, the shortest tried first."""
        known = self.knowledge
        executor = Executor(known, self.config, constant_expression, _FewTurns())
        first, code = State(known.first_object), known.code(func)
        frame = first.push(code)
        for position, parameter in enumerate(code.params):
            frame.regs[parameter] = fresh_argument(executor, first, code, position)
        stack = [first]
        try:
            while stack and executor.steps <= self.config.most_alone_steps:
                state = stack.pop()
                if self._run(executor, state, stack) and _is_accepted(accepts, executor, state):
                    return True
            self.is_cut_off |= bool(stack)
            return False
        finally:
            self.steps += executor.steps

    def _run(self, executor: Executor, state: State, stack: list[State]) -> bool:
        """Follow a way to its end or to a choice; whether the function returned."""
        outcome = follow(executor, state)
        if isinstance(outcome, Choice):
            stack += _ways(executor, state, outcome)
        return outcome is End.RETURNED


def _is_accepted(accepts: _Accepts, executor: Executor, state: State) -> bool:
    try:
        return accepts(executor, state)
    except Cut:
        return False


def _may_be(alone: Executor, state: State, is_null: bool) -> bool:
    """Whether a pointer that was returned may be null, or not."""
    value = state.returned
    if isinstance(value, Aggregate) or value is None:
        return False
    value = alone.settled(state, value)
    if isinstance(value, int):
        return (value == 0) == is_null
    none = alone.terms.eq(value.width, value, 0)
    wanted = none if is_null else alone.terms.negate(none)
    return wanted == 1 or (
        isinstance(wanted, Term) and model_with(alone, state, wanted) is not None
    )


def _ways(executor: Executor, state: State, choice: Choice) -> list[State]:
    """States that go on, the one nearest to the function's end last."""
    alternatives = list(choice.alternatives)
    if choice.edges:
        code = state.frames[-1].code
        distance, far = code.distance(code.exits()), 1 << 30
        pairs = zip(choice.alternatives, choice.edges, strict=True)
        ordered = sorted(pairs, key=lambda pair: -distance.get(pair[1].target, far))
        alternatives = [one for one, _ in ordered]
    else:
        alternatives.reverse()
    return forks(executor, state, alternatives)


class _FewTurns(Alone):
    """Leaves loops after a few turns."""

    def jumped(
        self, executor: Executor, state: State, frame: Frame, source: int, target: Block
    ) -> None:
        if (source, target.id) not in frame.code.back_edges:
            frame.turns.pop(target.id, None)
            return
        frame.turns[target.id] = frame.turns.get(target.id, 0) + 1
        if frame.turns[target.id] > executor.config.most_forced_turns:
            raise Ended(End.POINTLESS)
