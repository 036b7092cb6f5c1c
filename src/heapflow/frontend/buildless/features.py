"""Macros that a build may define and nothing here does, under which the tree has what is missing.

In:    names that the compiler does not find, the files that a source may include.
Out:   combinations of macros, with how many names they would bring.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from heapflow.frontend.buildless.conditions import hidden_by, hidden_member
from heapflow.frontend.buildless.members import alias_of, defines_struct
from heapflow.frontend.buildless.messages import Kind

# Not a macro of the tree: without what only GNU's headers declare, since the tree uses its names.
NOT_GNU = "!_GNU_SOURCE"


@dataclass(slots=True)
class Features:
    """Looks for names in the files of the tree; each once."""

    near: tuple[str, ...]
    read: Callable[[str], str]
    homes: dict[str, str] = field(default_factory=dict)  # of structs
    names: dict[str, list[str]] = field(default_factory=dict)  # of structs
    known: dict[tuple[Kind, str, str], tuple[str, ...]] = field(default_factory=dict)
    wanted: Counter[tuple[str, ...]] = field(default_factory=Counter)
    choices: dict[tuple[str, int], list[str]] = field(
        default_factory=dict
    )  # by `#error`: one of them

    def note(self, kind: Kind, name: str, member: str) -> None:
        """Note the macros under which the tree has what is missing."""
        key = (kind, name, member)
        if name and key not in self.known:
            self.known[key] = self._hidden(kind, name, member)
        if guards := self.known.get(key):
            self.wanted[guards] += 1

    def _hidden(self, kind: Kind, name: str, member: str) -> tuple[str, ...]:
        match kind:
            case Kind.TYPE | Kind.IDENTIFIER | Kind.INCOMPLETE:
                return hidden_by(name, self.near, self.read)
            case Kind.IS_A_MACRO:
                return hidden_by(name, self.near, self.read, is_function=True)
            case Kind.MEMBER:
                file = self.file_of_struct(name)
                return hidden_member(member, self.read(file)) if file else ()
            case _:
                return ()

    def file_of_struct(self, name: str) -> str:
        """The first file that says what is in a struct; "" if none does."""
        if name not in self.homes:
            found = (file for file in self.near if defines_struct(self.read(file), name))
            self.homes[name] = next(found, "")
        return self.homes[name]

    def names_of(self, struct: str) -> list[str]:
        """The names under which the tree may define a struct."""
        if struct not in self.names:
            tags = (alias_of(self.read(file), struct) for file in self.near)
            self.names[struct] = list(dict.fromkeys((struct, *(one for one in tags if one))))
        return self.names[struct]

    def alias(self, name: str) -> str:
        """What a typedef of the tree says about a name, as a pattern; "" if that is not just a name."""
        pattern = re.compile(
            rf"^[ \t]*typedef\s+((?:\w+\s+)*\w+[\s*]+){re.escape(name)}\s*;",
            re.M,
        )
        for file in self.near:
            text = self.read(file)
            if name in text and (found := pattern.search(text)):
                return f"{' '.join(found[1].split())} {{}}"
        return ""

    def behind(self, macro: str) -> str:
        """`#define UNUSED(x) LIB_UNUSED(x)`: the macro that nothing defines."""
        pattern = re.compile(
            rf"^[ \t]*#[ \t]*define[ \t]+{re.escape(macro)}\([^)]*\)[ \t]*(\w+)\(", re.M
        )
        found = (pattern.search(self.read(file)) for file in self.near)
        return next((one[1] for one in found if one), macro)
