"""Check what answers of replay promise (`--check-phases`, tests).

- There is an answer for every question.
- What is confirmed has a path. What is refuted has neither a path nor a bound that it met. What is not
  confirmed says which bound that was.
"""

from __future__ import annotations

from collections.abc import Sequence

from heapflow.replay.answer import Outcome, Replayed
from heapflow.support.errors import InternalError


def check_answers(asked: int, answers: Sequence[Replayed]) -> None:
    """Raises InternalError for the first guarantee that does not hold."""
    if asked != len(answers):
        raise InternalError(f"replay: {asked} questions, {len(answers)} answers")
    for number, answer in enumerate(answers):
        broken = _broken(answer)
        if broken:
            raise InternalError(f"replay: answer {number}: {broken}")


def _broken(answer: Replayed) -> str:
    match answer.outcome:
        case Outcome.CONFIRMED if answer.path is None:
            return "confirmed, and no path"
        case Outcome.REFUTED if answer.path is not None or answer.bounds:
            return "refuted, with a path or a bound"
        case Outcome.NOT_CONFIRMED if answer.path is None and not answer.bounds:
            return "not confirmed, and no bound that says why"
    return "" if answer.steps >= 0 else "fewer than no steps"
