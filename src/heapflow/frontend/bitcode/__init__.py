"""Our reader of LLVM bitcode: bitstream -> records -> program tables of one translation unit."""

from heapflow.frontend.bitcode.module import BitcodeError, read_module

__all__ = ["BitcodeError", "read_module"]
