"""What callers show about a result, or about what is left in their variables: who ends it.

In:    a call of a function that is not known.     Out: `ResultEvidence`, counted.
"""

from __future__ import annotations

from heapflow.ir.kinds import TypeKind, ValueKind
from heapflow.models.model import Comparison
from heapflow.ownership.carried import Carried
from heapflow.ownership.ending import Endings
from heapflow.ownership.evidence import Evidence, ResultEvidence, Ways
from heapflow.ownership.uses import Use, Uses
from heapflow.pointsto.codes import Op

NOWHERE = (ValueKind.NULL, ValueKind.INT, ValueKind.UNDEF, ValueKind.FUNCTION)


class Returned:
    """Looks at results of calls."""

    def __init__(
        self,
        carried: Carried,
        uses: Uses,
        endings: Endings,
        unknown: frozenset[int],
        found: Evidence,
    ) -> None:
        self.carried, self.walk, self.facts = carried, carried.walk, carried.facts
        self.uses, self.roles, self.endings = uses, uses.roles, endings
        self.unknown, self.found = unknown, found

    def look_at(self, call: int, func: int) -> None:
        found = self.found.results.setdefault(func, ResultEvidence())
        before = found.released.sites
        names = self.facts.flows_on(self.facts.result[call])
        found.ignored += not any(self.facts.users(name) for name in names)
        self._fresh(call, found, names)
        if found.released.sites > before:
            found.shared += self._is_shared(call, names)
            found.unlent += not self._lends(call)
        for further in self.carried.handed_on(names):
            if self.facts.result[further] >= 0:
                before = found.released.sites
                self._fresh(further, found, self.facts.flows_on(self.facts.result[further]))
                found.unlent += found.released.sites > before

    def _lends(self, call: int) -> bool:
        """Whether an argument is a local variable."""
        facts = self.facts
        rows = [facts.row_of_value[self.uses.base(one)[0]] for one in facts.operands(call)[1:]]
        return any(0 <= row < facts.instr_count and facts.op[row] == Op.ALLOCA for row in rows)

    def _is_shared(self, call: int, names: list[int]) -> bool:
        """Whether what a function is given goes to another one later: a container, perhaps. Together
        with the result (`pool_free(pool, block)`), it only tells where that lies."""
        facts, walk = self.facts, self.walk
        for value in facts.operands(call)[1:]:
            is_made = facts.value_kind[value] in (ValueKind.INSTR, ValueKind.PARAM)
            if not is_made or not facts.is_pointer(value):
                continue
            after = walk.after(call, value)
            for row, use in self.uses.of(walk.names(value, call), call):
                if use is not Use.PASSED or not walk.follows(row, call, after):
                    continue
                if not set(names) & set(facts.operands(row)[1:]):
                    return True
        return False

    def look_at_variable(self, call: int, func: int, at: int, variable: int, offset: int) -> None:
        """A local pointer variable whose address is passed: what is in it afterwards?"""
        facts, walk = self.facts, self.walk
        row = facts.row_of_value[variable]
        if offset or facts.type_kind[facts.aux_type[row]] != TypeKind.POINTER:
            return
        after = walk.after(call, variable)
        names: list[int] = []
        for user in facts.users(variable):
            is_load = user < facts.instr_count and facts.op[user] == Op.LOAD
            if is_load and walk.follows(user, call, after):
                names += facts.flows_on(facts.result[user])
        emptied = [row for row, _ in self.endings.emptied_at(variable) if row != call]
        if not names:
            return
        found = self.found.outs.setdefault((func, at), ResultEvidence())
        self._fresh(call, found, names, variable)
        found.again += self._is_set(variable)
        releases = [row for row, use in self.uses.of(names, call) if use is Use.RELEASED]
        releases += emptied
        if releases:
            found.when[self._works_when(call, releases)] += 1
            barred = {walk.block(row) for row in releases}
            again = walk.reach([e.target for e in walk.edges(walk.block(call))], barred)
            others = [
                one
                for one in facts.users(variable)
                if one < facts.instr_count and facts.is_call(one)
            ]
            if any(walk.follows(one, call, again) for one in others if one not in releases):
                found.again += 1

    def _is_set(self, variable: int) -> bool:
        """Whether somebody stores a pointer in a variable: what a callee finds there matters then."""
        facts = self.facts
        return any(
            row < facts.instr_count
            and facts.op[row] == Op.STORE
            and facts.operands(row)[0] == variable
            and facts.value_kind[facts.operands(row)[1]] not in NOWHERE
            for row in facts.users(variable)
        )

    def _works_when(self, call: int, releases: list[int]) -> Comparison | None:
        """What the result says where callers release; None: it does not matter."""
        walk = self.walk
        blocks = {walk.block(row) for row in releases}
        before, splits = walk.splits(call, ())
        if blocks & before or walk.block(call) in blocks:
            return None
        for split in splits:
            for edge in walk.edges(split):
                if blocks & walk.reach([edge.target]):
                    return walk.condition(edge, self.facts.result[call])
        return None

    def _fresh(
        self, call: int, found: ResultEvidence, names: list[int], variable: int = -1
    ) -> None:
        names, variables = self.carried.through_variables(names, call)
        if variable >= 0 and variable not in variables:
            variables.append(variable)
        emptied = [one for variable in variables for one in self.endings.emptied_at(variable)]
        uses = [*self.uses.of(names, call), *((row, Use.RELEASED) for row, _ in emptied)]
        uses = [(row, use) for row, use in uses if not self._moves(row, use, variables)]
        if not uses:
            return
        found.sites += 1
        releases = [row for row, use in uses if use is Use.RELEASED]
        kept = [row for row, use in uses if use in (Use.STORED, Use.RETURNED)]
        if releases:
            self._ways(call, found.released, names, releases, kept)
            families = dict(emptied)
            for row in releases:
                found.families[families.get(row) or self._family(row, names)] += 1
        elif kept:
            found.kept += 1
            self._kept(call, found, names, kept)
        elif all(use in (Use.READ, Use.TESTED) for _, use in uses):
            found.never += 1
        else:
            for end, rows in self._ends_in(names, call).items():
                self._ways(call, found.ends_in.setdefault(end, Ways()), names, rows, [])

    def _moves(self, row: int, use: Use, variables: list[int]) -> bool:
        """Whether a pointer is only put into a local variable."""
        return use is Use.STORED and self.facts.operands(row)[0] in variables

    def _kept(self, call: int, found: ResultEvidence, names: list[int], kept: list[int]) -> None:
        """A result that is stored: who ends it here otherwise, who ends what is kept there?"""
        for end, rows in self._ends_in(names, call).items():
            self._ways(call, found.ends_in.setdefault(end, Ways()), names, rows, kept)
        fields = [one for one in self.carried.kept_in(names) if self.carried.is_made(one)]
        families = {family for one in fields for family in self.endings.released.get(one, ())}
        ends = {end for one in fields for end in self.endings.ended.get(one, ())}
        found.in_fields.update(families)
        found.ends_by_field.update(ends)
        found.in_held += bool(fields) and not families and not ends

    def _ways(
        self,
        call: int,
        found: Ways,
        names: list[int],
        releases: list[int],
        kept: list[int],
    ) -> None:
        ways = self.walk.ways_out(call, [*releases, *kept], set(names))
        last = max(releases)
        if not ways:
            found.all_ways += 1
        elif all(way.is_return and way.row < last for way in ways):
            found.early += 1
        else:
            found.late += 1
        found.repeated += len({self.walk.block(row) for row in releases}) > 1

    def _family(self, release: int, names: list[int]) -> str:
        operands, func = self.facts.operands(release)[1:], self.facts.callee(release)
        for target in self.facts.definitions(func):
            for at, value in enumerate(operands):
                if value in names and (target, at) in self.roles.releases:
                    return self.roles.releases[target, at]
        return ""

    def _ends_in(self, names: list[int], call: int) -> dict[tuple[int, int], list[int]]:
        """Calls of unknown functions after which a pointer is not used any more."""
        facts, walk = self.facts, self.walk
        uses = self.uses.of(names, call)
        found: dict[tuple[int, int], list[int]] = {}
        for row, use in uses:
            if use is not Use.PASSED or facts.callee(row) not in self.unknown:
                continue
            after = walk.after(row, names[0])
            if any(
                walk.follows(o, row, after) for o, u in uses if u is not Use.TESTED and o != row
            ):
                continue
            func = facts.callee(row)
            at = next(i for i, v in enumerate(facts.operands(row)[1:]) if v in names)
            found.setdefault((func, self.uses.position(func, at)), []).append(row)
        return found
