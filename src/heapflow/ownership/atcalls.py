"""What calls give and fill, in the terms of the function that makes them.

In:    the effects of callees, models.     Out: origins of results; a callee's places as the caller's.
"""

from __future__ import annotations

from collections.abc import Iterable

from heapflow.ir.ids import ValueId
from heapflow.models.model import (
    AccessPath,
    Alloc,
    Arg,
    Assign,
    Family,
    Inside,
    Realloc,
    ResourceKind,
    Ret,
)
from heapflow.ownership.effects import Place
from heapflow.ownership.places import (
    CELL,
    FRESH,
    SOMETHING,
    Origin,
    OriginKind,
    Root,
    RootKind,
    in_order,
)
from heapflow.ownership.pointers import Pointers
from heapflow.ownership.program import Whole

TO_CALLERS = (RootKind.PARAM, RootKind.GLOBAL, RootKind.FRESH)


class AtCalls:
    """Asked about the calls of one function."""

    def __init__(self, whole: Whole, func: int) -> None:
        self.whole, self.tables, self.config = whole, whole.tables, whole.config
        self.pointers = Pointers(self.tables, self.config, func, self.result)

    def fills(self, row: int) -> Iterable[tuple[int, tuple[int, ...]]]:
        """Parameters behind which a call puts a fresh block."""
        for func in self.whole.targets(row):
            known = self.whole.effects.get(func)
            if known is not None:
                for (place, root), chains in known.stores.items():
                    if place.owner == CELL and root.kind is RootKind.PARAM:
                        yield from ((root.number, (*one, row)) for one in chains if self.fits(one))
                continue
            for effect in self.whole.model_effects(func):
                if isinstance(effect, Alloc) and self.is_memory(effect.family):
                    root_, steps = effect.target.root, effect.target.steps
                    if isinstance(root_, Arg) and len(steps) == 1:
                        yield root_.index - 1, (row,)

    def fits(self, chain: tuple[int, ...]) -> bool:
        return 0 < len(chain) < self.config.longest_chain

    def is_memory(self, family: str) -> bool:
        found: Family | None = self.whole.models.families.get(family)
        return found is None or (found.kind is ResourceKind.MEMORY and not found.arena)

    def mapped(self, place: Place, arguments: list[ValueId]) -> list[Place]:
        """A callee's place, as the caller knows it."""
        found, root = place
        if found.owner == CELL and root.kind is RootKind.PARAM:
            if root.number >= len(arguments):
                return []
            return list(self.pointers.places(arguments[root.number]))
        return [(found, one) for one in self.roots(root, arguments)]

    def roots(self, root: Root, arguments: list[ValueId]) -> list[Root]:
        if root.kind is not RootKind.PARAM:
            return [root] if root.kind in TO_CALLERS else []
        if root.number >= len(arguments):
            return []
        origins = in_order(self.pointers.origins(arguments[root.number]))
        return list(dict.fromkeys(one.root for one in origins))

    def result(self, row: int) -> frozenset[Origin]:
        """What a call returns."""
        arguments = self.tables.operands(row)[1:]
        found: set[Origin] = set()
        for func in self.whole.targets(row):
            known = self.whole.effects.get(func)
            if known is not None:
                for one in known.returned:
                    found.update(self._returned(one, row, arguments))
            else:
                found.update(self._modelled(row, func, arguments))
        return frozenset(found or (SOMETHING,))

    def _returned(self, one: Origin, row: int, arguments: list[ValueId]) -> Iterable[Origin]:
        if one.kind is OriginKind.FRESH:
            fits = self.fits(one.chain)
            return [one._replace(chain=(*one.chain, row)) if fits else SOMETHING]
        if one.kind is OriginKind.LOADED and one.field is not None:
            places = self.mapped((one.field, one.root), arguments)
            return [Origin(OriginKind.LOADED, root, field) for field, root in places]
        if one.kind is OriginKind.ADDRESS and one.root.kind is RootKind.PARAM:
            return self.pointers.origins(arguments[one.root.number]) if arguments else []
        return [SOMETHING] if one.root.kind is not RootKind.GLOBAL else [one]

    def _modelled(self, row: int, func: int, arguments: list[ValueId]) -> Iterable[Origin]:
        for effect in self.whole.model_effects(func):
            if getattr(effect, "target", None) != AccessPath(Ret()):
                continue
            match effect:
                case Alloc(_, family) if self.is_memory(family):
                    return [Origin(OriginKind.FRESH, FRESH, chain=(row,))]
                case Realloc():
                    return [Origin(OriginKind.FRESH, FRESH, chain=(row,))]
                case Assign(_, AccessPath(Arg(index), ())) | Assign(
                    _, Inside(AccessPath(Arg(index), ()))
                ) if index <= len(arguments):
                    return self.pointers.origins(arguments[index - 1])
                case _:
                    continue
        return [SOMETHING]
