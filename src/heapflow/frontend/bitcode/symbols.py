"""Functions, global variables and aliases of a module, as its records declare them."""

from __future__ import annotations

from dataclasses import dataclass, field

from heapflow.frontend.bitcode.attributes import NO_ATTRIBUTES, AttributeList, AttributeReader
from heapflow.frontend.bitcode.bitstream import BitstreamError
from heapflow.frontend.bitcode.codes import LINKAGES, Attr, Mod
from heapflow.frontend.bitcode.unit import Unit
from heapflow.ir.kinds import FuncFlag, GlobalFlag, TypeKind, ValueKind

_COPYING = "llvm.expect."  # what programmers say about the probability of a value


@dataclass(slots=True)
class Symbol:
    """One function, global variable or alias; `number` is its LLVM value number."""

    number: int
    name: str
    type: int  # FUNC type of a function, type of a variable's content
    linkage: int
    flags: int
    attributes: AttributeList = field(default=NO_ATTRIBUTES)
    init: int = -1  # LLVM value number of the initialiser
    target: int = -1  # of an alias: LLVM value number of the aliasee
    align: int = 0  # of a variable, in bytes; 0 unknown


@dataclass(slots=True)
class Param:
    """A formal parameter."""

    func: int
    value: int
    flags: int
    pointee: int


class Symbols:
    """Symbols in record order; functions with bodies also in `defined`."""

    def __init__(self, unit: Unit) -> None:
        self._unit = unit
        self.names = b""
        self.functions: list[Symbol] = []
        self.defined: list[Symbol] = []
        self.globals: list[Symbol] = []
        self.aliases: list[Symbol] = []
        self.params: list[Param] = []
        self.param_counts: list[int] = []

    def add_record(self, code: int, ops: list[int], attributes: AttributeReader) -> None:
        name = self.names[ops[0] : ops[0] + ops[1]].decode("utf-8", "replace")
        # A leading \1 tells the assembler not to mangle; it is no part of the name.
        name = name.removeprefix("\x01")
        ops = ops[2:]
        if code == Mod.FUNCTION:
            self._add_function(name, ops, attributes)
        elif code == Mod.GLOBALVAR:
            self._add_global(name, ops)
        else:
            number = self._value(ValueKind.OTHER, ops[1])
            linkage = LINKAGES.get(ops[3], 0)
            self.aliases.append(Symbol(number, name, ops[0], linkage, 0, target=ops[2]))

    def _value(self, kind: ValueKind, space: int) -> int:
        # The pointer type may not be laid out yet: its id is known, though.
        return self._unit.add_value(kind, self._unit.types.pointer_of_space.get(space, 0), -1)

    def _add_function(self, name: str, ops: list[int], attributes: AttributeReader) -> None:
        if self._unit.types.kind[ops[0]] != TypeKind.FUNC:
            raise BitstreamError(f"function {name} has no function type")
        space = ops[16] if len(ops) > 16 else 0
        number = self._value(ValueKind.FUNCTION, space)
        found = attributes.numbered(ops[4])
        facts = (
            (ops[2], FuncFlag.DECLARATION),
            (self._unit.types.count[ops[0]], FuncFlag.VARARG),
            (found.function(Attr.NO_RETURN), FuncFlag.NO_RETURN),
            (found.function(Attr.RETURNS_TWICE), FuncFlag.RETURNS_TWICE),
            (found.result(Attr.NO_ALIAS), FuncFlag.RESULT_NO_ALIAS),
            (found.result(Attr.NON_NULL), FuncFlag.RESULT_NOT_NULL),
            (name.startswith("llvm."), FuncFlag.INTRINSIC),
        )
        flags = sum(int(flag) for holds, flag in facts if holds)  # | on flags is slow
        flags |= found.memory_flags()
        if name.startswith(_COPYING):
            self._unit.copying.add(number)
        symbol = Symbol(number, name, ops[0], LINKAGES.get(ops[3], 0), flags, found)
        self.functions.append(symbol)
        if not ops[2]:
            self.defined.append(symbol)

    def _add_global(self, name: str, ops: list[int]) -> None:
        number = self._value(ValueKind.GLOBAL, ops[1] >> 2)
        flags = int(GlobalFlag.CONSTANT) if ops[1] & 1 else 0
        if not ops[2]:
            flags |= int(GlobalFlag.DECLARATION)
        if len(ops) > 7 and ops[7]:
            flags |= int(GlobalFlag.THREAD_LOCAL)
        linkage = LINKAGES.get(ops[3], 0)
        align = (1 << ops[4]) >> 1  # written as the logarithm plus one
        symbol = Symbol(number, name, ops[0], linkage, flags, init=ops[2] - 1, align=align)
        self.globals.append(symbol)

    def add_params(self, symbol: Symbol, func: int) -> list[int]:
        """Make the parameter values of a function that has a body."""
        values: list[int] = []
        for index, type_id in enumerate(self._unit.types.fields[symbol.type]):
            value = self._unit.add_value(ValueKind.PARAM, type_id, len(self.params))
            attrs = symbol.attributes.parameter(index)
            pointee = attrs.get(Attr.STRUCT_RET, attrs.get(Attr.BY_VAL, -1))
            flags = symbol.attributes.parameter_flags(index)
            self.params.append(Param(func, value, flags, pointee))
            values.append(value)
        self.param_counts.append(len(values))
        return values
