"""Link translation units on their tables.

In:    `Unit`s: the tables of a file and the programs or libraries that it is linked into.
Out:   one `Program`.
Rules, as a Unix linker's: a name that is not `static` means one definition among the units that share
a link target (units without a recorded target share one with everybody); strong before weak before
inline copies and commons. Where several strong definitions remain (a database of several programs,
without recorded targets), a reference means those that lie nearest in the tree of directories; if
there are several, any of them: it becomes a row of its own that lists them in `alternative`. A name
that a library or a loadable module leaves open means the one definition that another target exports:
of the program that loads it. Any other name without a definition is external.
Guarantees (`ir.check.check_program`): functions with bodies first, in input order; equal types and
equal C types have one id. A definition that lost against another keeps its rows, with flag DISCARDED;
a second name of a definition keeps a row that nothing refers to, with flag ALIAS.
Not modelled: symbol versions, visibility, archives' member selection.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from heapflow.frontend.concat import Concatenated, concatenate
from heapflow.frontend.hooks import with_hooks
from heapflow.frontend.renumber import Renumbering, RowMap, apply_renumbering
from heapflow.frontend.resolve import Targets, resolve_functions, resolve_globals
from heapflow.frontend.uncalled import with_uncalled
from heapflow.frontend.unify import unify_ctypes, unify_types
from heapflow.ir.program import Modules, Program


@dataclass(frozen=True, slots=True)
class Unit:
    """A translation unit with the names of what it is linked into."""

    program: Program
    targets: tuple[str, ...] = ()
    whole: bool = False  # whether all that can name its functions is there


def link_programs(units: Sequence[Unit]) -> Program:
    """One program of all units, in the order given."""
    joined = concatenate([unit.program for unit in units])
    joined = _with_targets(joined, units)
    program = joined.program
    ctypes = unify_ctypes(program)
    types = unify_types(program)
    targets = Targets([frozenset(unit.targets) for unit in units], [unit.whole for unit in units])
    functions = resolve_functions(program, targets)
    globals_ = resolve_globals(program, targets)
    program = _with_prototypes(program, functions)
    renumbering = Renumbering(types=types, ctypes=ctypes, functions=functions, globals=globals_)
    return with_uncalled(with_hooks(apply_renumbering(program, renumbering)))


def _with_prototypes(program: Program, functions: RowMap) -> Program:
    """A declaration that stands for those of other units has the prototype that any of them has."""
    table = program.functions
    first: dict[int, int] = {}  # new id -> a row that has a prototype
    for row in np.flatnonzero(table.prototype >= 0).tolist():
        first.setdefault(int(functions.new_id[row]), row)
    source = np.arange(len(table))
    for row in np.flatnonzero(table.prototype < 0).tolist():
        source[row] = first.get(int(functions.new_id[row]), row)
    table = replace(
        table, prototype=table.prototype[source], const_pointees=table.const_pointees[source]
    )
    return replace(program, functions=table)


def _with_targets(joined: Concatenated, units: Sequence[Unit]) -> Concatenated:
    """Write the units' link targets into the modules table."""
    if not any(unit.targets for unit in units):
        return joined
    ids = dict(zip(joined.program.strings, range(len(joined.program.strings)), strict=True))
    rows = [sorted(set(unit.targets)) for unit in units]
    flat = [ids.setdefault(name, len(ids)) for row in rows for name in row]
    modules = Modules(
        source=joined.program.modules.source,
        whole=np.array([unit.whole for unit in units], dtype=np.uint8),
        target_start=np.cumsum([0, *(len(row) for row in rows)], dtype=np.int64),
        target=np.array(flat, dtype=np.int32),
    )
    return Concatenated(replace(joined.program, strings=tuple(ids), modules=modules))
