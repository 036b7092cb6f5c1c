"""All settings of a run: one frozen value made of each phase's own settings.

Every limit, its default and its reason stand in the phase that has it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from heapflow.flow.config import LeakConfig
from heapflow.frontend.load import FrontendSettings
from heapflow.guards.config import GuardLimits
from heapflow.invariants.config import InvariantConfig
from heapflow.memssa.config import MemorySsaConfig
from heapflow.modelled.config import ModelledConfig
from heapflow.ownership.belief import UnknownFunctions
from heapflow.ownership.config import BeliefConfig, OwnershipConfig
from heapflow.pointsto.config import PointsToConfig
from heapflow.properties.config import PropertiesConfig
from heapflow.replay.config import ReplayConfig


@dataclass(frozen=True, slots=True)
class Config:
    """Settings by phase, in pipeline order."""

    frontend: FrontendSettings = field(default_factory=FrontendSettings)
    models: tuple[Path, ...] = ()  # the user's own, after the packaged ones
    unknown_functions: UnknownFunctions = UnknownFunctions.BELIEVE
    without: tuple[str, ...] = ()  # assumptions of stage 1 that are not made (policies/table.py)
    time_limit: int = 0  # seconds for the whole run; 0: none
    memory_limit: int = 0  # MB of this process; 0: none
    check_phases: bool = False  # what the phases guarantee is checked, which takes time
    modelled: ModelledConfig = field(default_factory=ModelledConfig)
    beliefs: BeliefConfig = field(default_factory=BeliefConfig)
    pointsto: PointsToConfig = field(default_factory=PointsToConfig)
    memssa: MemorySsaConfig = field(default_factory=MemorySsaConfig)
    guards: GuardLimits = field(default_factory=GuardLimits)
    leaks: LeakConfig = field(default_factory=LeakConfig)
    properties: PropertiesConfig = field(default_factory=PropertiesConfig)
    invariants: InvariantConfig = field(default_factory=InvariantConfig)
    replay: ReplayConfig = field(default_factory=ReplayConfig)
    ownership: OwnershipConfig = field(default_factory=OwnershipConfig)
