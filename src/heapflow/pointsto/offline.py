"""Merge variables that must hold equal sets, before solving.

In:    System.     Out: a smaller System, and where each variable went (-1: certainly empty).
Paper: hash-based value numbering as in Hardekopf and Lin (SAS'07, HVN), with loads and geps of equal
       pointers numbered alike; docs/paper-map.md "points-to".
Example: `q = (T *)p` and two loads of `p->next` anywhere in the program: one variable each.
Guarantees (`tests/pointsto/test_solve.py`): the solution of every variable is unchanged.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable
from typing import Any

import numpy as np

from heapflow.ir.table import I32
from heapflow.pointsto.system import NO_FILTER, System
from heapflow.support.scc import components_of

EMPTY = -1
Token = tuple[str, int, *tuple[int, ...]]  # what flows in: how, from which variable, with what
VARIABLES = frozenset(
    """address_var copy_dst copy_src gep_dst gep_src load_dst load_ptr store_ptr store_src
    memcpy_dst memcpy_src""".split()
)
CALL_VARIABLES = tuple(
    "call_fn call_ret call_arg func_ret func_rest func_variadic func_param".split()
)


def reduce_system(system: System) -> tuple[System, I32]:
    """Number the variables by what flows into them; equal numbers are one variable."""
    number, filters = _number_variables(system)
    return _rewrite(system, number, filters), number


def _open_variables(system: System) -> set[int]:
    """Variables that may gain inclusions while solving: those that calls by value bind."""
    if not len(system.call_fn):
        return set()
    columns = (system.func_param, system.func_ret, system.func_variadic, system.call_ret)
    return {var for column in columns for var in column.tolist() if var >= 0}


def _inputs(system: System) -> tuple[list[list[Token]], list[set[int]]]:
    """Per variable: what flows in, as tokens whose second part is the source variable."""
    tokens: list[list[Token]] = [[] for _ in range(system.var_count)]
    sources: list[set[int]] = [set() for _ in range(system.var_count)]
    s = system
    for var, obj, off in zip(
        s.address_var.tolist(), s.address_obj.tolist(), s.address_offset.tolist(), strict=True
    ):
        tokens[var].append(("&", EMPTY, obj, off))
    for dst, src in zip(s.copy_dst.tolist(), s.copy_src.tolist(), strict=True):
        tokens[dst].append(("=", src))
        sources[dst].add(src)
    for dst, src, delta, type_filter in zip(
        s.gep_dst.tolist(),
        s.gep_src.tolist(),
        s.gep_delta.tolist(),
        s.gep_filter.tolist(),
        strict=True,
    ):
        tokens[dst].append(("+", src, delta, type_filter))
        sources[dst].add(src)
    for dst, ptr in zip(s.load_dst.tolist(), s.load_ptr.tolist(), strict=True):
        tokens[dst].append(("*", ptr))
        sources[dst].add(ptr)
    return tokens, sources


def _number_variables(system: System) -> tuple[I32, list[int]]:
    tokens, sources = _inputs(system)
    filters = system.var_filter.tolist()
    opened = _open_variables(system)
    number = [EMPTY] * system.var_count
    numbers: dict[Hashable, int] = {}
    number_filter: list[int] = []
    # Sources come first: the component order is the reverse of the direction of these edges.
    for component in components_of([sorted(found) for found in sources]):
        cyclic = len(component) > 1 or component[0] in sources[component[0]]
        if cyclic or component[0] in opened:
            for var in component:  # its inputs are not known yet; the solver collapses cycles
                number[var] = len(number_filter)
                number_filter.append(filters[var])
            continue
        var = component[0]
        key = _key(tokens[var], number, filters[var])
        if key is None:
            continue
        if isinstance(key, int):
            number[var] = key
            continue
        if key not in numbers:
            numbers[key] = len(number_filter)
            number_filter.append(filters[var])
        number[var] = numbers[key]
    return np.array(number, dtype=np.int32), number_filter


def _key(tokens: list[Token], number: list[int], type_filter: int) -> Hashable:
    """What determines the set: None if it is empty, a number if it is a mere copy."""
    found: set[Hashable] = set()
    for token in tokens:
        if token[0] == "&":
            found.add(token)
            continue
        source = number[token[1]]
        if source != EMPTY:
            found.add((token[0], source, *token[2:]))
    if not found:
        return None
    if len(found) == 1 and type_filter == NO_FILTER:
        (only,) = found
        if isinstance(only, tuple) and only[0] == "=":
            return int(only[1])
    return (type_filter, frozenset(found))


def _rewrite(system: System, number: I32, filters: list[int]) -> System:
    def table(*names: str) -> dict[str, Any]:
        columns = [getattr(system, name) for name in names]
        columns = [
            _mapped(column, number) if name in VARIABLES else column
            for name, column in zip(names, columns, strict=True)
        ]
        keep = np.ones(len(columns[0]), dtype=bool)
        for name, column in zip(names, columns, strict=True):
            if name in VARIABLES:
                keep &= column >= 0
        if names[0] == "copy_dst":
            keep &= columns[0] != columns[1]
        rows = np.unique(np.stack(columns, axis=1)[keep].astype(np.int64), axis=0)
        return {
            name: rows[:, position].astype(columns[position].dtype)
            for position, name in enumerate(names)
        }

    calls: dict[str, Any] = {n: _mapped(getattr(system, n), number) for n in CALL_VARIABLES}
    return dataclasses.replace(
        system,
        var_filter=np.array(filters, dtype=np.int32),
        **table("address_var", "address_obj", "address_offset"),
        **table("copy_dst", "copy_src"),
        **table("gep_dst", "gep_src", "gep_delta", "gep_filter"),
        **table("load_dst", "load_ptr"),
        **table("store_ptr", "store_src"),
        **table("memcpy_dst", "memcpy_src", "memcpy_size"),
        **calls,
    )


def _mapped(column: I32, number: I32) -> I32:
    if not len(number):
        return column
    result: I32 = np.where(column >= 0, number[column], EMPTY).astype(np.int32)
    return result
