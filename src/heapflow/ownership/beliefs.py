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

from dataclasses import replace

from heapflow.ir.kinds import FuncFlag
from heapflow.ir.program import Program
from heapflow.modelled.take import ProgramModels
from heapflow.models.model import Alloc, FunctionModel
from heapflow.ownership.belief import Beliefs, Kind, UnknownFunctions
from heapflow.ownership.carried import Carried
from heapflow.ownership.collect import collect_evidence
from heapflow.ownership.config import BeliefConfig
from heapflow.ownership.declared import Declared
from heapflow.ownership.evidence import parameter_count
from heapflow.ownership.ledger import Ledger
from heapflow.ownership.loans import Loans
from heapflow.ownership.named import NamedPairs
from heapflow.ownership.results import Results
from heapflow.ownership.roles import Roles
from heapflow.ownership.stands import Stands, as_model
from heapflow.ownership.walk import Walk
from heapflow.pointsto.effects import Effects
from heapflow.pointsto.facts import Facts
from heapflow.policies.inforce import Policies


def form_beliefs(
    program: Program,
    models: ProgramModels,
    choice: UnknownFunctions = UnknownFunctions.BELIEVE,
    config: BeliefConfig | None = None,
    policies: Policies | None = None,
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
        evidence = collect_evidence(carried, roles, unknown)
        before = believed
        believed = _judged(
            Ledger(walk, declared, evidence, unknown, before), policies or Policies()
        )
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


def _judged(ledger: Ledger, policies: Policies) -> Beliefs:
    """The evidence weighed."""
    pairs = NamedPairs(ledger, policies)
    results = Results(ledger, pairs.allocating)
    loans, evidence, program = Loans(ledger, results), ledger.evidence, ledger.program
    for func, at in sorted(evidence.addressed):
        if (func, at) not in ledger.emptying and results.empties(func, at):
            results.add_emptying(func, at)
    pairs.enter()
    fresh = {func: results.of(func) for func in sorted(evidence.results)}
    models: dict[str, FunctionModel] = {}
    for func in sorted(ledger.unknown):
        count, made = parameter_count(ledger.facts, func), fresh.get(func)
        stands = Stands(
            tuple(loans.of(func, at, made) for at in range(count)),
            loans.of(func, count, made) if ledger.is_variadic(func) else None,
            made,
            ledger.declared.never_null(func),
        )
        model = as_model(program.func_name(func), stands)
        if model is not None:
            models[model.name] = model
    listed, untested = tuple(sorted(set(ledger.listed))), frozenset(evidence.untested)
    return Beliefs(models, ledger.families, listed, untested)
