"""qsort and bsearch in a concrete run: the comparison is a function of the program."""

from __future__ import annotations

from heapflow.replay.library.call import Computed, LibraryCall
from heapflow.replay.memory import Kind
from heapflow.replay.term import Value, signed


class _Array:
    """The elements in memory, and the order that the program's function gives them."""

    def __init__(self, call: LibraryCall, start: int, count: int, size: int, compare: int) -> None:
        self.call, self.start, self.count = call, start, count
        self.size, self.compare = size, compare

    def address(self, index: int) -> int:
        return self.start + index * self.size

    def order(self, first: int, second: int) -> int:
        """Of what lies at two addresses."""
        executor, state = self.call.executor, self.call.state
        found = executor.call_back(state, self.call.instr, self.compare, [first, second])
        assert isinstance(found, int)
        return signed(found, 32)

    def sorted(self) -> list[int]:
        """Indices in order: merge sort, as the C library does it."""
        copy = list(range(self.count))
        return self._merge(copy)

    def _merge(self, indices: list[int]) -> list[int]:
        if len(indices) <= 1:
            return indices
        middle = len(indices) // 2
        left, right = self._merge(indices[:middle]), self._merge(indices[middle:])
        merged: list[int] = []
        i = j = 0
        while i < len(left) and j < len(right):
            if self.order(self.address(left[i]), self.address(right[j])) <= 0:
                merged.append(left[i])
                i += 1
            else:
                merged.append(right[j])
                j += 1
        return merged + left[i:] + right[j:]


def _array(call: LibraryCall, first: int) -> _Array | None:
    numbers = [call.number(position) for position in range(first, first + 4)]
    start, count, size, compare = numbers
    if call.output is None or start is None or count is None or size is None or compare is None:
        return None
    return _Array(call, start, count, size, compare)


def _qsort(call: LibraryCall) -> Value | None:
    array = _array(call, 0)
    if array is None:
        return None
    if array.count < 2 or array.size == 0:
        return 0
    order = array.sorted()
    place = call.place(array.start)
    assert place is not None
    obj, offset = call.state.own(place[0].id), place[1]
    memory, total = call.executor.memory, array.count * array.size
    aside = call.state.make(Kind.STACK, "sorted")
    memory.copy(aside, 0, obj, offset, total)
    for position, index in enumerate(order):
        memory.copy(obj, offset + position * array.size, aside, index * array.size, array.size)
    del call.state.objects[aside.id]
    return 0


def _bsearch(call: LibraryCall) -> Value | None:
    key, array = call.number(0), _array(call, 1)
    if array is None or key is None:
        return None
    low, high = 0, array.count
    while low < high:
        middle = (low + high) // 2
        order = array.order(key, array.address(middle))
        if order == 0:
            return array.address(middle)
        if order < 0:
            high = middle
        else:
            low = middle + 1
    return 0


SORTING: dict[str, Computed] = {"qsort": _qsort, "bsearch": _bsearch}
