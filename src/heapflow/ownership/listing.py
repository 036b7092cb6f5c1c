"""Allocators, deallocators, borrowers and takers of a program, and how each is known.

In:    Program, models in force, Beliefs.     Out: `Listed` rows, one per function and role, sorted.
Example: `xmalloc` is found (it returns the block of `malloc`), `node_new` believed (four callers free
       its result), `strdup` modelled.
Not there: which arguments defined functions borrow or keep; that is the analysis' own result.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from heapflow.ir.kinds import FuncFlag
from heapflow.ir.program import Program
from heapflow.modelled.take import ProgramModels
from heapflow.models.model import (
    AccessPath,
    Alloc,
    Arg,
    Free,
    FunctionModel,
    Give,
    Keep,
    Realloc,
    Ret,
    Take,
    Unref,
)
from heapflow.ownership.belief import Beliefs, Kind
from heapflow.pointsto.allocators import Allocators, find_allocators


class How(StrEnum):
    """Where the knowledge comes from."""

    FOUND = "found"  # in a body
    BELIEVED = "believed"
    MODELLED = "modelled"


@dataclass(frozen=True, slots=True, order=True)
class Listed:
    """One function in one role."""

    function: str
    role: Kind
    arguments: tuple[int, ...]  # from 1; 0: the result
    how: How
    reasons: tuple[str, ...] = ()
    support: int = 0  # call sites for it
    against: int = 0


def list_functions(program: Program, models: ProgramModels, beliefs: Beliefs) -> list[Listed]:
    """Every function of the program that has a role."""
    in_force = beliefs.added_to(models)
    rows = [
        *_found(program, find_allocators(program, in_force)),
        *_believed(beliefs),
        *_modelled(program, models),
    ]
    return sorted(_joined(rows))


def _joined(rows: list[Listed]) -> Iterator[Listed]:
    """One row for all arguments and reasons of a function in a role."""
    grouped: dict[tuple[str, Kind, How], list[Listed]] = {}
    for row in rows:
        grouped.setdefault((row.function, row.role, row.how), []).append(row)
    for (function, role, how), same in grouped.items():
        arguments = sorted({argument for row in same for argument in row.arguments})
        reasons = dict.fromkeys(reason for row in sorted(same) for reason in row.reasons)
        support = sum(row.support for row in set(same))
        against = sum(row.against for row in set(same))
        yield Listed(function, role, tuple(arguments), how, tuple(reasons), support, against)


def _found(program: Program, found: Allocators) -> Iterator[Listed]:
    for handout in found.handouts:
        function, site = program.func_name(handout.func), _site(program, handout.call)
        yield Listed(function, Kind.ALLOCATOR, (handout.arg + 1,), How.FOUND, (site,))
    for release in found.releases:
        function, site = program.func_name(release.func), _site(program, release.call)
        yield Listed(function, Kind.DEALLOCATOR, (release.param + 1,), How.FOUND, (site,))


def _site(program: Program, call: int) -> str:
    callee = program.direct_callee(call)
    file, line, _ = program.position(call)
    return f"`{program.func_name(callee) if callee >= 0 else '?'}` at {file}:{line}"


def _believed(beliefs: Beliefs) -> Iterator[Listed]:
    for one in beliefs.listed:
        reason = (one.reason,) if one.reason else ()
        yield Listed(
            one.function,
            one.kind,
            (one.argument,),
            How.BELIEVED,
            reason,
            one.support,
            one.against,
        )


def _modelled(program: Program, models: ProgramModels) -> Iterator[Listed]:
    skipped = FuncFlag.INTRINSIC | FuncFlag.ALIAS
    for func, flags in enumerate(program.functions.flags.tolist()):
        if not flags & FuncFlag.DECLARATION or flags & skipped:
            continue
        name = program.func_name(func)
        model = models.lookup(name)
        if model is not None:
            yield from _roles(name, model)


def _roles(name: str, model: FunctionModel) -> Iterator[Listed]:
    spoken: set[int] = set()
    for effect in model.effects:
        match effect:
            case Alloc(target) | Give(target):
                yield from _row(name, Kind.ALLOCATOR, target)
            case Realloc(source, target):
                yield from _row(name, Kind.ALLOCATOR, target)
                yield from _row(name, Kind.DEALLOCATOR, source)
            case Free(target) | Unref(target):
                yield from _row(name, Kind.DEALLOCATOR, target)
            case Take(target) | Keep(target):
                yield from _row(name, Kind.TAKER, target)
            case _:
                pass
        for place in ("target", "source", "value", "callee"):
            path = getattr(effect, place, None)
            root = getattr(getattr(path, "path", path), "root", None)
            if isinstance(root, Arg):
                spoken.add(root.index)
    params = model.signature.params if model.signature is not None else ()
    lent = tuple(at for at, p in enumerate(params, start=1) if p.pointer and at not in spoken)
    if lent:
        yield Listed(name, Kind.BORROWER, lent, How.MODELLED)


def _row(name: str, role: Kind, path: AccessPath) -> Iterator[Listed]:
    match path.root:
        case Ret():
            yield Listed(name, role, (0,), How.MODELLED)
        case Arg(index):
            yield Listed(name, role, (index,), How.MODELLED)
        case _:
            pass
