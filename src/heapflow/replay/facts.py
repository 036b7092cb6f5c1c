"""What follows from the contents of an object, computed once until something is written to it.

In:    an object.     Out: `Facts`: where its contents lead to, and a number that equal contents share.
Reachability (`held`, `externals`) and the comparison of states (`merge`) ask for these of the same
objects at nearly every step; forks of a state share objects, and with them the facts.
"""

from __future__ import annotations

from collections.abc import Iterable

from heapflow.replay.memory import SMALLEST_ADDRESS, Accessor, Numbers, Object, addresses_in
from heapflow.replay.term import Term, Value, mask

_NONE: frozenset[int] = frozenset()
_ADDRESS = mask(64)


class Facts:
    """Of one object, as long as nobody writes to it. What only those ask for who compare states is
    computed when they do (`compared`)."""

    __slots__ = ("atoms", "content", "leads", "open", "open_atoms")

    def __init__(self, leads: dict[int, int], undecided: list[tuple[int, Term]]) -> None:
        self.leads = leads  # object -> an offset at which a known address of it lies
        self.open = undecided  # offsets and values that may become other addresses
        self.open_atoms = _NONE  # unknowns in these
        for _, value in undecided:
            self.open_atoms |= value.atoms
        self.atoms = _NONE  # unknowns in the contents
        self.content = -1  # equal contents have equal numbers in one search


def facts_of(memory: Accessor, obj: Object) -> Facts:
    """The facts of an object."""
    found: Facts | None = obj.facts
    if found is None:
        found = obj.facts = _computed(memory, obj)
    return found


def compared(memory: Accessor, obj: Object) -> Facts:
    """The facts with what states are compared by."""
    found = facts_of(memory, obj)
    if found.content < 0:
        atoms = _NONE
        for _, value in obj.cells.values():
            if not isinstance(value, int):
                atoms |= value.atoms
        found.atoms = atoms
        found.content = _number_of(memory, obj)
    return found


def numbers_of(memory: Accessor, obj: Object) -> Numbers:
    """Numbers in the contents of an object that may be those of descriptors."""
    content = compared(memory, obj).content
    found = memory.numbers.get(content)
    if found is None:
        found = memory.numbers[content] = _numbers_in(obj)
    return found


def _numbers_in(obj: Object) -> Numbers:
    values = [value for size, value in obj.cells.values() if size >= 2]
    for layer in obj.layers:
        if layer.copied is not None:
            values += [value for _, value in layer.copied.cells.values()]
    undecided = tuple(value for value in values if isinstance(value, Term))
    return frozenset(parts_of(values)), undecided


def parts_of(values: Iterable[Value]) -> Iterable[int]:
    """Numbers among some values, and among the parts of those that are not settled."""
    for value in values:
        if isinstance(value, int):
            yield value
            continue
        stack: list[object] = [value]
        for _ in range(40):
            if not stack:
                break
            one = stack.pop()
            if isinstance(one, int):
                yield one
            elif isinstance(one, Term):
                if one.op == "ite":
                    stack += one.args[1:]
                elif one.op in ("zext", "sext", "concat", "extract", "or"):
                    stack += [arg for arg in one.args if not isinstance(arg, str)]


def _computed(memory: Accessor, obj: Object) -> Facts:
    leads: dict[int, int] = {}
    undecided: list[tuple[int, Term]] = []
    for offset, value in _words(memory, obj):
        if isinstance(value, int):
            if value >= SMALLEST_ADDRESS:
                leads.setdefault((value & _ADDRESS) >> 32, offset)
            continue
        undecided.append((offset, value))
        if value.op != "var":  # which leads nowhere that is known
            inner: set[int] = set()
            addresses_in(value, inner)
            for ident in inner:
                leads.setdefault(ident, offset)
    for layer in obj.layers:
        if layer.copied is not None:
            copied = facts_of(memory, layer.copied)
            for ident, offset in copied.leads.items():
                leads.setdefault(ident, offset)
            undecided += copied.open
    return Facts(leads, undecided)


def _words(memory: Accessor, obj: Object) -> Iterable[tuple[int, Value]]:
    """Values that may be addresses; single bytes that make one up are put together."""
    cells = obj.cells
    words: set[int] = set()
    for offset, (size, value) in cells.items():
        if size >= 8:
            yield offset, value
        elif size == 1:
            words.add(offset & ~7)
    for word in sorted(words):
        if all(word + i in cells and cells[word + i][0] == 1 for i in range(8)):
            yield word, memory.joined(obj, word, 8)


def _number_of(memory: Accessor, obj: Object) -> int:
    layers = tuple((layer.start, layer.end, layer.number) for layer in obj.layers)
    content = (obj.name, frozenset(obj.cells.items()), layers)
    return memory.contents.setdefault(content, len(memory.contents))
