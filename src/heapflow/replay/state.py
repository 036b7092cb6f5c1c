"""One execution at one moment: frames, memory, what was assumed, what happened.

States are forked at every choice. Frames and objects are shared between forks and copied when one
of them writes (`owner`); what happened is a list that grows at one end and shares the rest.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from heapflow.replay.code import Code
from heapflow.replay.conditions import Conditions
from heapflow.replay.evaluate import Model
from heapflow.replay.events import Event, EventKind, Loss, Trail
from heapflow.replay.frame import Frame
from heapflow.replay.memory import Kind, Object
from heapflow.replay.terms import Value

if TYPE_CHECKING:
    from heapflow.replay.control import Alternative


class Taken(NamedTuple):
    """Choices, newest first: the number of the condition that was assumed."""

    condition: int
    before: Taken | None
    stop: Stop | None  # None: nobody asks what else could have been chosen


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
