"""Functions that are not known: what declarations and callers make us believe of them.

In:    Program, models, UnknownFunctions.     Out: Beliefs: models of these functions, and the evidence.
Paper: Engler et al. (SOSP'01); Ravitch and Liblit, ISMM'13.
Example: `n = node_new(); … node_free(n);` in four places: `node_new` allocates, `node_free` releases.
A belief is a model with `is_belief`: later phases treat it as any other, but take it that the
function may write to whatever it is given. What no belief covers is exposed, as if there were no model.
Which evidence is enough: docs/decisions/0095-beliefs.md#beliefs-about-functions-that-are-not-known.
Not modelled: functions that are called through pointers only; what depends on an argument's value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum

from heapflow.ir.kinds import FuncFlag, TypeKind
from heapflow.ir.program import Program
from heapflow.modelled.take import ProgramModels
from heapflow.models.conditions import holds_for
from heapflow.models.model import Alloc, Comparison, Family, FunctionModel, Op, ResourceKind
from heapflow.ownership.carried import Carried
from heapflow.ownership.config import BeliefConfig
from heapflow.ownership.declared import Const, Declared
from heapflow.ownership.ending import says_emptied, says_fresh, says_keep, says_release
from heapflow.ownership.evidence import (
    ArgumentEvidence,
    Collector,
    Evidence,
    ResultEvidence,
    Ways,
    parameter_count,
)
from heapflow.ownership.roles import MALLOC, Roles
from heapflow.ownership.stands import Argument, Fresh, Stand, Stands, as_model
from heapflow.ownership.walk import Walk
from heapflow.pointsto.effects import Effects
from heapflow.pointsto.facts import Facts


class UnknownFunctions(StrEnum):
    """What to do with functions of which only calls are seen."""

    BELIEVE = "believe"
    ESCAPE = "escape"  # they take whatever they get
    BORROW = "borrow"  # they take nothing


class Kind(StrEnum):
    """What a function is believed to be."""

    ALLOCATOR = "allocator"
    DEALLOCATOR = "deallocator"
    BORROWER = "borrower"
    TAKER = "taker"


@dataclass(frozen=True, slots=True, order=True)
class Belief:
    """One belief, and how many call sites speak for it and against it."""

    function: str
    kind: Kind
    argument: int  # from 1; 0: the result
    support: int
    against: int
    family: str = ""
    reason: str = ""
    is_address: bool = False  # a deallocator gets the address of the variable that it empties


@dataclass(frozen=True, slots=True)
class Beliefs:
    """What is believed, and the models that say so."""

    models: dict[str, FunctionModel] = field(default_factory=dict)
    families: dict[str, Family] = field(default_factory=dict)
    listed: tuple[Belief, ...] = ()
    untested: frozenset[int] = frozenset()  # calls at which nobody asks whether they worked
    limits_hit: Counter[str] = field(default_factory=Counter, compare=False)

    def about(self, program: Program, func: int, argument: int) -> list[Belief]:
        """What is believed of one argument (from 1) of a function, or of its result (0)."""
        name = program.func_name(func)
        start, type_id = program.types.field_start, int(program.functions.type[func])
        position = min(argument, int(start[type_id + 1] - start[type_id]) + 1)
        return [
            one
            for one in self.listed
            if one.function == name
            and (one.argument == position or (not position and one.kind is Kind.ALLOCATOR))
            and not (position and one.kind is Kind.ALLOCATOR)
        ]

    def added_to(self, models: ProgramModels) -> ProgramModels:
        """The models in force, with these."""
        if not self.models:
            return models
        own = {**self.models, **models.own}
        return ProgramModels(models.base, own, {**models.found, **self.families}, self.untested)


def form_beliefs(
    program: Program,
    models: ProgramModels,
    choice: UnknownFunctions = UnknownFunctions.BELIEVE,
    config: BeliefConfig | None = None,
) -> Beliefs:
    """What is believed of every function that is called and not known."""
    if choice is UnknownFunctions.ESCAPE:
        return Beliefs()
    unknown = _unknown(program, models)
    if not unknown:
        return Beliefs()
    config = config or BeliefConfig()
    if choice is UnknownFunctions.BORROW:
        return _all_borrowed(program, unknown)
    facts = Facts(program)
    walk = Walk(facts, config)
    carried, declared = Carried(walk), Declared(program, config, walk.limits_hit)
    believed = Beliefs()
    for _ in range(config.rounds):
        roles = Roles(walk, believed.added_to(models))
        evidence = Collector(carried, roles, unknown).collect()
        before = believed
        believed = _Judge(walk, declared, evidence, unknown, before).run()
        if _makers(believed) == _makers(before):
            break
    else:
        walk.limits_hit["rounds"] += 1
    return replace(_own_families(program, models, believed), limits_hit=walk.limits_hit)


def _own_families(program: Program, models: ProgramModels, beliefs: Beliefs) -> Beliefs:
    """Blocks of an arena die with it; but where only believed functions make them, and none of those
    that the models name, a function of another program has the releaser's name."""
    effects = Effects(program, models)
    made = {
        effect.family
        for func in range(len(program.functions.flags))
        if (model := effects.of(func)) is not None
        for effect in model.effects
        if isinstance(effect, Alloc)
    }
    found = dict(beliefs.families)
    for one in beliefs.listed:
        family = models.families.get(one.family)
        if one.kind is Kind.ALLOCATOR and family and family.arena and one.family not in made:
            found[one.family] = replace(family, arena=False)
    return replace(beliefs, families=found)


def _makers(beliefs: Beliefs) -> set[tuple[str, Kind, int]]:
    changing = (Kind.ALLOCATOR, Kind.DEALLOCATOR)
    return {(b.function, b.kind, b.argument) for b in beliefs.listed if b.kind in changing}


def _unknown(program: Program, models: ProgramModels) -> frozenset[int]:
    """External functions without a model."""
    functions, effects = program.functions, Effects(program, models)
    start = functions.alternative_start
    found = []
    for func, flags in enumerate(functions.flags.tolist()):
        plain = (flags & (FuncFlag.DECLARATION | FuncFlag.INTRINSIC | FuncFlag.ALIAS)) == int(
            FuncFlag.DECLARATION
        )
        if plain and start[func] == start[func + 1] and effects.of(func) is None:
            found.append(func)
    return frozenset(found)


def _all_borrowed(program: Program, unknown: frozenset[int]) -> Beliefs:
    models = {
        program.func_name(func): FunctionModel(program.func_name(func), None, (), is_belief=True)
        for func in sorted(unknown)
    }
    return Beliefs(models)


class _Judge:
    """Weighs the evidence."""

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

    def run(self) -> Beliefs:
        for func, at in sorted(self.evidence.addressed):
            if (func, at) not in self.emptying and self._empties(func, at):
                self._add_emptying(func, at)
        fresh = {func: self._result(func) for func in sorted(self.evidence.results)}
        models: dict[str, FunctionModel] = {}
        for func in sorted(self.unknown):
            count = parameter_count(self.facts, func)
            stands = Stands(
                tuple(self._argument(func, at, fresh.get(func)) for at in range(count)),
                self._argument(func, count, fresh.get(func)) if self._is_variadic(func) else None,
                fresh.get(func),
                self.declared.never_null(func),
            )
            model = as_model(self.program.func_name(func), stands)
            if model is not None:
                models[model.name] = model
        listed, untested = tuple(sorted(set(self.listed))), frozenset(self.evidence.untested)
        return Beliefs(models, self.families, listed, untested)

    def _is_variadic(self, func: int) -> bool:
        return bool(self.program.types.count[self.program.functions.type[func]])

    # Results --------------------------------------------------------------------------------------

    def _result(self, func: int) -> Fresh | None:
        found = self.evidence.results[func]
        if self._may_be_buffer(func) or self._hands_back(func):
            return None
        by_attribute = self.declared.gives_fresh(func)
        if self._is_released(func, found, by_attribute):
            family = _most(found.families) or MALLOC
            support = found.released.sites
            who = f"{support} {'caller frees' if support == 1 else 'callers free'} its result"
            reason = who if support else "declared with __attribute__((malloc))"
            self._list(func, Kind.ALLOCATOR, 0, support, found.never, family, reason)
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
            self._list(func, Kind.ALLOCATOR, 0, support, against, family, reason)
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
        is_only = kinds == [TypeKind.POINTER] and not self._is_variadic(func)
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
        if clear <= found.shared < self.config.sites_of_pair and not self.declared.gives_data(func):
            return False
        return clear >= 1 and ways.late <= clear and found.never <= clear

    def _ends(self, ender: int, at: int) -> bool:
        """Whether an unknown function ends what it is given, whatever made it: nobody touches that
        afterwards, and its places are cleared, its owner goes the same way, or the name says so."""
        evidence = self.evidence.arguments.get((ender, at))
        if evidence is None or at >= parameter_count(self.facts, ender) or evidence.spared:
            return False
        ending = evidence.last + evidence.dropped
        if not ending or not self._agree(ender, evidence.sites, ending):
            return False
        if self.declared.const(ender, at) is not Const.NO or not self._only_pointer(ender, at):
            return False
        return evidence.emptied >= self.config.marks or says_release(self.program.func_name(ender))

    def _agree(self, ender: int, sites: int, ending: int) -> bool:
        """Whether it comes last at nearly all call sites; at most of them, if it is named so."""
        is_named = says_release(self.program.func_name(ender))
        tolerated = self.config.tolerated_if_named if is_named else self.config.tolerated
        return tolerated * (sites - ending) <= ending

    def _empties(self, func: int, at: int) -> bool:
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
        if is_const or not self.declared.is_address(func, at) or not self._only_pointer(func, at):
            return False
        return says_release(self.program.func_name(func))

    def _add_emptying(self, func: int, at: int) -> None:
        name, sites = self.program.func_name(func), self.evidence.addressed[func, at].emptied
        self.emptying[func, at] = name
        self.families.setdefault(name, Family(name, ResourceKind.MEMORY, (name,)))
        reason = "nobody reads the variable afterwards whose address it gets"
        self._list(func, Kind.DEALLOCATOR, at + 1, sites, 0, name, reason, is_address=True)

    def _is_pair(self, func: int, found: ResultEvidence, ender: int, at: int, ways: Ways) -> bool:
        """Whether another unknown function ends what this one makes: on several ways out of one
        caller, or in all of several callers."""
        evidence = self.evidence.arguments.get((ender, at))
        if evidence is None or at >= parameter_count(self.facts, ender):
            return False
        ending = evidence.last + evidence.dropped
        if evidence.spared or not self._agree(ender, evidence.sites, ending):
            return False
        if self.declared.const(ender, at) is not Const.NO or not self._only_pointer(ender, at):
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

    def _only_pointer(self, func: int, at: int) -> bool:
        """Whether a function has no result and no other place to put the argument into."""
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
        ]
        is_void = types.kind[types.elem[type_id]] == TypeKind.VOID
        return not places and (is_void or func not in self.evidence.asked)

    def _keeps_nowhere(self, func: int, at: int) -> bool:
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

    def _pair(self, func: int, found: ResultEvidence, ender: int, at: int, sites: int) -> Fresh:
        name = self.program.func_name(ender)
        family = self.enders.get((ender, at), name)
        self.families.setdefault(family, Family(family, ResourceKind.MEMORY, (name,)))
        ends = f"`{name}` ends its result in {sites} {'place' if sites == 1 else 'places'}"
        self._list(func, Kind.ALLOCATOR, 0, sites, found.never, family, ends)
        if (ender, at) not in self.enders:
            self.enders[ender, at] = family
            evidence = self.evidence.arguments[ender, at]
            maker = self.program.func_name(func)
            reason = f"nobody uses its argument afterwards, and `{maker}` makes it"
            self._list(ender, Kind.DEALLOCATOR, at + 1, evidence.last, 0, family, reason)
        return Fresh(family)

    def _out(self, func: int, at: int) -> Fresh | None:
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
        self._list(func, Kind.ALLOCATOR, at + 1, support, found.never, family, reason)
        return Fresh(family, when)

    # Arguments ------------------------------------------------------------------------------------

    def _argument(self, func: int, at: int, fresh: Fresh | None) -> Argument:
        out = self._out(func, at)
        return (
            replace(self._plain(func, at, fresh), fresh=out)
            if out
            else self._plain(func, at, fresh)
        )

    def _plain(self, func: int, at: int, fresh: Fresh | None) -> Argument:
        if (func, at) in self.enders:
            family, deep = self.enders[func, at], self.declared.is_record(func, at)
            return Argument(Stand.RELEASED, family=family, with_contents=deep)
        if (func, at) in self.emptying:
            return Argument(Stand.EMPTIED, family=self.emptying[func, at])
        const = self.declared.const(func, at)
        if self.declared.is_variable(func, at) and (func, at) in self.evidence.outs:
            const = Const.NO  # addresses of variables are not printed, but filled
        found = self.evidence.arguments.get((func, at), ArgumentEvidence())
        member = self._member_size(func, at, found)
        if not found.sites and const is Const.NO:
            return Argument(Stand.UNCLEAR, member=member)
        if const is not Const.TYPED and self._is_taken(found):
            when, _ = min(found.taken_when.items(), key=lambda item: (-item[1], str(item[0])))
            reason = "callers release it only where the result says that it failed"
            self._list(func, Kind.TAKER, at + 1, found.on_failure, found.used, "", reason)
            return Argument(Stand.TAKEN, when=when)
        lives_on = fresh is None or const is Const.NO
        if lives_on and self.declared.may_be_result(func, at):
            return Argument(Stand.UNCLEAR, member=member)
        calls_back = func in self.evidence.call_back or self.declared.calls_back(func)
        if (calls_back and const is Const.NO) or not self._is_borrowed(func, at, found, const):
            return Argument(Stand.UNCLEAR, member=member)
        against = _against(found)
        support = found.spared + found.released + found.used + found.held
        self._list(func, Kind.BORROWER, at + 1, support, against, "", _why(found, const))
        stays = found.inner_kept > found.inner_gone
        deep = const is not Const.NO or self.declared.is_data(func, at) or stays
        return Argument(
            Stand.BORROWED,
            is_const=const is not Const.NO,
            with_contents=deep,
            spares=self._is_owner(func, at),
            member=member,
        )

    def _member_size(self, func: int, at: int, found: ArgumentEvidence) -> int:
        """Bytes of a member that cannot lead to the struct around it. Of a `void *`, callers show what
        kind of member it is."""
        if not self.declared.is_untyped(func, at) or not found.members:
            return self.declared.member_size(func, at)
        sizes = [self.declared.unlinked_size(one) for one in found.members]
        return -1 if min(sizes) < 0 else max(sizes)

    def _is_owner(self, func: int, at: int) -> bool:
        """Whether an argument is a struct whose contents the program itself releases: who borrows it
        leaves them there, unless its name says that it empties or changes things."""
        is_owner = self.declared.pointee(func, at) in self.evidence.owners
        return is_owner and not says_emptied(self.program.func_name(func))

    def _is_taken(self, found: ArgumentEvidence) -> bool:
        others = found.spared + found.released + found.used
        return bool(found.taken_when) and found.on_failure > others

    def _is_borrowed(self, func: int, at: int, found: ArgumentEvidence, const: Const) -> bool:
        """Whether what speaks for a loan outweighs what speaks against it. What goes in as `void *`
        may be a container's element: to use it later, or to give a constant, says nothing then."""
        if const is not Const.NO and self._releases_by_name(func, at):
            return False
        is_plain = const is Const.NO and self.declared.is_untyped(func, at)
        weak = found.used if found.used > 2 * found.last and not is_plain else 0
        static = 0 if is_plain else found.static
        strong = found.local + static + found.released
        support = self.config.strong * strong + weak + self._prior(const)
        against = _against(found)
        if (
            const is Const.NO
            and self.declared.is_record(func, at)
            and self._keeps_nowhere(func, at)
        ):
            against -= found.read
            seen = weak or found.read or found.held
            support += (self.config.no_place if seen else 0) + found.read + found.held
        elif const is Const.NO and self._is_held_text(func, at, found):
            support += self.config.no_place + found.held
        weight = self.config.against if const is Const.NO else self.config.against_const
        return support - weight * against >= self.config.strong

    def _is_held_text(self, func: int, at: int, found: ArgumentEvidence) -> bool:
        """Whether callers ask something about numbers or text that their own structs go on leading to,
        of a function that has no place to keep them."""
        held = found.held and self.declared.is_data(func, at) and self._keeps_nowhere(func, at)
        return bool(held) and not says_release(self.program.func_name(func))

    def _releases_by_name(self, func: int, at: int) -> bool:
        """Whether a name says that a function releases its only pointers, though they lead to what is
        const: `free_list(context, char *const *list)`."""
        types = self.program.types
        is_void = types.kind[types.elem[int(self.program.functions.type[func])]] == TypeKind.VOID
        is_last = at == parameter_count(self.facts, func) - 1
        return is_void and is_last and says_release(self.program.func_name(func))

    def _prior(self, const: Const) -> int:
        """What a declaration alone says for a loan."""
        match const:
            case Const.NO:
                return 0
            case Const.ANYTHING:
                return self.config.const_untyped
            case Const.TYPED:
                return self.config.const_typed

    def _list(
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


def _places(sites: int) -> str:
    return "one place" if sites == 1 else f"{sites} places"


def _against(found: ArgumentEvidence) -> int:
    """Call sites that speak against a loan. Who releases it whatever the result says contradicts those
    who do so in one case only: they would release it twice."""
    return found.dropped + max(0, found.on_failure - found.released)


def _why(found: ArgumentEvidence, const: Const) -> str:
    return ", ".join(_reasons(found, const))


def _reasons(found: ArgumentEvidence, const: Const) -> Iterator[str]:
    if const is not Const.NO:
        yield "declared const"
    if found.released:
        yield f"{found.released} release it afterwards"
    if found.spared:
        yield f"{found.spared} give a variable or a constant"
    if found.held:
        yield f"{found.held} {'keeps' if found.held == 1 else 'keep'} it in a field"
    if found.used:
        yield f"{found.used} use it afterwards"


def _agreed(found: list[Comparison | None]) -> tuple[bool, Comparison | None]:
    """Whether callers agree on when a call worked, and the narrowest of what they ask."""
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
