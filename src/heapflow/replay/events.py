"""What a path tells, and how it ends."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple


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
