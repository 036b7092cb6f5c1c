"""One call of a modelled function, and the places that its model speaks of."""

from __future__ import annotations

from heapflow.models.model import AccessPath, Arg, Args, FunctionModel, Global, Offset, Ret, Size
from heapflow.replay.addresses import load_at, store_at
from heapflow.replay.executor import Executor
from heapflow.replay.frame import Frame
from heapflow.replay.instr import Instr
from heapflow.replay.memory import BESIDE, SOMEWHERE
from heapflow.replay.state import State
from heapflow.replay.term import Value


class ModelledCall:
    """Who is called with what, and what it returns so far."""

    def __init__(
        self,
        executor: Executor,
        state: State,
        frame: Frame,
        instr: Instr,
        model: FunctionModel,
        arguments: list[Value],
    ) -> None:
        self.executor, self.state, self.frame, self.instr = executor, state, frame, instr
        self.model, self.arguments = model, arguments
        self.name = f"call{instr.id}.{state.passes.get(instr.id, 0)}"
        self.agrees = False  # what it makes unknown has a name that equal calls share (`answers`)
        self.result: Value | None = None
        self.width = instr.width
        self.failing = False
        self.rare = False  # it fails for want of memory

    def read(self, path: AccessPath) -> Value:
        """The value at a place."""
        value = self._root(path)
        for step in path.steps:
            offset = step.bytes if isinstance(step, Offset) else self._somewhere(value)
            at = self.executor.terms.add(64, value, offset)
            value = load_at(self.executor, self.state, at, 64, True)
        return value

    def _root(self, path: AccessPath) -> Value:
        match path.root:
            case Ret():
                return self.result if self.result is not None else 0
            case Arg(index):
                return self.arguments[index - 1] if index <= len(self.arguments) else 0
            case Args(first):
                return self.arguments[first - 1] if first <= len(self.arguments) else 0
            case Global():
                return 0

    def _somewhere(self, address: Value) -> int:
        """Where in an object lies what a function made and put somewhere into it."""
        address = self.executor.settled(self.state, address)
        if not isinstance(address, int):
            return 0
        obj = self.state.objects.get(address >> 32)
        is_there = obj is not None and address - obj.base + SOMEWHERE in obj.cells
        return SOMEWHERE if is_there else 0

    def put(self, path: AccessPath, made: Value) -> None:
        """Write the address of a new block to a place. What a library hangs somewhere into a struct
        lies in a member that is its own: the program writes to others."""
        if path.steps and not isinstance(path.steps[-1], Offset):
            address = self.executor.settled(
                self.state, self.read(AccessPath(path.root, path.steps[:-1]))
            )
            if isinstance(address, int) and address:
                store_at(self.executor, self.state, address + SOMEWHERE, 64, made)
                return
        self.store(path, made)

    def store(self, path: AccessPath, value: Value) -> None:
        """Write to a place."""
        if not path.steps:
            if isinstance(path.root, Ret):
                self.result = value
            return
        address = self.read(AccessPath(path.root, path.steps[:-1]))
        last = path.steps[-1]
        offset = last.bytes if isinstance(last, Offset) else 0
        if isinstance(address, int) and address == 0:
            return
        address = self.executor.settled(self.state, address)
        if not isinstance(last, Offset) and isinstance(address, int):
            self._make_room(address)
        at = self.executor.terms.add(64, address, offset)
        store_at(self.executor, self.state, at, 64, value)

    def _make_room(self, address: int) -> None:
        """What is put somewhere into an object lies beside what was put there before."""
        executor, state = self.executor, self.state
        obj = executor.object(state, address >> 32)
        if address - obj.base not in obj.cells:
            return
        number = sum(BESIDE <= at < SOMEWHERE for at in obj.cells)
        old = load_at(executor, state, address, 64, True)
        store_at(executor, state, obj.base + BESIDE + 8 * number, 64, old)

    def argument_width(self, path: AccessPath) -> int:
        if not path.steps and isinstance(path.root, Arg):
            return self._width(path.root.index)
        return 64

    def _width(self, index: int) -> int:
        operand = self.instr.operands[index]
        return self.executor.types.width(self.executor.knowledge.value_type[operand]) or 64

    def bytes(self, size: Size | None) -> Value:
        """A number of bytes that the model names; -1 not known."""
        if size is None:
            return -1
        terms = self.executor.terms
        total: Value = size.scale
        for index in size.factors:
            factor = terms.zext(64, self.arguments[index - 1], self._width(index))
            total = terms.mul(64, total, factor)
        return total
