"""The container read by a compiled kernel: decode.c, which llvmlite compiles on first use.

In:    bytes.     Out: the same records as `plain.py`, fifteen times faster.

The kernel is kept as LLVM assembly (decode.ll, made from decode.c), so neither a C compiler nor a wheel
per platform is needed: llvmlite is loaded for verification and SROA anyway. See docs/decisions/0005.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from struct import Struct
from typing import Any

import llvmlite.binding as llvm
import numpy as np

from heapflow.frontend.bitcode.bitstream import (
    BLOCKINFO_SETBID,
    Bitstream,
    BitstreamError,
    BlockRef,
)

_FULL, _STOPPED = 1, 2
_REASONS = {
    3: "a record reaches past the end of the file",
    4: "unknown abbreviation",
    5: "an abbreviation is malformed",
    6: "a number is longer than 64 bits",
    7: "a block reaches past the end of the file",
}
_PADDING = bytes(16)  # the kernel reads whole words
_FIRST_ROOM, _POOL_ROOM, _IDS_ROOM = 1 << 14, 1 << 14, 1 << 10
_NO_STOP = (1 << 64) - 1
Kernel = Callable[[Any], int]


# The kernel's `struct job`: what stays for a stream, the output, then what each call sets and finds.
_FIXED_PART = Struct("<6Q")  # data bits pool pool_room ids ids_room
_OUTPUT_PART = Struct("<2Q")  # out room
_CALL_PART = Struct("<7Q")  # pos end width stop used pool_used ids_used
_OUTPUT_AT = _FIXED_PART.size
_CALL_AT = _OUTPUT_AT + _OUTPUT_PART.size


class NativeBitstream(Bitstream):
    """Records decoded by the kernel."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        kernel = load_kernel()
        if kernel is None:
            raise RuntimeError("the kernel cannot be compiled here")
        self._decode = kernel
        self._padded = data + _PADDING
        self._registered: dict[int, list[int]] = {}
        self._pool = np.empty(_POOL_ROOM, dtype=np.uint64)
        self._pool_used = 0
        self._ids = np.empty(_IDS_ROOM, dtype=np.uint64)
        self._out = np.empty(_FIRST_ROOM, dtype=np.uint64)
        self._job = bytearray(_CALL_AT + _CALL_PART.size)
        self._address = ctypes.addressof(ctypes.c_char.from_buffer(self._job))
        start = ctypes.cast(ctypes.c_char_p(self._padded), ctypes.c_void_p).value
        pool, ids = self._pool.ctypes.data, self._ids.ctypes.data
        _FIXED_PART.pack_into(self._job, 0, start, self.end, pool, _POOL_ROOM, ids, _IDS_ROOM)
        _OUTPUT_PART.pack_into(self._job, _OUTPUT_AT, self._out.ctypes.data, _FIRST_ROOM)

    def records(self, block: BlockRef) -> list[int]:
        known = self._registered.get(block.block_id)
        if known:
            self._ids[: len(known)] = known
        used, _, _, _ = self._run(block, block.start, _NO_STOP, len(known) if known else 0)
        # What the block defined is gone with it: `_pool_used` stays.
        flat: list[int] = self._out[:used].tolist()
        return flat

    def read_blockinfo(self, block: BlockRef) -> None:
        kind, pos, first, status = -1, block.start, 0, _STOPPED
        while status == _STOPPED:
            used, pos, count, status = self._run(block, pos, BLOCKINFO_SETBID, first)
            self._pool_used = _CALL_PART.unpack_from(self._job, _CALL_AT)[5]
            self._registered.setdefault(kind, []).extend(self._ids[first:count].tolist())
            first = count
            if used > 2:
                kind = int(self._out[used - 1])

    def _run(self, block: BlockRef, pos: int, stop: int, ids: int) -> tuple[int, int, int, int]:
        """(words of output, position, abbreviations, status) after reading on from `pos`."""
        job = self._job
        call = pos, block.end, block.width, stop, 0, self._pool_used, ids
        _CALL_PART.pack_into(job, _CALL_AT, *call)
        while (status := self._decode(self._address)) == _FULL:
            self._make_room(_CALL_PART.unpack_from(job, _CALL_AT)[4])
        if status > _STOPPED:
            raise BitstreamError(_REASONS[status])
        pos, _, _, _, used, _, ids = _CALL_PART.unpack_from(job, _CALL_AT)
        return used, pos, ids, status

    def _make_room(self, used: int) -> None:
        old = self._out
        self._out = np.empty(2 * len(old), dtype=np.uint64)
        self._out[:used] = old[:used]
        address, room = self._out.ctypes.data, len(self._out)
        _OUTPUT_PART.pack_into(self._job, _OUTPUT_AT, address, room)


@cache
def load_kernel() -> Kernel | None:
    """The compiled kernel, or None where code cannot be compiled at run time."""
    if sys.byteorder != "little" or os.environ.get("HEAPFLOW_PLAIN_READER"):
        return None
    try:
        llvm.check_jit_execution()
        # Optimising (opt=0 skips it) takes 40 ms and saves 0.2 ms per file.
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        machine = llvm.Target.from_default_triple().create_target_machine(opt=0, jit=True)
        text = files(__package__).joinpath("decode.ll").read_text("utf-8")
        module = llvm.parse_assembly(text, llvm.create_context())
        engine = llvm.create_mcjit_compiler(module, machine)
        engine.finalize_object()
        address = engine.get_function_address("decode")
    except (RuntimeError, OSError):
        return None
    function: Any = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(address)
    function.engine = engine  # owns the code
    kernel: Kernel = function
    return kernel
