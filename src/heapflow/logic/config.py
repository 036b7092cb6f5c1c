"""Bounds of single operations on conditions, each with its reason."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SpaceLimits:
    """Hitting one is counted, or raises `GuardOverflow`."""

    most_care_nodes: int = 150  # of what is known when a condition is simplified
    most_library_steps: int = (
        1 << 22
    )  # of one operation, by its operands' sizes; beyond, node by node
    most_operation_steps: int = 1 << 16  # of an operation that is done node by node
