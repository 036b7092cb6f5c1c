"""How far-fetched a choice about the outer world is.

In:    a condition that was chosen.     Out: a number; 0 is ordinary.
A function that tests an argument for NULL defends itself: mostly no caller gives NULL, and whoever
reads of a path that begins so does not believe it; that holds of the arguments of callees as well.
A pointer inside of what came from outside may be NULL where a list ends or a part is missing; that is
more likely, but made up all the same. So is a text that does not fit where somebody made room for
it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from heapflow.replay.term import Term

if TYPE_CHECKING:
    from heapflow.replay.executor import Executor
    from heapflow.replay.state import State

_GIVEN: Final = ("argument", "further", "@")


def strain(executor: Executor, state: State, condition: Term) -> int:
    """What it costs to assume a condition."""
    if condition.number in executor.unlikely:
        return executor.config.unlikely_failure
    if condition.op != "eq":
        return executor.config.long_text if _is_long_text(executor, condition) else 0
    unknown, value = condition.args
    if value != 0 or not isinstance(unknown, Term) or unknown.number not in executor.pointers:
        return 0
    name = str(unknown.args[0])
    if not name.lstrip("*").startswith(_GIVEN):
        return 0
    frame = state.frames[-1]
    is_argument = any(frame.regs.get(parameter) is unknown for parameter in frame.code.params)
    config = executor.config
    if is_argument or name.startswith("argument"):
        return config.null_argument
    return config.null_behind_argument


def _is_long_text(executor: Executor, condition: Term) -> bool:
    """Whether a condition says that a text is longer than some length that nobody expects."""
    holds = condition.op != "not"
    compared = condition if holds else condition.args[0]
    if compared.op not in ("ult", "slt"):
        return False
    # `least < length`, or not `length < least`.
    least, length = compared.args if holds else compared.args[::-1]
    if not isinstance(least, int) or not isinstance(length, Term):
        return False
    is_long = executor.config.expected_text <= least < 1 << (length.width - 1)
    return is_long and any(map(executor.is_length, length.atoms))
