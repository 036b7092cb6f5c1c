"""Follow objects through a build: which compiled file ends up in which program or library.

In:    the actions of a build, in the order of time.      Out: `BuildGraph`.
Guarantees: an object that is compiled again counts as its new self from then on; a shared library of
       the build belongs to the programs that are linked with it. A target is whole if all objects in
       it are known and it exports no symbols.
Not modelled: which members of an archive the linker really takes (all are counted in); archives
       made from scripts (`ar -M`).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from heapflow.frontend.commandline import Command, Stage

_OBJECTS = frozenset({".o", ".lo", ".obj"})
Units = tuple[int, ...]  # indices of compiled files, in link order


@dataclass(slots=True)
class BuildGraph:
    """What every file of the build is made of, so far."""

    files: dict[str, Units] = field(default_factory=dict)  # objects, archives, libraries
    targets: dict[str, Units] = field(default_factory=dict)  # programs and shared libraries
    whole: set[str] = field(default_factory=set)  # of these
    archived_units: set[int] = field(default_factory=set)  # that went into some archive
    _members: dict[str, dict[str, Units]] = field(default_factory=dict)  # of archives, by name

    def compiled(self, directory: str, output: str, unit: int) -> None:
        """A file was compiled into an object."""
        self.files[_absolute(directory, output)] = (unit,)

    def linked(self, directory: str, command: Command, own: Iterable[int]) -> None:
        """A linker, or a compiler as a linker, joined objects; `own` were compiled on the way."""
        units = list(own)
        for item in command.link_inputs:
            units += self._input(directory, item, command.search)
        if not units:
            return
        output = _absolute(directory, command.output or "a.out")
        self.files[output] = tuple(dict.fromkeys(units))
        if command.stage is Stage.LINK and not command.relocatable:
            self.targets[output] = self.files[output]
            self._note_whole(directory, output, command)

    def _note_whole(self, directory: str, output: str, command: Command) -> None:
        """Whether nothing but the target's known objects can name its functions. A library that is
        installed calls back by address."""
        files = [one for one in command.link_inputs if Path(one).suffix in _OBJECTS]
        is_known = all(self._file(_absolute(directory, one)) for one in files)
        if is_known and not command.exports and not command.shared:
            self.whole.add(output)
        else:
            self.whole.discard(output)

    def _input(self, directory: str, item: str, search: Sequence[str]) -> Units:
        if not item.startswith("-l"):
            return self._file(_absolute(directory, item))
        name = item[2:]
        names = [name[1:]] if name.startswith(":") else [f"lib{name}.so", f"lib{name}.a"]
        for place in search:
            for candidate in names:
                found = self._file(_absolute(directory, os.path.join(place, candidate)))  # noqa: PTH118
                if found:
                    return found
        return ()

    def _file(self, path: str) -> Units:
        found = self.files.get(path)
        if found is None and path.endswith(".lo"):
            found = self._libtool_object(path)
        if found is None and ".so" in path:
            # A link to the library under another name, such as libx.so for libx.so.1.2.
            found = self.files.get(os.path.realpath(path))
        return found or ()

    def _libtool_object(self, path: str) -> Units | None:
        plain = Path(path).with_suffix(".o")
        inner = plain.parent / ".libs" / plain.name
        return self.files.get(str(inner)) or self.files.get(str(plain))

    def archived(self, directory: str, arguments: Sequence[str]) -> None:
        """`ar` was called: members added, deleted or taken out."""
        words = [word for word in arguments if not word.startswith("--")]
        if len(words) < 2:
            return
        operation = words[0].lstrip("-")
        # Modifiers that name a position, or a count, take a word of their own.
        position = 2 if any(letter in operation for letter in "abiN") else 1
        if len(words) <= position:
            return
        archive = _absolute(directory, words[position])
        names = words[position + 1 :]
        members = self._members.setdefault(archive, {})
        if "d" in operation:
            for name in names:
                members.pop(Path(name).name, None)
        elif "x" in operation:
            for name in names or list(members):
                taken = members.get(Path(name).name)
                if taken:
                    self.files[_absolute(directory, Path(name).name)] = taken
            return
        elif any(letter in operation for letter in "rq"):
            for name in names:
                added = self._file(_absolute(directory, name))
                if added:
                    members[_member_name(members, name, operation)] = added
        self.files[archive] = tuple(
            dict.fromkeys(unit for units in members.values() for unit in units)
        )
        self.archived_units.update(self.files[archive])

    def copied(self, directory: str, arguments: Sequence[str]) -> None:
        """`mv`, `cp`, `ln` or `install`: the copy is made of what the original is made of."""
        words = [word for word in arguments if not word.startswith("-")]
        if len(words) < 2:
            return
        target = _absolute(directory, words[-1])
        for word in words[:-1]:
            source = _absolute(directory, word)
            # A symbolic link's text is relative to where the link is.
            units = self.files.get(source) or self.files.get(
                _absolute(str(Path(target).parent), word)
            )
            if units is None:
                continue
            copy = os.path.join(target, Path(word).name) if Path(target).is_dir() else target  # noqa: PTH118
            self.files[copy] = units
            if source in self._members:
                self._members[copy] = dict(self._members[source])


def _member_name(members: dict[str, Units], name: str, operation: str) -> str:
    """`ar q` keeps two members of one name; `ar r` replaces."""
    plain = Path(name).name
    if "q" not in operation:
        return plain
    number = 0
    candidate = plain
    while candidate in members:
        number += 1
        candidate = f"{plain}#{number}"
    return candidate


def _absolute(directory: str, path: str) -> str:
    return os.path.normpath(os.path.join(directory, path))  # noqa: PTH118 - not a file yet
