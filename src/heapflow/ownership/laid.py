"""What lies in memory before the calls of a client begin: a block, and what leads to it.

In:    nothing.     Out: `Laid`: bytes of an object that an argument leads to, and of the block.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple


class Target(IntEnum):
    """What a pointer leads to."""

    NOTHING = 0
    BLOCK = 1
    OWNER = 2  # the object that the argument leads to


class Cell(NamedTuple):
    """A pointer that lies there; all else is unknown."""

    in_block: bool  # or in the owner
    offset: int
    leads_to: Target
    inner: int = 0  # bytes from the start of that


class Laid(NamedTuple):
    """Behind which argument it lies, the owner's bytes, and the pointers in both."""

    position: int
    size: int
    cells: tuple[Cell, ...]
