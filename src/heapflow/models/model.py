"""What an external function does to memory: the vocabulary of models.

A model is a C signature and a list of effects over access paths. The same vocabulary serves
packaged libraries, users' own files and exported summaries of analysed functions.

Example: `char *realpath(const char *, char *)` allocates its result if the second argument is
null, and returns that argument otherwise:

    Alloc(target=ret, when=(arg2 == 0,)),  Assign(target=ret, value=arg2, when=(arg2 != 0,))

What is not mentioned does not happen: a pointer argument without an effect is only borrowed.
Text form and semantics: docs/models.md. What functions are described with is in `effects.py` and
`paths.py`, and offered here, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from heapflow.models.effects import (
    Alloc,
    Assign,
    Call,
    Change,
    CopyMemory,
    Drop,
    Effect,
    Ensures,
    Exit,
    Expose,
    FillMemory,
    Free,
    Give,
    Hold,
    Keep,
    NoReturn,
    Pure,
    Realloc,
    Ref,
    ReturnsTwice,
    Says,
    Take,
    Unref,
    Write,
)
from heapflow.models.paths import (
    AccessPath,
    AnyField,
    Arg,
    Args,
    Borrowed,
    Comparison,
    Global,
    Inside,
    Member,
    Null,
    Offset,
    Op,
    Ret,
    Root,
    Size,
    Step,
    Value,
    When,
)
from heapflow.support.errors import UserError

if TYPE_CHECKING:
    from heapflow.models.container import Operation


__all__ = [
    "AccessPath",
    "Alloc",
    "AnyField",
    "Arg",
    "Args",
    "Assign",
    "Borrowed",
    "Call",
    "Change",
    "Comparison",
    "CopyMemory",
    "Drop",
    "Effect",
    "Ensures",
    "Exit",
    "Expose",
    "Family",
    "FillMemory",
    "Free",
    "FunctionModel",
    "Give",
    "Global",
    "Hold",
    "Inside",
    "Keep",
    "Member",
    "ModelError",
    "NoReturn",
    "Null",
    "Offset",
    "Op",
    "Parameter",
    "Pure",
    "Realloc",
    "Ref",
    "ResourceKind",
    "Ret",
    "ReturnsTwice",
    "Root",
    "Says",
    "Signature",
    "Size",
    "Step",
    "Take",
    "Unref",
    "Value",
    "When",
    "Write",
]


class ModelError(UserError, ValueError):
    """A model file says something that cannot be used: where, what, and what would be right."""


class ResourceKind(StrEnum):
    """What a family hands out. A leak checker for memory selects MEMORY and ignores the rest."""

    MEMORY = "memory"
    FILE = "file"
    DIRECTORY = "directory"
    DESCRIPTOR = "descriptor"
    MAPPING = "mapping"
    LIBRARY = "library"
    LOCK = "lock"
    THREAD = "thread"
    HANDLE = "handle"
    STACK = "stack"


@dataclass(frozen=True, slots=True)
class Family:
    """Resources that are released the same way, such as malloc/free or fopen/fclose.

    `arena`: members die together with the arena they were taken from and are never reported.
    `refcounted`: a member lives until as many `Unref` as references were made.
    """

    name: str
    kind: ResourceKind
    releasers: tuple[str, ...] = ()
    refcounted: bool = False
    arena: bool = False
    machine: str = ""  # its property, if it is not that of its kind (`heapflow.properties.machine`)


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter: its C text, and what matters of its type."""

    text: str
    pointer: bool
    const_pointee: bool = False


@dataclass(frozen=True, slots=True)
class Signature:
    """A C prototype: arity and which values are pointers."""

    result: Parameter
    params: tuple[Parameter, ...]
    variadic: bool = False


@dataclass(frozen=True, slots=True)
class FunctionModel:
    """All that is known about one function.

    `signature` is None if only the name was given: arity and types are then unknown.
    `source` says what the entry was checked against, `origin` which file it came from.
    `over_definitions`: holds also if the program defines the function itself, with this prototype.
    `memory_only`: it fails for want of memory, and for no other reason.
    `operation`: what it does with a container, for replay to execute.
    `waits`: it takes input, or waits for something: nobody knows for how long.
    `asks`: parts of the world outside of memory on which the answer depends: nothing changes but what
    is written behind arguments, and equal calls agree; `changes`, `says`: see `heapflow.models.world`.
    `is_belief`: only who owns what is said, and it was inferred from declarations and callers
    (`heapflow.ownership`); whatever the function is given, it may write to.
    """

    name: str
    signature: Signature | None
    effects: tuple[Effect, ...]
    source: str = ""
    note: str = ""
    origin: str = ""
    over_definitions: bool = False
    memory_only: bool = False
    waits: bool = False
    is_belief: bool = False
    operation: Operation | None = None
    asks: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()
    says: tuple[Says, ...] = ()

    @property
    def never_returns(self) -> bool:
        """Whether no call of it comes back."""
        return any(
            isinstance(effect, NoReturn) and effect.exit is not Exit.MAYBE and not effect.when
            for effect in self.effects
        )

    @property
    def pure(self) -> bool:
        """Whether equal calls have equal results, and no effect."""
        return any(isinstance(effect, Pure) for effect in self.effects)

    def accepts(self, arguments: int) -> bool:
        """Whether a call with that many arguments fits the prototype.

        If not, the argument numbers of the effects cannot be trusted: the declaration was another
        one, or the compiler passes a structure by value in parts.
        """
        if self.signature is None:
            return True
        arity = len(self.signature.params)
        return arguments == arity or (self.signature.variadic and arguments > arity)

    @property
    def written_args(self) -> tuple[int, ...]:
        """Arguments (from 1) whose object may be overwritten by data: not const in the prototype.

        What a declared effect stores is not repeated here; variadic arguments need `Write`.
        """
        if self.signature is None or self.pure:
            return ()
        params = enumerate(self.signature.params, start=1)
        return tuple(i for i, p in params if p.pointer and not p.const_pointee)
