"""Functions that release what the nodes of a list hold and take the nodes out, but do not release them.

In:    FieldTable, a field through which nodes are linked.     Out: clients that begin with a list of
one node, laid out as programs do: the head leads to the node, the node to nothing or back to the head.
Example: `for (n = l->first; n; n = next) { next = n->next; free(n->name); } l->first = NULL;`
The function that adds the node is often one that nobody can execute up to there (who finds an empty
list finds unknowns); that there is a node is assumed and said. Evidence is asked for, therefore:
- somebody puts a fresh block in, and puts it nowhere else than into members of one kind of struct;
- the function releases what a member of the node holds, and never a node.
Whether it takes the node out is what execution shows: a node that stays is not lost.
Not modelled: nodes that are members of what they link (`container_of`), tables of lists.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from heapflow.ir.kinds import CTypeKind
from heapflow.ownership.fields import FieldFacts, FieldTable, Storer
from heapflow.ownership.laid import Cell, Target
from heapflow.ownership.places import Field, Root, RootKind

_RECORDS = (CTypeKind.STRUCT, CTypeKind.UNION)


@dataclass(frozen=True, slots=True)
class Head:
    """Where a struct leads to nodes: offsets of pointers to them, and of pointers to such pointers."""

    start: int  # of the member that has them
    first: tuple[int, ...]
    tails: tuple[int, ...]
    is_node: bool  # the member is of the nodes' own kind: the list may end where it begins


class Dismantling:
    """Of one program."""

    def __init__(self, table: FieldTable) -> None:
        self.table, self.layouts = table, table.layouts
        self.program = table.program

    def found(self, place: Field, facts: FieldFacts) -> Iterable[tuple[Storer, int, Root]]:
        """Who adds nodes, and functions that release what these hold, and not the nodes."""
        node = self.node(place)
        if node < 0 or place.is_element:
            return
        storers = [one for one in facts.storers if self._lies_only_there(one, node)]
        if not storers:
            return
        storer = min(storers, key=lambda one: (len(one.chain), one))
        for func in sorted(self.table.whole.effects):
            for root in self._emptied(func, node):
                yield storer, func, root

    def _emptied(self, func: int, node: int) -> Iterable[Root]:
        """Through what a function gets at nodes whose contents it releases."""
        effects = self.table.effects(func)
        roots = {root for one, root in effects.releases if one.owner == node}
        nodes = {root for one, root in effects.releases if self.layouts.held_struct(one) == node}
        for root in sorted(roots - nodes):
            is_own = any(
                self.layouts.held_struct(one) == node and at == root and not depth
                for (one, at), depth in effects.loads.items()
            )
            released = root.kind is RootKind.PARAM and root.number in effects.frees
            if is_own and not released and root.kind in (RootKind.PARAM, RootKind.GLOBAL):
                yield root

    def _lies_only_there(self, storer: Storer, node: int) -> bool:
        """Whether a block is put into members of one kind of struct only, beside other nodes."""
        stores = self.table.effects(storer.func).stores
        found = {place for (place, _), chains in stores.items() if storer.chain in chains}
        if any(self.node(one) != node for one in found):
            return False
        return len({one.owner for one in found} - {node}) <= 1

    def node(self, place: Field) -> int:
        """What a place leads to, itself or by another pointer, as the ends of lists do; -1: nothing."""
        held = self.layouts.held_struct(place) if not place.is_element else -1
        return held if held >= 0 else self.layouts.struct_at_end(place)

    # One node -------------------------------------------------------------------------------------

    def laid(self, struct: int, node: int) -> Iterable[tuple[Cell, ...]]:
        """Lists of one node in a struct, as they may be laid out."""
        record = self.layouts.ctype[node]
        if record < 0 or self.layouts.ctype[struct] < 0:
            return
        links = list(self._heads(self.layouts.ctype[struct], record, 0))
        inner = next(iter(self._heads(record, record, 0, is_node=True)), None)
        if inner is None:
            return
        for head in links:
            leads = [Cell(False, one, Target.BLOCK) for one in head.first]
            leads += [
                Cell(False, one, Target.BLOCK, inner.first[0]) for one in head.tails if inner.first
            ]
            back = [Cell(True, one, Target.OWNER, head.first[0]) for one in inner.tails]
            yield (*leads, *back, *(Cell(True, one, Target.NOTHING) for one in inner.first))
            if head.is_node:
                yield (*leads, *(Cell(True, one, Target.OWNER, head.start) for one in inner.first))
            elif len(head.first) > 1 and not head.tails:
                yield from self._one_of_several(head, inner)

    def _one_of_several(self, head: Head, inner: Head) -> Iterable[tuple[Cell, ...]]:
        """Several lists in one struct, all but one of them empty."""
        for chosen in head.first:
            leads = [
                Cell(False, one, Target.BLOCK if one == chosen else Target.NOTHING)
                for one in head.first
            ]
            yield (*leads, *(Cell(True, one, Target.NOTHING) for one in inner.first))

    def _heads(self, struct: int, node: int, start: int, is_node: bool = False) -> Iterable[Head]:
        """Members of a C struct that lead to nodes, by the struct that has them."""
        ctypes = self.program.ctypes
        rows = range(int(ctypes.member_start[struct]), int(ctypes.member_start[struct + 1]))
        first: list[int] = []
        tails: list[int] = []
        inner: list[Head] = []
        for row in rows:
            member, offset = int(ctypes.member_type[row]), start + int(ctypes.member_offset[row])
            if member < 0:
                continue
            if ctypes.kind[member] in _RECORDS:
                inner += self._heads(member, node, offset, is_node or member == node)
            elif self._leads_to(member) == node:
                first.append(offset)
            elif self._leads_to(self._leads_to(member)) == node:
                tails.append(offset)
        if first:
            yield Head(start, tuple(first), tuple(tails), is_node or struct == node)
        yield from inner

    def _leads_to(self, ctype: int) -> int:
        ctypes = self.program.ctypes
        is_pointer = ctype >= 0 and ctypes.kind[ctype] == CTypeKind.POINTER
        return int(ctypes.elem[ctype]) if is_pointer else -1
