"""What all searches for one candidate have in common."""

from __future__ import annotations

from dataclasses import dataclass

from heapflow.replay.config import ReplayConfig
from heapflow.replay.grounds import Grounds
from heapflow.replay.knowledge import Knowledge
from heapflow.replay.passedcalls import PassedCalls
from heapflow.replay.spent import Spent


@dataclass(frozen=True, slots=True)
class Inquiry:
    """One for each candidate."""

    knowledge: Knowledge
    config: ReplayConfig
    spent: Spent
    grounds: Grounds
    calls: PassedCalls


def begin_inquiry(knowledge: Knowledge, config: ReplayConfig, skips: bool) -> Inquiry:
    """`skips`: searches pass loops, as the one did that saw a path."""
    spent = Spent()
    spent.skips = skips
    grounds = Grounds(knowledge, spent)
    return Inquiry(
        knowledge, config, spent, grounds, PassedCalls(knowledge, config, spent, grounds)
    )
