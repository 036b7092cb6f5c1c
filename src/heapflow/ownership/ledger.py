"""What is believed so far, and why; what the judges of results and of arguments both ask.

Families that beliefs make up are named after the function that ends their blocks.
"""

from __future__ import annotations

from heapflow.ir.kinds import TypeKind
from heapflow.models.model import Family
from heapflow.ownership.belief import Belief, Beliefs, Kind
from heapflow.ownership.declared import Const, Declared
from heapflow.ownership.ending import says_keep, says_release
from heapflow.ownership.evidence import Evidence
from heapflow.ownership.walk import Walk


class Ledger:
    """Filled by both judges."""

    def __init__(
        self,
        walk: Walk,
        declared: Declared,
        evidence: Evidence,
        unknown: frozenset[int],
        before: Beliefs,
    ) -> None:
        self.facts, self.config, self.program = walk.facts, walk.config, walk.facts.program
        self.declared, self.evidence, self.unknown = declared, evidence, unknown
        self.listed: list[Belief] = []
        self.families: dict[str, Family] = dict(before.families)
        self.enders: dict[tuple[int, int], str] = {}  # function and argument -> family
        self.emptying: dict[tuple[int, int], str] = {}  # the same, by the address of a variable
        for belief in before.listed:
            if belief.kind is Kind.DEALLOCATOR:
                self._remember(belief)

    def _remember(self, belief: Belief) -> None:
        for func in self.unknown:
            if self.program.func_name(func) == belief.function:
                known = self.emptying if belief.is_address else self.enders
                known[func, belief.argument - 1] = belief.family
                self.listed.append(belief)

    def enter(
        self,
        func: int,
        kind: Kind,
        argument: int,
        support: int,
        against: int,
        family: str,
        reason: str,
        *,
        is_address: bool = False,
    ) -> None:
        name = self.program.func_name(func)
        one = Belief(name, kind, argument, support, against, family, reason, is_address)
        self.listed.append(one)

    def is_variadic(self, func: int) -> bool:
        return bool(self.program.types.count[self.program.functions.type[func]])

    def agree(self, ender: int, sites: int, ending: int) -> bool:
        """Whether it comes last at nearly all call sites; at most of them, if it is named so."""
        is_named = says_release(self.program.func_name(ender))
        tolerated = self.config.tolerated_if_named if is_named else self.config.tolerated
        return tolerated * (sites - ending) <= ending

    def only_pointer(self, func: int, at: int) -> bool:
        """Whether a function has no result and no other place to put the argument into; if it is named
        after what it does, what comes before the argument tells where that lies (`pool_free(p, b)`).
        A function is no place (`map_free(map, free)`), nor what follows it, which is for it, nor is
        text (`lib_free(p, __FILE__)`)."""
        types = self.program.types
        type_id = int(self.program.functions.type[func])
        first, last = types.field_start[type_id], types.field_start[type_id + 1]
        kinds = types.kind[types.field_type[first:last]].tolist()
        places = [
            number
            for number, kind in enumerate(kinds)
            if number != at
            and kind == TypeKind.POINTER
            and self.declared.const(func, number) is Const.NO
            and not self.declared.is_function(func, number)
            and not (number and self.declared.is_function(func, number - 1))
            and not self.declared.is_data(func, number)
            and not (number < at and says_release(self.program.func_name(func)))
        ]
        is_void = types.kind[types.elem[type_id]] == TypeKind.VOID
        return not places and (is_void or func not in self.evidence.asked)

    def keeps_nowhere(self, func: int, at: int) -> bool:
        """Whether a function has no place for an argument but variables of its own: it gets nothing
        else to write to, returns no pointer, and its name does not say that it keeps things."""
        types, type_id = self.program.types, int(self.program.functions.type[func])
        first, last = types.field_start[type_id], types.field_start[type_id + 1]
        kinds = types.kind[types.field_type[first:last]].tolist()
        for number, kind in enumerate(kinds):
            is_const = self.declared.const(func, number) is not Const.NO
            if number != at and kind == TypeKind.POINTER and not is_const:
                return False
        gives = types.kind[types.elem[type_id]] == TypeKind.POINTER
        return not gives and not says_keep(self.program.func_name(func))
