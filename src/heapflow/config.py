"""All settings of a run: one frozen value made of each phase's own settings.

Every limit, its default and its reason stand in the phase that has it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from heapflow.frontend.load import FrontendSettings


@dataclass(frozen=True, slots=True)
class Config:
    """Settings by phase, in pipeline order."""

    frontend: FrontendSettings = field(default_factory=FrontendSettings)
