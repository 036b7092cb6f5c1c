"""What execution says of a candidate."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

from heapflow.replay.path import LosingPath

NO_BUDGET: Final = "budget of searches"  # the bound of what was not looked into for long


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
    hurried: bool = (
        False  # a search ended because its steps were used up: a longer one may say more
    )
    glimpsed: bool = False  # some search found a path, before calls on it were entered
    skips: bool = False  # a path was seen only by a search that passes loops
    left_out: tuple[str, ...] = ()  # bounds beyond which something was taken as not known

    @property
    def rests_on_invented(self) -> bool:
        """Whether it is not confirmed for another reason than a bound."""
        return any(bound.startswith("invented") for bound in self.bounds)
