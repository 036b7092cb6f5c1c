"""What callers show about functions that are not known, counted by call site.

In:    Facts, Roles, the functions in question.     Out: `Evidence` per argument and per result.
Paper: Engler et al., Bugs as Deviant Behavior (SOSP'01): what most callers do is taken for the rule.
Example: after `log_it(p)` callers release `p`: it was lent. After `if (put(q, p) < 0) free(p);` nobody
       touches `p` where `put` worked: it was given away then.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import Enum

from heapflow.ir.kinds import TypeKind, ValueKind
from heapflow.models.model import Comparison
from heapflow.models.model import Op as CompareOp
from heapflow.ownership.carried import Carried
from heapflow.ownership.ending import Addressed, Endings
from heapflow.ownership.later import Later
from heapflow.ownership.roles import Roles
from heapflow.pointsto.codes import Op
from heapflow.pointsto.facts import Facts

_NOWHERE = (ValueKind.NULL, ValueKind.INT, ValueKind.UNDEF, ValueKind.FUNCTION)


class Use(Enum):
    """What an instruction does with a pointer."""

    TESTED = "tested"
    READ = "read"  # what it points to is read or written
    PASSED = "passed"  # to a function that is not known to keep or release it
    STORED = "stored"
    RETURNED = "returned"
    RELEASED = "released"


@dataclass
class ArgumentEvidence:
    """How many call sites show what about one argument."""

    sites: int = 0
    local: int = 0  # it is the address of a local variable: nobody may release or keep that
    static: int = 0  # … of a global variable, or a constant: nobody may release that
    released: int = 0  # the caller releases it later
    used: int = 0  # … reads it, passes it on or returns it later
    dropped: int = 0  # a fresh block that nobody touches later
    read: int = 0  # … but for reading it: the callee did not release it, at least
    last: int = 0  # not fresh for sure, and nobody touches it later
    held: int = 0  # read from a field that still leads to it, by who asks what came of it
    ended: int = 0  # … and it comes from a call: the caller had it for itself
    on_failure: int = 0  # the caller releases it where the result says so, and only there
    emptied: int = 0  # … and where it was read from is cleared, or its owner goes the same way
    inner_kept: int = 0  # pointers in it are still good later
    inner_gone: int = 0  # it is released without a look at them
    members: set[int] = field(default_factory=set)  # C types, where it is a member; -1: not known
    taken_when: Counter[Comparison] = field(default_factory=Counter)

    @property
    def spared(self) -> int:
        """Nobody may release it."""
        return self.local + self.static


@dataclass
class Ways:
    """At how many call sites somebody ends a pointer's life."""

    all_ways: int = 0  # on every way on which it is not kept
    early: int = 0  # on all but some `return`s before the last of these calls
    late: int = 0  # only on some ways
    repeated: int = 0  # by several calls: on several ways out

    @property
    def sites(self) -> int:
        return self.all_ways + self.early + self.late


@dataclass
class ResultEvidence:
    """How many call sites show what about a result (or what is left in an out-parameter)."""

    sites: int = 0
    released: Ways = field(default_factory=Ways)
    never: int = 0  # read, tested, and nothing else
    kept: int = 0  # stored or returned
    families: Counter[str] = field(default_factory=Counter)
    ends_in: dict[tuple[int, int], Ways] = field(default_factory=dict)  # in unknown functions
    when: Counter[Comparison | None] = field(default_factory=Counter)
    shared: int = 0  # released, but what it was asked of is asked for more: found, then removed?
    unlent: int = 0  # released, and no local variable was given that it might be
    in_fields: Counter[str] = field(default_factory=Counter)  # kept in fields that are released
    in_held: int = 0  # kept in fields that nobody releases
    ignored: int = 0  # nobody looks at it
    ends_by_field: Counter[tuple[int, int]] = field(default_factory=Counter)  # … by unknown ones
    again: int = 0  # the same variable is given again, before anybody releases what is in it


@dataclass
class Evidence:
    """By function, and 0-based argument."""

    arguments: dict[tuple[int, int], ArgumentEvidence] = field(default_factory=dict)
    results: dict[int, ResultEvidence] = field(default_factory=dict)
    call_back: set[int] = field(default_factory=set)  # functions that are given functions
    untested: set[int] = field(default_factory=set)  # calls whose result decides nothing
    outs: dict[tuple[int, int], ResultEvidence] = field(default_factory=dict)
    addressed: dict[tuple[int, int], Addressed] = field(default_factory=dict)
    asked: set[int] = field(default_factory=set)  # functions whose result somebody uses
    owners: frozenset[int] = frozenset()  # structs (C types) whose fields the program itself ends


class Collector:
    """Looks at every call site of the functions in question."""

    def __init__(self, carried: Carried, roles: Roles, unknown: frozenset[int]) -> None:
        self.carried, self.walk, self.facts = carried, carried.walk, carried.facts
        self.roles, self.unknown = roles, unknown
        self.endings = Endings(carried, roles, unknown)
        self.later = Later(carried, self.endings, self._releases_after, self._decides)
        self.found = Evidence()

    def collect(self) -> Evidence:
        facts = self.facts
        self.found.owners = self.endings.owners()
        for row in range(facts.instr_count):
            if not facts.is_call(row):
                continue
            func = facts.callee(row)
            if func not in self.unknown:
                continue
            if not self._decides(row):
                self.found.untested.add(row)
            for at, value in enumerate(facts.operands(row)[1:]):
                if facts.value_kind[value] == ValueKind.FUNCTION:
                    self.found.call_back.add(func)
                if facts.is_pointer(value):
                    self._argument(row, func, self.position(func, at), value)
            if facts.result[row] >= 0 and facts.users(facts.result[row]):
                self.found.asked.add(func)
            if facts.result[row] >= 0 and facts.is_pointer(facts.result[row]):
                self._result(row, func)
        return self.found

    def position(self, func: int, at: int) -> int:
        """Variable arguments count as one."""
        return min(at, parameter_count(self.facts, func))

    def _decides(self, call: int) -> bool:
        """Whether a branch depends on the result of a call."""
        result = self.facts.result[call]
        if result < 0 or not self.facts.users(result):
            return False
        branches = (Op.BR, Op.SWITCH)
        return any(
            row < self.facts.instr_count and self.facts.op[row] in branches
            for value in self.walk.tested(result)
            for row in self.facts.users(value)
        )

    # Arguments ------------------------------------------------------------------------------------

    def _argument(self, call: int, func: int, at: int, value: int) -> None:
        facts = self.facts
        found = self.found.arguments.setdefault((func, at), ArgumentEvidence())
        addressed = self.found.addressed.setdefault((func, at), Addressed())
        self.endings.look_at_address(call, value, addressed)
        base, offset = self._base(value)
        if facts.value_kind[base] in _NOWHERE:
            return
        found.sites += 1
        self._member(value, found)
        if facts.value_kind[base] == ValueKind.GLOBAL:
            found.static += 1
            return
        row = facts.row_of_value[base]
        if 0 <= row < facts.instr_count and facts.op[row] == Op.ALLOCA:
            found.local += 1
            self._inner(call, [base], found)
            self._out(call, func, at, base, offset)
            return
        if not offset:
            self._pointer(call, found, value)

    def _member(self, value: int, found: ArgumentEvidence) -> None:
        """What kind of member an argument is the address of, if it is one."""
        facts = self.facts
        if facts.program.is_member_address(value):
            row = facts.row_of_value[value]
            offset = facts.aux[row] + facts.aux2[row]
            # The address of the first member may stand for the whole.
            kind = self.carried.layouts.member_type(facts.aux_type[row], offset) if offset else -1
            found.members.add(kind)

    def _base(self, value: int) -> tuple[int, int]:
        """The pointer that an argument is, or points into."""
        place = self.walk.place(value)
        if place is None or place.inner >= 0:
            return value, 0
        return place.base, place.offset

    def _pointer(self, call: int, found: ArgumentEvidence, value: int) -> None:
        walk = self.walk
        names = walk.names(value, call)
        after = walk.after(call, value)
        uses = self._uses(names, call)
        later = {use for row, use in uses if walk.follows(row, call, after)}
        releases = [
            row for row, use in uses if use is Use.RELEASED and walk.follows(row, call, after)
        ]
        if releases:
            self._released(call, found, value, names, releases)
        elif self.later.is_released(call, value, names):
            found.released += 1
        elif self._is_fresh(value) and not _HANDED & {use for _, use in uses}:
            found.dropped += 1
            found.read += Use.READ in later
        elif later & {Use.READ, Use.PASSED, Use.RETURNED}:
            found.used += 1
        elif not self._is_stored_before(call, value, uses):
            found.last += 1
            found.ended += bool(self._origins(value))
            emptied = self.endings.is_emptied(call, value)
            found.emptied += emptied
            found.held += not emptied and self._lies_in_field(value) and self._decides(call)

    def _lies_in_field(self, value: int) -> bool:
        """Whether a pointer is read from a member of a struct that is no variable of the function."""
        facts = self.facts
        row = facts.row_of_value[value]
        if not (0 <= row < facts.instr_count and facts.op[row] == Op.LOAD):
            return False
        place = self.walk.place(facts.operands(row)[0])
        if place is None or not facts.program.is_member_address(facts.operands(row)[0]):
            return False
        base = facts.row_of_value[place.base]
        return not (0 <= base < facts.instr_count and facts.op[base] == Op.ALLOCA)

    def _releases_after(self, names: list[int], call: int) -> list[int]:
        """Instructions after a call that release a pointer with one of these names."""
        after = self.walk.after(call, names[0]) if names else ()
        uses = self._uses(names, call)
        return [
            row for row, use in uses if use is Use.RELEASED and self.walk.follows(row, call, after)
        ]

    def _is_stored_before(self, call: int, value: int, uses: list[tuple[int, Use]]) -> bool:
        """Whether somebody else may know a pointer when it is given: it was stored, on some way."""
        walk = self.walk
        stores = [row for row, use in uses if use is Use.STORED]
        return any(walk.follows(call, row, walk.after(row, value)) for row in stores)

    def _is_fresh(self, value: int) -> bool:
        return any(self.facts.callee(row) in self.roles.allocates for row in self._origins(value))

    def _origins(self, value: int) -> list[int]:
        """Calls that a pointer comes from."""
        facts = self.facts
        rows = [facts.row_of_value[origin] for origin, _ in facts.origins(value)]
        return [row for row in rows if 0 <= row < facts.instr_count and facts.is_call(row)]

    def _released(
        self, call: int, found: ArgumentEvidence, value: int, names: list[int], releases: list[int]
    ) -> None:
        """Whatever the call returned, or only where it says so?"""
        walk = self.walk
        made = self.facts.row_of_value[value]
        barred = {walk.block(made)} if 0 <= made < self.facts.instr_count else set()
        blocks = {walk.block(row) for row in releases}
        here = any(walk.block(row) == walk.block(call) and row > call for row in releases)
        before, splits = walk.splits(call, barred)
        without = [
            edge
            for split in splits
            for edge in walk.edges(split)
            if not blocks & walk.reach([edge.target], barred)
        ]
        conditions = [walk.condition(edge, self.facts.result[call]) for edge in without]
        if here or blocks & before or all(self._failed(call, one) for one in conditions):
            found.released += 1
            self._inner(call, names, found)
            return
        found.on_failure += 1
        for condition in conditions:
            if condition is not None:
                found.taken_when[condition] += 1

    def _failed(self, call: int, said: Comparison | None) -> bool:
        """Whether a comparison of a result says that the call failed: a negative number, no pointer.

        Who releases the argument where the call worked, and not there, forgets it.
        """
        if said is None:
            return False
        if self.facts.is_pointer(self.facts.result[call]):
            return (said.op, said.right) == (CompareOp.EQ, 0)
        return said.right < (said.op is CompareOp.LT) and said.op in _NEGATIVE

    def _inner(self, call: int, names: list[int], found: ArgumentEvidence) -> None:
        """Whether callers go on with the pointers that an object holds."""
        facts, walk = self.facts, self.walk
        after = walk.after(call, names[0])
        for name in names:
            for row in facts.users(name):
                rows = [row]
                if row < facts.instr_count and facts.op[row] == Op.GEP:
                    rows = facts.users(facts.result[row])
                for one in rows:
                    if (
                        one < facts.instr_count
                        and facts.op[one] == Op.LOAD
                        and facts.is_pointer(facts.result[one])
                        and walk.follows(one, call, after)
                        and facts.users(facts.result[one])
                    ):
                        found.inner_kept += 1
                        return
        found.inner_gone += 1

    def _uses(self, names: list[int], call: int) -> list[tuple[int, Use]]:
        """Everything that is done with a pointer, other than by the call itself."""
        facts, found = self.facts, []
        for name in names:
            for row in facts.users(name):
                if row != call and row < facts.instr_count:
                    use = self._use(row, name)
                    if use is not None:
                        found.append((row, use))
        return found

    def _use(self, row: int, name: int) -> Use | None:
        facts = self.facts
        op, operands = facts.op[row], facts.operands(row)
        if op == Op.RET:
            return Use.RETURNED
        if op == Op.STORE:
            return Use.STORED if operands[1] == name else Use.READ
        if op in (Op.LOAD, Op.GEP):
            return Use.READ
        if not facts.is_call(row):
            return Use.TESTED if op == Op.ICMP else None
        func = facts.callee(row)
        if func < 0:
            return Use.PASSED
        uses = [
            self._passed(target, at)
            for target in facts.definitions(func)
            for at, value in enumerate(operands[1:])
            if value == name
        ]
        return max(uses, key=lambda use: _WEIGHT[use], default=Use.PASSED)

    def _passed(self, func: int, at: int) -> Use:
        if (func, at) in self.roles.releases:
            return Use.RELEASED
        if (func, at) in self.roles.keeps:
            return Use.STORED
        return Use.READ if (func, at) in self.roles.looks else Use.PASSED

    # Results --------------------------------------------------------------------------------------

    def _result(self, call: int, func: int) -> None:
        found = self.found.results.setdefault(func, ResultEvidence())
        before = found.released.sites
        names = self.facts.flows_on(self.facts.result[call])
        found.ignored += not any(self.facts.users(name) for name in names)
        self._fresh(call, found, names)
        if found.released.sites > before:
            found.shared += self._is_shared(call)
            found.unlent += not self._lends(call)
        for further in self.carried.handed_on(names):
            if self.facts.result[further] >= 0:
                before = found.released.sites
                self._fresh(further, found, self.facts.flows_on(self.facts.result[further]))
                found.unlent += found.released.sites > before

    def _lends(self, call: int) -> bool:
        """Whether an argument is a local variable."""
        facts = self.facts
        rows = [facts.row_of_value[self._base(one)[0]] for one in facts.operands(call)[1:]]
        return any(0 <= row < facts.instr_count and facts.op[row] == Op.ALLOCA for row in rows)

    def _is_shared(self, call: int) -> bool:
        """Whether what a function is given goes to another one later: a container, perhaps."""
        facts, walk = self.facts, self.walk
        for value in facts.operands(call)[1:]:
            is_made = facts.value_kind[value] in (ValueKind.INSTR, ValueKind.PARAM)
            if not is_made or not facts.is_pointer(value):
                continue
            after = walk.after(call, value)
            for row, use in self._uses(walk.names(value, call), call):
                if use is Use.PASSED and walk.follows(row, call, after):
                    return True
        return False

    def _out(self, call: int, func: int, at: int, variable: int, offset: int) -> None:
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
        releases = [row for row, use in self._uses(names, call) if use is Use.RELEASED]
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
            and facts.value_kind[facts.operands(row)[1]] not in _NOWHERE
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
        uses = [*self._uses(names, call), *((row, Use.RELEASED) for row, _ in emptied)]
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
        uses = self._uses(names, call)
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
            found.setdefault((func, self.position(func, at)), []).append(row)
        return found


_NEGATIVE = (CompareOp.LT, CompareOp.LE, CompareOp.EQ)
_HANDED = frozenset({Use.PASSED, Use.STORED, Use.RETURNED})
_WEIGHT = {use: number for number, use in enumerate(Use)}


def parameter_count(facts: Facts, func: int) -> int:
    """Parameters of a function as LLVM sees it; variable arguments come after them."""
    program = facts.program
    type_id = int(program.functions.type[func])
    start = program.types.field_start
    return int(start[type_id + 1] - start[type_id])
