"""The constraint system: what the solver is given, as flat arrays.

Variables, objects, functions and calls are dense integers without meaning here; `constraints.py`
knows what they stand for. A *cell* is an object and a normalised byte offset; `Layouts` says which
offsets an object has and which cells a type filter admits.

Constraints (the papers' statement forms, docs/paper-map.md):
    address   v ⊇ {(o, off)}             p = &v
    copy      d ⊇ s                      p = q, phi, select, parameter passing
    gep       d ⊇ s + delta              p = &q->off; delta ANYWHERE: unknown offset within the object
    load      d ⊇ *p                     p = *q
    store     *p ⊇ s                     *p = q
    memcpy    *(p + k) ⊇ *(q + k)        for 0 ≤ k < size; size -1: all
    call      by a function value: arguments, extra arguments and the result of every target
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Protocol

import numpy as np

from heapflow.ir.table import I32, I64, U8

ANYWHERE = 1 << 40  # a gep delta: some other place in the same object
NO_FILTER = -1

NDArrayBool = np.ndarray[tuple[int, ...], np.dtype[np.bool_]]


class Layouts(Protocol):
    """What the solver must know of objects. Shapes and filters are dense integers."""

    def cell_offset(self, shape: int, offset: int) -> int:
        """The offset with array indices dropped; -1 outside of the object."""

    def admits(self, type_filter: int, shape: int, offset: int) -> bool:
        """May a pointer that passes this filter designate this place?"""

    def admits_somewhere(self, type_filter: int, shape: int) -> bool:
        """May a pointer that passes this filter designate some place in an object?"""

    def is_untyped(self, shape: int) -> bool:
        """Is nothing known of what lies where, or only that it is words?"""

    def is_shapeless(self, shape: int) -> bool:
        """Is it unknown what lies where, or do uses contradict each other?"""

    def copies(self, target: int, offset: int, source: int, source_offset: int) -> bool:
        """May memory be copied from one such place to another?"""

    def content_filter(self, shape: int, offset: int) -> int:
        """The filter that what is stored at this place must pass, or NO_FILTER."""

    def pointer_offsets(self, shape: int) -> tuple[int, ...]:
        """All places in the object that hold pointers."""

    def element_size(self, shape: int) -> int:
        """Bytes after which the object repeats (an array); 0 if it does not."""


class CallKind(IntEnum):
    """How the arguments of a call by value reach the parameters."""

    DIRECT = 0  # argument i to parameter i
    CALLBACK = 1  # argument 0 to every parameter: an external function calls back


@dataclass(frozen=True, slots=True)
class System:
    """All constraints. -1 stands for "none" in every column."""

    var_filter: I32
    obj_shape: I32
    obj_func: I32  # function that the object is, else -1
    address_var: I32
    address_obj: I32
    address_offset: I64
    copy_dst: I32
    copy_src: I32
    gep_dst: I32
    gep_src: I32
    gep_delta: I64
    gep_filter: I32
    load_dst: I32
    load_ptr: I32
    store_ptr: I32
    store_src: I32
    memcpy_dst: I32
    memcpy_src: I32
    memcpy_size: I64
    call_fn: I32
    call_ret: I32
    call_sig: I32
    call_kind: U8
    call_func: I32  # function that the call is in; -1: external code
    call_arg_start: I64
    call_arg: I32
    func_ret: I32
    func_rest: I32  # the result without the blocks that every caller has its own clones of
    func_variadic: I32  # collects the arguments beyond the parameters
    func_sig: I32
    func_param_start: I64
    func_param: I32
    sig_match: NDArrayBool  # [call signature, function signature]

    @property
    def var_count(self) -> int:
        return len(self.var_filter)


@dataclass
class SystemBuilder:
    """Collects constraints in lists; `freeze` makes the arrays."""

    var_filter: list[int] = field(default_factory=list)
    objects: list[tuple[int, int]] = field(default_factory=list)
    addresses: list[tuple[int, int, int]] = field(default_factory=list)
    copies: list[tuple[int, int]] = field(default_factory=list)
    geps: list[tuple[int, int, int, int]] = field(default_factory=list)
    loads: list[tuple[int, int]] = field(default_factory=list)
    stores: list[tuple[int, int]] = field(default_factory=list)
    memcpys: list[tuple[int, int, int]] = field(default_factory=list)
    calls: list[tuple[int, int, int, int, int]] = field(default_factory=list)
    call_args: list[list[int]] = field(default_factory=list)
    funcs: list[tuple[int, int, int, int]] = field(default_factory=list)
    func_params: list[list[int]] = field(default_factory=list)

    def add_var(self, type_filter: int = NO_FILTER) -> int:
        self.var_filter.append(type_filter)
        return len(self.var_filter) - 1

    def add_object(self, shape: int, func: int = -1) -> int:
        self.objects.append((shape, func))
        return len(self.objects) - 1

    def add_func(
        self,
        params: list[int],
        ret: int = -1,
        variadic: int = -1,
        sig: int = 0,
        rest: int | None = None,
    ) -> int:
        self.funcs.append((ret, variadic, sig, ret if rest is None else rest))
        self.func_params.append(params)
        return len(self.funcs) - 1

    def address(self, var: int, obj: int, offset: int = 0) -> None:
        self.addresses.append((var, obj, offset))

    def copy(self, dst: int, src: int) -> None:
        if dst >= 0 and src >= 0 and dst != src:
            self.copies.append((dst, src))

    def gep(self, dst: int, src: int, delta: int, type_filter: int = NO_FILTER) -> None:
        if dst >= 0 and src >= 0:
            self.geps.append((dst, src, delta, type_filter))

    def load(self, dst: int, ptr: int) -> None:
        if dst >= 0 and ptr >= 0:
            self.loads.append((dst, ptr))

    def store(self, ptr: int, src: int) -> None:
        if ptr >= 0 and src >= 0:
            self.stores.append((ptr, src))

    def memcpy(self, dst: int, src: int, size: int = -1) -> None:
        if dst >= 0 and src >= 0:
            self.memcpys.append((dst, src, size))

    def call(
        self,
        fn: int,
        args: list[int],
        ret: int,
        sig: int,
        kind: CallKind = CallKind.DIRECT,
        func: int = -1,
    ) -> int:
        """Add a call by value; its number is the row of the result's targets."""
        self.calls.append((fn, ret, sig, kind, func))
        self.call_args.append(args)
        return len(self.calls) - 1

    def freeze(self, sig_match: NDArrayBool) -> System:
        i4, i8 = np.int32, np.int64
        objects, addresses = _columns(self.objects, 2), _columns(self.addresses, 3)
        copies, geps = _columns(self.copies, 2), _columns(self.geps, 4)
        loads, stores = _columns(self.loads, 2), _columns(self.stores, 2)
        memcpys = _columns(self.memcpys, 3)
        return System(
            var_filter=np.array(self.var_filter, dtype=i4),
            obj_shape=objects[0].astype(i4),
            obj_func=objects[1].astype(i4),
            address_var=addresses[0].astype(i4),
            address_obj=addresses[1].astype(i4),
            address_offset=addresses[2].astype(i8),
            copy_dst=copies[0].astype(i4),
            copy_src=copies[1].astype(i4),
            gep_dst=geps[0].astype(i4),
            gep_src=geps[1].astype(i4),
            gep_delta=geps[2].astype(i8),
            gep_filter=geps[3].astype(i4),
            load_dst=loads[0].astype(i4),
            load_ptr=loads[1].astype(i4),
            store_ptr=stores[0].astype(i4),
            store_src=stores[1].astype(i4),
            memcpy_dst=memcpys[0].astype(i4),
            memcpy_src=memcpys[1].astype(i4),
            memcpy_size=memcpys[2].astype(i8),
            **self._call_columns(),
            sig_match=sig_match,
        )

    def _call_columns(self) -> dict[str, Any]:
        """Calls by value and the functions that they may reach."""
        calls, funcs = _columns(self.calls, 5), _columns(self.funcs, 4)
        arg_start, args = ragged(self.call_args)
        param_start, params = ragged(self.func_params)
        return {
            "call_fn": calls[0].astype(np.int32),
            "call_ret": calls[1].astype(np.int32),
            "call_sig": calls[2].astype(np.int32),
            "call_kind": calls[3].astype(np.uint8),
            "call_func": calls[4].astype(np.int32),
            "call_arg_start": arg_start,
            "call_arg": args,
            "func_ret": funcs[0].astype(np.int32),
            "func_variadic": funcs[1].astype(np.int32),
            "func_sig": funcs[2].astype(np.int32),
            "func_rest": funcs[3].astype(np.int32),
            "func_param_start": param_start,
            "func_param": params,
        }


def _columns(rows: Sequence[tuple[int, ...]], width: int) -> I64:
    table = np.array(rows, dtype=np.int64).reshape(-1, width)
    columns: I64 = table.T
    return columns


def ragged(rows: list[list[int]]) -> tuple[I64, I32]:
    """Offsets and values of a ragged relation."""
    start = np.zeros(len(rows) + 1, dtype=np.int64)
    start[1:] = np.cumsum([len(row) for row in rows])
    values = np.array([value for row in rows for value in row], dtype=np.int32)
    return start, values
