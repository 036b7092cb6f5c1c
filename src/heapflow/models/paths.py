"""Places that models speak of, the values there, and conditions on them.

ret, arg2, arg1->next, *arg3          access paths: a root, and the loads that lead on from it
arg2 == 0                             a comparison
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Ret:
    """The returned value."""


@dataclass(frozen=True, slots=True)
class Arg:
    """One argument, counted from 1 as in the C prototype."""

    index: int


@dataclass(frozen=True, slots=True)
class Args:
    """Argument `first` and everything after it: the variable arguments."""

    first: int


@dataclass(frozen=True, slots=True)
class Global:
    """Memory that outlives every call: a C global of that name, or hidden state if it has none."""

    name: str


Root: TypeAlias = Ret | Arg | Args | Global


@dataclass(frozen=True, slots=True)
class Offset:
    """Load at a byte offset of the object pointed to; offset 0 is the plain `*`."""

    bytes: int


@dataclass(frozen=True, slots=True)
class Member:
    """Load of a field known by name."""

    name: str


@dataclass(frozen=True, slots=True)
class AnyField:
    """Load of any field: some unspecified part of the object, as in containers and handles."""


Step: TypeAlias = Offset | Member | AnyField


@dataclass(frozen=True, slots=True)
class AccessPath:
    """A place: a root, and the loads that lead on from it (first load first)."""

    root: Root
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Inside:
    """A pointer somewhere into the same object that `path` points to (`strchr`)."""

    path: AccessPath


@dataclass(frozen=True, slots=True)
class Borrowed:
    """A pointer to memory that somebody else owns and releases.

    The owner is the object that `owner` points to (the memory dies with it), or the library
    itself if there is none: static buffers, tables, the environment.
    """

    owner: AccessPath | None = None


@dataclass(frozen=True, slots=True)
class Null:
    """The null pointer."""


Value: TypeAlias = AccessPath | Inside | Borrowed | Null


class Op(StrEnum):
    """Comparison operators."""

    EQ = "=="
    NE = "!="
    LT = "<"
    LE = "<="
    GT = ">"
    GE = ">="


@dataclass(frozen=True, slots=True)
class Comparison:
    """`left op right`; `ret` is what was returned, arguments are as they were on entry."""

    left: AccessPath
    op: Op
    right: int


When: TypeAlias = tuple[Comparison, ...]
"""All of them hold. Empty: always."""


@dataclass(frozen=True, slots=True)
class Size:
    """A number of bytes: the product of arguments (by index) and of a constant."""

    factors: tuple[int, ...]
    scale: int = 1
