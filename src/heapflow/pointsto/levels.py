"""Plain data that the program uses as pointers, by mixing up how many `*` there are.

    void fill(int ***p) { **p = malloc(8); }        int *y = malloc(16); fill((int ***)&y);

In:    Facts, ValueTypes.     Out: types of plain data whose blocks hold pointers after all.
A block that is bound to `int *` only counts as numbers (filter a). Where a `D **` becomes a `T ***`,
which needs a cast or a compiler that lets it pass, what is bound to `D *` is used as a table of
pointers. Bytes are excepted: `char *` stands for memory of any kind, and following all of it costs too
much.
"""

from __future__ import annotations

from collections.abc import Iterator

from heapflow.pointsto.facts import Facts
from heapflow.pointsto.typeref import Ref, TypeRef
from heapflow.pointsto.valuetypes import ValueTypes


def data_with_pointers(facts: Facts, types: ValueTypes) -> frozenset[TypeRef]:
    """The plain types."""
    refs = types.refs
    return frozenset(
        refs.elem(ref)
        for known, expected in _meetings(facts, types)
        if any(_levels(types, ref) > 1 for ref in expected)
        for ref in known
        if _levels(types, ref) == 1
        and refs.kind(refs.elem(ref)) == Ref.DATA
        and refs.size(refs.elem(ref)) > 1
    )


def _levels(types: ValueTypes, ref: TypeRef) -> int:
    """0 for what is no pointer, 1 for a pointer, 2 for one to a pointer."""
    refs, found = types.refs, 0
    while found < 2 and refs.kind(ref) == Ref.POINTER:
        ref, found = refs.elem(ref), found + 1
    return found


def _meetings(facts: Facts, types: ValueTypes) -> Iterator[tuple[set[TypeRef], set[TypeRef]]]:
    """What is known of a pointer's target, and what is expected of it where it goes."""
    for known in types.declared.values():
        if len(known) > 1:
            yield known, known
    deep = {
        func
        for func in range(len(facts.func_flags))
        if facts.has_body(func)
        and any(
            _levels(types, ref) > 1
            for param in facts.params(func)
            for ref in types.declared.get(param, ())
        )
    }
    for row in range(facts.instr_count) if deep else ():
        if not facts.is_call(row) or (func := facts.callee(row)) < 0:
            continue
        for meant in deep.intersection(facts.definitions(func)):
            for arg, param in zip(facts.operands(row)[1:], facts.params(meant), strict=False):
                known = types.declared.get(arg, set())
                known = known | {owner for owner, at in types.place_types(arg) if at == 0}
                yield known, types.declared.get(param, set())
