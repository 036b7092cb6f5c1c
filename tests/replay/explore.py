"""All paths of a function with unknown arguments: what it can return."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from heapflow.frontend.inputs import find_inputs
from heapflow.frontend.load import FrontendSettings, load_program
from heapflow.models.load import load_models
from heapflow.pointsto.analyse import solve_points_to
from heapflow.replay.config import ReplayConfig
from heapflow.replay.control import Choice, Cut, Ended
from heapflow.replay.decisions import assume
from heapflow.replay.evaluate import evaluate
from heapflow.replay.events import End
from heapflow.replay.executor import Executor
from heapflow.replay.knowledge import Knowledge
from heapflow.replay.state import State
from heapflow.replay.step import constant_expression, step
from heapflow.replay.term import Term, signed
from heapflow.replay.watch import Watch


@dataclass(frozen=True)
class Explored:
    """What the paths of a function came to."""

    returned: set[int]  # by a model of each path
    broken: int
    cuts: set[str]


def load_text(text: str, work: Path) -> Knowledge:
    """A C program as the executor sees it."""
    source = work / "program.c"
    source.write_text(text)
    settings = FrontendSettings(use_cache=False, jobs=1)
    loaded = load_program(find_inputs([str(source)]), settings)
    assert loaded.program is not None, loaded.failures
    models = load_models()
    _, calls = solve_points_to(loaded.program, models)
    return Knowledge(loaded.program, calls, models)


def explore(knowledge: Knowledge, name: str, most_paths: int = 400) -> Explored:
    """Follow every path."""
    program = knowledge.program
    func = next(
        f
        for f in range(len(program.functions))
        if program.func_name(f) == name and knowledge.has_body(f)
    )
    executor = Executor(knowledge, ReplayConfig(), constant_expression, Watch())
    stack = [_first(executor, func)]
    found = Explored(set(), 0, set())
    broken = paths = 0
    while stack and paths < most_paths:
        state = stack.pop()
        paths += 1
        try:
            while True:
                step(executor, state)
        except Choice as choice:
            for alternative in choice.alternatives:
                forked = state.fork()
                assume(executor, forked, alternative)
                stack.append(forked)
        except Ended as ended:
            broken += ended.end is End.BROKEN
            if ended.end is End.RETURNED and state.returned is not None:
                found.returned.update(_values(executor, state))
        except Cut as cut:
            found.cuts.add(cut.bound)
    assert paths < most_paths
    return Explored(found.returned, broken, found.cuts | executor.cuts)


def _first(executor: Executor, func: int) -> State:
    knowledge = executor.knowledge
    state = State(knowledge.first_object)
    code = knowledge.code(func)
    frame = state.push(code)
    for position, parameter in enumerate(code.params):
        type_id = knowledge.value_type[parameter]
        width = executor.types.width(type_id)
        is_pointer = executor.types.is_pointer(type_id)
        frame.regs[parameter] = executor.unknown(f"argument{position}", width, is_pointer)
    return state


def _values(executor: Executor, state: State) -> set[int]:
    """All values that the function may return on a path."""
    assert state.returned is not None
    value = executor.settled(state, state.returned)
    if isinstance(value, int):
        return {signed(value, 32)}
    found: set[int] = set()
    conditions, model = state.conditions.copy(), state.current_model
    while len(found) < 20:
        for condition in conditions:
            assert evaluate(condition, model), condition
        number = evaluate(value, model)
        found.add(signed(number, 32))
        other = executor.terms.negate(executor.terms.eq(value.width, value, number))
        assert isinstance(other, Term)
        more = executor.solver.extend(conditions, model, other)
        if more is None:
            break
        conditions.append(other)
        model = more
    return found
