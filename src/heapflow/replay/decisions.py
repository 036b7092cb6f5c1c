"""Decisions of one execution: what a condition can be, what is assumed, what must hold.

In:    an executor, a state, a condition.     Out: whether it holds, or a `Choice`.
A condition that both can and cannot hold raises `Choice` before anything has changed; the search forks
the state, assumes one alternative in each fork, and the same instruction is executed again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from heapflow.replay.control import Alternative, Choice, Cut, Ended
from heapflow.replay.evaluate import Model, evaluate
from heapflow.replay.events import End
from heapflow.replay.farfetched import strain
from heapflow.replay.solver import GaveUp
from heapflow.replay.state import State, Stop, Taken
from heapflow.replay.term import Term, Value

if TYPE_CHECKING:
    from heapflow.replay.executor import Executor

_tuple: Final = tuple.__new__  # see `state`


def decide(executor: Executor, state: State, condition: Value) -> bool:
    """Whether a condition holds; a choice if both can be."""
    condition = executor.settled(state, condition)
    if isinstance(condition, int):
        return bool(condition)
    known = state.known.get(condition.number)
    if known is not None:
        return bool(known)
    before = executor.given_up
    alternatives = _both(executor, state, condition)
    if len(alternatives) == 1:
        holds = alternatives[0].condition is condition
        if executor.given_up > before:  # it need not be so, but is from now on
            learn(executor, state, alternatives[0].condition)
        state.known[condition.number] = int(holds)
        return holds
    if not alternatives:
        raise Ended(End.BROKEN)
    raise Choice(alternatives)


def _both(executor: Executor, state: State, condition: Term) -> list[Alternative]:
    """A condition and its negation, as far as they can be: one of them holds in the model."""
    other = executor.terms.negate(condition)
    if isinstance(other, int) or condition.depth > executor.config.deepest_term:
        return possible(executor, state, [condition, other])
    model = state.current_model
    holds = evaluate(condition, model) == 1
    found = [_tuple(Alternative, (condition if holds else other, model, False, False))]
    try:
        against = model_with(executor, state, other if holds else condition, fails=True)
    except Cut as cut:
        executor.cuts.add(cut.bound)
        executor.given_up += 1
        return found
    if against is not None:
        one = other if holds else condition
        found.append(_tuple(Alternative, (one, against, False, False)))
    return found if holds else found[::-1]


def possible(executor: Executor, state: State, conditions: list[Value]) -> list[Alternative]:
    """Those that can be, with models."""
    found = []
    for condition in conditions:
        condition = executor.settled(state, condition)
        if isinstance(condition, int):
            if condition:
                raise AssertionError("a choice that is none")
            continue
        try:
            model = model_with(executor, state, condition)
        except Cut as cut:
            executor.cuts.add(cut.bound)
            executor.given_up += 1
            continue
        if model is not None:
            found.append(Alternative(condition, model))
    return found


def model_with(
    executor: Executor, state: State, condition: Term, fails: bool = False
) -> Model | None:
    """A model in which a condition holds, too; `fails`: it does not in the one at hand."""
    if condition.depth > executor.config.deepest_term:
        raise Cut("depth of a computation")
    stats = executor.solver.stats
    solved, checks = stats.solved, stats.checks
    try:
        return executor.solver.extend(state.conditions, state.current_model, condition, fails)
    except GaveUp:
        raise Cut("solver") from None
    finally:
        if stats.solved > solved:
            executor.steps += (stats.solved - solved) * executor.config.steps_per_question
            executor.steps += (stats.checks - checks) // max(executor.config.checks_per_step, 1)


def assume(
    executor: Executor, state: State, alternative: Alternative, stop: Stop | None = None
) -> None:
    """Go on with one of the alternatives of a stop."""
    learn(executor, state, alternative.condition)
    state.current_model = alternative.model
    state.chosen += 1
    state.strain += strain(executor, state, alternative.condition)
    state.taken = _tuple(Taken, (alternative.condition.number, state.taken, stop))
    state.last_choice = state.steps


def learn(executor: Executor, state: State, condition: Term) -> None:
    """A condition holds from now on, and with it what follows at once."""
    state.conditions.append(condition)
    stack = [(condition, 1)]
    while stack:
        term, holds = stack.pop()
        state.known[term.number] = holds
        if term.op == "not":
            stack.append((term.args[0], 1 - holds))
        elif term.op == ("and" if holds else "or") and term.width == 1:
            stack += [(part, holds) for part in term.args if isinstance(part, Term)]
        elif term.op == "eq" and holds:
            unknown, value = term.args
            if isinstance(unknown, Term) and unknown.op == "var" and isinstance(value, int):
                state.bound[unknown.number] = int(value)


def require(executor: Executor, state: State, condition: Value) -> None:
    """Something that must hold for the execution to go on without undefined behaviour."""
    condition = executor.settled(state, condition)
    if isinstance(condition, int):
        if not condition:
            raise Ended(End.BROKEN)
        return
    if state.known.get(condition.number) == 1:
        return
    model = model_with(executor, state, condition)
    if model is None:
        raise Ended(End.BROKEN)
    learn(executor, state, condition)
    state.current_model = model


def settle(executor: Executor, state: State, value: Value) -> int:
    """One value of a term; other values are tried when nothing else is left."""
    value = executor.settled(state, value)
    if isinstance(value, int):
        return value
    number = evaluate(value, state.current_model)
    same = executor.terms.eq(value.width, value, number)
    if isinstance(same, int) or state.known.get(same.number) == 1:
        return number
    other = executor.terms.negate(same)
    assert isinstance(other, Term)
    try:
        model = model_with(executor, state, other)
    except Cut as cut:
        # Whether there are others was not found out. This one is possible.
        executor.cuts.add(cut.bound)
        model = None
    if model is None:
        learn(executor, state, same)
        return number
    first = Alternative(same, state.current_model)
    if _excluded(state, value) >= executor.config.most_values:
        executor.cuts.add("values of an index")
        raise Choice([first])
    raise Choice([first, Alternative(other, model, later=True)])


def _excluded(state: State, value: Term) -> int:
    """How many values of a term were given up before."""
    negated = (one.args[0] for one in state.conditions.related(value.atoms) if one.op == "not")
    return sum(one.op == "eq" and value in one.args for one in negated)
