"""Containers whose nodes programs see: how they are laid out, and what functions do with them.

In:    text of `[containers.NAME]` and of `does`.     Out: Layout, Operation, or a ModelError.
Example: `does = "g_list append(arg1, arg2)"`: a new node with `arg2` in it becomes the last one of the
       chain that `arg1` begins; the result is its first node.
Replay executes operations (`replay.containers`); for all other phases effects say what happens.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any, Final

from heapflow.models.model import AccessPath, ModelError
from heapflow.models.tokens import Cursor, did_you_mean, format_path, split_words


@dataclass(frozen=True, slots=True)
class Layout:
    """Offsets in bytes, -1 if there is none.

    A chain is its first node; nodes have `data`, `next` and `previous`. A queue (`first` >= 0) is an
    object that leads to a chain; an array (`elements` >= 0) leads to a block of pointers. Of a table
    (`hidden` > 0) programs see nothing: every entry is so many pointers. A vector (`vector` = 1) is a
    block of pointers that a null ends.
    """

    name: str
    nodes: str = ""  # family of the nodes
    data: int = 0
    next: int = 8
    previous: int = -1
    first: int = -1
    last: int = -1
    elements: int = -1
    count: int = -1  # a number of four bytes
    destroy: int = -1  # the function that ends elements
    hidden: int = 0
    vector: int = 0

    @property
    def is_table(self) -> bool:
        return self.hidden > 0

    @property
    def is_vector(self) -> bool:
        return self.vector > 0

    @property
    def is_array(self) -> bool:
        return self.elements >= 0

    @property
    def is_queue(self) -> bool:
        return self.first >= 0


class Verb(StrEnum):
    """What a function does with a container (docs/models.md)."""

    APPEND = "append"
    PREPEND = "prepend"
    CONCAT = "concat"
    COPY = "copy"
    REVERSE = "reverse"
    REMOVE = "remove"
    DELETE = "delete"
    UNLINK = "unlink"
    POP_FIRST = "pop-first"
    POP_LAST = "pop-last"
    LAST = "last"
    NTH = "nth"
    ITEM = "item"
    TAKE = "take"
    FIND = "find"
    SEARCH = "search"
    LENGTH = "length"
    BEGIN = "begin"
    NEXT = "next"
    KEYS = "keys"
    VALUES = "values"
    EACH = "each"
    CLEAR = "clear"
    FREE = "free"


@dataclass(frozen=True, slots=True)
class Operation:
    """`verb` on the container `args[0]`."""

    layout: Layout
    verb: Verb
    args: tuple[AccessPath, ...]


_KEYS: Final = {field.name for field in fields(Layout)} - {"name"}
_ARGS: Final = {  # least and most
    Verb.APPEND: (2, 3),
    Verb.PREPEND: (2, 2),
    Verb.CONCAT: (2, 2),
    Verb.COPY: (1, 1),
    Verb.REVERSE: (1, 1),
    Verb.REMOVE: (2, 2),
    Verb.DELETE: (2, 2),
    Verb.UNLINK: (2, 2),
    Verb.POP_FIRST: (1, 1),
    Verb.POP_LAST: (1, 1),
    Verb.LAST: (1, 1),
    Verb.NTH: (2, 2),
    Verb.ITEM: (1, 2),
    Verb.TAKE: (2, 2),
    Verb.FIND: (2, 2),
    Verb.SEARCH: (1, 1),
    Verb.LENGTH: (1, 1),
    Verb.BEGIN: (2, 2),
    Verb.NEXT: (3, 3),
    Verb.KEYS: (1, 1),
    Verb.VALUES: (1, 1),
    Verb.EACH: (2, 4),
    Verb.CLEAR: (1, 2),
    Verb.FREE: (1, 2),
}


def read_layout(name: str, entry: Any, where: str) -> Layout:
    """A container as a model file describes it."""
    if not isinstance(entry, dict):
        raise ModelError(f"{where}: must be a table")
    for key, value in entry.items():
        if key not in _KEYS:
            raise ModelError(f"{where}: unknown key `{key}`; {did_you_mean(key, _KEYS)}")
        if not isinstance(value, str if key == "nodes" else int):
            raise ModelError(f"{where}: `{key}` has the wrong type, {type(value).__name__}")
    return Layout(name, **entry)


def parse_operation(text: str, layouts: Mapping[str, Layout]) -> Operation:
    """`CONTAINER VERB(PLACE, …)`."""
    cursor = Cursor(split_words(text))
    name = cursor.next("a container")
    if name not in layouts:
        raise ModelError(f"no container `{name}`; {did_you_mean(name, layouts)}")
    word = cursor.next("what is done with it")
    if word not in list(Verb):
        raise ModelError(
            f"`{word}` is nothing that is done with containers; {did_you_mean(word, Verb)}"
        )
    verb = Verb(word)
    cursor.require("(")
    args = [cursor.path()]
    while cursor.accept(","):
        args.append(cursor.path())
    cursor.require(")")
    if cursor.peek():
        raise ModelError(f"`{cursor.peek()}` is not expected here")
    least, most = _ARGS[verb]
    if not least <= len(args) <= most:
        raise ModelError(f"`{verb}` takes {least} to {most} places, not {len(args)}")
    return Operation(layouts[name], verb, tuple(args))


def format_layout(layout: Layout) -> Iterator[str]:
    """A container as a model file has it."""
    yield f"[containers.{layout.name}]"
    for field in fields(Layout):
        value = getattr(layout, field.name)
        if field.name != "name" and value != field.default:
            yield (
                f'{field.name} = "{value}"' if field.name == "nodes" else f"{field.name} = {value}"
            )


def format_operation(operation: Operation) -> str:
    """The text that `parse_operation` reads."""
    args = ", ".join(map(format_path, operation.args))
    return f"{operation.layout.name} {operation.verb}({args})"
