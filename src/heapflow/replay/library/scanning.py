"""sscanf on known texts.

Not modelled: wide characters, positions (`%1$d`), memory that scanf allocates (`%m`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from heapflow.replay.library.call import Computed, LibraryCall
from heapflow.replay.library.numbers import parsed_float, parsed_integer
from heapflow.replay.term import Value, mask

_SPACES = b" \t\n\v\f\r"
_DIRECTIVE = re.compile(
    rb"%(?P<skip>\*)?(?P<width>\d+)?(?P<length>hh|h|ll|l|q|j|z|t|L)?"
    rb"(?P<kind>[diouxXcsnpeEfFgGaA%]|\[\^?\]?[^\]]*\])"
)
_WIDTHS = {b"hh": 8, b"h": 16, b"": 32}
_BASES = {b"d": 10, b"u": 10, b"i": 0, b"o": 8, b"x": 16, b"X": 16, b"p": 16}


@dataclass(slots=True)
class _Stored:
    """What goes to one argument."""

    data: bytes
    counts: bool = True


class _Scan:
    """One pass over the text; nothing is written before it is over."""

    def __init__(self, text: bytes) -> None:
        self.text, self.at = text, 0
        self.found: list[_Stored] = []
        self.ended = False  # the text, before anything could be read

    def run(self, template: bytes) -> bool:
        """Whether the format was understood; reading stops at the first thing that does not fit."""
        at = 0
        while at < len(template):
            if template[at] in _SPACES:
                self.skip_spaces()
                at += 1
                continue
            match = _DIRECTIVE.match(template, at) if template[at] == ord("%") else None
            if match is None and template[at] == ord("%"):
                return False
            if match is None:
                if self.text[self.at : self.at + 1] != template[at : at + 1]:
                    self.ended = self.at >= len(self.text)
                    return True
                self.at, at = self.at + 1, at + 1
                continue
            if not self.directive(match):
                return True
            at = match.end()
        return True

    def skip_spaces(self) -> None:
        while self.at < len(self.text) and self.text[self.at] in _SPACES:
            self.at += 1

    def directive(self, match: re.Match[bytes]) -> bool:
        kind, length = match["kind"], match["length"] or b""
        if kind == b"n":
            width = _WIDTHS.get(length, 64)
            self.found.append(
                _Stored((self.at & mask(width)).to_bytes(width // 8, "little"), False)
            )
            return True
        if kind != b"c" and not kind.startswith(b"["):
            self.skip_spaces()
        if self.at >= len(self.text):
            self.ended = True
            return False
        limit = int(match["width"]) if match["width"] else 1 << 30
        rest = self.text[self.at : self.at + limit]
        if kind == b"%":
            self.at += rest[:1] == b"%"
            return rest[:1] == b"%"
        data = self.converted(kind, length, rest, bool(match["width"]), limit)
        if data is None:
            return False
        if not match["skip"]:
            self.found.append(_Stored(data))
        return True

    def converted(
        self, kind: bytes, length: bytes, rest: bytes, has_width: bool, limit: int
    ) -> bytes | None:
        if kind in _BASES:
            number = parsed_integer(rest, _BASES[kind])
            if number is None:
                return None
            self.at += number[1]
            width = 64 if kind == b"p" else _WIDTHS.get(length, 64)
            return (number[0] & mask(width)).to_bytes(width // 8, "little")
        if kind in (b"c", b"s") or kind.startswith(b"["):
            return self.characters(kind, rest, limit if has_width else 1)
        width = {b"l": 64, b"L": 80}.get(length, 32)
        real = parsed_float(rest, width)
        if real is None:
            return None
        self.at += real[1]
        return real[0].to_bytes(width // 8, "little")

    def characters(self, kind: bytes, rest: bytes, count: int) -> bytes | None:
        if kind == b"c":
            self.at += min(count, len(rest))
            return rest[:count] if len(rest) >= count else None
        if kind == b"s":
            length = next((i for i, byte in enumerate(rest) if byte in _SPACES), len(rest))
        else:
            members, inside = _set_of(kind)
            stop = (i for i, byte in enumerate(rest) if (byte in members) != inside)
            length = next(stop, len(rest))
        self.at += length
        return rest[:length] + b"\0" if length else None


def _set_of(kind: bytes) -> tuple[frozenset[int], bool]:
    """Members of `[a-z_]`, and whether they are wanted."""
    body = kind[1:-1]
    inside = not body.startswith(b"^")
    body = body if inside else body[1:]
    members: set[int] = set()
    at = 0
    while at < len(body):
        if at + 2 < len(body) and body[at + 1] == ord("-"):
            members.update(range(body[at], body[at + 2] + 1))
            at += 3
        else:
            members.add(body[at])
            at += 1
    return frozenset(members), inside


def _sscanf(call: LibraryCall) -> Value | None:
    text, template = call.text(call.value(0)), call.text(call.value(1))
    if text is None or template is None:
        return None
    scan = _Scan(text)
    if not scan.run(template) or len(scan.found) > len(call.arguments) - 2:
        return None
    targets = [call.value(2 + position) for position in range(len(scan.found))]
    if any(call.place(target) is None for target in targets):
        return None
    for target, stored in zip(targets, scan.found, strict=True):
        call.write(target, stored.data)
    count = sum(stored.counts for stored in scan.found)
    return call.result(-1 if scan.ended and not count else count)


def conversions(template: bytes) -> list[bytes]:
    """The kinds of the directives of a format that store something."""
    found = _DIRECTIVE.finditer(template.replace(b"%%", b""))
    return [one["kind"] for one in found if not one["skip"]]


def scanning_names(name: str) -> tuple[str, ...]:
    """A function under the names that headers give it."""
    return name, f"__isoc99_{name}", f"__isoc23_{name}"


SCANNING: dict[str, Computed] = dict.fromkeys(scanning_names("sscanf"), _sscanf)
