"""Values of the outermost function's arguments for which a path is taken.

In:    a search, the state at the end of a path, the choices on it that matter.     Out: pairs of a name
       and a value, in terms of C: `n` = 3, `path` = "-", `item->count` = -1, `table[2]` = 0.
Only what the path depends on is told, and texts where a call with them takes the path (`inputs.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from heapflow.ir.kinds import CTypeKind
from heapflow.ir.program import Program
from heapflow.replay.evaluate import evaluate
from heapflow.replay.inputs import Inputs, as_text
from heapflow.replay.knowledge import Knowledge
from heapflow.replay.search import Search
from heapflow.replay.state import State
from heapflow.replay.terms import Term, signed

Example = tuple[str, str]

_MOST_EXAMPLES = 4
_LONGEST_TEXT = 40  # bytes of a text that is told in full
_ARGUMENT = re.compile(r"argument(\d+)$")
_BEHIND = re.compile(r"(?:strlen:)?\*argument(\d+)[\[+]")
_NUMBER_BEHIND = re.compile(r"\*argument(\d+)\[(\d+):([248])\]$")


def examples_of(
    search: Search, state: State, matters: frozenset[int], inputs: Inputs | None
) -> tuple[Example, ...]:
    """The first few, in the order in which the path met them."""
    terms = search.executor.terms.by_number
    choices = state.choices()
    atoms: set[int] = set()
    for number in matters:
        if number < len(choices):
            atoms |= terms[choices[number]].atoms
    names = _argument_names(search.knowledge, search.start)
    found: dict[Example, None] = {}
    for atom in sorted(atoms):
        for name, value in _example(search, state, terms[atom], names, inputs):
            found.setdefault((name, value))
    return tuple(found)[:_MOST_EXAMPLES]


def _example(
    search: Search, state: State, term: Term, names: dict[int, str], inputs: Inputs | None
) -> Iterator[Example]:
    unknown = str(term.args[0])
    value = state.bound.get(term.number, evaluate(term, state.current_model))
    shown = "NULL" if value == 0 else ""
    if term.number not in search.executor.pointers:
        shown = str(signed(value, term.width))
    if is_argument := _ARGUMENT.match(unknown):
        name = names.get(int(is_argument[1]), "")
    elif is_number := _NUMBER_BEHIND.match(unknown):
        position, offset, size = map(int, is_number.groups())
        name = _place(search.knowledge.program, search.start, position, names, offset, size)
    elif behind := _BEHIND.match(unknown):
        name = names.get(int(behind[1]), "")
        given = inputs.arguments[int(behind[1])] if inputs is not None else None
        shown = _text(given) if isinstance(given, bytes) else ""
    else:
        return
    if name and shown:
        yield name, shown


def _text(given: bytes) -> str:
    if len(given) <= _LONGEST_TEXT:
        return as_text(given)
    return f"{as_text(given[:_LONGEST_TEXT])}… ({len(given)} bytes)"


def _argument_names(knowledge: Knowledge, func: int) -> dict[int, str]:
    program = knowledge.program
    rows = ((program.variables.func == func) & (program.variables.arg > 0)).nonzero()[0].tolist()
    return {
        int(program.variables.arg[row]) - 1: program.strings[int(program.variables.name[row])]
        for row in rows
    }


def _place(
    program: Program, func: int, position: int, names: dict[int, str], offset: int, size: int
) -> str:
    """What C calls a number behind an argument: an element or a member; empty if it has no name."""
    ctypes, param = program.ctypes, int(program.functions.param_start[func]) + position
    ctype = int(program.params.ctype[param])
    if position not in names or ctype < 0 or ctypes.kind[ctype] != CTypeKind.POINTER:
        return ""
    pointee = int(ctypes.elem[ctype])
    extent = int(ctypes.size[pointee]) if pointee >= 0 else -1
    if extent <= 0:
        return ""
    index, rest = divmod(offset, extent)
    name = names[position]
    inner = _member(program, pointee, rest, size)
    if inner is None:
        return ""
    if not inner:
        return f"{name}[{index}]" if index else f"*{name}"
    if index or inner[0] != ".":
        return f"{name}[{index}]{inner}" if index else f"(*{name}){inner}"
    return f"{name}->{inner[1:]}"


def _member(program: Program, ctype: int, offset: int, size: int) -> str | None:
    """`.count`, `.at[2].x`, nothing where the type itself is meant; None: nothing of that size."""
    ctypes, text = program.ctypes, ""
    while True:
        kind = ctypes.kind[ctype]
        if kind == CTypeKind.ARRAY:
            ctype = int(ctypes.elem[ctype])
            extent = int(ctypes.size[ctype]) if ctype >= 0 else -1
            if extent <= 0:
                return None
            text += f"[{offset // extent}]"
            offset %= extent
        elif kind in (CTypeKind.STRUCT, CTypeKind.UNION):
            members = range(int(ctypes.member_start[ctype]), int(ctypes.member_start[ctype + 1]))
            around = [one for one in members if _covers(program, one, offset, size)]
            if not around:
                return None
            first = around[0]
            name = program.strings[int(ctypes.member_name[first])]
            text += f".{name}" if name else ""
            offset -= int(ctypes.member_offset[first])
            ctype = int(ctypes.member_type[first])
        else:
            return text if offset == 0 and int(ctypes.size[ctype]) == size else None


def _covers(program: Program, member: int, offset: int, size: int) -> bool:
    ctypes, begin = program.ctypes, int(program.ctypes.member_offset[member])
    ctype = int(ctypes.member_type[member])
    return ctype >= 0 and begin <= offset and offset + size <= begin + int(ctypes.size[ctype])
