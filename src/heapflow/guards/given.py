"""Whether a call gets a pointer from which it finds a place in memory.

A callee may know an object by other ways than its arguments; that it changes what its caller tests
before and after the call without having got a pointer to it is the exception, and taking it for the
rule makes every second test of a field independent of the first.
    e = l->next ? join(l) : l->word;   r = lookup(e);   if (l->next) free(e);
Not modelled: just that (docs/unsoundness.md#flags-in-memory).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from heapflow.guards.codes import OP_LOAD, OP_PHI, OP_SELECT
from heapflow.guards.places import place_of, root_of
from heapflow.guards.terms import Term

if TYPE_CHECKING:
    from heapflow.guards.context import GuardContext

_DEEPEST: Final = 4
_CHOICES: Final = frozenset({OP_PHI, OP_SELECT})
_LOADED: Final = "[]"  # what lies so many bytes behind another shape

Shape = tuple[object, ...]


class Given:
    """From which pointers of one function a base can be found."""

    def __init__(self, context: GuardContext) -> None:
        self._context = context
        self._shapes: dict[tuple[Term, int], frozenset[Shape]] = {}

    def shapes(self, pointer: Term, depth: int = _DEEPEST) -> frozenset[Shape]:
        """What a pointer can be called: itself, what it was loaded from, what flows into it."""
        key = (pointer, depth)
        known = self._shapes.get(key)
        if known is None:
            known = self._shapes[key] = frozenset(self._find(pointer, depth))
        return known

    def _find(self, pointer: Term, depth: int) -> set[Shape]:
        context, found = self._context, {pointer}
        value = pointer[1] if pointer[0] == "val" else None
        instr = context.instr_of(value) if isinstance(value, int) else -1
        if instr < 0 or depth == 0:
            return found
        op = context.op[instr]
        if op == OP_LOAD:
            root, offset = root_of(context, context.operands(instr)[0])
            found.update((_LOADED, offset, shape) for shape in self.shapes(root, depth - 1))
        elif op in _CHOICES:
            operands = context.operands(instr)
            for operand in operands[1:] if op == OP_SELECT else operands:
                found |= self.shapes(root_of(context, operand)[0], depth - 1)
        return found


def ways_to(base: Term) -> list[Shape] | None:
    """Shapes of the pointers from which a base is found; None if it lies too deep to say."""
    found: list[Shape] = []
    for _ in range(_DEEPEST):
        found.append(_shape_of(base))
        if not _is_loaded(base):
            return found
        address = base[1]
        assert isinstance(address, tuple)
        base, _ = place_of(address)
    return None


def _is_loaded(base: Term) -> bool:
    return base[0] == "load" and isinstance(base[1], tuple)


def _shape_of(base: Term) -> Shape:
    if not _is_loaded(base):
        return base
    address = base[1]
    assert isinstance(address, tuple)
    other, start = place_of(address)
    return (_LOADED, start, _shape_of(other))
