"""A part of the program, executed alone: calls in it are passed unless they are small.

In:    an executor of its own, a state.     Out: how the way ended, or the choice at which it forks.
"""

from __future__ import annotations

from collections.abc import Iterable

from heapflow.replay.control import Alternative, Choice, Cut, Ended, JumpedBack
from heapflow.replay.decisions import assume
from heapflow.replay.events import End
from heapflow.replay.executor import Executor
from heapflow.replay.instr import Instr
from heapflow.replay.state import State
from heapflow.replay.step import step
from heapflow.replay.term import Value
from heapflow.replay.watch import Watch


class Alone(Watch):
    """Passes what is not small."""

    def wants(
        self, executor: Executor, state: State, func: int, instr: Instr, arguments: list[Value]
    ) -> bool:
        return False


def follow(alone: Executor, state: State) -> End | Choice | None:
    """Follow a way to its end or to a choice; None: a bound was met, or control jumped elsewhere."""
    try:
        while alone.steps <= alone.config.most_alone_steps:
            step(alone, state)
    except Choice as choice:
        return choice
    except Ended as ended:
        return ended.end
    except (Cut, JumpedBack):
        pass
    return None


def forks(alone: Executor, state: State, alternatives: Iterable[Alternative]) -> list[State]:
    """One state for each alternative."""
    found = []
    for alternative in alternatives:
        forked = state.fork()
        assume(alone, forked, alternative)
        found.append(forked)
    return found
