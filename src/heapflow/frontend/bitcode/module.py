"""Bitcode of one translation unit to its `Program` tables.

In:    bitcode as LLVM 22 writes it (after `frontend.canonical`).     Out: Program.
Guarantees: as many functions, blocks, instructions by opcode and calls as LLVM itself counts;
records that are not understood are counted in `Program.unread`.
Raises `BitcodeError` on damaged input.
"""

from __future__ import annotations

from heapflow.frontend.bitcode.attributes import AttributeReader
from heapflow.frontend.bitcode.bitstream import BitstreamError, BlockRef, open_bitstream
from heapflow.frontend.bitcode.codes import (
    IGNORED_BLOCKS,
    IGNORED_MODULE_RECORDS,
    Block,
    Mod,
)
from heapflow.frontend.bitcode.constants import ConstantReader
from heapflow.frontend.bitcode.debug import DebugReader
from heapflow.frontend.bitcode.finish import finish_program
from heapflow.frontend.bitcode.function import FunctionReader
from heapflow.frontend.bitcode.layout import parse_data_layout
from heapflow.frontend.bitcode.symbols import Symbols
from heapflow.frontend.bitcode.unit import Unit
from heapflow.ir.kinds import ValueKind
from heapflow.ir.program import Program

_MAGIC = b"BC\xc0\xde"
_WRAPPER_MAGIC = b"\xde\xc0\x17\x0b"


class BitcodeError(ValueError):
    """The bitcode is damaged, or uses something that this reader does not know."""


def read_module(bitcode: bytes, source: str) -> Program:
    """The tables of a translation unit; `source` is the path that names it."""
    try:
        return _ModuleReader(bitcode, source).read()
    except BitstreamError as error:
        raise BitcodeError(str(error)) from error
    except (IndexError, KeyError, ValueError, OverflowError, RecursionError) as error:
        # Damaged operands surface as failed look-ups; LLVM's verifier lets few of them through.
        raise BitcodeError(f"damaged bitcode ({type(error).__name__}: {error})") from error


class _ModuleReader:
    def __init__(self, bitcode: bytes, source: str) -> None:
        if bitcode[:4] == _WRAPPER_MAGIC:
            offset = int.from_bytes(bitcode[8:12], "little")
            bitcode = bitcode[offset : offset + int.from_bytes(bitcode[12:16], "little")]
        if bitcode[:4] != _MAGIC:
            raise BitstreamError("not an LLVM bitcode file")
        self._source = source
        self._stream = open_bitstream(bitcode)
        self._unit = Unit()
        self._symbols = Symbols(self._unit)
        self._attributes = AttributeReader()
        self._constants = ConstantReader(self._unit)
        self._debug = DebugReader(self._unit, self._stream)
        self._functions = FunctionReader(
            self._unit, self._stream, self._attributes, self._constants, self._debug
        )
        self._bodies_seen = 0

    def read(self) -> Program:
        modules: list[BlockRef] = []
        for block in self._stream.top_level(32):
            if block.block_id == Block.MODULE:
                modules.append(block)
            elif block.block_id == Block.STRTAB:
                for _, _, blob, _ in self._stream.entries(block):
                    self._symbols.names = blob
            elif block.block_id not in IGNORED_BLOCKS:
                self._unit.unread[f"top-level block {block.block_id}"] += 1
        if len(modules) != 1:
            raise BitstreamError(f"{len(modules)} modules in one file")
        self._read_module_block(modules[0])
        for part in (self._attributes.unread, self._unit.types.unread):
            self._unit.unread.update(part)
        return finish_program(
            self._unit,
            self._symbols,
            self._functions.bodies,
            self._constants.block_addresses,
            self._debug,
            self._source,
        )

    def _read_module_block(self, block: BlockRef) -> None:
        data_layout = ""
        for code, ops, _, inner in self._stream.entries(block):
            if inner is not None:
                if inner.block_id == Block.TYPE:
                    self._unit.types.read(self._stream, inner)
                    # The layout string precedes the globals but not always the types.
                self._read_inner(inner, data_layout)
            elif code == Mod.DATALAYOUT:
                data_layout = bytes(ops).decode("latin-1")
            elif code in (Mod.GLOBALVAR, Mod.FUNCTION, Mod.ALIAS, Mod.IFUNC):
                self._symbols.add_record(code, ops, self._attributes)
            elif code == Mod.VERSION:
                if ops[0] != 2:
                    raise BitstreamError(f"module version {ops[0]} is not read")
            elif code == Mod.SOURCE_FILENAME:
                pass  # debug information names files better
            elif code not in IGNORED_MODULE_RECORDS:
                self._unit.unread[f"module record {code}"] += 1
        if self._bodies_seen != len(self._symbols.defined):
            raise BitstreamError("function bodies are missing")

    def _read_inner(self, inner: BlockRef, data_layout: str) -> None:
        stream, unit = self._stream, self._unit
        if inner.block_id == Block.PARAMATTR_GROUP:
            self._attributes.read_groups(stream, inner)
        elif inner.block_id == Block.PARAMATTR:
            self._attributes.read_lists(stream, inner)
        elif inner.block_id == Block.CONSTANTS:
            self._ensure_layout(data_layout)
            self._constants.read(stream, inner, int)
        elif inner.block_id == Block.METADATA:
            self._debug.metadata.read_module_block(inner)
        elif inner.block_id == Block.FUNCTION:
            self._ensure_layout(data_layout)
            self._read_body(inner)
        elif inner.block_id not in IGNORED_BLOCKS and inner.block_id != Block.TYPE:
            unit.unread[f"module sub-block {inner.block_id}"] += 1

    def _ensure_layout(self, data_layout: str) -> None:
        if not self._unit.types.size:
            self._unit.types.lay_out(parse_data_layout(data_layout))

    def _read_body(self, block: BlockRef) -> None:
        unit, symbols = self._unit, self._symbols
        if not self._bodies_seen:  # all module-level values are known now
            unit.module_values = len(unit.value_kind)
            placeholder = unit.add_value(ValueKind.METADATA, 0, -1)
            self._functions.metadata_placeholder = placeholder
        if self._bodies_seen >= len(symbols.defined):
            raise BitstreamError("more function bodies than functions")
        symbol = symbols.defined[self._bodies_seen]
        params = symbols.add_params(symbol, self._bodies_seen)
        self._functions.read(block, self._bodies_seen, params)
        self._bodies_seen += 1
