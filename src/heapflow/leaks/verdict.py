"""What became of one source, as its function tells it."""

from __future__ import annotations

from dataclasses import dataclass, field

from heapflow.flow.flow import Flow, Source
from heapflow.logic.space import Guard


@dataclass(slots=True, eq=False)
class Verdict:
    """What became of a source in its function."""

    source: Source
    flow: Flow
    survives: Guard  # somebody holds it when the function is done
    leaks: Guard
    safe_elsewhere: bool = False  # another path frees it or hands it on
    rounded: str = ""  # a limit because of which it may seem safe and not be
    contents: list[Source] = field(default_factory=list)  # lost with it: what its fields hold
