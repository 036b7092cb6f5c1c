"""Conditions of a program's functions as text (`heapflow dump guards`)."""

from __future__ import annotations

from collections.abc import Iterator

from heapflow.guards.book import GuardBook
from heapflow.guards.function import FunctionGuards
from heapflow.guards.text import GuardText
from heapflow.ir.ids import FuncId


def dump_guards(book: GuardBook) -> str:
    """Under which conditions control comes to every block, in the order of the program."""
    program, text = book.context.program, GuardText(book.context)
    lines: list[str] = []
    for func in map(FuncId, range(len(program.functions))):
        if not program.is_declaration(func):
            lines += _function(book.guards(func), program.func_name(func), text)
    return "".join(f"{line}\n" for line in lines)


def _function(guards: FunctionGuards, name: str, text: GuardText) -> Iterator[str]:
    context = guards.context
    code = context.code
    first = code.block_start[guards.func]
    yield f"function {name}"
    for block in sorted(guards.reach):
        line = context.program.position(code.instr_start[block])[1]
        rounded = " (rounded)" if block in guards.inexact else ""
        yield f"  block {block - first} line {line}: {text.guard(guards.reach[block])}{rounded}"
        if guards.leave[block] != guards.reach[block]:
            yield f"    comes to its end: {text.guard(guards.leave[block])}"
    for loop, turn in zip(guards.cfg.loops, guards.turn_guard, strict=True):
        yield f"  loop at block {loop.header - first} has a further turn: {text.guard(turn)}"
    yield f"  returns: {text.guard(guards.returns)}"
    if not context.space.is_false(guards.unwinds):
        yield f"  jumps back: {text.guard(guards.unwinds)}"
