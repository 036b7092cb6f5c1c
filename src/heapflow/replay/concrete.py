"""Run a program: the executor without unknowns is an interpreter.

In:    Knowledge, a function, its arguments (numbers and texts).     Out: `Run`: how it ended, what it
printed. Globals have their initial contents, every callee is entered, the C library is computed. Memory
that was never set is zero. What cannot be run ends the run with the reason.
Guarantees: what is printed and returned is what the compiled program prints and returns, as far as C
says so (tests/replay/test_concrete.py).
Not modelled: files other than the standard streams, time, threads, signals, the environment.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from heapflow.ir.program import Program
from heapflow.replay.config import ReplayConfig
from heapflow.replay.control import Choice, Cut, Ended, JumpedBack
from heapflow.replay.entering import enter_at
from heapflow.replay.events import End, EventKind
from heapflow.replay.executor import Executor
from heapflow.replay.instr import Instr
from heapflow.replay.jumps import jump_back
from heapflow.replay.knowledge import Knowledge
from heapflow.replay.memory import Ground, Kind, Object
from heapflow.replay.modeltable import ModelTable
from heapflow.replay.state import State
from heapflow.replay.step import constant_expression, step
from heapflow.replay.term import Term, Value, mask
from heapflow.replay.watch import Watch

_STREAMS = ("stdin", "stdout", "stderr")
_NO_BOUND = 1 << 62
_BOUNDS = replace(ReplayConfig(), deepest_calls=100_000, most_objects=1 << 30, most_bytes=1 << 30)


@dataclass(frozen=True, slots=True)
class Run:
    """What became of a run."""

    end: End | None  # None: it could not go on
    why: str  # it ended so
    value: Value | None  # that the function returned
    status: int  # with which the process ends
    output: bytes
    steps: int


class _RunState(State):
    """A state whose history nobody reads."""

    __slots__ = ()

    def note(self, kind: EventKind, instr: int, detail: int = -1, chosen: bool = False) -> None:
        return None


class Interpreter(Executor):
    """An executor for which nothing is unknown."""

    def __init__(self, knowledge: Knowledge, config: ReplayConfig = _BOUNDS) -> None:
        super().__init__(knowledge, config, constant_expression, Watch(), from_main=True)
        self.concrete = True
        self.result: Value | None = None

    def unknown(self, name: str, width: int, is_pointer: bool) -> Term:
        found = re.match(r"call(\d+)", name)
        callee = self.knowledge.program.direct_callee(int(found[1])) if found else -1
        raise Cut(f"value of {self.knowledge.program.func_name(callee) if callee >= 0 else name}")

    def outside(self, state: State, obj: Object, name: str) -> None:
        """A variable of the C library."""
        if name not in _STREAMS:
            raise Cut(f"variable {name}")
        stream = state.make(Kind.WORLD, name)
        stream.ground, obj.ground = Ground.ZERO, Ground.ZERO
        self.memory.write(obj, 0, 8, stream.base)

    def call_back(self, state: State, instr: Instr, func: int, arguments: list[Value]) -> Value:
        number = self.knowledge.function_at(func >> 32)
        if number < 0 or not self.knowledge.has_body(number):
            raise Cut("function that is called back")
        depth = len(state.frames)
        frame = enter_at(self, state, instr, number, arguments)
        frame.called_back = True
        while len(state.frames) > depth:
            step(self, state)
        return 0 if state.returned is None else state.returned


class Machine:
    """Runs functions of one program."""

    def __init__(
        self, program: Program, models: ModelTable, knowledge: Knowledge | None = None
    ) -> None:
        self.knowledge = knowledge or Knowledge(program, None, models)
        self.executor = Interpreter(self.knowledge)
        self.state = self._new_state()

    def _new_state(self) -> State:
        state = _RunState(self.knowledge.first_object)
        state.output = []
        return state

    def run_main(
        self, arguments: Sequence[bytes], stdin: bytes = b"", most_steps: int = _NO_BOUND
    ) -> Run:
        """The program with its arguments, its name first."""
        func = self.function("main")
        params = len(self.knowledge.code(func).params)
        self.state = self._new_state()
        self.state.input = stdin
        vector = b"".join(self.place(text).to_bytes(8, "little") for text in arguments)
        given: list[Value] = [len(arguments), self.place(vector + bytes(8)), self.place(bytes(8))]
        return self._run(func, given[:params], most_steps)

    def call(self, func: int, arguments: Sequence[int | bytes], most_steps: int = _NO_BOUND) -> Run:
        """One function, in a new process; texts are put into memory of their own."""
        self.state = self._new_state()
        given: list[Value] = []
        for one, parameter in zip(arguments, self.knowledge.code(func).params, strict=False):
            width = self.knowledge.types.width(self.knowledge.value_type[parameter])
            given.append(self.place(one) if isinstance(one, bytes) else one & mask(width))
        return self._run(func, given, most_steps)

    def function(self, name: str) -> int:
        """The function of that name that has a body."""
        program = self.knowledge.program
        for func in range(len(program.functions)):
            if program.func_name(func) == name and self.knowledge.has_body(func):
                return func
        raise KeyError(name)

    def place(self, data: bytes) -> int:
        """The address of a new object with some contents and a 0 behind them."""
        made = self.state.make(Kind.WORLD, "given")
        made.ground, made.data, made.size = Ground.ZERO, data, len(data) + 1
        return made.base

    def _run(self, func: int, given: list[Value], most_steps: int) -> Run:
        state = self.state
        frame = state.push(self.knowledge.code(func))
        for parameter, value in zip(frame.code.params, given, strict=False):
            frame.regs[parameter] = value
        end, why = self._until_end(most_steps)
        output = b"".join(state.output or ())
        status = state.status
        if end is End.RETURNED:
            returned = state.returned
            status = returned & 0xFF if isinstance(returned, int) else 0
        return Run(end, why, state.returned, status, output, state.steps)

    def _until_end(self, most_steps: int) -> tuple[End | None, str]:
        executor, state = self.executor, self.state
        try:
            while True:
                try:
                    while state.steps < most_steps:
                        step(executor, state)
                    return None, "steps"
                except JumpedBack as back:
                    jump_back(executor, state, back)
        except Ended as ended:
            return ended.end, ended.why
        except Cut as cut:
            return None, cut.bound
        except Choice:
            return None, "something that is not known"
