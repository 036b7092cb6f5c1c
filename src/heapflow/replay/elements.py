"""Arrays and tables of a library: elements of a block, entries that nobody sees."""

from __future__ import annotations

from heapflow.models.container import Verb
from heapflow.replay.decisions import decide
from heapflow.replay.externals import reachable
from heapflow.replay.memory import BESIDE, Ground, Kind, Object
from heapflow.replay.nodes import Container
from heapflow.replay.releasing import keep, release
from heapflow.replay.term import Value

_COUNT = 32  # bits
_ENTRIES = BESIDE + (1 << 20)  # offset of what is in a table; their number lies before them


class Array(Container):
    """An object that leads to a block of pointers, and counts them."""

    def do(self, verb: Verb) -> bool:
        self.require_there()
        block = self.get(self.given[0], self.layout.elements)
        count = self.get(self.given[0], self.layout.count, _COUNT)
        if verb is Verb.APPEND:
            return self._append(block, count)
        if not isinstance(count, int) or not isinstance(block, int):
            return False
        items = [self.get(block, 8 * index) for index in range(count)]
        match verb:
            case Verb.EACH:
                self.call_for(items, self.given[1], self.given[2:])
            case Verb.REMOVE:
                self._remove(block, items)
            case Verb.TAKE:
                return self._take(block, items)
            case Verb.FREE:
                self._free(block, items)
            case _:
                return False
        return True

    def _append(self, block: Value, count: Value) -> bool:
        array, data = self.given
        if isinstance(block, int) and block and isinstance(count, int):
            self.put(block, 8 * count, data)
        else:
            keep(self.call, data)
        more = self.executor.terms.add(_COUNT, count, 1)
        self.put(array, self.layout.count, more, _COUNT)
        return True

    def _remove(self, block: int, items: list[Value]) -> None:
        """The first one that is it."""
        found = [index for index, item in enumerate(items) if self.is_same(item, self.given[1])]
        if found:
            self._without(block, items, found[0])
        self.call.result = int(bool(found))

    def _take(self, block: int, items: list[Value]) -> bool:
        number = self.chosen(len(items), self.given[1])
        if number >= 0:
            self.call.result = items[number]
            self._without(block, items, number)
        return number >= 0

    def _without(self, block: int, items: list[Value], index: int) -> None:
        """The others move up."""
        function = self._destroys()
        for at, moved in enumerate([*items[index + 1 :], 0], start=index):
            self.put(block, 8 * at, moved)
        self.put(self.given[0], self.layout.count, len(items) - 1, _COUNT)
        self.call_for([items[index]], function, [])

    def _free(self, block: int, items: list[Value]) -> None:
        width = self.call.argument_width(self.places[1])
        with_block = not decide(
            self.executor, self.state, self.executor.terms.eq(width, self.given[1], 0)
        )
        function = self._destroys()
        release(self.call, self.given[0], self.layout.name)
        self.call.result = 0 if with_block else block
        if with_block:
            release(self.call, block, self.layout.nodes)
            self.call_for([item for item in items if item != 0], function, [])

    def _destroys(self) -> Value:
        """The function that ends elements; 0: none."""
        if self.layout.destroy < 0:
            return 0
        return self.get(self.given[0], self.layout.destroy)


class Vector(Container):
    """A block of pointers that a null ends."""

    def do(self, verb: Verb) -> bool:
        block = self.given[0]
        obj = self.state.objects.get(block >> 32) if isinstance(block, int) else None
        if verb is not Verb.FREE or obj is None or obj.kind is not Kind.HEAP or obj.freed >= 0:
            return False
        for at in sorted(obj.cells):
            element = self.executor.settled(self.state, obj.cells[at][1])
            if element == 0:
                break
            release(self.call, element, self.layout.nodes)
        release(self.call, block, self.layout.nodes)
        return True


class Table(Container):
    """Entries of one or two pointers, which lie beside all that a struct has; of a table that the path
    did not make nothing is known, and what is put there is held."""

    def do(self, verb: Verb) -> bool:
        if verb in (Verb.BEGIN, Verb.NEXT):
            return self._iterate(verb)
        self.require_there()
        table = self._made_here(self.given[0])
        match verb:
            case Verb.APPEND:
                self._append(table)
            case Verb.ITEM:
                self.call.result = self._item(table)
            case Verb.POP_FIRST:
                self.call.result = self._pop(table)
            case Verb.REMOVE | Verb.CLEAR:
                # What becomes of the entry, other functions decide, whom the table knows.
                values = [value for entry in self._entries(table) for value in entry]
                self.state.kept = self.state.kept | reachable(self.executor, self.state, values)
                return False
            case Verb.EACH:
                self._each(table)
            case Verb.KEYS | Verb.VALUES:
                self.call.result = self._list(table, 0 if verb is Verb.KEYS else -1)
            case _:
                return False
        return True

    def _made_here(self, address: Value) -> Object | None:
        address = self.executor.settled(self.state, address)
        obj = self.state.objects.get(address >> 32) if isinstance(address, int) else None
        if obj is None or obj.kind is not Kind.HEAP or obj.ground is not Ground.ZERO:
            return None
        return None if obj.layers or obj.freed >= 0 else obj

    def _entries(self, table: Object | None) -> list[list[Value]]:
        if table is None:
            return []
        width, (_, count) = self.layout.hidden, table.cells.get(_ENTRIES - 8, (8, 0))
        assert isinstance(count, int)
        values = [table.cells[_ENTRIES + 8 * at][1] for at in range(width * count)]
        return [values[at : at + width] for at in range(0, len(values), width)]

    def _set(self, table: Object, entries: list[list[Value]]) -> None:
        values = [value for entry in entries for value in entry]
        left = [0] * self.layout.hidden  # where the last one was, if there is one less
        self.put(table.base, _ENTRIES - 8, len(entries))
        for number, value in enumerate([*values, *left]):
            self.put(table.base, _ENTRIES + 8 * number, value)

    def _append(self, table: Object | None) -> None:
        entry = (self.given[1:] * 2)[: self.layout.hidden]  # a set has its keys as values
        if table is not None:
            self._set(table, [*self._entries(table), entry])
            return
        for value in entry:
            keep(self.call, value)

    def _item(self, table: Object | None) -> Value:
        """The value of some entry, or none."""
        if table is None:
            return self.unknown()
        for number, entry in enumerate(self._entries(table)):
            flag = self.executor.terms.var(f"found{number}:{self.call.name}", 1)
            if decide(self.executor, self.state, flag):
                return entry[-1]
        return 0

    def _pop(self, table: Object | None) -> Value:
        entries = self._entries(table)
        if table is None or not entries:
            return self.unknown()
        self._set(table, entries[1:])
        return entries[0][-1]

    def _each(self, table: Object | None) -> None:
        entries = self._entries(table)
        if table is None:
            entries = [[self._other(number) for number in range(self.layout.hidden)]]
        self.call_for_all(entries)

    def _other(self, number: int) -> Value:
        return self.executor.unknown(f"{self.call.name}.entry{number}", 64, True)

    def call_for_all(self, entries: list[list[Value]]) -> None:
        self.call_with(self.given[1], [[*entry, *self.given[2:]] for entry in entries])

    def _list(self, table: Object | None, part: int) -> Value:
        """A chain of the keys, or of the values."""
        entries = self._entries(table)
        if table is None:
            flag = self.executor.terms.var(f"empty:{self.call.name}", 1)
            entries = [] if decide(self.executor, self.state, flag) else [[self._other(0)]]
        first = last = 0
        for entry in entries:
            last = self.new_node(entry[part], 0, last)
            first = first or last
        return first

    def _iterate(self, verb: Verb) -> bool:
        """An iterator has its table, and the number of the next entry."""
        if verb is Verb.BEGIN:
            iterator, table = self.given
            self.put(iterator, 0, table)
            self.put(iterator, 8, 0)
            return True
        iterator, *targets = self.given
        table_made = self._made_here(self.get(iterator, 0))
        number = self.get(iterator, 8)
        if table_made is None or not isinstance(number, int):
            entry = [self._other(at) for at in range(self.layout.hidden)]
            self.call.result = None
        else:
            entries = self._entries(table_made)
            self.call.result = int(number < len(entries))
            if number >= len(entries):
                return True
            entry = entries[number]
            self.put(iterator, 8, number + 1)
        for target, value in zip(targets, entry, strict=False):
            if target != 0:
                self.put(target, 0, value)
        return True
