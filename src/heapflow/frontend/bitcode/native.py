"""The container read by a compiled kernel: decode.c, which llvmlite compiles on first use.

In:    bytes.     Out: the same records as `plain.py`, some fifty times faster.

The kernel is kept as LLVM assembly (decode.ll, made from decode.c), so neither a C compiler nor a wheel
per platform is needed: llvmlite is loaded for verification and SROA anyway. See docs/decisions/0045.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Any

import llvmlite.binding as llvm
import numpy as np
from numpy.typing import NDArray

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


class _Job(ctypes.Structure):
    """The kernel's `struct job`; addresses are numbers."""

    _fields_ = [
        (name, ctypes.c_uint64)
        for name in (
            "data bits pos end width stop out room used "
            "pool pool_room pool_used ids ids_room ids_used"
        ).split()
    ]


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
        self._ids = np.empty(_IDS_ROOM, dtype=np.uint64)
        self._job = job = _Job()
        job.data = ctypes.cast(ctypes.c_char_p(self._padded), ctypes.c_void_p).value
        job.bits = self.end
        job.pool, job.pool_room = self._pool.ctypes.data, _POOL_ROOM
        job.ids, job.ids_room = self._ids.ctypes.data, _IDS_ROOM
        self._address = ctypes.addressof(job)
        self._set_room(_FIRST_ROOM)

    def _set_room(self, room: int) -> None:
        old, job = getattr(self, "_out", None), self._job
        self._out: NDArray[np.uint64] = np.empty(room, dtype=np.uint64)
        if old is not None:
            self._out[: job.used] = old[: job.used]
        job.out, job.room = self._out.ctypes.data, room

    def _start(self, block: BlockRef, known: list[int]) -> None:
        job = self._job
        job.pos, job.end, job.width = block.start, block.end, block.width
        job.used, job.stop = 0, _NO_STOP
        self._ids[: len(known)] = known
        job.ids_used = len(known)

    def _run(self) -> int:
        while (status := self._decode(self._address)) == _FULL:
            self._set_room(2 * len(self._out))
        if status > _STOPPED:
            raise BitstreamError(_REASONS[status])
        return status

    def records(self, block: BlockRef) -> list[int]:
        job = self._job
        self._start(block, self._registered.get(block.block_id, []))
        before = job.pool_used
        self._run()
        job.pool_used = before  # what the block defined is gone with it
        flat: list[int] = self._out[: job.used].tolist()
        return flat

    def read_blockinfo(self, block: BlockRef) -> None:
        job = self._job
        self._start(block, [])
        job.stop = BLOCKINFO_SETBID
        status, kind = _STOPPED, -1
        while status == _STOPPED:
            first = job.ids_used
            status = self._run()
            self._registered.setdefault(kind, []).extend(self._ids[first : job.ids_used].tolist())
            if job.used > 2:
                kind = int(self._out[job.used - 1])


@cache
def load_kernel() -> Kernel | None:
    """The compiled kernel, or None where code cannot be compiled at run time."""
    if sys.byteorder != "little" or os.environ.get("HEAPFLOW_PLAIN_READER"):
        return None
    try:
        llvm.check_jit_execution()
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        machine = llvm.Target.from_default_triple().create_target_machine(opt=2, jit=True)
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
