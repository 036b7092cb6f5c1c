"""Installed libraries whose headers lie in directories of their own, by their pkg-config files.

A build would ask pkg-config for `-I/usr/include/glib-2.0`; the files that it reads are read here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from heapflow.frontend.buildless.tree import read_text

PLACES = ("/usr/lib", "/usr/share", "/usr/local/lib", "/usr/local/share")
_VARIABLE = re.compile(r"^(\w+)=(.*)$", re.M)
_FIELD = re.compile(r"^(Cflags|Requires|Requires\.private):(.*)$", re.M)
_INCLUDE = re.compile(r"-I\s*(\S+)")
_MOST_REQUIRED = 200


@dataclass
class Packages:
    """What the .pc files of the system say."""

    places: tuple[str, ...] = PLACES
    wanted: str = ""  # the build files of the tree, in which names of packages may stand
    _found: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _read: dict[str, dict[str, str]] = field(default_factory=dict)

    def directories_of(self, header: str) -> tuple[str, ...]:
        """The include directories of the package that has a header; () if none has."""
        if header not in self._found:
            self._found[header] = self._search(header)
        return self._found[header]

    def has(self, name: str) -> bool:
        return name in self._files

    def _search(self, header: str) -> tuple[str, ...]:
        for name in self._order:
            own = self._includes(name)
            if any(Path(one, header).is_file() for one in own):
                required = (one for other in self._required(name) for one in self._includes(other))
                return tuple(dict.fromkeys((*own, *required)))
        return ()

    @cached_property
    def _order(self) -> list[str]:
        """Those that the build files name first; else the newest: `lua5.4` before `lua5.1`."""
        words = set(re.findall(r"[\w.+-]+", self.wanted))
        return sorted(sorted(self._files, reverse=True), key=lambda one: one not in words)

    @cached_property
    def _files(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for place in self.places:
            for file in sorted(Path(place).glob("**/pkgconfig/*.pc")):
                found.setdefault(file.stem, str(file))
        return found

    def _fields(self, name: str) -> dict[str, str]:
        if name not in self._read:
            self._read[name] = self._fields_in_file(name)
        return self._read[name]

    def _fields_in_file(self, name: str) -> dict[str, str]:
        text = read_text(self._files.get(name, "/nonexistent"))
        variables: dict[str, str] = {}
        for key, value in _VARIABLE.findall(text):
            variables[key] = _expanded(value.strip(), variables)
        return {key: _expanded(value, variables) for key, value in _FIELD.findall(text)}

    def _includes(self, name: str) -> list[str]:
        words = _INCLUDE.findall(self._fields(name).get("Cflags", ""))
        return [word for word in words if word.startswith("/usr/")]

    def _required(self, name: str) -> list[str]:
        found: dict[str, None] = {}
        pending = [name]
        while pending and len(found) < _MOST_REQUIRED:
            fields = self._fields(pending.pop())
            text = f"{fields.get('Requires', '')} {fields.get('Requires.private', '')}"
            for word in re.findall(r"[A-Za-z][\w.+-]*", re.sub(r"[<>=]+\s*\S+", " ", text)):
                if word not in found:
                    found[word] = None
                    pending.append(word)
        return list(found)


def _expanded(text: str, variables: dict[str, str]) -> str:
    return re.sub(r"\$\{(\w+)\}", lambda found: variables.get(found[1], ""), text)
