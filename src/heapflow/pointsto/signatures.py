"""Which functions a call by value may reach, judged by number and kind of arguments."""

from __future__ import annotations

import numpy as np

from heapflow.pointsto.codes import TypeKind
from heapflow.pointsto.facts import Facts
from heapflow.pointsto.system import NDArrayBool

Kinds = tuple[int, ...]


class Signatures:
    """Numbers the signatures of calls and functions and tells which match."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.calls: dict[tuple[Kinds, int], int] = {}
        self.funcs: dict[tuple[Kinds, int, bool], int] = {}

    def of_call(self, row: int) -> int:
        facts = self.facts
        args = tuple(_kind(facts, facts.value_type[v]) for v in facts.operands(row)[1:])
        key = (args, _kind(facts, facts.type[row]))
        return self.calls.setdefault(key, len(self.calls))

    def of_func(self, func: int) -> int:
        types = self.facts.program.types
        type_id = int(self.facts.program.functions.type[func])
        start = types.field_start
        span = slice(int(start[type_id]), int(start[type_id + 1]))
        params = tuple(_kind(self.facts, t) for t in types.field_type[span].tolist())
        result = _kind(self.facts, int(types.elem[type_id]))
        key = (params, result, int(types.count[type_id]) == 1)
        return self.funcs.setdefault(key, len(self.funcs))

    def matrix(self) -> NDArrayBool:
        """[call signature, function signature] -> may match."""
        table = np.zeros((max(len(self.calls), 1), max(len(self.funcs), 1)), dtype=bool)
        for call, row in self.calls.items():
            for func, column in self.funcs.items():
                table[row, column] = _matches(call, func)
        return table


def _kind(facts: Facts, type_id: int) -> int:
    """Pointers, integers and floats are told apart; their widths are not (casts between them)."""
    return facts.type_kind[type_id] if type_id >= 0 else TypeKind.VOID


def _matches(call: tuple[Kinds, int], func: tuple[Kinds, int, bool]) -> bool:
    args, wanted = call
    params, result, variadic = func
    if len(args) < len(params) or (len(args) > len(params) and not variadic):
        return False
    if any(a != p for a, p in zip(args, params, strict=False)):
        return False
    return wanted == TypeKind.VOID or wanted == result
