"""Memory SSA: its result type.

In:    nothing; `memssa.build` fills it.     Out: MemorySsa.
Paper: TSE'14 §4.2.3. Versions of one region are numbered from 0 in each function; version 0 of a
nonlocal region is what the function got from its callers.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from heapflow.ir.program import Program
from heapflow.ir.table import I32, I64, U8
from heapflow.memssa.accesses import Accesses
from heapflow.memssa.act import Acts
from heapflow.memssa.carriers import Carriers
from heapflow.memssa.classes import Classes
from heapflow.memssa.config import MemorySsaConfig
from heapflow.memssa.facts import MemoryFacts
from heapflow.memssa.modref import ModRef
from heapflow.pointsto.facts import Facts


class DefKind(IntEnum):
    """What makes a new version."""

    ENTRY = 0  # R_0 = …
    STORE = 1  # R_t = χ(R_s) at a store
    CALL = 2  # R_t = χ(R_s) at a call
    TRANSFER = 3  # R_t = χ(R_s) at a copy of memory
    PHI = 4


class UseKind(IntEnum):
    """What a μ stands at."""

    LOAD = 0
    CALL = 1  # also copies of memory
    RETURN = 2


@dataclass(frozen=True)
class RegionTable:
    """Columns by region; regions of a function are consecutive."""

    func: I32
    local: U8
    classes: tuple[int, ...]  # sets of classes
    start: I64  # per function, plus one

    def __len__(self) -> int:
        return len(self.func)


@dataclass(frozen=True)
class Definitions:
    """Columns by definition."""

    region: I32
    version: I32
    kind: U8  # DefKind
    instr: I32  # -1 for ENTRY and PHI
    block: I32
    old: I32  # the version that a χ updates; -1: none (ENTRY, PHI, undefined local)
    strong: U8  # the old content is gone for good
    arg_start: I64  # PHI: arguments
    arg: I32  # definition; -1: undefined local
    arg_block: I32  # predecessor

    def __len__(self) -> int:
        return len(self.region)


@dataclass(frozen=True)
class Uses:
    """Columns by μ."""

    instr: I32
    kind: U8  # UseKind
    region: I32
    definition: I32  # never -1: uses of undefined locals are left out

    def __len__(self) -> int:
        return len(self.instr)


@dataclass(frozen=True)
class MemorySsa:
    """Everything that the value-flow graph is made from."""

    program: Program
    facts: Facts
    memory: MemoryFacts
    acts: Acts
    carriers: Carriers
    accesses: Accesses
    classes: Classes
    modref: ModRef
    regions: RegionTable
    defs: Definitions
    uses: Uses
    config: MemorySsaConfig
