"""Structs that are never defined: they stand for the structs that are cast to and from them.

In:    Program, declared types of values, copies between values.     Out: families in TypeRefs.
Example: `typedef struct ASN1_VALUE_st ASN1_VALUE;` has no body anywhere; `(ASN1_VALUE *)x509` and
         `(BIGNUM *)*pval` say that an ASN1_VALUE is an X509 or a BIGNUM, and not, say, a BIO_METHOD.
Without this such a pointer is a `void *`, and what is stored through it meets everything.
Not modelled: objects that come to such a pointer by way of `void *` only and are of a type that is
nowhere cast to it (docs/unsoundness.md#families). A struct that nothing is cast to stands for anything.
"""

from __future__ import annotations

from collections.abc import Iterable

from heapflow.pointsto.typeref import Ref, TypeRef, TypeRefs


def find_families(
    refs: TypeRefs, pairs: Iterable[tuple[set[TypeRef], set[TypeRef]]]
) -> dict[TypeRef, frozenset[TypeRef]]:
    """The structs that each undefined struct stands for. `pairs`: pointees of the same pointers."""
    search = _Search(refs)
    for source, target in pairs:
        search.relate(source, target)
    return search.families()


class _Search:
    def __init__(self, refs: TypeRefs) -> None:
        self.refs = refs
        self.direct: dict[TypeRef, set[TypeRef]] = {}
        self.joined: set[tuple[TypeRef, TypeRef]] = set()
        self._seen: set[tuple[frozenset[TypeRef], frozenset[TypeRef]]] = set()

    def relate(self, one: set[TypeRef], other: set[TypeRef]) -> None:
        """Pointers to these types are copies of each other."""
        key = (frozenset(one), frozenset(other))
        if key not in self._seen:
            self._seen.add(key)
            for first in one:
                for second in other:
                    self._relate(first, second)

    def _relate(self, first: TypeRef, second: TypeRef) -> None:
        refs = self.refs
        while refs.kind(first) == refs.kind(second) == Ref.POINTER:
            first, second = refs.elem(first), refs.elem(second)
        for mine, its in ((first, second), (second, first)):
            if not refs.is_undefined(mine) or mine == its:
                continue
            if refs.is_undefined(its):
                self.joined.add((mine, its))
            elif refs.kind(its) in (Ref.STRUCT, Ref.UNION):
                self.direct.setdefault(mine, set()).add(refs.canonical(its))

    def families(self) -> dict[TypeRef, frozenset[TypeRef]]:
        """Of two undefined structs that are cast to each other, the more general has both's."""
        found = {ref: set(members) for ref, members in self.direct.items()}
        for ref, other in sorted(self.joined, key=lambda pair: (self._size(pair[1]), pair)):
            if self._size(ref) >= self._size(other):
                found.setdefault(ref, set()).update(found.get(other, ()))
        return {ref: frozenset(members) for ref, members in found.items() if members}

    def _size(self, ref: TypeRef) -> int:
        return len(self.direct.get(ref, ()))
