"""What a function does to memory, one type per kind of effect, and to the world outside of it.

A new kind: a type here, its text in `effect_text.py`, and a case in each `match` on effects
(docs/architecture.md, "Where something new goes").
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from heapflow.models.paths import AccessPath, Arg, Comparison, Size, Value, When


@dataclass(frozen=True, slots=True)
class Alloc:
    """`target` receives a fresh object, unless it is null after the call.

    `arena` is the object whose end also ends this one. `deep`: pointers found in the new object
    lead to memory that belongs to it (a list that one call releases as a whole).
    """

    target: AccessPath
    family: str
    size: Size | None = None
    zeroed: bool = False
    deep: bool = False
    arena: AccessPath | None = None
    when: When = ()


@dataclass(frozen=True, slots=True)
class Free:
    """The object that `target` points to is released; null is ignored.

    `deep`: also everything of the same family that can be reached from it.
    """

    target: AccessPath
    family: str
    deep: bool = False
    when: When = ()


@dataclass(frozen=True, slots=True)
class Realloc:
    """If `target` is not null afterwards: `source` was released and `target` is fresh, with the
    old contents. If it is null: `source` is still owned. Equal places: resized in place.
    """

    source: AccessPath
    target: AccessPath
    family: str
    size: Size | None = None
    when: When = ()


@dataclass(frozen=True, slots=True)
class Ref:
    """One more reference to what `target` points to."""

    target: AccessPath
    family: str
    when: When = ()


@dataclass(frozen=True, slots=True)
class Unref:
    """One reference less; the last one releases the object. Null is ignored."""

    target: AccessPath
    family: str
    when: When = ()


@dataclass(frozen=True, slots=True)
class Hold:
    """What `target` points to is held by the caller from now on: locked, begun, disabled."""

    target: AccessPath
    family: str
    when: When = ()


@dataclass(frozen=True, slots=True)
class Drop:
    """It is not held any more."""

    target: AccessPath
    family: str
    when: When = ()


@dataclass(frozen=True, slots=True)
class Take:
    """Ownership of what `target` points to passes to `owner`'s object, or to the library.

    The caller need not and must not release it; it dies with its new owner.
    """

    target: AccessPath
    owner: AccessPath | None = None
    when: When = ()


@dataclass(frozen=True, slots=True)
class Give:
    """The caller owns what `target` points to from now on (a node unlinked from its tree)."""

    target: AccessPath
    family: str
    when: When = ()


@dataclass(frozen=True, slots=True)
class Keep:
    """The library remembers the pointer beyond the call, without owning what it points to."""

    target: AccessPath
    when: When = ()


@dataclass(frozen=True, slots=True)
class Expose:
    """Code of which nothing is known gets `target`: it, and all that it leads to, may be kept,
    released and changed. `member`: if it is a pointer into a larger object, then this many bytes
    of it at most; -1: all of the object. `spares`: a call that changes nothing keeps nothing either
    (only execution tells the two apart).
    """

    target: AccessPath
    member: int = -1
    when: When = ()
    spares: bool = False


@dataclass(frozen=True, slots=True)
class Assign:
    """`target = value`: results, stores into other arguments' objects, stores into globals."""

    target: AccessPath
    value: Value
    when: When = ()


@dataclass(frozen=True, slots=True)
class Write:
    """The object that `target` points to is overwritten with data that holds no pointers.

    Implied for every pointer parameter whose pointee is not const: see `written_args`.
    """

    target: AccessPath
    when: When = ()


@dataclass(frozen=True, slots=True)
class CopyMemory:
    """The contents of `source`'s object, pointers included, are copied to `target`'s object."""

    source: AccessPath
    target: AccessPath
    size: Size | None = None
    when: When = ()


@dataclass(frozen=True, slots=True)
class FillMemory:
    """Every byte of `target`'s object becomes `value`: argument `Arg`, or a constant."""

    target: AccessPath
    value: Arg | int
    size: Size | None = None
    when: When = ()


@dataclass(frozen=True, slots=True)
class Call:
    """The function that `callee` points to is called with `args` (None: nothing of the caller's).

    `later`: not (only) during this call but afterwards, or in another thread.
    """

    callee: AccessPath
    args: tuple[Value | None, ...]
    later: bool = False
    when: When = ()


class Exit(StrEnum):
    """How a function fails to return."""

    PROCESS = "process"  # the process ends: nothing is lost by it
    UNWIND = "unwind"  # longjmp, pthread_exit: frames are left, their locals are lost
    MAYBE = "maybe"  # exec: returns only if it failed


@dataclass(frozen=True, slots=True)
class NoReturn:
    """Control does not come back."""

    exit: Exit = Exit.PROCESS
    when: When = ()


@dataclass(frozen=True, slots=True)
class ReturnsTwice:
    """Control may come back again from a later call (`setjmp`)."""


@dataclass(frozen=True, slots=True)
class Pure:
    """The result depends only on the arguments and on the memory behind them; nothing changes.

    Two calls with the same arguments and no write to that memory in between agree.
    """


@dataclass(frozen=True, slots=True)
class Ensures:
    """Holds whenever the function returns: `ret != 0` for allocators that abort on failure."""

    holds: Comparison
    when: When = ()


Effect: TypeAlias = (
    Alloc
    | Free
    | Realloc
    | Ref
    | Unref
    | Hold
    | Drop
    | Take
    | Give
    | Keep
    | Expose
    | Assign
    | Write
    | CopyMemory
    | FillMemory
    | Call
    | NoReturn
    | ReturnsTwice
    | Pure
    | Ensures
)


@dataclass(frozen=True, slots=True)
class Change:
    """A part of the world outside of memory is not what it was. `starts`: texts that arguments start
    with."""

    world: str
    when: When = ()
    starts: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Says:
    """What an answer says of arguments: whether a fact holds, as long as the world stays."""

    fact: str
    holds: bool
    arguments: tuple[int, ...]
    world: str
    when: When = ()
    starts: tuple[tuple[int, str], ...] = ()
