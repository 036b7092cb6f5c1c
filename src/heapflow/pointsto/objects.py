"""The abstract objects of a program: functions, globals, stack variables and heap blocks.

In:    Program, Heap.     Out: ObjectTable, and which object each address constant means.
Objects that cannot hold a pointer are in the table (later phases report heap blocks by it) but stay out
of the points-to sets: `tracked` is False for them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

from heapflow.pointsto.codes import BindingKind, FuncFlag, GlobalFlag, Op, ParamFlag
from heapflow.pointsto.config import PointsToConfig
from heapflow.pointsto.facts import Facts
from heapflow.pointsto.heap import Heap
from heapflow.pointsto.layouts import Shape
from heapflow.pointsto.typeref import Ref, TypeRef, TypeRefs


class ObjectKind(IntEnum):
    """Where an object lives."""

    FUNCTION = 0
    GLOBAL = 1
    STACK = 2  # also the copies of by-value arguments
    VARARGS = 3  # where a variadic function finds its extra arguments
    HEAP = 4


@dataclass
class ObjectTable:
    """Columns by object; `finish` of the result makes arrays of them."""

    kind: list[int] = field(default_factory=list)
    value: list[int] = field(default_factory=list)  # the address value, the result of the call
    instr: list[int] = field(default_factory=list)  # alloca, or the innermost allocating call
    func: list[int] = field(default_factory=list)  # owner; of a FUNCTION object: the function
    shape: list[Shape] = field(default_factory=list)
    tracked: list[bool] = field(default_factory=list)
    chain: list[tuple[int, ...]] = field(default_factory=list)

    def add(
        self,
        kind: ObjectKind,
        shape: Shape,
        *,
        value: int = -1,
        instr: int = -1,
        func: int = -1,
        tracked: bool = True,
        chain: tuple[int, ...] = (),
    ) -> int:
        self.kind.append(kind)
        self.value.append(value)
        self.instr.append(instr)
        self.func.append(func)
        self.shape.append(shape)
        self.tracked.append(tracked)
        self.chain.append(chain)
        return len(self.kind) - 1

    def __len__(self) -> int:
        return len(self.kind)


@dataclass
class Objects:
    """The table and the ways into it."""

    table: ObjectTable = field(default_factory=ObjectTable)
    of_func: list[int] = field(default_factory=list)
    of_global: list[list[int]] = field(default_factory=list)  # several: alternative definitions
    of_alloca: dict[int, int] = field(default_factory=dict)
    of_param: dict[int, int] = field(default_factory=dict)  # by-value copies, by parameter value
    of_varargs: dict[int, int] = field(default_factory=dict)  # by function
    first_heap: int = 0
    pointer_free: int = 0


def build_objects(facts: Facts, refs: TypeRefs, heap: Heap, config: PointsToConfig) -> Objects:
    """All objects; heap objects are the last ones, in the order of `heap.objects`."""
    builder = _Builder(facts, refs, config)
    builder.functions()
    builder.globals()
    builder.stack()
    builder.heap(heap)
    return builder.objects


class _Builder:
    def __init__(self, facts: Facts, refs: TypeRefs, config: PointsToConfig) -> None:
        self.facts, self.refs, self.config = facts, refs, config
        self.objects = Objects()

    def _holds_pointers(self, shape: Shape) -> bool:
        if not self.config.skip_pointer_free:
            return True
        held = not shape.types or any(self.refs.has_pointer(ref) for ref in shape.types)
        self.objects.pointer_free += not held
        return held

    def _shape(self, type_id: int, ctype: int, size: int = -1) -> Shape:
        """The C type if it describes the same bytes, else the LLVM type; outer arrays repeat."""
        ref: TypeRef = self.refs.of_type(type_id)
        if ctype >= 0 and self.refs.size(ctype) == self.refs.size(ref) and self._has_body(ctype):
            ref = self.refs.of_ctype(ctype)
        total = self.refs.size(ref) if size < 0 else size
        repeats = size < 0 and self.refs.size(ref) < 0
        while self.refs.kind(ref) == Ref.ARRAY:
            ref, repeats = self.refs.elem(ref), True
        if self.refs.kind(ref) == Ref.UNKNOWN:
            return Shape((), total)
        return Shape((ref,), total, repeats)

    def _has_body(self, ref: TypeRef) -> bool:
        while self.refs.kind(ref) == Ref.ARRAY:
            ref = self.refs.elem(ref)
        return self.refs.kind(ref) != Ref.UNKNOWN

    def functions(self) -> None:
        ctypes = self.facts.program.functions.ctype.tolist()
        for func in range(len(self.facts.func_flags)):
            known = (ctypes[func],) if ctypes[func] >= 0 else ()
            shape = Shape(known, 1, function=True)
            self.objects.of_func.append(
                self.objects.table.add(ObjectKind.FUNCTION, shape, func=func)
            )
        for func, flags in enumerate(self.facts.func_flags):
            if flags & FuncFlag.ALIAS:
                aliasee = int(self.facts.program.functions.aliasee[func])
                self.objects.of_func[func] = self.objects.of_func[aliasee]

    def globals(self) -> None:
        table = self.facts.program.globals
        address = {
            index: value
            for value, (kind, index) in enumerate(
                zip(self.facts.value_kind, self.facts.value_index, strict=True)
            )
            if kind == 3
        }
        own: list[int] = []
        for number in range(len(table)):
            shape = self._shape(int(table.type[number]), int(table.ctype[number]))
            own.append(
                self.objects.table.add(
                    ObjectKind.GLOBAL,
                    shape,
                    value=address.get(number, -1),
                    tracked=self._holds_pointers(shape),
                )
            )
        start = table.alternative_start
        for number in range(len(table)):
            meant = number
            while table.flags[meant] & GlobalFlag.ALIAS and table.aliasee[meant] >= 0:
                meant = int(table.aliasee[meant])
            others = table.alternative[start[meant] : start[meant + 1]].tolist()
            self.objects.of_global.append([own[other] for other in others or [meant]])

    def stack(self) -> None:
        facts, program = self.facts, self.facts.program
        declared = self._declared_variables()
        for row in range(facts.instr_count):
            if facts.op[row] != Op.ALLOCA:
                continue
            value = facts.result[row]
            shape = self._shape(facts.aux_type[row], declared.get(value, -1))
            if facts.aux[row] < 0 or facts.aux[row] != shape.size:
                # Bytes that are no variable are what `alloca` gives: of no type, as blocks are.
                is_block = value not in declared and self._is_byte(shape)
                types = () if is_block else shape.types
                shape = Shape(types, facts.aux[row], bool(types))
            self.objects.of_alloca[value] = self.objects.table.add(
                ObjectKind.STACK,
                shape,
                value=value,
                instr=row,
                func=facts.func_of_instr[row],
                tracked=self._holds_pointers(shape),
            )
        params = program.params
        for number, flags in enumerate(params.flags.tolist()):
            if flags & ParamFlag.BY_VALUE:
                ctype, value = int(params.ctype[number]), int(params.value[number])
                shape = self._shape(int(params.pointee[number]), ctype)
                self.objects.of_param[value] = self.objects.table.add(
                    ObjectKind.STACK,
                    shape,
                    value=value,
                    func=int(params.func[number]),
                    tracked=self._holds_pointers(shape),
                )
        for func, flags in enumerate(facts.func_flags):
            if flags & FuncFlag.VARARG and facts.has_body(func):
                self.objects.of_varargs[func] = self.objects.table.add(
                    ObjectKind.VARARGS, self._words(), func=func
                )

    def _is_byte(self, shape: Shape) -> bool:
        return all(self.refs.size(ref) == 1 for ref in shape.types)

    def _words(self) -> Shape:
        """An array of pointers."""
        kinds = self.facts.type_kind
        pointer = next((~t for t, kind in enumerate(kinds) if kind == 3), None)
        return Shape((), -1) if pointer is None else Shape((pointer,), -1, True)

    def _declared_variables(self) -> dict[int, int]:
        """C types of the variables that live in allocas."""
        program = self.facts.program
        b = program.bindings
        chosen = (b.kind == BindingKind.ADDRESS) & (b.offset == 0)
        ctypes = program.variables.ctype[b.variable[chosen]].tolist()
        return dict(zip(b.value[chosen].tolist(), ctypes, strict=True))

    def heap(self, heap: Heap) -> None:
        self.objects.first_heap = len(self.objects.table)
        for block in heap.objects:
            tracked = not (self.config.skip_pointer_free and block.pointer_free)
            self.objects.pointer_free += not tracked
            outer = block.chain[-1]
            self.objects.table.add(
                ObjectKind.HEAP,
                block.shape,
                value=self.facts.result[outer],
                instr=block.chain[0],
                func=self.facts.func_of_instr[outer],
                tracked=tracked,
                chain=block.chain,
            )
