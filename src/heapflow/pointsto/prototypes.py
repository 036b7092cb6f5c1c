"""Which functions a pointer of a declared function type may point to.

In:    C types of functions and of pointers to functions.     Out: whether they agree.
Example: `int (*compare)(const void *, const void *)` may be `by_name(struct a **, struct a **)`, as
         `void *` says nothing, but not `close(int)`.
Pointers kept as `void (*)(void)` or without a parameter list are of no particular type.
Not modelled: a function called through a type that its own contradicts
(docs/unsoundness.md#prototypes).
"""

from __future__ import annotations

from collections.abc import Callable

from heapflow.pointsto.typeref import VOID, Ref, TypeRef, TypeRefs


class Prototypes:
    """Compares function types; `same_pointee` tells whether two pointers may be views of one."""

    def __init__(self, refs: TypeRefs, same_pointee: Callable[[TypeRef, TypeRef], bool]) -> None:
        self.refs, self._same_pointee = refs, same_pointee

    def says_nothing(self, ref: TypeRef) -> bool:
        """A function type without parameters stands for any: `void (*)(void)`, `int (*)()`."""
        return not self.refs.params(ref)

    def fit(self, wanted: TypeRef, found: TypeRef) -> bool:
        """May a function of the type `found` be meant by a pointer to `wanted`?"""
        params, others = self.refs.params(wanted), self.refs.params(found)
        if not params or not others:
            return True
        open_ended = VOID in (params[-1], others[-1])  # variadic
        if len(params) != len(others) and not open_ended:
            return False
        if not all(map(self._agree, params, others)):
            return False
        return self._agree(self.refs.elem(wanted), self.refs.elem(found))

    def _agree(self, one: TypeRef, other: TypeRef) -> bool:
        kinds = (self.refs.kind(one), self.refs.kind(other))
        if Ref.UNKNOWN in kinds:
            return True  # no result on one side, or where the list of a variadic function ends
        if kinds[0] != kinds[1]:
            return False
        if kinds[0] == Ref.POINTER:
            return self._same_pointee(self.refs.elem(one), self.refs.elem(other))
        if kinds[0] in (Ref.STRUCT, Ref.UNION):
            return self.refs.canonical(one) == self.refs.canonical(other)
        return True
