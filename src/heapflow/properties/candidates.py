"""Where a program may break a property: cheap, and more often than it does.

In:    Program, CallGraph, models.     Out: `Suspect`s, in the order of the program.
Functions are taken callees first. A suspect lies in the innermost function that sees both sides: the
release (or where the object is from), and the event that does not go with it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum

from heapflow.ir.ids import NO_INSTR, BlockId, FuncId, InstrId
from heapflow.ir.program import Program
from heapflow.modelled.take import ProgramModels
from heapflow.models.model import Family, ResourceKind
from heapflow.pointsto.callgraph import CallGraph
from heapflow.properties.config import PropertiesConfig
from heapflow.properties.facts import CALL_OPS, Facts
from heapflow.properties.follow import Follower
from heapflow.properties.holds import find_holds
from heapflow.properties.machine import Event, Machines
from heapflow.properties.summary import Mark, Pair, Summary

# Kinds whose families are never released by each other's functions. Blocks of memory of two libraries
# often come from one allocator.
_TOLD_APART = (ResourceKind.FILE, ResourceKind.DIRECTORY, ResourceKind.LIBRARY)


_FARTHEST = 1 << 30


class Doubt(Enum):
    """What may be wrong."""

    AFTER_RELEASE = "after release"  # used or released again
    WRONG_RELEASE = "wrong release"  # by another family, of an inner pointer
    NOT_ACQUIRED = "not acquired"  # release of a variable, of a literal


@dataclass(frozen=True, slots=True)
class Suspect:
    """Something that execution has to look at."""

    func: FuncId
    doubt: Doubt
    first: InstrId  # the release, or the call that acquires it; -1: none
    then: frozenset[InstrId]  # instructions at which it goes wrong
    again: bool = False  # whether all of them release it
    is_own: bool = False  # whether the function acquired it, as far as is known
    is_sure: bool = True  # whether some event is of the same pointer, and not of one beside it
    # Calls of the function that may have acquired what `first` releases; the one that is meant, or -1.
    makers: tuple[InstrId, ...] = ()
    maker: InstrId = NO_INSTR

    @property
    def far(self) -> int:
        """How many instructions later it may go wrong; what comes in another turn is the farthest."""
        later = [then - self.first for then in self.then if then > self.first]
        return min(later, default=_FARTHEST) if self.first >= 0 else 0


@dataclass(slots=True)
class Suspects:
    """All of them, and what replay has to know to follow them."""

    found: list[Suspect] = field(default_factory=list)
    machines: Machines = field(default_factory=lambda: Machines({}, {}))
    involved: frozenset[FuncId] = frozenset()  # functions that may release or acquire something
    # By function: its blocks with calls that may release something.
    releasing: Mapping[FuncId, tuple[BlockId, ...]] = field(default_factory=dict)
    # Calls that put an argument where their callers find it again.
    putting: frozenset[InstrId] = frozenset()
    # Descriptors: the function that has one, and the calls that gave it, the acquiring one first.
    descriptors: list[tuple[FuncId, tuple[InstrId, ...]]] = field(default_factory=list)
    limits_hit: Counter[str] = field(default_factory=Counter)


def find_suspects(
    program: Program,
    calls: CallGraph,
    models: ProgramModels,
    config: PropertiesConfig,
    tell: Callable[[int, int], None] = lambda done, of: None,
) -> Suspects:
    """Candidates of the whole program. `tell` hears how many functions of how many are done."""
    machines = Machines(models.families, models.machines)
    facts = Facts(program, calls, models, machines, config)
    summaries: dict[FuncId, Summary] = {}
    pairs: set[Pair] = set()
    putting: set[InstrId] = set()
    result = Suspects()
    if not (config.misuse or config.descriptors):
        return result
    known: set[tuple[tuple[str, int, int], ...]] = set()
    for followed in _follow_all(facts, calls, config, summaries, tell):
        pairs |= followed.pairs
        putting |= followed.putting
        for chain in sorted(followed.chains) if config.descriptors else ():
            place = tuple(program.point(call) for call in chain)
            if place not in known:
                known.add(place)
                result.descriptors.append((followed.func, chain))
        result.limits_hit.update(followed.limits)
    result.limits_hit.update(facts.limits_hit)
    result.putting = frozenset(putting)
    if config.descriptors:
        result.descriptors += find_holds(facts)
    result.involved = frozenset(
        func for func, one in summaries.items() if one.releases or one.exits or one.reached
    )
    result.machines = machines
    result.releasing = _releasing(facts, summaries)
    if config.misuse:
        result.found = _once(program, _suspects(pairs, models.families, machines))
    if len(result.found) > config.most_candidates:
        result.limits_hit["candidates of one program"] += 1
        del result.found[config.most_candidates :]
    return result


def _follow_all(
    facts: Facts,
    calls: CallGraph,
    config: PropertiesConfig,
    summaries: dict[FuncId, Summary],
    tell: Callable[[int, int], None],
) -> list[Followed]:
    """Every function, callees first. Functions that call each other are followed once more, when
    something is known of all of them, and so are those that call one of which more is known then."""
    found: dict[FuncId, Followed] = {}
    order = [func for func in map(FuncId, calls.bottom_up()) if facts.has_body(func)]
    again: set[FuncId] = set()
    for done, func in enumerate(order):
        tell(done, len(order))
        found[func] = _follow(facts, config, summaries, func)
        if found[func].unheard:
            again.add(func)
    changed: set[FuncId] = set()
    for func in order if again else ():
        if func in again or not changed.isdisjoint(found[func].asked):
            before = summaries[func]
            found[func] = _follow(facts, config, summaries, func)
            if summaries[func] != before:
                changed.add(func)
    return list(found.values())


@dataclass(frozen=True, slots=True)
class Followed:
    """What is left of a function that was followed; the rest takes as much as the program's tables."""

    func: FuncId
    pairs: set[Pair]
    chains: set[tuple[InstrId, ...]]
    limits: set[str]
    asked: set[FuncId]
    putting: set[InstrId]
    unheard: bool


def _follow(
    facts: Facts, config: PropertiesConfig, summaries: dict[FuncId, Summary], func: FuncId
) -> Followed:
    follower = Follower(facts, config, summaries, func)
    follower.run()
    summaries[func] = follower.summary
    if (position := follower.flow.returned()) >= 0:
        facts.returned[func] = position
    if (place := follower.flow.got()) is not None and not follower.summary.releases:
        facts.got[func] = place
    if put := follower.flow.put(config.most_put):
        facts.put[func] = put
    chains = {chain for some in follower.chains.values() for chain in some}
    return Followed(
        func,
        follower.pairs,
        chains,
        follower.limits,
        follower.asked,
        follower.flow.putting,
        follower.unheard,
    )


def _releasing(
    facts: Facts, summaries: Mapping[FuncId, Summary]
) -> dict[FuncId, tuple[BlockId, ...]]:
    """Where functions release something, themselves or through others."""
    found: dict[FuncId, tuple[BlockId, ...]] = {}
    for func, summary in summaries.items():
        if summary.releases or summary.reached:
            blocks = facts.blocks_of(func)
            found[func] = tuple(block for block in blocks if _releases(facts, summaries, block))
    return found


def _releases(facts: Facts, summaries: Mapping[FuncId, Summary], block: BlockId) -> bool:
    """Whether a block has a call that may release something."""
    for instr in facts.instrs_in(block):
        if facts.op[instr] not in CALL_OPS:
            continue
        for callee in facts.targets(instr):
            summary = summaries.get(callee)
            if summary is not None:
                if summary.releases or summary.reached:
                    return True
            elif facts.releases(callee, len(facts.operands(instr)) - 1):
                return True
    return False


def _once(program: Program, found: list[Suspect]) -> list[Suspect]:
    """One for each place in the source: a file may be part of several programs."""
    kept: dict[object, Suspect] = {}
    for one in found:
        places = sorted(program.point(instr) for instr in one.then)
        first = program.point(one.first) if one.first >= 0 else None
        kept.setdefault((program.func_name(one.func), one.doubt, first, *places), one)
    return list(kept.values())


def _suspects(
    pairs: set[Pair], families: Mapping[str, Family], machines: Machines
) -> list[Suspect]:
    grouped: dict[tuple[FuncId, Doubt, int], set[tuple[InstrId, bool]]] = {}
    own: set[tuple[FuncId, Doubt, int]] = set()
    sure: set[tuple[FuncId, Doubt, int]] = set()
    makers: dict[int, set[InstrId]] = {}  # by release
    for pair in pairs:
        if pair.tag.mark is Mark.ACQUIRED:
            makers.setdefault(pair.event, set()).add(pair.tag.instr)
        doubt = _doubt(pair, families, machines)
        if doubt is not None:
            # A variable comes from nowhere in particular: each release of one is looked at by itself.
            first = pair.tag.instr if pair.tag.instr >= 0 else -1 - pair.event
            event = (pair.event, bool(pair.family))
            grouped.setdefault((pair.func, doubt, first), set()).add(event)
            if pair.is_own:
                own.add((pair.func, doubt, first))
            if pair.is_sure:
                sure.add((pair.func, doubt, first))
    return [
        Suspect(
            func,
            doubt,
            InstrId(max(first, -1)),
            frozenset(instr for instr, _ in then),
            all(releases for _, releases in then),
            (func, doubt, first) in own,
            (func, doubt, first) in sure,
            tuple(sorted(makers.get(first, ()))),
        )
        for (func, doubt, first), then in sorted(
            grouped.items(), key=lambda item: (item[0][0], item[0][2], item[0][1].value)
        )
    ]


def _doubt(pair: Pair, families: Mapping[str, Family], machines: Machines) -> Doubt | None:
    match pair.tag.mark:
        case Mark.RELEASED | Mark.COUNTED | Mark.PERHAPS | Mark.REACHED:
            machine = machines.of(pair.tag.family)
            events = (Event.RELEASED,) if pair.family else (Event.USED, Event.KEPT)
            is_fault = machine is not None and any(machine.fault(machine.gone, e) for e in events)
            return Doubt.AFTER_RELEASE if is_fault else None
        case Mark.STACK | Mark.STATIC:
            return Doubt.NOT_ACQUIRED
        case Mark.INNER:
            return Doubt.WRONG_RELEASE
        case Mark.ACQUIRED:
            fits = do_not_fit(families, pair.tag.family, pair.family)
            return Doubt.WRONG_RELEASE if fits else None


def do_not_fit(families: Mapping[str, Family], acquired: str, released: str) -> bool:
    """Whether a release is of the wrong family."""
    if acquired == released:
        return False
    first, second = families.get(acquired), families.get(released)
    if first is None or second is None or first.arena or second.arena:
        return False
    return first.kind is not second.kind or first.kind in _TOLD_APART
