"""What the program says about the types that pointers point to.

In:    Program.     Out: per value, the pointee types that declarations and uses give it.
A value is a register that several source variables may share, so the evidence is a set: the types of
the variables it is bound to, of the parameter or field or function result it comes from, and of the
structs that are accessed through it. `void *` is evidence of nothing; where an untyped pointer is also
handed on untyped, the typed uses say nothing about what else it may hold.
"""

from __future__ import annotations

from heapflow.ir.table import listed
from heapflow.pointsto.codes import BindingKind, Op, TypeKind, ValueKind
from heapflow.pointsto.effects import Effects
from heapflow.pointsto.facts import COPIES, Facts
from heapflow.pointsto.typeref import VOID, Ref, TypeRef, TypeRefs


class ValueTypes:
    """Evidence per value, gathered once."""

    def __init__(
        self, facts: Facts, refs: TypeRefs, effects: Effects, *, typed_receivers: bool = True
    ) -> None:
        self.facts, self.refs, self.effects = facts, refs, effects
        self._typed_receivers = typed_receivers
        self._text_args: dict[int, frozenset[int]] = {}
        self._byte = next((c for c in range(len(facts.program.ctypes)) if self._is_char(c)), None)
        self._variable_type = self._local_variables()
        self.declared: dict[int, set[TypeRef]] = {}
        self.accessed: dict[int, set[TypeRef]] = {}  # structs of geps, per base value
        self._certain: set[int] = set()  # untyped values that become a typed variable at once
        self._relied_on: set[int] = set()
        self._from_bindings()
        self._from_params()
        self._from_rows()

    # -- gathering ----------------------------------------------------------------------------

    def _declare(self, value: int, ref: TypeRef) -> None:
        self.declared.setdefault(value, set()).add(ref)

    def _declare_member(self, value: int, owner: TypeRef, offset: int) -> None:
        for target in self.refs.pointees_at(owner, offset):
            if target is not None:
                self._declare(value, target)

    def _from_bindings(self) -> None:
        b, variables = self.facts.program.bindings, self.facts.program.variables
        rows = zip(
            b.value.tolist(),
            b.variable.tolist(),
            b.kind.tolist(),
            b.offset.tolist(),
            b.instr.tolist(),
            strict=True,
        )
        ctypes = variables.ctype.tolist()
        blocks = listed(self.facts.program.instrs.block)
        for value, variable, kind, offset, row in rows:
            if kind == BindingKind.VALUE and value >= 0 and offset >= 0:
                owner = self.refs.of_ctype(ctypes[variable])
                self._declare_member(value, owner, offset)
                if self._typed_receivers and blocks[row] == self._block_of(value, blocks):
                    self._receive(value, owner, offset)

    def _block_of(self, value: int, blocks: list[int]) -> int:
        """Where a register gets its value."""
        facts = self.facts
        row = facts.row_of_value[value]
        if row >= 0:
            return blocks[row] if row < facts.instr_count else -1
        if facts.value_kind[value] != ValueKind.PARAM:
            return -1
        func = int(facts.program.params.func[facts.value_index[value]])
        return int(facts.program.functions.block_start[func])

    def _receive(self, value: int, owner: TypeRef, offset: int) -> None:
        targets = self.refs.pointees_at(owner, offset)
        if all(target is not None and not self._says_nothing(target) for target in targets):
            self._certain.add(value)

    def _from_params(self) -> None:
        params = self.facts.program.params
        for value, ctype in zip(params.value.tolist(), params.ctype.tolist(), strict=True):
            if ctype >= 0:
                self._declare_member(value, ctype, 0)

    def _from_rows(self) -> None:
        facts = self.facts
        for row in range(facts.row_count):
            op = facts.op[row]
            if op == Op.GEP:
                if facts.type_kind[facts.aux_type[row]] == TypeKind.STRUCT:
                    base = facts.operand[facts.start[row]]
                    self.accessed.setdefault(base, set()).add(
                        self.refs.of_type(facts.aux_type[row])
                    )
            elif op == Op.LOAD:
                if facts.is_pointer(facts.result[row]):
                    self._from_place(facts.result[row], facts.operand[facts.start[row]])
            elif op == Op.CALL and facts.result[row] >= 0 and facts.is_pointer(facts.result[row]):
                self._from_result(facts.result[row], facts.callee(row))
            elif op == Op.RET and facts.operands(row) and row < facts.instr_count:
                # `return (struct t *)lookup (…)`: the cast says what the value also may be.
                value = facts.operands(row)[0]
                if value in self.declared:
                    self._from_result(value, facts.func_of_instr[row])

    def _from_place(self, value: int, address: int) -> None:
        for owner, offset in self.place_types(address):
            self._declare_member(value, owner, offset)

    def place_types(self, address: int) -> list[tuple[TypeRef, int]]:
        """The struct and offset that an address is formed with."""
        facts = self.facts
        row = facts.row_of_value[address]
        if row >= 0 and facts.op[row] == Op.GEP:
            base, step = facts.operand[facts.start[row]], facts.aux[row]
            # The outermost struct knows best: unnamed structs inside have no C type of their own.
            inside = self._place_in_variable(base)
            if inside:
                return [(ref, offset + step) for ref, offset in inside]
            owner = self.refs.of_type(facts.aux_type[row])
            if self.refs.kind(owner) in (Ref.STRUCT, Ref.UNION) and step >= 0:
                return [(owner, step)]
            return []
        return self._place_of_variable(address)

    def _place_in_variable(self, address: int) -> list[tuple[TypeRef, int]]:
        row = self.facts.row_of_value[address]
        if row >= 0 and self.facts.op[row] == Op.GEP:
            return self.place_types(address)
        return self._place_of_variable(address)

    def _place_of_variable(self, address: int) -> list[tuple[TypeRef, int]]:
        """The declared type of a variable in memory, or of what a pointer to a pointer designates."""
        facts = self.facts
        if facts.value_kind[address] == ValueKind.GLOBAL:
            number = facts.value_index[address]
            table = facts.program.globals
            ctype = int(table.ctype[number])
            return [(ctype if ctype >= 0 else self.refs.of_type(int(table.type[number])), 0)]
        if address in self._variable_type:
            return [(self._variable_type[address], 0)]
        declared = self.declared.get(address, ())
        return [(ref, 0) for ref in declared if self.refs.kind(ref) == Ref.POINTER]

    def _local_variables(self) -> dict[int, TypeRef]:
        program = self.facts.program
        b = program.bindings
        chosen = (b.kind == BindingKind.ADDRESS) & (b.offset == 0)
        ctypes = program.variables.ctype[b.variable[chosen]].tolist()
        pairs = zip(b.value[chosen].tolist(), ctypes, strict=True)
        return {value: ctype for value, ctype in pairs if ctype >= 0}

    def _is_char(self, ctype: int) -> bool:
        return self.refs.kind(ctype) == Ref.DATA and self.refs.size(ctype) == 1

    def _text_arguments(self, func: int) -> frozenset[int]:
        """0-based arguments that an external function takes as text."""
        if func not in self._text_args:
            model = self.effects.of(func)
            params = model.signature.params if model and model.signature else ()
            self._text_args[func] = frozenset(
                position
                for position, param in enumerate(params)
                if "char" in param.text and param.text.count("*") == 1
            )
        return self._text_args[func]

    def _from_result(self, value: int, func: int) -> None:
        """The declared result of a function, for what it returns and for what callers get."""
        ctype = int(self.facts.program.functions.ctype[func]) if func >= 0 else -1
        if ctype >= 0:
            result = self.refs.elem(ctype)
            if self.refs.kind(result) == Ref.POINTER:
                self._declare(value, self.refs.elem(result))

    # -- answers ------------------------------------------------------------------------------

    @property
    def typed_receivers(self) -> int:
        """Untyped values that have a filter because they become a typed variable at once."""
        return len(self._relied_on)

    def is_wild(self, value: int) -> bool:
        """Declared as `void *`, as bytes, or not at all."""
        declared = self.declared.get(value)
        return not declared or any(self._says_nothing(ref) for ref in declared)

    def _says_nothing(self, ref: TypeRef) -> bool:
        kind = self.refs.kind(ref)
        if ref in self.refs.families:
            return False
        return kind == Ref.UNKNOWN or (kind == Ref.DATA and self.refs.size(ref) == 1)

    def typed(self, value: int) -> set[TypeRef]:
        """All types but the ones that say nothing."""
        found = self.declared.get(value, set()) | self.accessed.get(value, set())
        return {ref for ref in found if not self._says_nothing(ref)}

    def filter_types(self, value: int) -> frozenset[TypeRef]:
        """The types that what this pointer points to must have; empty if nothing is sure."""
        found = self.typed(value)
        if not found or any(self.refs.is_bare(ref) for ref in self.declared.get(value, ())):
            return frozenset()
        if self.is_wild(value) and self._handed_on(value):
            if value not in self._certain:
                return frozenset()
            self._relied_on.add(value)
        return frozenset(self._without_any_function(value, found))

    def _without_any_function(self, value: int, found: set[TypeRef]) -> set[TypeRef]:
        """`void (*)(void)` is to functions what `void *` is to objects: other types say more."""
        functions = {ref for ref in found if self.refs.kind(ref) == Ref.FUNC}
        any_function = {ref for ref in functions if not self.refs.params(ref)}
        if not any_function or any_function == functions:
            return found
        if value in self._certain or not self._handed_on(value):
            return found - any_function
        return found

    def _handed_on(self, value: int) -> bool:
        """Does an untyped pointer travel further than to typed accesses?"""
        facts = self.facts
        for row in facts.users(value):
            op = facts.op[row]
            if op in COPIES or op == Op.RET or op == Op.INSERT_VALUE:
                return True
            if op == Op.STORE and facts.operands(row)[1] == value:
                return True
            if facts.is_call(row) and value in facts.operands(row)[1:]:
                func = facts.callee(row)
                if func < 0 or facts.has_body(func):
                    return True
        return False

    def is_data_pointer(self, value: int) -> bool:
        """Declared as a pointer to plain data (`char *`, `int *`) everywhere."""
        declared = self.declared.get(value)
        if not declared or value in self.accessed:
            return False
        return all(self.refs.kind(ref) == Ref.DATA for ref in declared)

    def object_types(self, value: int) -> set[TypeRef]:
        """Types of a fresh block, told by the pointers it is bound to and its first uses.

        VOID: it is a struct or union that nobody describes.
        """
        facts = self.facts
        found: set[TypeRef] = set()
        for alias in facts.flows_on(value):
            found |= self.declared.get(alias, set()) | self.accessed.get(alias, set())
            for row in facts.users(alias):
                found |= self._types_from_use(row, alias)
        if any(self.refs.is_bare(ref) for ref in found):
            return {VOID}
        known = {ref for ref in found if self.refs.kind(ref) != Ref.UNKNOWN}
        if any(self.refs.kind(ref) != Ref.DATA for ref in known):
            return known
        return known.union(*(self.refs.families.get(ref, ()) for ref in found))

    def _types_from_use(self, row: int, value: int) -> set[TypeRef]:
        facts, refs = self.facts, self.refs
        if facts.op[row] == Op.STORE and facts.operands(row)[1] == value:
            places = self.place_types(facts.operands(row)[0])
            targets = {t for owner, off in places for t in refs.pointees_at(owner, off)}
            return {t for t in targets if t is not None and t != VOID}
        if not facts.is_call(row):
            return set()
        func = facts.callee(row)
        if func < 0:
            return set()
        used_as = [n for n, arg in enumerate(facts.operands(row)[1:]) if arg == value]
        if not facts.has_body(func):
            is_text = self._byte is not None and not self._text_arguments(func).isdisjoint(used_as)
            return {self._byte} if is_text and self._byte is not None else set()
        params = facts.params(func)
        found: set[TypeRef] = set()
        for position in used_as:
            if position < len(params):
                found |= self.declared.get(params[position], set())
        return found
