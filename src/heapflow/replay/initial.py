"""Contents of global variables before anything was written to them.

In:    the initialisers of the tables.     Out: an object.
At the entry of `main`, and for what no code writes, they are the contents; elsewhere a variable is
unknown until it is written. Numbers make up a stretch of plain bytes, addresses are cells over it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from heapflow.ir.constants import constant_bytes
from heapflow.ir.kinds import GlobalFlag
from heapflow.replay.memory import Ground, Kind, Object
from heapflow.replay.term import Aggregate, Value, mask

if TYPE_CHECKING:
    from heapflow.replay.executor import Executor
    from heapflow.replay.state import State

_STREAMS = frozenset(("stdin", "stdout", "stderr"))  # of the C library: never NULL


def make_global(executor: Executor, state: State, ident: int) -> Object:
    """The object of a global variable, when it is first met by a state."""
    known = executor.knowledge
    template = known.initial.get((ident, executor.from_main))
    if template is not None:
        made = state.objects[ident] = template.copy(state.token)
        return made
    made = _made_global(executor, state, ident)
    is_plain = all(isinstance(value, int) for _, value in made.cells.values())
    if is_plain and not known.program.globals.flags[ident - 1] & GlobalFlag.DECLARATION:
        # No unknowns of this search in it: all searches may begin with the same.
        known.initial[ident, executor.from_main] = made.copy(-1)
    return made


def _made_global(executor: Executor, state: State, ident: int) -> Object:
    known, table = executor.knowledge, executor.knowledge.program.globals
    number = ident - 1
    made = Object(ident, Kind.GLOBAL, f"@{known.program.global_name(number)}", state.token)
    state.objects[ident] = made
    made.type = int(table.type[number])
    made.size = executor.types.size[made.type]
    flags = int(table.flags[number])
    if flags & GlobalFlag.DECLARATION:
        name = known.program.global_name(number)
        executor.outside(state, made, name)
        if name in _STREAMS and not made.cells:
            stream = state.make(Kind.WORLD, f"*@{name}[0:8]")
            executor.memory.write(made, 0, 8, stream.base)
        return made
    # What nobody here sets, and no initialiser either, is there for somebody else to set.
    starts = executor.from_main and (executor.concrete or not known.is_left_open(number))
    constant = bool(flags & GlobalFlag.CONSTANT) or starts
    whole = constant or not known.is_written(number, 0, max(int(made.size), 1))
    if whole and not flags & GlobalFlag.INCOMPLETE:
        made.ground = Ground.ZERO
    first, last = int(table.init_start[number]), int(table.init_start[number + 1])
    offsets = table.init_offset[first:last].tolist()
    values = table.init_value[first:last].tolist()
    leaves = list(zip(offsets, values, strict=True))
    if not whole:
        leaves = [leaf for leaf in leaves if not _is_written(executor, number, *leaf)]
    _fill(executor, state, made, leaves)
    return made


def _is_written(executor: Executor, number: int, offset: int, value: int) -> bool:
    type_id = executor.knowledge.value_type[value]
    size = max(executor.types.size[type_id], 1)
    return executor.knowledge.is_written(number, offset, size)


def _fill(executor: Executor, state: State, obj: Object, leaves: list[tuple[int, int]]) -> None:
    image = bytearray()
    program = executor.knowledge.program
    for offset, value in leaves:
        data = constant_bytes(program, value)
        if data is None:
            _write(executor, state, obj, offset, value)
        elif obj.ground is Ground.ZERO:
            image.extend(bytes(max(offset + len(data) - len(image), 0)))
            image[offset : offset + len(data)] = data
        else:
            _write_elements(executor, obj, offset, value, data)
    obj.data = bytes(image)


def _write_elements(executor: Executor, obj: Object, offset: int, value: int, data: bytes) -> None:
    """Numbers among what is not known: cell by cell."""
    types = executor.types
    for at, part in types.parts(executor.knowledge.value_type[value]):
        size = max((types.width(part) + 7) // 8, 1)
        number = int.from_bytes(data[at : at + size], "little")
        executor.memory.write(obj, offset + at, size, number)


def _write(executor: Executor, state: State, obj: Object, offset: int, value: int) -> None:
    """An address, or a vector with one in it."""
    types = executor.types
    content = executor.value(state, state.frames[0], value)
    parts: dict[int, Value] = {0: content}
    if isinstance(content, Aggregate):
        parts = content.parts
    for at, part in types.parts(executor.knowledge.value_type[value]):
        size = max((types.width(part) + 7) // 8, 1)
        executor.memory.write(obj, offset + at, size, parts.get(at, 0))


def literal(executor: Executor, number: int) -> Value:
    """Arrays, structures and vectors; what the tables do not say is unknown."""
    types, type_id = executor.types, executor.knowledge.value_type[number]
    data = constant_bytes(executor.knowledge.program, number)
    if data is None:
        return executor.terms.var(f"literal:{number}", types.width(type_id) or 64)
    parts: dict[int, Value] = {}
    for at, part in types.parts(type_id):
        width = types.width(part)
        word = int.from_bytes(data[at : at + (width + 7) // 8], "little")
        parts[at] = word & mask(width)
    return Aggregate(parts)
