"""What is changed in the files of the tree: in copies, under their names, line by line as they were."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from heapflow.frontend.buildless.functions import (
    as_used,
    called_only_there,
    function_spans,
    without_bodies,
    without_definitions,
    without_lines,
)
from heapflow.frontend.buildless.members import with_members


@dataclass(slots=True)
class Edits:
    """What is taken out of the files of the tree; by path."""

    bodies: dict[str, dict[str, None]] = field(default_factory=dict)  # functions without their body
    gone: dict[str, dict[str, None]] = field(default_factory=dict)  # definitions, as a whole
    # Definitions of what the system's headers declare: its library's stand for them.
    replaced: dict[str, dict[str, None]] = field(default_factory=dict)
    lines: dict[str, set[int]] = field(default_factory=dict)
    # Declarations, by the line that they stand before.
    prototypes: dict[str, dict[int, str]] = field(default_factory=dict)
    structs: dict[str, dict[str, None]] = field(default_factory=dict)  # that gain members

    def files(self) -> list[str]:
        functions = (*self.bodies, *self.gone, *self.replaced)
        others = (*self.lines, *self.prototypes, *self.structs)
        return list(dict.fromkeys((*functions, *others)))

    def dropped(self) -> list[str]:
        both = (*self.bodies.values(), *self.gone.values())
        return list(dict.fromkeys(name for names in both for name in names))

    def apply(self, path: str, text: str, added: Mapping[str, Mapping[str, str]]) -> str:
        """The text of a file without what is taken out, and with what its structs gain."""
        spans = function_spans(text)
        bodies = [one for one in spans if one.name in self.bodies.get(path, ())]
        whole = {*self.gone.get(path, ()), *self.replaced.get(path, ())}
        gone = [one for one in spans if one.name in whole]
        both = [one for one in bodies if one not in gone]
        kept = called_only_there(text, spans, [*both, *gone])
        edited = text
        # Later offsets first, so that those before stay right.
        for span in sorted((*both, *gone, *kept), key=lambda one: -one.start):
            if span in kept:
                edited = as_used(edited, span)
            else:
                change = without_definitions if span in gone else without_bodies
                edited = change(edited, [span])
        edited = without_lines(edited, self.lines.get(path, set()))
        if prototypes := self.prototypes.get(path):
            parts = edited.split("\n")
            for line, declared in prototypes.items():
                parts[line - 1] = f"{declared} {parts[line - 1]}"
            edited = "\n".join(parts)
        for name in self.structs.get(path, ()):
            members = [pattern.format(one) for one, pattern in added.get(name, {}).items()]
            edited = with_members(edited, name, members)
        return edited


def put(table: dict[str, dict[str, None]], file: str, name: str) -> bool:
    """Note a name for a file; False if it was there."""
    names = table.setdefault(file, {})
    new = name not in names
    names[name] = None
    return new
