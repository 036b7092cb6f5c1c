"""Function bodies: records to instructions, blocks and CFG edges.

In:    a FUNCTION block.     Out: rows in `Bodies`.
Guarantees: one row per LLVM instruction, in order; a record that is not understood raises
`BitstreamError`, because it may define a value and then every later number would be wrong.
"""

from __future__ import annotations

from heapflow.frontend.bitcode.attributes import AttributeReader
from heapflow.frontend.bitcode.bitstream import SUBBLOCK, Bitstream, BitstreamError, BlockRef
from heapflow.frontend.bitcode.codes import IGNORED_BLOCKS, Block, Fun
from heapflow.frontend.bitcode.constants import ConstantReader
from heapflow.frontend.bitcode.debug import DebugReader
from heapflow.frontend.bitcode.instructions import InstructionReader
from heapflow.frontend.bitcode.unit import Unit

_TERMINATORS = frozenset(
    {
        Fun.RET,
        Fun.BR,
        Fun.SWITCH,
        Fun.INDIRECTBR,
        Fun.INVOKE,
        Fun.UNREACHABLE,
        Fun.RESUME,
        Fun.CALLBR,
    }
)
_DEBUG_LOC, _DEBUG_LOC_AGAIN = Fun.DEBUG_LOC, Fun.DEBUG_LOC_AGAIN


class FunctionReader(InstructionReader):
    """Reads one body after the other into `bodies`."""

    def __init__(
        self,
        unit: Unit,
        stream: Bitstream,
        attributes: AttributeReader,
        constants: ConstantReader,
        debug: DebugReader,
    ) -> None:
        super().__init__(unit, attributes)
        self._stream = stream
        self._constants = constants
        self._debug = debug
        self._func = -1
        self._declared_blocks = 0

    def read(self, block: BlockRef, func: int, params: list[int]) -> None:
        """Read the body of function `func`; its parameters are values already."""
        unit, bodies = self._unit, self.bodies
        self._func = func
        self._shared = unit.module_values
        self._shift = len(unit.value_kind) - len(params) - self._shared
        self._next = self._shared + len(params)
        self._first_block = len(bodies.block_func)
        self._declared_blocks = 0
        self._debug.enter_function(func, self._shared, self._shift)
        self._read_records(self._stream.records(block))
        self._debug.leave_function()
        if len(bodies.block_func) - self._first_block != self._declared_blocks:
            raise BitstreamError("a function has another number of blocks than it declares")

    def _read_records(self, flat: list[int]) -> None:
        debug, handlers, loc = self._debug, self.handlers, self._loc
        files, locs, finish = debug.file_of_scope, debug.locs, loc.append
        following, count = 0, len(flat)
        while following < count:
            at = following
            code, following = flat[at], flat[at + 1]
            if code == _DEBUG_LOC:
                scope = flat[at + 4]
                if flat[at + 5] or scope not in files:
                    loc[-1] = debug.location(flat[at + 2 : following])
                else:
                    loc[-1] = debug.last_location = len(locs) // 4
                    locs += (files[scope], flat[at + 2], flat[at + 3], -1)
            elif code == _DEBUG_LOC_AGAIN:
                loc[-1] = debug.last_location
            elif code in handlers:
                handlers[code](flat[at + 2 : following])
                finish(-1)
                if code in _TERMINATORS:
                    self._end_block()
            else:
                self._read_other(code, flat[at + 2 : following])

    def _read_other(self, code: int, ops: list[int]) -> None:
        """A record that makes no instruction."""
        if Fun.DEBUG_RECORD_VALUE <= code <= Fun.DEBUG_RECORD_DECLARE_VALUE:
            self._debug.variable_record(code, ops, len(self._loc) - 1, self._next)
        elif code == SUBBLOCK:
            self._inner_block(BlockRef(*ops))
        elif code == Fun.DECLAREBLOCKS:
            self._declared_blocks = ops[0]
        elif code not in (Fun.OPERAND_BUNDLE, Fun.BLOCKADDR_USERS):
            raise BitstreamError(f"function record {code} is not understood")

    def _inner_block(self, inner: BlockRef) -> None:
        if inner.block_id == Block.CONSTANTS:
            before = len(self._unit.value_kind)
            self._constants.read(self._stream, inner, self._absolute)
            self._next += len(self._unit.value_kind) - before
        elif inner.block_id == Block.METADATA:
            self._debug.metadata.read_function_block(inner)
        elif inner.block_id == Block.METADATA_ATTACHMENT:
            self._debug.read_attachments(inner)
        elif inner.block_id not in IGNORED_BLOCKS:
            self._unit.unread[f"function sub-block {inner.block_id}"] += 1

    def _end_block(self) -> None:
        bodies = self.bodies
        bodies.block_func.append(self._func)
        bodies.block_instr_end.append(len(self._loc))
        bodies.block_edge_end.append(len(bodies.edges))
