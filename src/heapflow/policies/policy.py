"""What a policy is.

A policy is no part of the method: it says what programs are taken to do where the method alone could
not tell, and so keeps candidates from execution.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Shape(Enum):
    """What a policy does when it acts."""

    DECIDES = "decides a comparison"
    NARROWS = "narrows a finished condition"
    RELEASES = "releases a block, or keeps it"
    CALLS = "says what a call may do"
    KEEPS = "says what memory holds"


@dataclass(frozen=True)
class Policy:
    """One assumption."""

    name: str
    shape: Shape
    says: str  # the assumption, as a sentence
    lost: str  # what may be missed because of it
    needed_by: str  # the C file in tests/c that changes without it
    origin: str = ""  # the paper, or the decision
