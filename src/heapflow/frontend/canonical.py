"""Bring bitcode into the one form that the reader knows: verified, SROA applied, LLVM 22's writer.

In:    bitcode (of this or an older LLVM) or LLVM assembly.     Out: bitcode.
Functions that must be inlined are. SROA then turns locals whose address is not taken into SSA values:
tmux shrinks from 220 K to 146 K instructions. Both keep source lines and variable names; passes that
merge blocks do not, so none run.
Guarantees: the result passes LLVM's verifier. Raises `ToolError` on what LLVM rejects.
"""

from __future__ import annotations

from typing import Any

import llvmlite.binding as llvm

from heapflow.support.errors import ToolError

# LLVM exits on an option that it does not know: set only where it was tried.
_OPTION_KNOWN_UNTIL = 22
_MOST_WORDS = 300  # of LLVM's complaint that are worth showing


def canonicalise(data: bytes, is_text: bool = False) -> bytes:
    """Verified bitcode after SROA."""
    module = _verified(data, is_text)
    # One run for the module: LLVM sets up its analyses anew for each run.
    manager = llvm.create_new_module_pass_manager()
    manager.add_always_inliner_pass()
    manager.add_sroa_pass()
    manager.run(module, _pass_builder())
    bitcode: bytes = module.as_bitcode()
    return bitcode


def _verified(data: bytes, is_text: bool) -> Any:
    _verify_while_parsing(False)
    module = _parse(data, is_text)
    try:
        module.verify()
    except RuntimeError as error:
        if not _is_valid_without_debug_info(module):
            first = _first_line(error)
            raise ToolError(f"LLVM's verifier rejects the module: {first}") from error
        # LLVM drops debug information that is wrong, but only as it parses.
        _verify_while_parsing(True)
        module = _parse(data, is_text)
    return module


def _is_valid_without_debug_info(module: Any) -> bool:
    """Takes the debug information, and the names, away from the module."""
    manager = llvm.create_new_module_pass_manager()
    manager.add_strip_symbols_pass()
    manager.run(module, _pass_builder())
    try:
        module.verify()
    except RuntimeError:
        return False
    return True


def _parse(data: bytes, is_text: bool) -> Any:
    try:
        if is_text:
            return llvm.parse_assembly(data.decode("utf-8", "replace"), llvm.create_context())
        return llvm.parse_bitcode(data, llvm.create_context())
    except RuntimeError as error:
        kind = "LLVM assembly" if is_text else "LLVM bitcode"
        raise ToolError(f"not valid {kind}: {_first_line(error)}") from error


_verifies_while_parsing = True  # LLVM's default


def _verify_while_parsing(wanted: bool) -> None:
    """LLVM's parser verifies a module that has debug information, and aborts the process if it is
    broken. `verify` does that work again, and tells us: once is enough, and takes a sixth off."""
    global _verifies_while_parsing
    if wanted != _verifies_while_parsing and llvm.llvm_version_info[0] <= _OPTION_KNOWN_UNTIL:
        value = "false" if wanted else "true"
        llvm.set_option("heapflow", f"--disable-auto-upgrade-debug-info={value}")
        _verifies_while_parsing = wanted


_builder: Any = None


def _pass_builder() -> Any:
    """One pass builder per process: making it costs more than running SROA on a small file."""
    global _builder
    if _builder is None:
        llvm.initialize_native_target()
        machine = llvm.Target.from_default_triple().create_target_machine()
        _builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options())
    return _builder


def _first_line(error: Exception) -> str:
    lines = [line for line in str(error).splitlines() if line.strip()]
    return lines[0][:_MOST_WORDS] if lines else "no reason given"
