"""What an external function does to memory: the vocabulary of models.

A model is a C signature and a list of effects over access paths. The same vocabulary serves
packaged libraries, users' own files and exported summaries of analysed functions.

Example: `char *realpath(const char *, char *)` allocates its result if the second argument is
null, and returns that argument otherwise:

    Alloc(target=ret, when=(arg2 == 0,)),  Assign(target=ret, value=arg2, when=(arg2 != 0,))

What is not mentioned does not happen: a pointer argument without an effect is only borrowed.
Text form and semantics: docs/models.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from heapflow.support.errors import UserError

if TYPE_CHECKING:
    from heapflow.models.container import Operation


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


# --- access paths -----------------------------------------------------------------------------


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


# --- values and conditions ----------------------------------------------------------------------


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


# --- effects ------------------------------------------------------------------------------------


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


# --- functions ----------------------------------------------------------------------------------


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
