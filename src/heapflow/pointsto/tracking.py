"""Which values need a points-to set (filter a), and which integers carry pointers.

In:    Program, evidence on types.     Out: Tracking per value.
A pointer declared as a pointer to plain data everywhere (`char *`, `int *`) needs no set unless a
pointer is loaded, stored or called through it: what it points to holds no pointers, and the value-flow
graph follows the value itself. An integer is followed if it comes from a pointer or becomes one.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from heapflow.ir.table import U8
from heapflow.pointsto.codes import Op, TypeKind, ValueKind, plain
from heapflow.pointsto.config import PointsToConfig
from heapflow.pointsto.facts import COPIES, Facts
from heapflow.pointsto.valuetypes import ValueTypes

INT_MOVES = frozenset({Op.ADD, Op.SUB, Op.AND, Op.OR, Op.XOR, Op.PHI, Op.SELECT, Op.FREEZE})


class Tracking(IntEnum):
    """Whether a value has a points-to set, and if not, why."""

    NO_POINTER = 0  # of a type that holds no pointer
    TRACKED = 1
    DATA_POINTER = 2  # filter a: left out, it only addresses plain data
    CONSTANT = 3  # null, undefined, a number


Track = plain(Tracking)  # for comparisons


def find_tracked(facts: Facts, types: ValueTypes, config: PointsToConfig) -> U8:
    """A `Tracking` per value."""
    program = facts.program
    kinds = program.types.kind
    has_type = program.values.type >= 0
    kind_of_value = np.where(has_type, kinds[program.values.type], TypeKind.VOID)
    state = np.full(len(program.values), Track.NO_POINTER, dtype=np.uint8)
    carries = np.isin(
        kind_of_value, (TypeKind.POINTER, TypeKind.STRUCT, TypeKind.ARRAY, TypeKind.VECTOR)
    )
    state[carries] = Track.TRACKED
    constant = np.isin(
        program.values.kind,
        (ValueKind.NULL, ValueKind.UNDEF, ValueKind.INT, ValueKind.BYTES, ValueKind.FLOAT),
    )
    state[constant] = Track.CONSTANT
    state[list(_pointer_integers(facts))] = Track.TRACKED
    if config.skip_pointer_free:
        needed = _addresses_of_pointers(facts)
        tracked = (state == Track.TRACKED).tolist()
        left_out = [
            value
            for value in types.declared
            if tracked[value] and value not in needed and types.is_data_pointer(value)
        ]
        state[left_out] = Track.DATA_POINTER
    return state


def _addresses_of_pointers(facts: Facts) -> set[int]:
    """Values through which a pointer is loaded, stored or called, and what they are copies of."""
    found: set[int] = set()
    for row in range(facts.row_count):
        match facts.op[row]:
            case Op.LOAD if facts.is_pointer(facts.result[row]):
                found.add(facts.operand[facts.start[row]])
            case Op.STORE if facts.is_pointer(facts.operand[facts.start[row] + 1]):
                found.add(facts.operand[facts.start[row]])
            case Op.CMPXCHG | Op.ATOMIC_RMW | Op.CALL | Op.INVOKE:
                found.add(facts.operand[facts.start[row]])
    pending = list(found)
    while pending:
        row = facts.row_of_value[pending.pop()]
        if row < 0 or (facts.op[row] not in COPIES and facts.op[row] != Op.GEP):
            continue
        for source in facts.operands(row):
            if source not in found:
                found.add(source)
                pending.append(source)
    return found


def _pointer_integers(facts: Facts) -> set[int]:
    """Integers between a ptrtoint and an inttoptr, and 64-bit words copied from memory to memory."""
    wide = {
        number
        for number, (kind, bits) in enumerate(
            zip(facts.type_kind, facts.program.types.bits.tolist(), strict=True)
        )
        if kind == TypeKind.INT and bits == 64
    }
    flow = _IntegerFlow(facts, wide)
    for row in range(facts.row_count):
        op = facts.op[row]
        if op == Op.PTR_TO_INT:
            flow.forward.append(facts.result[row])
        elif op == Op.INT_TO_PTR:
            flow.backward.append(facts.operand[facts.start[row]])
        elif op == Op.STORE and facts.value_type[facts.operand[facts.start[row] + 1]] in wide:
            source = facts.row_of_value[facts.operand[facts.start[row] + 1]]
            if source >= 0 and facts.op[source] == Op.LOAD:
                flow.found.add(facts.operand[facts.start[row] + 1])
    flow.close()
    return {value for value in flow.found if facts.value_type[value] in wide}


class _IntegerFlow:
    def __init__(self, facts: Facts, wide: set[int]) -> None:
        self.facts, self.wide = facts, wide
        self.forward: list[int] = []
        self.backward: list[int] = []
        self.found: set[int] = set()
        self.calls_of: dict[int, list[int]] = {}
        self.returns_of: dict[int, list[int]] = {}
        for row in range(facts.instr_count):
            if facts.is_call(row) and (func := facts.callee(row)) >= 0:
                self.calls_of.setdefault(func, []).append(row)
            elif facts.op[row] == Op.RET and facts.operands(row):
                self.returns_of.setdefault(facts.func_of_instr[row], []).append(row)

    def close(self) -> None:
        seen = {value for value in self.forward if value >= 0}
        pending = list(seen)
        while pending:
            for target in self._targets(pending.pop()):
                if target not in seen and self.facts.value_type[target] in self.wide:
                    seen.add(target)
                    pending.append(target)
        self.found |= seen
        seen = set(self.backward)
        pending = list(seen)
        while pending:
            for source in self._sources(pending.pop()):
                if source not in seen and self.facts.value_type[source] in self.wide:
                    seen.add(source)
                    pending.append(source)
        self.found |= seen

    def _targets(self, value: int) -> list[int]:
        facts, found = self.facts, []
        for row in facts.users(value):
            if facts.op[row] in INT_MOVES:
                found.append(facts.result[row])
            elif facts.is_call(row) and (func := facts.callee(row)) >= 0 and facts.has_body(func):
                params = facts.params(func)
                args = facts.operands(row)[1:]
                found += [p for p, arg in zip(params, args, strict=False) if arg == value]
            elif facts.op[row] == Op.RET:
                func = facts.func_of_instr[row]
                found += [facts.result[call] for call in self.calls_of.get(func, ())]
        return [value for value in found if value >= 0]

    def _sources(self, value: int) -> list[int]:
        facts = self.facts
        row = facts.row_of_value[value]
        if row >= 0:
            if facts.op[row] in INT_MOVES:
                return facts.operands(row)
            if facts.is_call(row):
                returns = self.returns_of.get(facts.callee(row), ())
                return [facts.operands(ret)[0] for ret in returns]
            return []
        if facts.value_kind[value] != ValueKind.PARAM:
            return []
        func = int(facts.program.params.func[facts.value_index[value]])
        position = facts.params(func).index(value)
        calls = (facts.operands(call)[1:] for call in self.calls_of.get(func, ()))
        return [args[position] for args in calls if position < len(args)]
