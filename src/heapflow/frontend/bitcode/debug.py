"""Source positions, variables and C types of what a function does.

In:    debug-location and variable records inside function bodies; the module's `Metadata`.
Out:   lists that become `Locs`, `Variables`, `Bindings`; file and line of functions and globals.
"""

from __future__ import annotations

import os.path

from heapflow.frontend.bitcode.bitstream import Bitstream, BlockRef
from heapflow.frontend.bitcode.codes import Fun, Md
from heapflow.frontend.bitcode.ctypes import CTypeReader
from heapflow.frontend.bitcode.metadata import Metadata
from heapflow.frontend.bitcode.unit import Unit
from heapflow.ir.kinds import BindingKind

_KIND_DBG = 0  # the fixed metadata kind of debug information
_OP_FRAGMENT = 0x1000
_ADDRESS, _VALUE = int(BindingKind.ADDRESS), int(BindingKind.VALUE)
# [scope, file] operands of the records that can be a scope; a scope's file names its lines.
_SCOPE_FILE = {Md.SUBPROGRAM: 4, Md.LEXICAL_BLOCK: 2, Md.LEXICAL_BLOCK_FILE: 2}


class DebugReader:
    """Debug information of one unit."""

    def __init__(self, unit: Unit, stream: Bitstream) -> None:
        self._unit = unit
        self._stream = stream
        self.metadata = Metadata(unit, stream)
        self._ctypes: CTypeReader | None = None
        self.locs: list[int] = []  # file, line, column, inlined-at of each
        self.variables: list[tuple[int, int, int, int, int]] = []
        self.bindings: list[int] = []  # value, variable, instruction, kind, offset of each
        self.func_place: dict[int, tuple[int, int, int]] = {}  # func -> file, line, C type
        self.func_const: dict[int, int] = {}  # func -> `Functions.const_pointees`
        self.last_location = -1
        self.file_of_scope: dict[int, int] = {}
        self._file_strings: dict[int, int] = {}
        self._loc_of_inlining: dict[int, int] = {}
        self._expression_offset: dict[int, int] = {}
        self._variable_ids: dict[int, int] = {}
        self._func = -1
        self._shared = 0
        self._shift = 0

    @property
    def ctypes(self) -> CTypeReader:
        """Made late: it looks at the type table."""
        if self._ctypes is None:
            self._ctypes = CTypeReader(self._unit, self.metadata)
        return self._ctypes

    def enter_function(self, func: int, shared: int, shift: int) -> None:
        self._func, self._shared, self._shift = func, shared, shift
        self._variable_ids.clear()
        self._loc_of_inlining.clear()
        self.last_location = -1

    def leave_function(self) -> None:
        self.metadata.leave_function()

    # Positions -----------------------------------------------------------------------------------

    def location(self, ops: list[int]) -> int:
        """A DEBUG_LOC record: line, column, scope, inlined-at (ids plus one)."""
        file = self._scope_file(ops[2])
        inlined_at = self._inlining(ops[3]) if ops[3] else -1
        self.last_location = len(self.locs) // 4
        self.locs += (file, ops[0], ops[1], inlined_at)
        return self.last_location

    def _inlining(self, operand: int) -> int:
        known = self._loc_of_inlining.get(operand)
        if known is not None:
            return known
        code, ops = self.metadata.reference(operand)
        if code != Md.LOCATION:
            return -1
        outer = self._inlining(ops[4]) if ops[4] else -1
        made = len(self.locs) // 4
        self.locs += (self._scope_file(ops[3] + 1), ops[1], ops[2], outer)
        self._loc_of_inlining[operand] = made
        return made

    def _scope_file(self, operand: int) -> int:
        known = self.file_of_scope.get(operand)
        if known is not None:
            return known
        code, ops = self.metadata.reference(operand)
        at = _SCOPE_FILE.get(code)
        file = self.file(ops[at]) if at is not None else 0
        return self.metadata.remember(self.file_of_scope, operand, file)

    def file(self, operand: int) -> int:
        """String id of a path, absolute unless the compiler was given a relative directory."""
        known = self._file_strings.get(operand)
        if known is None:
            code, ops = self.metadata.reference(operand)
            path = ""
            if code == Md.FILE:
                name, directory = self.metadata.text(ops[1]), self.metadata.text(ops[2])
                path = (
                    os.path.normpath(f"{directory}/{name}")
                    if directory and name[:1] != "/"
                    else name
                )
            known = self.metadata.remember(self._file_strings, operand, self._unit.string(path))
        return known

    # Variables -----------------------------------------------------------------------------------

    def variable_record(self, code: int, ops: list[int], instr: int, next_value: int) -> None:
        """A debug record attached to instruction `instr` (it holds from before it on)."""
        if code in (Fun.DEBUG_RECORD_LABEL, Fun.DEBUG_RECORD_ASSIGN):
            return  # labels bind nothing; assignment tracking is off in what we compile
        if code == Fun.DEBUG_RECORD_VALUE_SIMPLE:
            number = (next_value - ops[3]) & 0xFFFF_FFFF
        else:
            md_code, md_ops = self.metadata.record(ops[3])
            if md_code != Md.VALUE:
                return  # a killed location, or a list of values
            number = md_ops[1]
        value = number if number < self._shared else number + self._shift
        variable = self._variable(ops[1])
        if variable < 0:
            return
        kind = _ADDRESS if code == Fun.DEBUG_RECORD_DECLARE else _VALUE
        offset = self._offset_of(ops[2])
        self.bindings += (value, variable, instr, kind, offset)
        if offset == 0 and value >= self._shared:
            self._unit.value_name.setdefault(value, self.variables[variable][0])

    def _variable(self, metadata_id: int) -> int:
        known = self._variable_ids.get(metadata_id)
        if known is not None:
            return known
        code, ops = self.metadata.record(metadata_id)
        if code != Md.LOCAL_VAR:
            return -1
        made = len(self.variables)
        name = self._unit.string(self.metadata.text(ops[2]))
        self.variables.append((name, self._func, self.ctypes.type_of(ops[5]), ops[4], ops[6]))
        self._variable_ids[metadata_id] = made
        return made

    def _offset_of(self, metadata_id: int) -> int:
        """Bytes into the variable that an expression covers; -1 if it computes something."""
        known = self._expression_offset.get(metadata_id + 1)
        if known is None:
            code, ops = self.metadata.record(metadata_id)
            known = -1
            if code == Md.EXPRESSION:
                if len(ops) == 1:
                    known = 0
                elif len(ops) == 4 and ops[1] == _OP_FRAGMENT:
                    known = ops[2] // 8
            self.metadata.remember(self._expression_offset, metadata_id + 1, known)
        return known

    # Functions and globals -----------------------------------------------------------------------

    def read_attachments(self, block: BlockRef) -> None:
        """METADATA_ATTACHMENT of a function; an even-length record belongs to the function."""
        for code, ops, _, inner in self._stream.entries(block):
            if inner is None and code == Md.ATTACHMENT and len(ops) % 2 == 0:
                for kind, metadata_id in zip(ops[::2], ops[1::2], strict=True):
                    if kind == _KIND_DBG:
                        self.func_place[self._func] = self._subprogram(metadata_id)
                        self.func_const[self._func] = self._const_pointees(metadata_id)

    def _subprogram(self, metadata_id: int) -> tuple[int, int, int]:
        code, ops = self.metadata.record(metadata_id)
        if code != Md.SUBPROGRAM:
            return 0, 0, -1
        return self.file(ops[4]), ops[5], self.ctypes.type_of(ops[6])

    def global_places(self) -> dict[int, tuple[int, int, int]]:
        """LLVM value number -> file, line, C type, of global variables."""
        places: dict[int, tuple[int, int, int]] = {}
        for ops in self.metadata.global_attachments:
            for kind, metadata_id in zip(ops[1::2], ops[2::2], strict=True):
                if kind != _KIND_DBG:
                    continue
                code, record = self.metadata.record(metadata_id)
                if code == Md.GLOBAL_VAR_EXPR:
                    places.setdefault(ops[0], self._global_variable(record[1]))
        return places

    def declarations(self) -> dict[int, tuple[int, int]]:
        """LLVM value number of a declared function -> its C type and `Functions.const_pointees`."""
        found: dict[int, tuple[int, int]] = {}
        for ops in self.metadata.global_attachments:
            for kind, metadata_id in zip(ops[1::2], ops[2::2], strict=True):
                code, record = self.metadata.record(metadata_id) if kind == _KIND_DBG else (-1, [])
                if code == Md.SUBPROGRAM:
                    const = self._const_pointees(metadata_id)
                    found[ops[0]] = self.ctypes.type_of(record[6]), const
        return found

    def _const_pointees(self, subprogram: int) -> int:
        code, ops = self.metadata.record(subprogram)
        return self.ctypes.const_pointees(ops[6]) if code == Md.SUBPROGRAM else 0

    def _global_variable(self, operand: int) -> tuple[int, int, int]:
        code, ops = self.metadata.reference(operand)
        if code != Md.GLOBAL_VAR:
            return 0, 0, -1
        return self.file(ops[4]), ops[5], self.ctypes.type_of(ops[6])
