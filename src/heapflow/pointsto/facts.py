"""The program's operations as plain lists, for loops that ask about single instructions.

Instructions and constant expressions share one numbering here (*rows*): a row below `instr_count` is
an instruction, the others are constant expressions. Indexing a list is several times faster than
indexing an array, and this phase looks at every operation a few times.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np

from heapflow.ir.kinds import CHOICES, POINTER_COPIES
from heapflow.ir.program import Program
from heapflow.ir.table import I32, I64, listed, plain
from heapflow.pointsto.codes import FuncFlag, Op, TypeKind, ValueKind
from heapflow.pointsto.config import WalkLimits

# Plain integers: an enum's own operators are slow in loops over all calls.
ALIAS, DECLARATION = int(FuncFlag.ALIAS), int(FuncFlag.DECLARATION)
CALLS = frozenset(map(int, (Op.CALL, Op.INVOKE, Op.CALL_BR)))
FUNCTION, CONST_EXPR = int(ValueKind.FUNCTION), int(ValueKind.CONST_EXPR)
POINTER = int(TypeKind.POINTER)
COPIES = CHOICES | POINTER_COPIES


class Facts:
    """Lists over rows, values and functions."""

    def __init__(self, program: Program, limits: WalkLimits | None = None) -> None:
        self.program = program
        self.limits, self.limits_hit = limits or WalkLimits(), Counter[str]()
        instrs, exprs = program.instrs, program.const_exprs
        self.instr_count = len(instrs)
        self.row_count = len(instrs) + len(exprs)

        def both(name: str) -> list[int]:
            return plain(getattr(instrs, name)) + plain(getattr(exprs, name))

        self.op, self.type = both("op"), both("type")
        self.aux, self.aux2, self.aux_type = both("aux"), both("aux2"), both("aux_type")
        self.result = both("result")
        self.operand, self.stride = both("operand"), both("operand_number")
        shifted = exprs.operand_start[1:] + int(instrs.operand_start[-1])
        self.start: list[int] = plain(instrs.operand_start) + plain(shifted)
        self.value_kind: list[int] = listed(program.values.kind)
        self.value_type: list[int] = listed(program.values.type)
        self.value_index: list[int] = listed(program.values.index)
        self.type_kind: list[int] = program.types.kind.tolist()
        self.func_flags: list[int] = listed(program.functions.flags)
        self.func_of_instr = self._func_of_instr()
        self._params = _rows_of(program.functions.param_start, program.params.value)
        start = program.functions.alternative_start
        others = _rows_of(start, program.functions.alternative)
        self._alternatives = {func: row for func, row in enumerate(others) if row}
        self.row_of_value = self._rows()
        self.use_start, self.use_row = self._uses()

    def _func_of_instr(self) -> list[int]:
        return plain(self.program.blocks.func[self.program.instrs.block])

    def _rows(self) -> list[int]:
        values = self.program.values
        rows = np.full(len(values), -1, dtype=np.int64)
        is_instr = values.kind == ValueKind.INSTR
        is_expr = values.kind == ValueKind.CONST_EXPR
        rows[is_instr] = values.index[is_instr]
        rows[is_expr] = values.index[is_expr].astype(np.int64) + self.instr_count
        return plain(rows)

    def _uses(self) -> tuple[list[int], list[int]]:
        """Rows that use each value, as offsets and rows."""
        operand = np.array(self.operand, dtype=np.int64)
        begins = np.array(self.start, dtype=np.int64)
        counts = begins[1:] - begins[:-1]
        row = np.repeat(np.arange(self.row_count), counts)
        known = operand >= 0
        order = np.argsort(operand[known], kind="stable")
        start = np.zeros(len(self.value_kind) + 1, dtype=np.int64)
        np.cumsum(np.bincount(operand[known], minlength=len(self.value_kind)), out=start[1:])
        return plain(start), plain(row[known][order])

    def operands(self, row: int) -> list[int]:
        return self.operand[self.start[row] : self.start[row + 1]]

    def users(self, value: int) -> list[int]:
        """Rows that have the value as an operand."""
        return self.use_row[self.use_start[value] : self.use_start[value + 1]]

    def is_pointer(self, value: int) -> bool:
        return self.type_kind[self.value_type[value]] == POINTER

    def is_call(self, row: int) -> bool:
        return self.op[row] in CALLS and row < self.instr_count

    def callee(self, row: int) -> int:
        """The function that a call names, aliases followed; -1 for calls by value."""
        value = self.operand[self.start[row]]
        return self.func_of_value(value)

    def func_of_value(self, value: int) -> int:
        """The function that a value is, through casts and aliases; -1 if it is none."""
        while self.value_kind[value] == CONST_EXPR:
            row = self.row_of_value[value]
            if self.op[row] not in COPIES or self.start[row] == self.start[row + 1]:
                return -1
            value = self.operand[self.start[row]]
        if self.value_kind[value] != FUNCTION:
            return -1
        func = self.value_index[value]
        while self.func_flags[func] & ALIAS:
            func = int(self.program.functions.aliasee[func])
        return func

    def definitions(self, func: int) -> list[int]:
        """The functions that a name may mean: itself, or the alternatives of a declaration."""
        return self._alternatives.get(func) or [func]

    def has_body(self, func: int) -> bool:
        return not self.func_flags[func] & DECLARATION

    def params(self, func: int) -> list[int]:
        """Values of the formal parameters of a function with a body."""
        return self._params[func]

    def origins(self, value: int) -> list[tuple[int, int]]:
        """Where a value comes from through top-level variables: (value, bytes added since).

        Copies, phis, selects, casts and steps by constants are looked through; anything else ends
        the search. More than `most_origins` values on the way: the value is its own origin.
        """
        found: list[tuple[int, int]] = []
        seen = {value}
        pending = [(value, 0)]
        while pending:
            current, offset = pending.pop()
            row = self.row_of_value[current]
            sources = self._sources(row)
            if sources is None:
                found.append((current, offset))
                continue
            step = self.aux[row] if self.op[row] == Op.GEP else 0
            for source in sources:
                if source not in seen:
                    seen.add(source)
                    pending.append((source, offset + step))
            if len(seen) > self.limits.most_origins:
                self.limits_hit["values on the way to an origin"] += 1
                return [(value, 0)]
        return found

    def _sources(self, row: int) -> list[int] | None:
        """Operands that the result of an operation may equal, up to a constant; None if no copy."""
        if row < 0:
            return None
        op = self.op[row]
        if op == Op.SELECT:
            return self.operands(row)[1:]
        if op in COPIES or op == Op.GEP:
            return self.operands(row)[: 1 if op == Op.GEP else None]
        return None

    def flows_on(self, value: int, most: int = 0) -> list[int]:
        """The values that equal this one through copies, phis, selects and casts; itself first."""
        most = most or self.limits.most_copies
        found, pending = [value], [value]
        seen = {value}
        while pending and len(seen) <= most:
            for row in self.users(pending.pop()):
                target = self.result[row]
                if self.op[row] in COPIES and target >= 0 and target not in seen:
                    seen.add(target)
                    found.append(target)
                    pending.append(target)
        if pending:
            self.limits_hit["values that equal one"] += 1
        return found


def _rows_of(start: I64, values: I32) -> list[list[int]]:
    """A ragged relation as lists."""
    bounds, rows = plain(start), plain(values)
    return [rows[first:last] for first, last in pairwise(bounds)]
