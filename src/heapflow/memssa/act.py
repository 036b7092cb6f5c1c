"""What calls of external functions do, as single steps: the types."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

from heapflow.models.model import Effect

NO_EFFECT = -1


class ActKind(IntEnum):
    """One step of an external call. `value` is an argument, `places` a set of locations."""

    PASS = 0  # the result is `value`
    INSIDE = 1  # the result points into what `value` points to
    READ = 2  # the result is the content of `places`
    WRITE = 3  # `value` is stored at `places`
    TRANSFER = 4  # the contents of `sources` are stored at `places`
    FRESH = 5  # the result is a new block
    FRESH_AT = 6  # a new block is stored at `places`
    FREE = 7  # `value` is released
    FREE_AT = 8  # the contents of `places` are released
    ESCAPE = 9  # somebody outside keeps `value`
    ESCAPE_AT = 10  # … the contents of `places`


class Escaping(IntEnum):
    """Why a value escapes at an external call."""

    UNKNOWN_CALL = 0
    KEPT = 1
    TAKEN = 2
    STORED = 3
    ASSEMBLER = 4
    DEFERRED = 5


@dataclass(frozen=True, slots=True)
class Act:
    """A step of one call."""

    kind: ActKind
    instr: int
    callee: int
    value: int = -1
    places: int = 0
    sources: int = 0
    effect: int = NO_EFFECT
    why: Escaping = Escaping.UNKNOWN_CALL


@dataclass(frozen=True, slots=True)
class Callback:
    """A function of the program that an external call calls, with values of this call."""

    instr: int
    func: int
    args: tuple[int, ...]  # values; -1: nothing of the caller's


@dataclass
class Acts:
    """All external calls."""

    by_instr: dict[int, list[Act]] = field(default_factory=dict)
    callbacks: dict[int, list[Callback]] = field(default_factory=dict)
    effects: list[Effect] = field(default_factory=list)
    # Call -> places that get another pointer whatever happens, by one of several effects.
    always_set: dict[int, int] = field(default_factory=dict)
    unmodelled: dict[int, int] = field(default_factory=dict)  # function -> calls
