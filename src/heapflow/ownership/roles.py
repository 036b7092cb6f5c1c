"""What functions do to the pointers that they are given or return, as far as that is known.

In:    Facts, models.     Out: `Roles`: releasers with their families, allocators, keepers.
Known are models, and defined functions that hand on to them (`pointsto.allocators`).
"""

from __future__ import annotations

from collections.abc import Sequence

from heapflow.models.model import (
    AccessPath,
    Alloc,
    Arg,
    Args,
    Free,
    FunctionModel,
    Give,
    Keep,
    Offset,
    Realloc,
    Ret,
    Take,
    Unref,
)
from heapflow.ownership.walk import Walk
from heapflow.pointsto.allocators import Release, find_allocators_in
from heapflow.pointsto.codes import Op
from heapflow.pointsto.effects import Effects, ModelSource
from heapflow.pointsto.facts import Facts
from heapflow.pointsto.typeref import TypeRefs

MALLOC = "malloc"  # the family of what `free` releases


class Roles:
    """By function and 0-based argument."""

    def __init__(self, walk: Walk, models: ModelSource) -> None:
        facts = walk.facts
        self.releases: dict[tuple[int, int], str] = {}  # -> family
        self.releases_at: dict[tuple[int, int], str] = {}  # what lies where the argument points to
        self.keeps: set[tuple[int, int]] = set()
        self.allocates: dict[int, str] = {}  # functions whose result is fresh -> family
        self.looks: set[tuple[int, int]] = set()  # arguments that are only borrowed
        effects = Effects(facts.program, models)
        for func in range(len(facts.func_flags)):
            if not facts.has_body(func):
                model = effects.of(func)
                if model is not None:
                    self._add(func, model)
        found = find_allocators_in(facts, effects, TypeRefs(facts.program))
        self._add_releases(walk, found.releases)
        self._add_emptying(facts)
        for handout in sorted(found.handouts, key=lambda one: one.level):
            if handout.arg < 0 and not handout.offset:
                family = self.allocates.get(facts.callee(handout.call), MALLOC)
                self.allocates.setdefault(handout.func, family)

    def _add_releases(self, walk: Walk, found: Sequence[Release]) -> None:
        """Defined functions that release a parameter on every way, if it is not NULL."""
        facts = walk.facts
        calls: dict[tuple[int, int], list[int]] = {}
        for one in found:
            calls.setdefault((one.func, one.param), []).append(one.call)
        for _ in range(walk.config.deepest_release):
            before = len(self.releases)
            for (func, param), rows in calls.items():
                families = {row: self._family_at(facts, row) for row in rows}
                known = {row: family for row, family in families.items() if family}
                if not known or (func, param) in self.releases:
                    continue
                value = facts.params(func)[param]
                if not walk.ways_from(func, list(known), {value}):
                    self.releases[func, param] = min(known.values())
            if len(self.releases) == before:
                return
        walk.limits_hit["releasers that call releasers"] += 1

    def _add_emptying(self, facts: Facts) -> None:
        """Defined functions that release what lies where a parameter points to (`cleanup`)."""
        for func in range(len(facts.func_flags)):
            for at, param in enumerate(facts.params(func) if facts.has_body(func) else ()):
                loads = [
                    facts.result[row]
                    for row in facts.users(param)
                    if row < facts.instr_count and facts.op[row] == Op.LOAD
                ]
                calls = [
                    row
                    for load in loads
                    if facts.is_pointer(load)
                    for name in facts.flows_on(load)
                    for row in facts.users(name)
                    if facts.is_call(row)
                ]
                families = {self._family_at(facts, row) for row in calls} - {""}
                if families:
                    self.releases_at[func, at] = min(families)

    def _family_at(self, facts: Facts, call: int) -> str:
        callee, count = facts.callee(call), len(facts.operands(call)) - 1
        for at in range(count):
            if (callee, at) in self.releases:
                return self.releases[callee, at]
        return ""

    def _add(self, func: int, model: FunctionModel) -> None:
        spoken: set[int] = set()
        for effect in model.effects:
            match effect:
                case Free(AccessPath(Arg(index), ()), family) | Unref(
                    AccessPath(Arg(index), ()), family
                ):
                    self.releases[func, index - 1] = family
                case Realloc(source=AccessPath(Arg(index), ()), family=family):
                    self.releases[func, index - 1] = family
                case Free(AccessPath(Arg(index), (Offset(0),)), family):
                    self.releases_at[func, index - 1] = family
                case Take(AccessPath(Arg(index), ())) | Keep(AccessPath(Arg(index), ())):
                    self.keeps.add((func, index - 1))
                case _:
                    pass
            match effect:
                case Alloc(AccessPath(Ret(), ()), family) | Give(AccessPath(Ret(), ()), family):
                    self.allocates[func] = family
                case Realloc(target=AccessPath(Ret(), ()), family=family):
                    self.allocates[func] = family
                case _:
                    pass
            spoken |= _named(effect)
        if model.signature is not None:
            count = len(model.signature.params)
            self.looks |= {(func, at) for at in range(count) if at + 1 not in spoken}


def _named(effect: object) -> set[int]:
    """Arguments that an effect speaks of."""
    found: set[int] = set()
    for name in ("target", "source", "value", "owner", "callee"):
        path = getattr(effect, name, None)
        path = getattr(path, "path", path)
        root = getattr(path, "root", path)
        if isinstance(root, Arg):
            found.add(root.index)
        elif isinstance(root, Args):
            found |= set(range(root.first, root.first + 8))
    return found
