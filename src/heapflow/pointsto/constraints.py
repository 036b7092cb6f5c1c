"""Constraints from the program: every operation that can move a pointer.

In:    Program, models.     Out: Generated (the constraint system and what its numbers stand for).
Paper: TSE'14 Table 1 (statement forms Address, Copy, Field, Load, Store, Phi, Call, Return).
Calls are in calls.py. Not modelled: pointers assembled from bytes, pointers hidden in floats
(docs/unsoundness.md#hidden-pointers).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from heapflow.ir.program import Program
from heapflow.ir.table import U8
from heapflow.pointsto.allocators import Allocators, find_allocators_in
from heapflow.pointsto.calls import Calls
from heapflow.pointsto.casts import Casts, widen_by_casts
from heapflow.pointsto.codes import Op, TypeKind, ValueKind
from heapflow.pointsto.config import PointsToConfig
from heapflow.pointsto.effects import Effects, ModelSource
from heapflow.pointsto.facts import Facts
from heapflow.pointsto.families import find_families
from heapflow.pointsto.heap import Heap, build_heap
from heapflow.pointsto.layouts import ObjectLayouts
from heapflow.pointsto.objects import Objects, build_objects
from heapflow.pointsto.system import System, SystemBuilder
from heapflow.pointsto.tracking import Track, find_tracked
from heapflow.pointsto.typeref import TypeRefs
from heapflow.pointsto.valuetypes import ValueTypes
from heapflow.pointsto.varmap import VarMap


@dataclass(frozen=True)
class Generated:
    """A system with its meaning."""

    facts: Facts
    system: System
    layouts: ObjectLayouts
    objects: Objects
    heap: Heap
    allocators: Allocators
    tracking: U8
    var_of_value: list[int]
    call_rows: list[int]  # call instruction of each call by value; -1: a callback
    call_owner: list[int]  # the external call during which a callback may happen; -1
    direct_targets: dict[int, list[int]]  # call instruction -> functions it names
    typed_receivers: int  # untyped values that become a typed variable at once
    opaque_calls: int  # calls of external functions that have no model


def generate_constraints(
    program: Program, models: ModelSource, config: PointsToConfig
) -> Generated:
    """Read the whole program once and write down its constraints."""
    facts, refs = Facts(program, config), TypeRefs(program, config)
    effects = Effects(program, models)
    types = ValueTypes(facts, refs, effects, typed_receivers=config.typed_receivers)
    casts = Casts(facts, types)
    if config.families:
        refs.families = find_families(refs, casts.type_pairs())
    allocators = find_allocators_in(facts, effects, refs)
    heap = build_heap(facts, effects, types, allocators, config)
    objects = build_objects(facts, refs, heap, config)
    layouts = ObjectLayouts(
        refs,
        filters=config.type_filters,
        content_filters=config.field_filters,
        copy_filters=config.copy_filters,
        prototypes=config.match_prototypes,
        untyped_end=config.untyped_end,
    )
    widen_by_casts(casts, layouts, objects)
    tracking = find_tracked(facts, types, config)
    system = SystemBuilder()
    for shape, kind, func in zip(
        objects.table.shape, objects.table.kind, objects.table.func, strict=True
    ):
        system.add_object(layouts.shape(shape), func if kind == 0 else -1)
    variables = VarMap(facts, types, layouts, objects, tracking, system)
    calls = Calls(facts, effects, variables, heap, config)
    generator = _Generator(variables, calls)
    generator.global_initialisers()
    generator.address_parameters()
    generator.operations()
    calls.finish()
    generator.operands_of_data()
    return Generated(
        facts=facts,
        system=system.freeze(calls.signatures.matrix()),
        layouts=layouts,
        objects=objects,
        heap=heap,
        allocators=allocators,
        tracking=np.array(variables.tracking, dtype=np.uint8),
        var_of_value=variables.of_value,
        call_rows=calls.call_rows,
        call_owner=calls.call_owner,
        direct_targets=calls.direct_targets,
        typed_receivers=types.typed_receivers,
        opaque_calls=calls.opaque_calls,
    )


class _Generator:
    def __init__(self, variables: VarMap, calls: Calls) -> None:
        self.vars, self.calls = variables, calls
        self.facts, self.system = variables.facts, variables.system
        self.objects, self.heap = variables.objects, calls.heap

    def global_initialisers(self) -> None:
        """`T g = { &x, f, … }`: stores before the program begins."""
        table = self.facts.program.globals
        start = table.init_start.tolist()
        offsets, values = table.init_offset.tolist(), table.init_value.tolist()
        own_object = self.objects.of_global
        for number in range(len(table)):
            if start[number] == start[number + 1]:
                continue
            targets = [obj for obj in own_object[number] if self.objects.table.tracked[obj]]
            for entry in range(start[number], start[number + 1]):
                source = self.vars.var(values[entry])
                if source < 0:
                    continue
                for obj in targets:
                    self.system.store(self.vars.address_of(obj, offsets[entry]), source)

    def address_parameters(self) -> None:
        """By-value parameters point to their own copy."""
        for value, obj in self.objects.of_param.items():
            self.vars.add_address(self.vars.var(value), obj)

    def operands_of_data(self) -> None:
        """Give constant addresses that only untracked values go through a set too: memory SSA asks."""
        constants = (ValueKind.GLOBAL, ValueKind.FUNCTION, ValueKind.CONST_EXPR)
        for value, kind in enumerate(self.facts.value_kind):
            if kind in constants and self.facts.is_pointer(value):
                self.vars.var(value)

    def operations(self) -> None:
        facts = self.facts
        tracking = self.vars.tracking
        for row in range(facts.instr_count):
            op = facts.op[row]
            result = facts.result[row]
            if op == Op.STORE:
                self._store(row)
            elif op in (Op.CALL, Op.INVOKE, Op.CALL_BR):
                self.calls.call(row)
            elif op == Op.RET:
                self.calls.ret(row)
            elif result < 0 or tracking[result] != Track.TRACKED:
                continue
            elif op == Op.LOAD:
                self._load(row)
            elif op == Op.ALLOCA:
                # [Address] p = &v
                self.vars.add_address(self.vars.var(result), self.objects.of_alloca[result])
            elif facts.type_kind[facts.type[row]] in (TypeKind.STRUCT, TypeKind.ARRAY):
                self._aggregate(row)
            elif op == Op.EXTRACT_VALUE:
                source = facts.operands(row)[0]
                self.system.copy(self.vars.var(result), self.vars.part(source, facts.aux[row]))
            elif op in (Op.CMPXCHG, Op.ATOMIC_RMW):
                self._atomic(row)
            elif op == Op.VA_ARG:
                self._va_arg(row)
            else:
                # [Copy], [Field], [Phi]
                self.vars.define_copy(row, self.vars.var(result))

    def _load(self, row: int) -> None:
        """[TSE'14 Table 1, Load] p = *q, per pointer in an aggregate."""
        facts, system = self.facts, self.system
        result, pointer = facts.result[row], self.vars.var(facts.operand[facts.start[row]])
        if pointer < 0:
            return
        for offset in self.vars.parts(facts.type[row]):
            system.load(self.vars.part(result, offset), self._at(pointer, offset))

    def _store(self, row: int) -> None:
        """[TSE'14 Table 1, Store] *p = q; blocks that go to the callers as clones go there instead."""
        facts = self.facts
        address, value = facts.operands(row)
        pointer = self.vars.var(address)
        if pointer < 0 or value < 0 or self.vars.tracking[value] != Track.TRACKED:
            return
        if row in self.heap.cloned_stores:
            cloned = self.heap.cloned_stores[row]
            self.system.store(pointer, self.calls.rest_of(value, cloned))
            return
        for offset in self.vars.parts(facts.value_type[value]):
            self.system.store(self._at(pointer, offset), self.vars.part(value, offset))

    def _at(self, pointer: int, offset: int) -> int:
        if offset == 0:
            return pointer
        moved = self.vars.fresh()
        self.system.gep(moved, pointer, offset)
        return moved

    def _aggregate(self, row: int) -> None:
        """Copies of structs in registers, part by part."""
        facts, result = self.facts, self.facts.result[row]
        operands = facts.operands(row)
        offsets = self.vars.parts(facts.type[row])
        match facts.op[row]:
            case Op.INSERT_VALUE:
                whole, piece = operands
                for offset in self.vars.parts(facts.value_type[piece]):
                    target = self.vars.part(result, facts.aux[row] + offset)
                    self.system.copy(target, self.vars.part(piece, offset))
                sources, shift = [whole], 0
            case Op.EXTRACT_VALUE:
                sources, shift = operands, facts.aux[row]
            case Op.SELECT:
                sources, shift = operands[1:], 0
            case Op.CMPXCHG:
                self._atomic(row)
                return
            case _:
                sources, shift = operands, 0
        for source in sources:
            for offset in offsets:
                target = self.vars.part(result, offset)
                self.system.copy(target, self.vars.part(source, offset + shift))

    def _atomic(self, row: int) -> None:
        """Compare-and-exchange and exchange: a load and a store."""
        facts = self.facts
        operands = facts.operands(row)
        pointer = self.vars.var(operands[0])
        self.system.store(pointer, self.vars.var(operands[-1]))
        self.system.load(self.vars.part(facts.result[row], 0), pointer)

    def _va_arg(self, row: int) -> None:
        """The instruction (other targets than x86): whatever extra argument there is."""
        func = self.facts.func_of_instr[row]
        extra = self.calls.variadic_of(func)
        self.system.copy(self.vars.var(self.facts.result[row]), extra)
