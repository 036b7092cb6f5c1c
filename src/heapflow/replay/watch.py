"""What a search is told while a state is stepped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from heapflow.models.model import FunctionModel
from heapflow.replay.code import Block
from heapflow.replay.frame import Frame
from heapflow.replay.instr import Instr
from heapflow.replay.memory import Object
from heapflow.replay.state import State
from heapflow.replay.term import Value

if TYPE_CHECKING:
    from heapflow.replay.executor import Executor


class Watch:
    """What a search wants to know while a state is stepped; this one wants nothing (concrete runs)."""

    skips = False  # loops, and calls that only tell something: nothing is lost in them
    enter: frozenset[int] = frozenset()  # calls that are executed in any case

    def wants(
        self, executor: Executor, state: State, func: int, instr: Instr, arguments: list[Value]
    ) -> bool:
        """Whether a callee with a body is to be entered."""
        return True

    def may_enter(self, state: State, instr: Instr) -> bool:
        """Whether a small callee may be entered, though nobody asks for it."""
        return True

    def is_site(self, executor: Executor, state: State, instr: Instr) -> bool:
        """Whether a block made here is one that is asked about: it is made in any case."""
        return False

    def jumped(
        self, executor: Executor, state: State, frame: Frame, source: int, target: Block
    ) -> None: ...

    def bound(self, executor: Executor, state: State, frame: Frame, instr: Instr) -> None: ...

    def overwriting(self, executor: Executor, state: State, obj: Object, size: int) -> None:
        """Before something is written where nobody has looked on this path."""

    def smeared(self, executor: Executor, state: State, obj: Object, size: int) -> None:
        """Data was written at an index that is not known."""

    def stored(self, executor: Executor, state: State, instr: Instr, value: Value) -> None: ...

    def changed(self, executor: Executor, state: State, instr: Instr) -> None: ...

    def entered(self, executor: Executor, state: State, frame: Frame) -> None: ...

    def returned(self, executor: Executor, state: State, instr: Instr) -> None: ...

    def allocated(self, executor: Executor, state: State, obj: Object, instr: Instr) -> None: ...

    def goes_on(
        self, executor: Executor, state: State, frame: Frame, instr: Instr, value: Value | None
    ) -> bool:
        """The outermost function returns: whether another one is called then, which was begun."""
        return False

    def finishing(
        self, executor: Executor, state: State, frame: Frame, instr: Instr, value: Value | None
    ) -> None: ...

    def calling(
        self,
        executor: Executor,
        state: State,
        instr: Instr,
        model: FunctionModel | None,
        arguments: list[Value],
    ) -> None:
        """Before a call of a function that is not given; may raise a Choice."""

    def released(self, executor: Executor, state: State, obj: Object, instr: int) -> None: ...

    def misused(self, executor: Executor, state: State, obj: Object, again: bool) -> None:
        """A block that was released is used, or (`again`) released."""
