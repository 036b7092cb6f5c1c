"""Take functions that the program defines by their models, where the models say so.

In:    Program, Models.     Out: Modelled: the program in which these functions are declarations only,
       and the models that hold for it.
Example: a program with its own `malloc`, which hands on to a static `get_block` as other functions do:
       both are external from here on, and calls of both are allocations.
Which models hold over definitions is said in the model files (`over_definitions`, docs/models.md).
Decision 78: docs/decisions/0078-allocators-of-the-program.md.
"""

from __future__ import annotations

from collections import ChainMap, Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from heapflow.frontend.outline import without_bodies
from heapflow.ir.kinds import FuncFlag
from heapflow.ir.program import Program
from heapflow.modelled.bodies import Bodies
from heapflow.modelled.config import ModelledConfig
from heapflow.modelled.fate import Fates
from heapflow.modelled.fits import fits
from heapflow.modelled.foreign import foreign_names
from heapflow.modelled.handing import Handing, Handings
from heapflow.modelled.roles import handed_model, joined
from heapflow.models.load import Models
from heapflow.models.model import (
    AccessPath,
    Alloc,
    Arg,
    Family,
    Free,
    FunctionModel,
    Realloc,
)

_Roles = dict[int, FunctionModel]


@dataclass(frozen=True, slots=True)
class ProgramModels:
    """The models in force for one program: of libraries, and of its own functions by name."""

    base: Models
    own: Mapping[str, FunctionModel] = field(default_factory=dict)
    found: Mapping[str, Family] = field(default_factory=dict)  # families that no file names
    # Calls of functions without a body at which nobody asks whether they worked: they did.
    untested: frozenset[int] = frozenset()
    foreign: frozenset[str] = frozenset()  # names of models that are not meant here

    @property
    def families(self) -> Mapping[str, Family]:
        return ChainMap(dict(self.found), self.base.families) if self.found else self.base.families

    @property
    def machines(self) -> dict[str, tuple[str, Any]]:
        return self.base.machines

    def lookup(self, name: str) -> FunctionModel | None:
        found = self.own.get(name)
        return found or (None if name in self.foreign else self.base.lookup(name))


@dataclass(frozen=True, slots=True)
class Modelled:
    """A program without the bodies that models stand for."""

    program: Program
    models: ProgramModels
    named: int = 0  # functions that a model names
    handed: int = 0  # functions that those hand on to
    limits_hit: Counter[str] = field(default_factory=Counter)


def take_models(program: Program, models: Models, config: ModelledConfig | None = None) -> Modelled:
    """The program as the later phases see it; the same one if no model holds over a definition."""
    found, foreign = _find_named(program, models), foreign_names(program, models)
    if not found:
        return Modelled(program, ProgramModels(models, foreign=foreign))
    own = {func: model for func, model in found.items() if not program.is_declaration(func)}
    search = _Search(program, models, found, own, config or ModelledConfig())
    handed = search.run()
    own, handed = _without_strays(program, own, handed)
    taken = {**own, **handed}
    names = {program.func_name(func): model for func, model in handed.items()}
    return Modelled(
        without_bodies(program, taken),
        ProgramModels(models, names, foreign=foreign),
        len(own),
        len(handed),
        search.limits_hit,
    )


def _find_named(program: Program, models: Models) -> _Roles:
    """Definitions and second names of definitions whose model holds over them."""
    wanted = models.over_definitions()
    ids = {number for number, text in enumerate(program.strings) if text in wanted}
    found: _Roles = {}
    for func, name in enumerate(program.functions.name.tolist()):
        if name not in ids:
            continue
        flags = int(program.functions.flags[func])
        if flags & FuncFlag.DECLARATION and not flags & FuncFlag.ALIAS:
            continue
        model = models.lookup(program.strings[name])
        if (
            model is not None
            and model.signature is not None
            and fits(program, func, model.signature)
        ):
            found[func] = model
    return found


class _Search:
    """Functions that modelled ones hand on to, with the models that they get by it.

    `named` has the second names, too; `own` only functions with bodies.
    """

    def __init__(
        self,
        program: Program,
        models: Models,
        named: _Roles,
        own: _Roles,
        config: ModelledConfig,
    ) -> None:
        bodies, self._config = Bodies(program), config
        self.limits_hit: Counter[str] = Counter()
        self._program, self._named, self._own = program, named, own
        self._handings = Handings(bodies, Fates(bodies, models, own, config, self.limits_hit), own)

    def run(self) -> _Roles:
        roles: _Roles = {}
        for _ in range(self._config.deepest_handing):
            further = self._round(roles)
            if further == roles:
                return self._without_half_pairs(roles)
            roles = further
        self.limits_hit["functions that hand on to each other"] += 1
        return {}  # they hand on in a circle

    def _round(self, roles: _Roles) -> _Roles:
        """What the named functions and those found so far hand on to."""
        found: _Roles = {}
        contradicted: set[int] = set()
        for func, model in {**self._named, **roles}.items():
            handing = self._handing(func, model)
            if handing is None:
                continue
            new = handed_model(self._program, model, handing)
            old = found.get(handing.callee, new)
            both = new if old == new else joined(old, new)
            if both is None:
                contradicted.add(handing.callee)
            else:
                found[handing.callee] = both
        return {func: model for func, model in found.items() if func not in contradicted}

    def _handing(self, func: int, model: FunctionModel) -> Handing | None:
        if not self._program.is_declaration(func):
            return self._handings.of(func, model)
        meant = int(self._program.functions.aliasee[func])
        while self._program.functions.aliasee[meant] >= 0:
            meant = int(self._program.functions.aliasee[meant])
        if meant in self._own or self._program.is_declaration(meant):
            return None
        assert model.signature is not None
        return Handing(meant, {at: at for at in range(1, len(model.signature.params) + 1)})

    def _without_half_pairs(self, roles: _Roles) -> _Roles:
        """Leave out allocators of families whose blocks may be released in ways nobody knows.

        `free` that gives its pointer to several functions: which of them releases it cannot be
        told, so who calls them directly is not seen to free.
        """
        known = {*self._own, *roles}
        unknown = {
            family
            for func, model in self._own.items()
            for family, arg in _released(model)
            if self._handings.goes_astray(func, arg, known)
        }
        return {
            func: model
            for func, model in roles.items()
            if not any(
                isinstance(e, Alloc | Realloc) and e.family in unknown for e in model.effects
            )
        }


def _released(model: FunctionModel) -> Iterator[tuple[str, int]]:
    """Families and arguments of which a function releases the blocks."""
    for effect in model.effects:
        match effect:
            case Free(target=AccessPath(Arg(index), ()), family=family):
                yield family, index
            case _:
                pass


def _without_strays(program: Program, own: _Roles, handed: _Roles) -> tuple[_Roles, _Roles]:
    """Leave out functions that later phases, which know models by name, could mix up.

    A name that may mean several definitions must mean modelled ones only.
    """
    functions = program.functions
    start = functions.alternative_start
    handed = _without_namesakes(program, own, handed)
    while True:
        stray: set[int] = set()
        for func in np.flatnonzero(np.diff(start)).tolist():
            meant = functions.alternative[start[func] : start[func + 1]].tolist()
            if not all(one in own or one in handed for one in meant):
                stray.update(meant)
        if stray.isdisjoint({*own, *handed}):
            return own, handed
        own = {func: model for func, model in own.items() if func not in stray}
        handed = {func: model for func, model in handed.items() if func not in stray}


def _without_namesakes(program: Program, own: _Roles, handed: _Roles) -> _Roles:
    """Leave out functions whose name has another model, or is an external function's as well."""
    functions = program.functions
    of_name: dict[int, set[FunctionModel | None]] = {}
    for func, model in handed.items():
        of_name.setdefault(int(functions.name[func]), set()).add(model)
    start = functions.alternative_start
    external = (functions.flags & (FuncFlag.DECLARATION | FuncFlag.ALIAS)) == FuncFlag.DECLARATION
    external &= start[:-1] == start[1:]
    for func in (*np.flatnonzero(external).tolist(), *own):
        of_name.get(int(functions.name[func]), set()).add(None)
    return {f: model for f, model in handed.items() if len(of_name[int(functions.name[f])]) == 1}
