"""One execution at one moment: frames, memory, what was assumed, what happened.

States are forked at every choice. Frames and objects are shared between forks and copied when one
of them writes (`owner`); what happened is a list that grows at one end and shares the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cache
from hashlib import blake2b
from itertools import count
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from heapflow.replay.code import Code
from heapflow.replay.conditions import Conditions
from heapflow.replay.evaluate import Model
from heapflow.replay.memory import Kind, Object
from heapflow.replay.terms import Value

if TYPE_CHECKING:
    from heapflow.replay.control import Alternative


class EventKind(Enum):
    """What a path tells."""

    ENTERED = "entered"  # detail: function
    LEFT = "left"  # detail: function
    BRANCH = "branch"  # detail: edge
    ALLOCATED = "allocated"  # detail: object
    STORED = "stored"  # detail: object into which the block was put
    FAILED = "failed"  # an allocation; detail: 0
    PASSED = "passed"  # a call that was not entered; detail: function or -1
    LOST = "lost"  # detail: object
    FREED = "freed"  # detail: object
    BELIEVED = "believed"  # a function that is not known made the block (0) or got it (argument)
    STARTED = "started"  # a call that the client makes; detail: function


class Event(NamedTuple):
    kind: EventKind
    instr: int
    detail: int
    depth: int  # frames
    choice: int  # of a BRANCH for which both ways were possible: the number of the choice; else -1


class Trail(NamedTuple):
    """Events, newest first."""

    event: Event
    before: Trail | None


class Taken(NamedTuple):
    """Choices, newest first: the number of the condition that was assumed."""

    condition: int
    before: Taken | None
    stop: Stop | None  # None: nobody asks what else could have been chosen


class Extra(NamedTuple):
    """A variable argument."""

    value: Value
    type: int
    size: int  # of a structure that is passed by a copy: `value` is the address of the copy
    align: int


Binding = tuple[tuple[int, int], int]  # source variable and offset, SSA name


class Frame:
    """A function that is active."""

    __slots__ = (
        "allocas",
        "block",
        "call",
        "called_back",
        "calling_back",
        "code",
        "extra",
        "index",
        "marks",
        "naming",
        "number",
        "owner",
        "previous",
        "regs",
        "skipped",
        "turns",
        "variables",
    )

    def __init__(self, code: Code, owner: int, number: int, like: Frame | None = None) -> None:
        self.code, self.owner, self.number = code, owner, number
        if like is not None:  # mypyc knows no `__new__`: a copy is filled here
            self._fill(like)
            return
        self.block = code.entry
        self.previous = -1  # the block before
        self.index = 0  # of the next instruction in its block
        self.regs: dict[int, Value] = {}
        self.variables: dict[tuple[int, int], int] = {}  # source variable, offset -> SSA name
        self.naming = 0  # equal where the variables are
        self.allocas: list[int] = []
        self.extra: list[Extra] = []  # variable arguments
        self.call = -1  # the instruction in the caller
        self.called_back = False  # by a function of the library that the caller called
        self.calling_back = -1  # object with the calls that such a function is still to make
        self.turns: dict[int, int] = {}  # loop header -> turns in which something was chosen
        # Headers of loops that were passed, with the φs that stayed as they were.
        self.skipped: dict[int, frozenset[tuple[int, Value]]] = {}
        self.marks: dict[int, int] = {}  # loop header -> choices when its last turn began

    def copy(self, owner: int) -> Frame:
        return Frame(self.code, owner, self.number, self)

    def _fill(self, like: Frame) -> None:
        self.block, self.index, self.previous = like.block, like.index, like.previous
        self.regs, self.variables = like.regs.copy(), like.variables.copy()
        self.naming, self.allocas, self.extra = like.naming, like.allocas.copy(), like.extra
        self.called_back, self.calling_back = like.called_back, like.calling_back
        self.call, self.turns, self.marks = like.call, like.turns.copy(), like.marks.copy()
        self.skipped = like.skipped

    def bind(self, bindings: list[Binding]) -> None:
        """Source variables get names, one after the other."""
        variables = self.variables
        for one in bindings:
            variable, name = one
            before = variables.get(variable)
            if before != name:
                if before is not None:
                    self.naming -= _code_of((variable, before))
                self.naming += _code_of(one)
                variables[variable] = name

    def unbind(self, variable: tuple[int, int]) -> None:
        self.naming -= _code_of((variable, self.variables.pop(variable)))


@cache
def _code_of(binding: Binding) -> int:
    """A number whose sums are as good as different for different sets of bindings: states are compared
    at every join, and a function may have thousands of variables."""
    return int.from_bytes(blake2b(repr(binding).encode(), digest_size=16).digest(), "little")


class LostBy(Enum):
    """What dropped the last reference."""

    RETURN = "return"  # a function returned
    RESULT = "result"  # of a call: nobody takes it
    STORE = "store"  # something else was written over it
    VARIABLE = "variable"  # a source variable got another value
    RELEASE = "release"  # what held it was released
    TURN = "turn"  # the next turn of a loop
    SCOPE = "scope"  # nothing needs it any more
    # Not lost, but misused:
    USED = "used"  # read or written after it was released
    PASSED = "passed"  # given to a function that is not known, after that
    HANDED_OUT = "handed out"  # returned, after that
    AGAIN = "again"  # released a second time
    WRONG_FAMILY = "wrong family"  # released by a function that is for something else
    INNER = "inner"  # released by a pointer that is not its start
    STACK = "stack"  # a local variable is released
    STATIC = "static"  # a global variable or a literal is released


@dataclass(slots=True)
class Loss:
    """Where a tracked block was lost."""

    obj: int
    instr: int
    depth: int
    func: int
    by: LostBy
    variable: int  # that held it last; -1 not known
    came_from: int  # the block before the one in which it is lost
    within: int = -1  # of a misuse: the instruction of the suspect's function that leads there
    owners: tuple[int, ...] = ()  # instructions that made the blocks which still lead to it
    in_unread: bool = False  # a global leads to it that nobody reads again before it is set


class End(Enum):
    """How a path ended."""

    RETURNED = "returned"  # from the outermost frame
    EXITED = "exited"  # the process ends
    UNWOUND = "unwound"  # a jump out of all frames that are known
    TURNED = "turned"  # a loop without an end came round again
    BROKEN = "broken"  # undefined behaviour, or a contradiction
    MERGED = "merged"  # with a state that was followed before
    POINTLESS = "pointless"  # nothing can be lost on it any more
    MISUSED = "misused"  # what was asked about happened, and ends the path


_tokens = count(1)
_BRANCH: Final = EventKind.BRANCH
_tuple: Final = tuple.__new__  # a named tuple's own constructor takes three times as long


class State:
    """All of it."""

    __slots__ = (
        "after",
        "astray",
        "at_exit",
        "bound",
        "chosen",
        "client",
        "conditions",
        "current_model",
        "dropped",
        "failed",
        "frames",
        "holder",
        "input",
        "jumps",
        "kept",
        "known",
        "last_choice",
        "late",
        "loss",
        "next_frame",
        "next_object",
        "objects",
        "output",
        "passes",
        "results",
        "returned",
        "said",
        "stage",
        "status",
        "steps",
        "strain",
        "tables",
        "taken",
        "token",
        "tracked",
        "trail",
        "ways",
        "worlds",
        "writes",
    )

    def __init__(self, first_object: int, like: State | None = None) -> None:
        if like is not None:  # see `Frame`
            self._fill(like)
            return
        self.token = next(_tokens)
        self.frames: list[Frame] = []
        self.objects: dict[int, Object] = {}
        self.next_object = first_object
        self.next_frame = 0
        self.bound: dict[int, int] = {}  # unknown -> its value, where one was chosen
        self.known: dict[int, int] = {}  # condition -> 0 or 1
        self.conditions = Conditions()
        self.current_model: Model = {}
        self.trail: Trail | None = None
        self.tracked: frozenset[int] = frozenset()  # blocks of the candidate's site that live
        self.kept: frozenset[int] = frozenset()  # objects that code which is not known may hold
        self.loss: Loss | None = None
        self.dropped = False  # something was executed that may lose it, in the last call
        self.stage = 0  # which of the client's calls is active
        self.client: tuple[tuple[Value, ...], ...] = ()  # arguments of its calls, then the result
        self.failed = 0  # allocations that were made to fail
        self.chosen = 0  # choices so far
        self.last_choice = (
            -1
        )  # steps when something was chosen: by the instruction that comes again now
        self.after = 0  # turns of loops since the block was lost
        self.astray = 0  # edges that the candidate's condition does not take
        self.late = 0  # turns of loops beyond their bound
        self.strain = 0  # how far-fetched its choices are, together (`farfetched`)
        # What functions returned that were active when the block was lost: depth, function, value.
        self.results: tuple[tuple[int, int, Value | None], ...] = ()
        self.steps = 0
        self.taken: Taken | None = None
        self.ways: dict[int, Any] = {}  # block -> the way that led to it the last time (`held`)
        self.holder = -1  # the source variable that was last seen to hold what is tracked
        self.jumps: dict[int, tuple[int, int, int]] = {}  # jmp_buf -> frame number, block, index
        self.writes = 0  # calls that were not executed and may have written somewhere
        # How often parts of the world outside of memory were changed (`answers`).
        self.worlds: dict[str, int] = {}
        # What answers say of a fact (part of the world, name): whether it holds, and if what does.
        self.said: dict[tuple[str, str], tuple[tuple[bool, Value], ...]] = {}
        self.passes: dict[int, int] = {}  # how often a call was passed
        self.tables: dict[str, int] = {}  # objects that belong to the library, by their use
        self.returned: Value | None = None  # what a function returned that was called back
        self.input = b""  # what a concrete run has not yet read
        self.status = 0  # with which a concrete run ended
        self.at_exit: tuple[int, ...] = ()  # functions that a concrete run calls at its end
        self.output: list[bytes] | None = None  # what a concrete run prints

    def fork(self) -> State:
        return State(0, self)

    def _fill(self, like: State) -> None:
        self.token, like.token = next(_tokens), next(_tokens)
        self.frames, self.objects = like.frames.copy(), like.objects.copy()
        self.bound, self.known = like.bound.copy(), like.known.copy()
        self.conditions, self.ways = like.conditions.copy(), like.ways.copy()
        self.jumps, self.passes = like.jumps.copy(), like.passes.copy()
        self.after, self.astray, self.at_exit = like.after, like.astray, like.at_exit
        self.chosen, self.client, self.current_model = like.chosen, like.client, like.current_model
        self.dropped, self.failed, self.holder = like.dropped, like.failed, like.holder
        self.input, self.kept, self.last_choice = like.input, like.kept, like.last_choice
        self.late, self.loss, self.next_frame = like.late, like.loss, like.next_frame
        self.next_object, self.output, self.returned = like.next_object, like.output, like.returned
        self.stage, self.status, self.steps = like.stage, like.status, like.steps
        self.strain, self.results = like.strain, like.results
        self.tables, self.taken, self.tracked = like.tables, like.taken, like.tracked
        self.trail, self.writes, self.worlds = like.trail, like.writes, like.worlds
        self.said = like.said

    # Frames --------------------------------------------------------------------------------------

    def top(self) -> Frame:
        """The active frame, to be written to."""
        frame = self.frames[-1]
        if frame.owner != self.token:
            frame = self.frames[-1] = frame.copy(self.token)
        return frame

    def push(self, code: Code) -> Frame:
        frame = Frame(code, self.token, self.next_frame)
        self.next_frame += 1
        self.frames.append(frame)
        return frame

    # Objects -------------------------------------------------------------------------------------

    def make(self, kind: Kind, name: str) -> Object:
        ident = self.next_object
        self.next_object += 1
        made = self.objects[ident] = Object(ident, kind, name, self.token)
        return made

    def own(self, ident: int) -> Object:
        """An object, to be written to."""
        obj = self.objects[ident]
        if obj.owner != self.token:
            obj = self.objects[ident] = obj.copy(self.token)
        return obj

    # What happened -------------------------------------------------------------------------------

    def note(self, kind: EventKind, instr: int, detail: int = -1) -> None:
        is_chosen = kind is _BRANCH and self.last_choice == self.steps - 1
        choice = self.chosen - 1 if is_chosen else -1
        event = _tuple(Event, (kind, instr, detail, len(self.frames), choice))
        self.trail = _tuple(Trail, (event, self.trail))

    def times_at(self, branch: int, since: Trail | None, before: dict[int, int]) -> int:
        """How often control was decided at a branch; `before` says how often up to a moment."""
        found, trail = before.get(branch, 0), self.trail
        while trail is not since:
            assert trail is not None
            (kind, instr, _, _, _), trail = trail
            found += instr == branch and kind is _BRANCH
        return found

    def branches(self) -> dict[int, int]:
        """How often control was decided at each branch."""
        found: dict[int, int] = {}
        trail = self.trail
        while trail is not None:
            (kind, instr, _, _, _), trail = trail
            if kind is _BRANCH:
                found[instr] = found.get(instr, 0) + 1
        return found

    def choices(self) -> list[int]:
        """Conditions that were chosen, in order."""
        found: list[int] = []
        taken = self.taken
        while taken is not None:
            found.append(taken.condition)
            taken = taken.before
        return found[::-1]

    def stops(self) -> list[tuple[Stop, int]]:
        """Where they were chosen, with the condition of each: as far back as that is known."""
        found: list[tuple[Stop, int]] = []
        taken = self.taken
        while taken is not None and taken.stop is not None:
            found.append((taken.stop, taken.condition))
            taken = taken.before
        return found[::-1] if taken is None else []

    def events(self) -> list[Event]:
        """In the order of execution."""
        found: list[Event] = []
        trail = self.trail
        while trail is not None:
            found.append(trail.event)
            trail = trail.before
        return found[::-1]


class Stop(NamedTuple):
    """A state in which something was chosen, as it was before. (It stands behind `State`: mypyc reads
    the types of its members when it is made.)"""

    state: State
    alternatives: list[Alternative]
