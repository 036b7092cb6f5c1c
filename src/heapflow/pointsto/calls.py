"""Constraints of calls and returns: defined functions, calls by value, intrinsics, assembler.

In:    VarMap, Heap.     Out: constraints in the SystemBuilder; the function table of the system.
Paper: TSE'14 Table 1 (Call, Return), §3 (heap cloning).
A function that hands a block to its callers as clones has two results: `rest`, what it returns besides,
for call sites that have their own clone, and the whole, for calls by value.
"""

from __future__ import annotations

from heapflow.pointsto.codes import FuncFlag, TypeKind, ValueKind
from heapflow.pointsto.config import PointsToConfig
from heapflow.pointsto.effects import Effects
from heapflow.pointsto.external import External
from heapflow.pointsto.facts import Facts
from heapflow.pointsto.heap import Heap
from heapflow.pointsto.signatures import Signatures
from heapflow.pointsto.tracking import Track
from heapflow.pointsto.varmap import VarMap

VA_LIST_AREAS = (8, 16)  # overflow and register save area in x86-64's va_list
VA_LIST_SIZE = 24


class Calls:
    """Collects what calls contribute; `finish` completes the function table."""

    def __init__(
        self, facts: Facts, effects: Effects, variables: VarMap, heap: Heap, config: PointsToConfig
    ) -> None:
        self.facts, self.effects, self.vars, self.heap = facts, effects, variables, heap
        self.system = variables.system
        self.config = config
        self.signatures = Signatures(facts)
        self.external = External(variables)
        self.call_rows: list[int] = []
        self.call_owner: list[int] = []
        self.direct_targets: dict[int, list[int]] = {}
        self.opaque_calls = 0
        self._rest: dict[int, dict[int, int]] = {}  # function, part -> what callers get
        self._whole: dict[int, int] = {}  # function -> what callers by value get
        self._incoming: dict[int, int] = {}  # by-value parameter -> what is copied into it
        self._variadic: dict[int, int] = {}
        self._cloned_calls: dict[int, set[int]] = {}
        for func, row in heap.cloned:
            self._cloned_calls.setdefault(func, set()).add(row)
        self._heap_constraints()

    # -- heap ---------------------------------------------------------------------------------

    def _heap_constraints(self) -> None:
        """[Address] for the results of allocators; stores for those with out-parameters."""
        first = self.vars.objects.first_heap
        for row, block, offset in self.heap.results:
            if self.facts.result[row] >= 0:
                self.vars.add_address(self.vars.var(self.facts.result[row]), first + block, offset)
        for row, arg, behind, block, offset in self.heap.outs:
            args = self.facts.operands(row)[1:]
            if arg < len(args) and self.vars.objects.table.tracked[first + block]:
                pointer = self.vars.var(args[arg])
                if behind:
                    moved = self.vars.fresh()
                    self.system.gep(moved, pointer, behind)
                    pointer = moved
                self.system.store(pointer, self.vars.address_of(first + block, offset))
        for block, offset, value in self.heap.inherited:
            if self.vars.objects.table.tracked[first + block]:
                target = self.vars.address_of(first + block, offset)
                self.system.memcpy(target, self.vars.var(value))
        for func, block, offset in self.heap.generic:
            self.vars.add_address(self._whole_result(func), first + block, offset)

    def rest_of(self, value: int, cloned: set[int]) -> int:
        """A variable with everything that a value holds except the blocks of the given calls."""
        var = self.vars.fresh(self.vars.filter_of(value))
        for origin, offset in self.facts.origins(value):
            if self.facts.row_of_value[origin] in cloned and self.facts.is_call(
                self.facts.row_of_value[origin]
            ):
                row = self.facts.row_of_value[origin]
                origin_var = self._besides_the_block(row)
            else:
                origin_var = self.vars.var(origin)
            if offset:
                self.system.gep(var, origin_var, offset)
            else:
                self.system.copy(var, origin_var)
        return var

    def _besides_the_block(self, row: int) -> int:
        """What a wrapper called here returns other than its blocks."""
        callee = self.facts.callee(row)
        if callee < 0 or not self.facts.has_body(callee):
            return -1
        return self._rest_result(callee, 0)

    # -- function table -----------------------------------------------------------------------

    def _rest_result(self, func: int, part: int) -> int:
        parts = self._rest.setdefault(func, {})
        if part not in parts:
            parts[part] = self.vars.fresh()
        return parts[part]

    def _whole_result(self, func: int) -> int:
        if func not in self._whole:
            self._whole[func] = self.vars.fresh()
        return self._whole[func]

    def variadic_of(self, func: int) -> int:
        """Collects the extra arguments of a variadic function; -1 for other functions."""
        if not self.facts.func_flags[func] & FuncFlag.VARARG or not self.facts.has_body(func):
            return -1
        if func not in self._variadic:
            self._variadic[func] = var = self.vars.fresh()
            area = self.vars.objects.of_varargs[func]
            self.system.store(self.vars.address_of(area), var)
        return self._variadic[func]

    def _param_var(self, value: int) -> int:
        """Where an argument goes: into the parameter, or into the copy that it designates."""
        if value not in self.vars.objects.of_param:
            return self.vars.var(value)
        if value not in self._incoming:
            self._incoming[value] = incoming = self.vars.fresh()
            params = self.facts.program.params
            pointee = int(params.pointee[self.facts.value_index[value]])
            size = int(self.facts.program.types.size[pointee]) if pointee >= 0 else -1
            self.system.memcpy(self.vars.var(value), incoming, size)
        return self._incoming[value]

    def finish(self) -> None:
        """Fill the table of functions that calls by value may reach."""
        for func in range(len(self.facts.func_flags)):
            sig = self.signatures.of_func(func)
            if self.facts.has_body(func):
                params = [self._param_var(value) for value in self.facts.params(func)]
                whole = self._func_result(func)
                rest = self._rest_result(func, 0) if func in self._whole else whole
                self.system.add_func(params, whole, self.variadic_of(func), sig, rest)
                continue
            by_value = self.facts.func_flags[func] & FuncFlag.ADDRESS_TAKEN
            model = self.effects.of(func) if by_value else None
            params, result = self.external.stub(func, model)
            self.system.add_func(params, result, -1, sig)
            self._pad_call_rows(-1)

    def _func_result(self, func: int) -> int:
        parts = list(self._rest.get(func, {}).values())
        if func not in self._whole and len(parts) == 1:
            return parts[0]
        if func not in self._whole and not parts:
            return -1
        whole = self._whole_result(func)
        for var in parts:
            self.system.copy(whole, var)
        return whole

    # -- calls --------------------------------------------------------------------------------

    def ret(self, row: int) -> None:
        """[Return] p: blocks that go on as clones are left out."""
        operands = self.facts.operands(row)
        if not operands or self.vars.tracking[operands[0]] != Track.TRACKED:
            return
        func, value = self.facts.func_of_instr[row], operands[0]
        cloned = self._cloned_calls.get(func)
        if cloned:
            self.system.copy(self._rest_result(func, 0), self.rest_of(value, cloned))
            return
        for offset in self.vars.parts(self.facts.value_type[value]):
            self.system.copy(self._rest_result(func, offset), self.vars.part(value, offset))

    def call(self, row: int) -> None:
        facts = self.facts
        if row in self.heap.copies:
            return
        callee_value = facts.operand[facts.start[row]]
        callee = facts.callee(row)
        if callee < 0:
            if facts.value_kind[callee_value] == ValueKind.INLINE_ASM:
                self._assembler(row)
            else:
                self._call_by_value(row, callee_value)
            return
        if facts.func_flags[callee] & FuncFlag.INTRINSIC:
            self._intrinsic(row, facts.program.func_name(callee))
            return
        targets = facts.definitions(callee)
        self.direct_targets[row] = targets
        for func in targets:
            if facts.has_body(func):
                self._bind(row, func)
            else:
                self._call_external(row, func)

    def _bind(self, row: int, func: int) -> None:
        """[I-CALL] for a call that names its function."""
        facts = self.facts
        args = facts.operands(row)[1:]
        params = facts.params(func)
        for position, arg in enumerate(args):
            source = self.vars.var(arg) if self._is_plain(arg) else -1
            if source < 0:
                continue
            if position < len(params):
                self.system.copy(self._param_var(params[position]), source)
            else:
                self.system.copy(self.variadic_of(func), source)
        result = facts.result[row]
        if result >= 0 and self.vars.tracking[result] == Track.TRACKED:
            for offset in self.vars.parts(facts.type[row]):
                self.system.copy(self.vars.part(result, offset), self._rest_result(func, offset))

    def _is_plain(self, value: int) -> bool:
        kind = self.facts.type_kind[self.facts.value_type[value]]
        return kind not in (TypeKind.STRUCT, TypeKind.ARRAY, TypeKind.OTHER)

    def _call_by_value(self, row: int, callee_value: int) -> None:
        facts = self.facts
        args = [self.vars.var(a) if self._is_plain(a) else -1 for a in facts.operands(row)[1:]]
        result = facts.result[row]
        ret = self.vars.part(result, 0) if result >= 0 else -1
        sig = self.signatures.of_call(row) if self.config.match_signatures else -1
        self.system.call(self.vars.var(callee_value), args, ret, sig, func=facts.func_of_instr[row])
        self.call_rows.append(row)
        self.call_owner.append(-1)

    def _call_external(self, row: int, func: int) -> None:
        facts = self.facts
        model = self.effects.of(func)
        args = [self.vars.var(a) if self._is_plain(a) else -1 for a in facts.operands(row)[1:]]
        result = facts.result[row]
        ret = self.vars.part(result, 0) if result >= 0 else -1
        if model is None:
            self.opaque_calls += 1
            self.external.callbacks(args)
        else:
            numbers = [self._number(a) for a in facts.operands(row)[1:]]
            self.external.apply(model, args, ret, numbers, inherits=False)
            if model.is_belief:
                self.external.callbacks(args)
        self._pad_call_rows(row)

    def _pad_call_rows(self, owner: int) -> None:
        """Calls that models make have no instruction of their own."""
        missing = len(self.system.calls) - len(self.call_rows)
        self.call_rows.extend([-1] * missing)
        self.call_owner.extend([owner] * missing)

    def _number(self, value: int) -> int:
        if self.facts.value_kind[value] != ValueKind.INT:
            return -1
        return int(self.facts.program.values.number[value])

    def _assembler(self, row: int) -> None:
        """Assembler text: the result may be any pointer that goes in."""
        result = self.facts.result[row]
        if result < 0 or self.vars.tracking[result] != Track.TRACKED:
            return
        for arg in self.facts.operands(row)[1:]:
            for offset in self.vars.parts(self.facts.type[row]):
                self.system.copy(self.vars.part(result, offset), self.vars.var(arg))

    def _intrinsic(self, row: int, name: str) -> None:
        facts = self.facts
        args = facts.operands(row)[1:]
        if name.startswith(("llvm.memcpy", "llvm.memmove")):
            size = self._number(args[2])
            self.system.memcpy(self.vars.var(args[0]), self.vars.var(args[1]), size)
        elif name.startswith("llvm.va_start"):
            area = self.vars.objects.of_varargs.get(facts.func_of_instr[row], -1)
            if area >= 0:
                self.variadic_of(facts.func_of_instr[row])
                for offset in VA_LIST_AREAS:
                    place = self.vars.fresh()
                    self.system.gep(place, self.vars.var(args[0]), offset)
                    self.system.store(place, self.vars.address_of(area))
        elif name.startswith("llvm.va_copy"):
            self.system.memcpy(self.vars.var(args[0]), self.vars.var(args[1]), VA_LIST_SIZE)
        elif facts.result[row] >= 0 and facts.is_pointer(facts.result[row]):
            for arg in args:  # launder, ptrmask, expect: one of the operands
                self.system.copy(self.vars.var(facts.result[row]), self.vars.var(arg))
