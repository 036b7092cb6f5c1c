"""Whether callers take what a function returns, or leaves in their variables, for a block of their own.

In:    the ledger: evidence, declarations.     Out: `Fresh`; who ends such blocks goes into the ledger.
"""

from __future__ import annotations

from heapflow.ir.kinds import TypeKind
from heapflow.models.conditions import holds_for
from heapflow.models.model import Comparison, Family, Op, ResourceKind
from heapflow.ownership.belief import Kind
from heapflow.ownership.declared import Const
from heapflow.ownership.ending import says_fresh, says_release
from heapflow.ownership.evidence import ArgumentEvidence, ResultEvidence, Ways, parameter_count
from heapflow.ownership.ledger import Ledger
from heapflow.ownership.roles import MALLOC
from heapflow.ownership.stands import Fresh


class Results:
    """The judge of results."""

    def __init__(self, ledger: Ledger, allocating: frozenset[int]) -> None:
        self.ledger, self.allocating = ledger, allocating
        self.facts, self.program, self.config = ledger.facts, ledger.program, ledger.config
        self.declared, self.evidence = ledger.declared, ledger.evidence

    def of(self, func: int) -> Fresh | None:
        found = self.evidence.results[func]
        if self._may_be_buffer(func) or self._hands_back(func):
            return None
        by_attribute = self.declared.gives_fresh(func)
        if func in self.allocating or self._is_released(func, found, by_attribute):
            family = _most(found.families) or MALLOC
            support = found.released.sites
            who = f"{support} {'caller frees' if support == 1 else 'callers free'} its result"
            named = "named so, as what releases such blocks is"
            told = "declared with __attribute__((malloc))" if by_attribute else named
            reason = who if support else told
            self.ledger.enter(func, Kind.ALLOCATOR, 0, support, found.never, family, reason)
            return Fresh(family)
        for (ender, at), ways in sorted(found.ends_in.items()):
            if self._is_pair(func, found, ender, at, ways):
                return self._pair(func, found, ender, at, ways.sites)
        return self._by_fields(func, found)

    def _by_fields(self, func: int, found: ResultEvidence) -> Fresh | None:
        """A result that is kept in fields which are released elsewhere, by most of those who keep it in
        fields or leave it to the function that gave it."""
        against = found.never + found.in_held + found.ignored
        least = 1 if says_fresh(self.program.func_name(func)) else self.config.sites_by_field
        if found.released.late or self.declared.gives_const(func):
            return None
        support = max(found.in_fields.values(), default=0)
        if support >= least and against <= support:
            family = _most(found.in_fields) or MALLOC
            reason = f"what it returns is freed where {_places(support)} keep it"
            self.ledger.enter(func, Kind.ALLOCATOR, 0, support, against, family, reason)
            return Fresh(family)
        for (ender, at), sites in sorted(found.ends_by_field.items()):
            if self._ends(ender, at) and sites >= least and against <= sites:
                return self._pair(func, found, ender, at, sites)
        return None

    def _hands_back(self, func: int) -> bool:
        """Whether the result is the argument, perhaps (`T *check(T *)`), or what is left of it."""
        if says_release(self.program.func_name(func)):
            return True
        types, type_id = self.program.types, int(self.program.functions.type[func])
        first, last = types.field_start[type_id], types.field_start[type_id + 1]
        kinds = types.kind[types.field_type[first:last]].tolist()
        is_only = kinds == [TypeKind.POINTER] and not self.ledger.is_variadic(func)
        is_const = is_only and self.declared.const(func, 0) is not Const.NO
        return is_only and not is_const and self.declared.may_be_result(func, 0)

    def _may_be_buffer(self, func: int) -> bool:
        """Whether the result may be a local variable that callers lend to be filled."""
        if self.evidence.results[func].unlent:
            return False
        return any(
            evidence.local
            and self.declared.const(func, at) is Const.NO
            and self.declared.may_be_result(func, at)
            for at, evidence in self._arguments_of(func)
        )

    def _arguments_of(self, func: int) -> list[tuple[int, ArgumentEvidence]]:
        listed = self.evidence.arguments
        count = parameter_count(self.facts, func)
        return [(at, listed[func, at]) for at in range(count) if (func, at) in listed]

    def _is_released(self, func: int, found: ResultEvidence, by_attribute: bool) -> bool:
        """Whether callers who know the result's releaser release it, most of them."""
        ways = found.released
        forgiven = self._forgiven(func, says_release(_most(found.families) or "free"), ways)
        clear = max(ways.all_ways + ways.early + by_attribute, forgiven if ways.late else 0)
        is_few = clear <= found.shared < self.config.sites_of_pair
        if is_few and not (self.declared.gives_data(func) or self._is_named_pair(func, found)):
            return False
        return clear >= 1 and ways.late <= clear and found.never <= clear

    def _is_named_pair(self, func: int, found: ResultEvidence) -> bool:
        """Whether both names say what happens: `iterator_create(list)` and `iterator_destroy` do not
        find in the list what is taken out of it."""
        family = _most(found.families)
        named = says_fresh(self.program.func_name(func)) and says_release(family)
        return named and family != MALLOC

    def _ends(self, ender: int, at: int) -> bool:
        """Whether an unknown function ends what it is given, whatever made it: nobody touches that
        afterwards, and its places are cleared, its owner goes the same way, or the name says so."""
        evidence = self.evidence.arguments.get((ender, at))
        if evidence is None or at >= parameter_count(self.facts, ender) or evidence.spared:
            return False
        ending = evidence.last + evidence.dropped
        if not ending or not self.ledger.agree(ender, evidence.sites, ending):
            return False
        if self.declared.const(ender, at) is not Const.NO or not self.ledger.only_pointer(
            ender, at
        ):
            return False
        return evidence.emptied >= self.config.marks or says_release(self.program.func_name(ender))

    def empties(self, func: int, at: int) -> bool:
        """Whether an unknown function releases what the variable holds whose address it gets."""
        found = self.evidence.addressed[func, at]
        if not found.filled or at >= parameter_count(self.facts, func):
            return False
        arguments = self.evidence.arguments[func, at]
        if (
            arguments.static > found.static
            or self.config.tolerated * (arguments.sites - found.emptied) > found.emptied
        ):
            return False
        is_const = self.declared.const(func, at) is not Const.NO
        if (
            is_const
            or not self.declared.is_address(func, at)
            or not self.ledger.only_pointer(func, at)
        ):
            return False
        return says_release(self.program.func_name(func))

    def add_emptying(self, func: int, at: int) -> None:
        name, sites = (
            self.program.func_name(func),
            self.evidence.addressed[func, at].emptied,
        )
        self.ledger.emptying[func, at] = name
        self.ledger.families.setdefault(name, Family(name, ResourceKind.MEMORY, (name,)))
        reason = "nobody reads the variable afterwards whose address it gets"
        self.ledger.enter(func, Kind.DEALLOCATOR, at + 1, sites, 0, name, reason, is_address=True)

    def _is_pair(self, func: int, found: ResultEvidence, ender: int, at: int, ways: Ways) -> bool:
        """Whether another unknown function ends what this one makes: on several ways out of one
        caller, or in all of several callers."""
        evidence = self.evidence.arguments.get((ender, at))
        if evidence is None or at >= parameter_count(self.facts, ender):
            return False
        ending = evidence.last + evidence.dropped
        if evidence.spared or not self.ledger.agree(ender, evidence.sites, ending):
            return False
        if self.declared.const(ender, at) is not Const.NO or not self.ledger.only_pointer(
            ender, at
        ):
            return False
        many = evidence.ended + evidence.dropped >= self.config.sites_of_ender
        named = self._ends(ender, at)
        clear = ways.repeated >= 1 or many or ways.sites >= self.config.sites_of_pair or named
        clear = clear and ways.late <= self._forgiven(func, named, ways)
        others = sum(one.sites for one in found.ends_in.values()) + found.never - ways.sites
        return clear and (1 if named else 2) * others <= ways.sites

    def _forgiven(self, func: int, named: bool, ways: Ways) -> int:
        """Callers who end a block on some ways only. Where both names say what happens (`alloc_chunk`,
        `free_chunk`), one such caller may be the one that forgets it: the pair is one all the same."""
        if not named or not says_fresh(self.program.func_name(func)):
            return 0
        return max(ways.all_ways + ways.early, 1)

    def _pair(self, func: int, found: ResultEvidence, ender: int, at: int, sites: int) -> Fresh:
        name = self.program.func_name(ender)
        family = self.ledger.enders.get((ender, at), name)
        self.ledger.families.setdefault(family, Family(family, ResourceKind.MEMORY, (name,)))
        ends = f"`{name}` ends its result in {sites} {'place' if sites == 1 else 'places'}"
        self.ledger.enter(func, Kind.ALLOCATOR, 0, sites, found.never, family, ends)
        if (ender, at) not in self.ledger.enders:
            self.ledger.enders[ender, at] = family
            evidence = self.evidence.arguments[ender, at]
            maker = self.program.func_name(func)
            reason = f"nobody uses its argument afterwards, and `{maker}` makes it"
            self.ledger.enter(ender, Kind.DEALLOCATOR, at + 1, evidence.last, 0, family, reason)
        return Fresh(family)

    def left_at(self, func: int, at: int) -> Fresh | None:
        """A block that is left in the variable whose address is passed."""
        found = self.evidence.outs.get((func, at))
        if found is None or found.again or not found.released.sites:
            return None
        if says_release(self.program.func_name(func)):
            return None
        works, when = _agreed(list(found.when))
        if found.never > found.released.sites or not works:
            return None
        family = _most(found.families) or MALLOC
        support = found.released.sites
        reason = (
            f"{support} {'caller frees' if support == 1 else 'callers free'} what it leaves there"
        )
        self.ledger.enter(func, Kind.ALLOCATOR, at + 1, support, found.never, family, reason)
        return Fresh(family, when)


def _places(sites: int) -> str:
    return "one place" if sites == 1 else f"{sites} places"


def _agreed(found: list[Comparison | None]) -> tuple[bool, Comparison | None]:
    """Whether callers agree on when a call worked, and the narrowest of what they ask. Who releases
    the block elsewhere, as a caller of its own, does not ask."""
    if not found:
        return True, None
    conditions = [one for one in found if one is not None]
    if len(conditions) < len(found):
        return not conditions, None
    narrow = next((one for one in conditions if one.op is Op.EQ), conditions[0])
    fits = narrow.op is Op.EQ and all(holds_for(one, narrow.right) for one in conditions)
    return fits or len(conditions) == 1, narrow


def _most(found: dict[str, int]) -> str:
    """The family that most callers use."""
    named = {family: count for family, count in found.items() if family}
    return min(named, key=lambda family: (-named[family], family)) if named else ""
