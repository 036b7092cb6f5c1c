"""Nodes of a library's containers: read, linked, released."""

from __future__ import annotations

from heapflow.models.container import Operation
from heapflow.replay.addresses import load_at, store_at
from heapflow.replay.callbacks import call_back
from heapflow.replay.decisions import decide, require
from heapflow.replay.events import End
from heapflow.replay.executor import Ended
from heapflow.replay.memory import Ground
from heapflow.replay.places import ModelledCall
from heapflow.replay.releasing import keep, release
from heapflow.replay.term import Value

_POINTER = 64  # bits


class Container:
    """What all kinds have in common: reading, writing, nodes."""

    def __init__(self, call: ModelledCall, operation: Operation) -> None:
        self.call, self.executor, self.state = call, call.executor, call.state
        self.layout, self.places = operation.layout, operation.args
        self.given = [self.executor.settled(self.state, call.read(path)) for path in self.places]

    def get(self, address: Value, offset: int, width: int = _POINTER) -> Value:
        at = self.executor.terms.add(_POINTER, address, offset)
        found = load_at(self.executor, self.state, at, width, width == _POINTER)
        return self.executor.settled(self.state, found)

    def put(self, address: Value, offset: int, value: Value, width: int = _POINTER) -> None:
        at = self.executor.terms.add(_POINTER, address, offset)
        store_at(self.executor, self.state, at, width, value)

    def is_null(self, value: Value) -> bool:
        return decide(self.executor, self.state, self.executor.terms.eq(_POINTER, value, 0))

    def require_there(self) -> None:
        """Whoever gives no container has made another mistake, and the library says so."""
        terms = self.executor.terms
        require(self.executor, self.state, terms.negate(terms.eq(_POINTER, self.given[0], 0)))
        if self.given[0] == 0:
            raise Ended(End.BROKEN)

    def is_same(self, one: Value, other: Value) -> bool:
        return decide(self.executor, self.state, self.executor.terms.eq(_POINTER, one, other))

    def walk(self, head: Value) -> tuple[list[int], Value]:
        """The nodes that are known, and what follows the last one: 0, or not known."""
        nodes: list[int] = []
        at = self.executor.settled(self.state, head)
        while isinstance(at, int) and at and at not in nodes:
            nodes.append(at)
            at = self.get(at, self.layout.next)
        return nodes, at

    def new_node(self, data: Value, following: Value, before: Value) -> int:
        executor, layout = self.executor, self.layout
        size = max(layout.data, layout.next, layout.previous) + 8
        made = executor.new_block(self.state, self.call.instr, size, layout.nodes)
        made.ground = Ground.ZERO
        self.put(made.base, layout.data, data)
        self.link(before, made.base)
        self.link(made.base, following)
        executor.watch.allocated(executor, self.state, made, self.call.instr)
        return made.base

    def link(self, one: Value, other: Value) -> None:
        """`other` follows `one`; either may be 0."""
        if one != 0:
            self.put(one, self.layout.next, other)
        if other != 0 and self.layout.previous >= 0 and self.is_known(other):
            self.put(other, self.layout.previous, one)

    def is_known(self, value: Value) -> bool:
        return isinstance(self.executor.settled(self.state, value), int)

    def neighbours(self, head: Value, node: Value) -> tuple[Value, Value]:
        """What comes before a node (-1: not known) and behind it."""
        following = self.get(node, self.layout.next)
        if self.is_same(head, node):
            return 0, following
        nodes, _ = self.walk(head)
        if node in nodes:
            return nodes[nodes.index(node) - 1], following
        if self.layout.previous >= 0:
            before = self.get(node, self.layout.previous)
            if isinstance(before, int) and before:
                return before, following
        return -1, following

    def take_out(self, before: Value, following: Value) -> None:
        if before == -1:
            if following != 0 and self.layout.previous >= 0 and self.is_known(following):
                self.put(following, self.layout.previous, 0)
            keep(self.call, following)  # somebody's next, whom nobody knows
        elif before == 0:
            if following != 0 and self.layout.previous >= 0 and self.is_known(following):
                self.put(following, self.layout.previous, 0)
        else:
            self.link(before, following)

    def end(self, node: Value) -> None:
        release(self.call, node, self.layout.nodes)

    def with_data(self, head: Value, data: Value) -> Value:
        """The first node that has it; 0: none of those that are known."""
        for node in self.walk(head)[0]:
            if self.is_same(self.get(node, self.layout.data), data):
                return node
        return 0

    def data_of(self, nodes: list[int]) -> list[Value]:
        return [self.get(node, self.layout.data) for node in nodes]

    def chosen(self, count: int, index: Value) -> int:
        """Which of so many is meant; -1: another one."""
        width = self.call.argument_width(self.places[1])
        for number in range(count):
            same = self.executor.terms.eq(width, index, number)
            if decide(self.executor, self.state, same):
                return number
        return -1

    def unknown(self) -> Value:
        return self.executor.unknown(self.call.name, _POINTER, True)

    def call_for(self, items: list[Value], function: Value, further: list[Value]) -> None:
        self.call_with(function, [[item, *further] for item in items])

    def call_with(self, function: Value, calls: list[list[Value]]) -> None:
        call_back(self.call, function, calls)
