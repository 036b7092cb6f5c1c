"""Symbol resolution: which definition a name in a unit means (rules in `link`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from posixpath import commonprefix, dirname, normpath
from typing import Any, NamedTuple

import numpy as np

from heapflow.frontend.renumber import RowMap
from heapflow.ir.kinds import FuncFlag, GlobalFlag, Linkage
from heapflow.ir.program import Program

_STRONG, _WEAK, _COPY = 0, 1, 2  # in the order in which they win
_STRENGTH = {
    Linkage.EXTERNAL: _STRONG,
    Linkage.APPENDING: _STRONG,
    Linkage.WEAK: _WEAK,
    Linkage.LINK_ONCE: _COPY,
    Linkage.COMMON: _COPY,
    Linkage.AVAILABLE_EXTERNALLY: _COPY,
}


class Targets(NamedTuple):
    """What each unit is linked into, and whether all that can name its functions is there."""

    names: Sequence[frozenset[str]]
    whole: Sequence[bool]

    def without_main(self, program: Program) -> list[bool]:
        """Of each unit, whether it is part of libraries or modules only."""
        functions = program.functions
        programs: set[str] = set()
        for row in np.flatnonzero(functions.flags & int(FuncFlag.DECLARATION) == 0).tolist():
            if program.func_name(row) == "main":
                programs |= self.names[int(functions.module[row])]
        return [bool(names) and programs.isdisjoint(names) for names in self.names]


@dataclass(frozen=True, slots=True)
class _Definition:
    row: int  # the row that carries the name
    means: int  # the row that is meant: itself, or what an alias stands for
    module: int
    strength: int
    size: int


class _Resolver:
    """Shared by functions and globals; their flag bits differ."""

    def __init__(
        self,
        table: Any,
        targets: Targets,
        loaded: list[bool],
        sources: list[str],
        sizes: list[int],
        declaration: int,
        alias: int,
        discarded: int,
    ) -> None:
        self.name = table.name.tolist()
        self.module = table.module.tolist()
        self.linkage = table.linkage.tolist()
        self.flags = table.flags.tolist()
        self.aliasee = table.aliasee.tolist()
        self.targets, self.whole = targets.names, targets.whole
        self.loaded, self.sources = loaded, sources
        self.folders = [dirname(source).split("/") for source in sources]
        self.sizes = sizes
        self.declaration, self.alias, self.discarded = declaration, alias, discarded
        self.by_name: dict[int, list[_Definition]] = {}
        self.chosen: dict[tuple[int, int], tuple[int, ...]] = {}

    def run(self, inherited: int, keep_names: bool = False) -> RowMap:
        """`inherited`: flags of a declaration that hold for what it means, too.

        `keep_names`: second names of definitions have rows of their own.
        """
        count = len(self.name)
        defined = [row for row in range(count) if not self.flags[row] & self.declaration]
        is_alias = [bool(self.flags[row] & self.alias) for row in range(count)]
        defined = [row for row in defined if not is_alias[row]]
        self._collect(defined, [row for row in range(count) if is_alias[row]])
        rows = list(defined)
        new_id = [-1] * count
        for new, row in enumerate(defined):
            new_id[row] = new
        flags: dict[int, int] = {}
        alternatives: dict[int, tuple[int, ...]] = {}
        merged: dict[tuple[int, tuple[int, ...]], int] = {}
        for row in range(count):
            if self.linkage[row] == Linkage.INTERNAL and new_id[row] >= 0:
                continue
            found = self._means(row)
            if len(found) == 1 and new_id[found[0]] >= 0:
                new = new_id[found[0]]
                if is_alias[row] and keep_names and found[0] == self._aliasee(row):
                    rows.append(row)  # for its name: what refers to it means the definition
                if new_id[row] >= 0 and new_id[row] != new:
                    flags[new_id[row]] = flags.get(new_id[row], 0) | self.discarded
            else:
                if new_id[row] >= 0:
                    continue  # several strong definitions: each remains, for its own unit
                key = (self.name[row], found)
                if is_alias[row]:
                    key = (self.name[row], (row,))
                new = merged.setdefault(key, len(rows))
                if new == len(rows):
                    rows.append(row)
                    if len(found) > 1:
                        alternatives[new] = tuple(new_id[f] for f in found)
            new_id[row] = new
            flags[new] = flags.get(new, 0) | (self.flags[row] & inherited)
        flags = {row: added for row, added in flags.items() if added}
        return RowMap(
            np.array(rows, dtype=np.int64), np.array(new_id, dtype=np.int64), flags, alternatives
        )

    def _collect(self, defined: list[int], aliases: list[int]) -> None:
        for row in [*defined, *aliases]:
            linkage = self.linkage[row]
            if linkage == Linkage.INTERNAL:
                continue
            means = self._aliasee(row)
            definition = _Definition(
                row, means, self.module[row], _STRENGTH[Linkage(linkage)], self.sizes[row]
            )
            self.by_name.setdefault(self.name[row], []).append(definition)

    def _aliasee(self, row: int) -> int:
        """The definition that a row stands for: itself, or what it is a second name of."""
        for _ in range(64):
            if self.aliasee[row] < 0:
                break
            row = self.aliasee[row]
        return row

    def _means(self, row: int) -> tuple[int, ...]:
        """The definitions that the name in this row's unit may mean; () if external."""
        if self.linkage[row] == Linkage.INTERNAL:
            return ()
        key = (self.name[row], self.module[row])
        found = self.chosen.get(key)
        if found is None:
            found = self.chosen[key] = self._choose(*key)
        return found

    def _choose(self, name: int, module: int) -> tuple[int, ...]:
        mine = self.targets[module]
        visible = [
            d
            for d in self.by_name.get(name, ())
            if d.module == module
            or not mine
            or not self.targets[d.module]
            or mine & self.targets[d.module]
        ]
        if not visible:
            return self._exported(name) if self.loaded[module] else ()
        best = min(d.strength for d in visible)
        visible = [d for d in visible if d.strength == best]
        own = [d for d in visible if d.module == module]
        if best == _STRONG:
            # A unit's own strong definition is what it means, whatever others call the same.
            meant = own or (visible if mine else self._nearest(visible, module))
            return tuple(dict.fromkeys(d.means for d in meant))
        # Weak definitions and copies: one for the whole target. The largest common wins.
        return (max(visible, key=lambda d: (d.size, -d.row)).means,)

    def _exported(self, name: int) -> tuple[int, ...]:
        """What loads a library or module gives it the names that it exports: the one definition that
        others may name."""
        found = {
            d.means
            for d in self.by_name.get(name, ())
            if d.strength == _STRONG and not self.whole[d.module]
        }
        return tuple(found) if len(found) == 1 else ()

    def _nearest(self, found: list[_Definition], module: int) -> list[_Definition]:
        """Without a record of what is linked with what: the definitions that are most at home here.

        Those in the unit's directory or the next one above it; if there are none, those that share
        the longest way down the tree of directories with the unit.
        """
        if len(found) == 1:
            return found
        here = self.folders[module]

        def nearness(definition: _Definition) -> tuple[bool, int]:
            there = self.folders[definition.module]
            shared = len(commonprefix([here, there]))
            return shared == len(there), shared

        best = max(map(nearness, found))
        nearest = [definition for definition in found if nearness(definition) == best]
        # A file that is compiled several times, with other flags each, defines one thing.
        return list({self.sources[d.module]: d for d in reversed(nearest)}.values())[::-1]


def _sources(program: Program) -> list[str]:
    """The units' source files."""
    return [normpath(program.strings[source]) for source in program.modules.source.tolist()]


def resolve_functions(program: Program, targets: Targets) -> RowMap:
    """Which function each row means."""
    table = program.functions
    resolver = _Resolver(
        table,
        targets,
        targets.without_main(program),
        _sources(program),
        [0] * len(table),
        int(FuncFlag.DECLARATION),
        int(FuncFlag.ALIAS),
        int(FuncFlag.DISCARDED),
    )
    inherited = FuncFlag.NO_RETURN | FuncFlag.RETURNS_TWICE | FuncFlag.ADDRESS_TAKEN
    return resolver.run(int(inherited), keep_names=True)


def resolve_globals(program: Program, targets: Targets) -> RowMap:
    """Which global variable each row means."""
    table = program.globals
    resolver = _Resolver(
        table,
        targets,
        targets.without_main(program),
        _sources(program),
        program.types.size[table.type].tolist(),
        int(GlobalFlag.DECLARATION),
        int(GlobalFlag.ALIAS),
        int(GlobalFlag.DISCARDED),
    )
    return resolver.run(0)
