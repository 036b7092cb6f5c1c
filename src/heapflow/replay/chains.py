"""Lists and queues of a library, executed node by node."""

from __future__ import annotations

from collections.abc import Callable

from heapflow.models.container import Verb
from heapflow.replay.decisions import decide
from heapflow.replay.nodes import Container
from heapflow.replay.releasing import keep, release
from heapflow.replay.term import Value

_COUNT = 32  # bits


class Chain(Container):
    """The container is its first node; results are the first node afterwards."""

    def do(self, verb: Verb) -> bool:
        ways: dict[Verb, Callable[[], Value | None]] = {
            Verb.APPEND: self._append,
            Verb.PREPEND: self._prepend,
            Verb.CONCAT: self._concat,
            Verb.COPY: self._copy,
            Verb.REVERSE: self._reverse,
            Verb.REMOVE: self._remove,
            Verb.DELETE: self._delete,
            Verb.UNLINK: self._unlink,
            Verb.LAST: self._last,
            Verb.NTH: self._nth,
            Verb.ITEM: self._item,
            Verb.FIND: self._find,
            Verb.SEARCH: self._search,
            Verb.LENGTH: self._length,
            Verb.EACH: self._each,
            Verb.FREE: self._free,
        }
        if verb not in ways:
            return False
        result = ways[verb]()
        if result is not None:
            self.call.result = result
        return result is not None

    def _append(self) -> Value:
        head, data = self.given
        if self.is_null(head):
            return self.new_node(data, 0, 0)
        nodes, rest = self.walk(head)
        if rest == 0:
            self.new_node(data, 0, nodes[-1])
        else:
            keep(self.call, self.new_node(data, 0, 0))
        return head

    def _prepend(self) -> Value:
        head, data = self.given
        return self.new_node(data, head, 0)

    def _concat(self) -> Value:
        one, other = self.given
        if self.is_null(one):
            return other
        nodes, rest = self.walk(one)
        if rest == 0:
            self.link(nodes[-1], other)
        else:
            keep(self.call, other)
        return one

    def _copy(self) -> Value | None:
        nodes, rest = self.walk(self.given[0])
        if rest != 0:
            return None
        first = last = 0
        for data in self.data_of(nodes):
            last = self.new_node(data, 0, last)
            first = first or last
        return first

    def _reverse(self) -> Value:
        nodes, rest = self.walk(self.given[0])
        if rest != 0 or not nodes:
            return self.given[0]
        for one, other in zip(nodes[::-1], nodes[-2::-1], strict=False):
            self.link(one, other)
        self.link(nodes[0], 0)
        if self.layout.previous >= 0:
            self.put(nodes[-1], self.layout.previous, 0)
        return nodes[-1]

    def _remove(self) -> Value:
        head, data = self.given
        node = self.with_data(head, data)
        return self._without(head, node, ends=True) if node != 0 else head

    def _delete(self) -> Value:
        head, node = self.given
        return head if self.is_null(node) else self._without(head, node, ends=True)

    def _unlink(self) -> Value:
        head, node = self.given
        return head if self.is_null(node) else self._without(head, node, ends=False)

    def _without(self, head: Value, node: Value, ends: bool) -> Value:
        before, following = self.neighbours(head, node)
        self.take_out(before, following)
        if ends:
            self.end(node)
        else:
            self.put(node, self.layout.next, 0)
            if self.layout.previous >= 0:
                self.put(node, self.layout.previous, 0)
        return following if before == 0 else head

    def _last(self) -> Value:
        nodes, rest = self.walk(self.given[0])
        return self.unknown() if rest != 0 else nodes[-1] if nodes else 0

    def _nth(self) -> Value:
        nodes, rest = self.walk(self.given[0])
        number = self.chosen(len(nodes), self.given[1])
        return nodes[number] if number >= 0 else 0 if rest == 0 else self.unknown()

    def _item(self) -> Value:
        node = self._nth()
        return self.get(node, self.layout.data) if isinstance(node, int) and node else node

    def _find(self) -> Value:
        _, rest = self.walk(self.given[0])
        return self.with_data(self.given[0], self.given[1]) or (0 if rest == 0 else self.unknown())

    def _search(self) -> Value:
        """Any of them, or none."""
        nodes, rest = self.walk(self.given[0])
        for number, node in enumerate(nodes):
            flag = self.executor.terms.var(f"found{number}:{self.call.name}", 1)
            if decide(self.executor, self.state, flag):
                return node
        return 0 if rest == 0 else self.unknown()

    def _length(self) -> Value | None:
        nodes, rest = self.walk(self.given[0])
        return len(nodes) if rest == 0 else None

    def _each(self) -> Value:
        nodes, _ = self.walk(self.given[0])
        self.call_for(self.data_of(nodes), self.given[1], self.given[2:])
        return 0

    def _free(self) -> Value:
        nodes, _ = self.walk(self.given[0])
        items = self.data_of(nodes)
        for node in nodes:
            self.end(node)
        if len(self.given) > 1:
            self.call_for(items, self.given[1], self.given[2:])
        return 0


class Queue(Container):
    """An object that leads to the first and the last node, and counts them."""

    def do(self, verb: Verb) -> bool:
        self.require_there()
        match verb:
            case Verb.APPEND | Verb.PREPEND:
                self._push(verb is Verb.APPEND)
            case Verb.POP_FIRST | Verb.POP_LAST:
                self.call.result = self._pop(verb is Verb.POP_LAST)
            case Verb.REMOVE:
                node = self.with_data(self.first(), self.given[1])
                if node != 0:
                    self._without(node)
                self.call.result = None
            case Verb.DELETE:
                self._without(self.given[1])
            case Verb.EACH:
                nodes, _ = self.walk(self.first())
                self.call_for(self.data_of(nodes), self.given[1], self.given[2:])
            case Verb.CLEAR | Verb.FREE:
                self._clear()
                if verb is Verb.FREE:
                    release(self.call, self.given[0], self.layout.name)
            case _:
                return False
        return True

    def first(self) -> Value:
        return self.get(self.given[0], self.layout.first)

    def last(self) -> Value:
        return self.get(self.given[0], self.layout.last)

    def _push(self, at_end: bool) -> None:
        queue, data = self.given
        first, last = self.first(), self.last()
        if not self.is_known(first) or not self.is_known(last):
            keep(self.call, self.new_node(data, 0, 0))
            return
        node = self.new_node(data, 0, last) if at_end else self.new_node(data, first, 0)
        if at_end or last == 0:
            self.put(queue, self.layout.last, node)
        if not at_end or first == 0:
            self.put(queue, self.layout.first, node)
        self._counted(1)

    def _pop(self, at_end: bool) -> Value:
        node = self.last() if at_end else self.first()
        if self.is_null(node):
            return 0
        data = self.get(node, self.layout.data)
        self._without(node)
        return data

    def _without(self, node: Value) -> None:
        queue = self.given[0]
        first, last = self.first(), self.last()
        is_first, is_last = self.is_same(first, node), self.is_same(last, node)
        before, following = self.neighbours(first, node)
        if is_first:
            self.put(queue, self.layout.first, following)
        if is_last:
            self.put(queue, self.layout.last, max(before, 0) if isinstance(before, int) else before)
        self.take_out(before, following)
        self.end(node)
        self._counted(-1)

    def _counted(self, change: int) -> None:
        count = self.get(self.given[0], self.layout.count, _COUNT)
        changed = self.executor.terms.add(_COUNT, count, change % (1 << _COUNT))
        self.put(self.given[0], self.layout.count, changed, _COUNT)

    def _clear(self) -> None:
        queue = self.given[0]
        nodes, _ = self.walk(self.first())
        items = self.data_of(nodes)
        for node in nodes:
            self.end(node)
        self.put(queue, self.layout.first, 0)
        self.put(queue, self.layout.last, 0)
        self.put(queue, self.layout.count, 0, _COUNT)
        if len(self.given) > 1:
            self.call_for(items, self.given[1], self.given[2:])
