"""From complaints to inventions: one repair per kind of error.

In:    `Complaint`s about one source, the texts that they speak of.
Out:   changed `Inventions` and `Edits`.
Guarantees: a round that changes nothing says so; functions are left out only in a round that has no
       other repair.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from heapflow.frontend.buildless.functions import (
    Span,
    declaration_at,
    function_spans,
    without_bodies,
    without_definitions,
    without_lines,
)
from heapflow.frontend.buildless.inventions import (
    ANY,
    FUNCTION,
    HEADER_OF_NAME,
    LONG,
    POINTER,
    Inventions,
)
from heapflow.frontend.buildless.messages import Complaint, Kind

_FIRST_NUMBER = 70_001  # of macros whose value is unknown: each its own, since they may be cases
_TEXT_NAME = re.compile(
    r"(\w+_)?(VERSION|PACKAGE|DIR|PATH|PREFIX|NAME|URL|STRING|HOST|FILE|DATE|TITLE)"
)
_DECORATES = re.compile(r"\s+(?:[\w*]+\s+)*\**\w+[\s*]+\w+\s*[(;=\[,]")
_KEYWORD = re.compile(
    r"\s+(const|static|extern|inline|struct|union|enum|void|char|short|int|long|unsigned|signed|float"
    r"|double|typedef)\b"
)
_SWITCH = re.compile(r"(\w+_)?(ENABLE|HAVE|USE|WITH|HAS|SUPPORT|CONFIG)_")
_DECLARES = re.compile(r"\s*\(\s*(struct|union|enum|extern|static|const|int|void|char|unsigned)\b")


@dataclass(slots=True)
class Edits:
    """What is taken out of the files of the tree; by path."""

    bodies: dict[str, dict[str, None]] = field(default_factory=dict)  # functions without their body
    gone: dict[str, dict[str, None]] = field(default_factory=dict)  # definitions, as a whole
    # Definitions of what the system's headers declare: its library's stand for them.
    replaced: dict[str, dict[str, None]] = field(default_factory=dict)
    lines: dict[str, set[int]] = field(default_factory=dict)

    def files(self) -> list[str]:
        return list(dict.fromkeys((*self.bodies, *self.gone, *self.replaced, *self.lines)))

    def dropped(self) -> list[str]:
        both = (*self.bodies.values(), *self.gone.values())
        return list(dict.fromkeys(name for names in both for name in names))

    def apply(self, path: str, text: str) -> str:
        """The text of a file without what is taken out."""
        spans = function_spans(text)
        bodies = [one for one in spans if one.name in self.bodies.get(path, ())]
        whole = {*self.gone.get(path, ()), *self.replaced.get(path, ())}
        gone = [one for one in spans if one.name in whole]
        both = [one for one in bodies if one not in gone]
        edited = without_definitions(text, gone) if not both else text
        if both:
            # Later offsets first, so that those before stay right.
            for span in sorted((*both, *gone), key=lambda one: -one.start):
                change = without_definitions if span in gone else without_bodies
                edited = change(edited, [span])
        return without_lines(edited, self.lines.get(path, set()))


@dataclass(slots=True)
class Repair:
    """The inventions for one source, as far as they have come."""

    source: str  # path of the file that is compiled
    is_editable: Callable[[str], bool]
    read: Callable[[str], str]
    inventions: Inventions = field(default_factory=Inventions)
    edits: Edits = field(default_factory=Edits)

    def round(self, complaints: list[Complaint]) -> bool:
        """Repair what can be repaired; False if nothing changed."""
        changed = [self._repair(one) for one in complaints if one.kind is not Kind.OTHER]
        changed += [self._unguard(one) or self._undefine(one) for one in complaints]
        if any(changed):
            return True
        left_out = [self._leave_out(one) for one in complaints]  # all of them, not the first only
        return any(left_out)

    def _repair(self, one: Complaint) -> bool:
        made = self.inventions
        match one.kind:
            case Kind.FILE:
                known = one.name in made.headers
                made.headers[one.name] = None
                return not known
            case Kind.TYPE:
                return self._type(one)
            case Kind.IDENTIFIER:
                return self._identifier(one)
            case Kind.MEMBER:
                return one.name in (*made.members, *made.structs) and made.member(
                    one.name, one.member
                )
            case Kind.INCOMPLETE:
                return self._incomplete(one)
            case Kind.NOT_A_POINTER | Kind.NOT_A_FUNCTION:
                return self._retype(one)
            case Kind.NOT_A_STRUCT | Kind.NOT_A_NUMBER:
                return made.turn(one.name, one.kind is Kind.NOT_A_STRUCT)
            case Kind.CLASH:
                return self._clash(one)
            case Kind.DECLARATION:
                return self._decoration(one)
            case _:
                return False

    # Unknown names --------------------------------------------------------------------------------

    def _around(self, one: Complaint) -> tuple[str, str, str]:
        """The line before the place, the word at it, and what follows."""
        lines = self.read(one.file).split("\n")
        line = lines[one.line - 1] if one.line <= len(lines) else ""
        following = "\n".join(lines[one.line : one.line + 2])
        before, rest = line[: one.column - 1], line[one.column - 1 :]
        word = re.match(r"\w*", rest)
        name = word[0] if word else ""
        return before, name, rest[len(name) :] + "\n" + following

    def _type(self, one: Complaint) -> bool:
        before, _, after = self._around(one)
        first = not before.strip()
        if first and re.match(r"\s*\(", after) and one.name.upper() == one.name:
            return self.inventions.macro(one.name, _arguments(after))
        alone = first and after.startswith("\n")
        if (
            one.name.upper() == one.name
            and len(one.name) > 1
            and (alone or _KEYWORD.match(after) or _DECORATES.match(after))
        ):
            return self.inventions.macro(one.name, "")
        text = self.read(one.file)
        by_value = re.search(rf"\b{re.escape(one.name)}\s+\w+\s*[;=,)\[]", text) is not None
        return self.inventions.type_named(one.name, not by_value)

    def _identifier(self, one: Complaint) -> bool:
        before, word, after = self._around(one)
        name, made = one.name, self.inventions
        if name in HEADER_OF_NAME and made.include(HEADER_OF_NAME[name]):
            return True
        if word != name:  # inside of a macro
            return (
                made.macro(name, self._value(name)) if name.isupper() else made.variable(name, LONG)
            )
        if re.match(r"\s*\*+\s*(const\s*)?(\)|\w+\s*[;=,)])", after) and re.search(
            r"(^|[({;,]|sizeof)\s*(const\s+)?$", before
        ):
            return made.type_named(name, True)
        if re.match(r"\s+\w+\s*[;=,]", after) and not before.strip():
            return made.type_named(name, False)
        if re.match(r"\s*->", after):
            return made.variable(name, POINTER)
        if re.match(r"\s*\.\s*\w", after):
            return made.variable(name, f"struct {ANY} {{}}")
        if re.match(r"\s*\[", after):
            return made.variable(name, "long {}[1]")
        if re.match(r"\s*(=[^=]|\+\+|--|[-+|&*/]=)", after) or re.search(
            r"(&|\+\+|--)\s*$", before
        ):
            return made.variable(name, LONG)
        if re.match(r"\s*\(", after):
            return made.macro(name, "(...) 0")
        if before.rstrip().endswith('"') or after.lstrip(" \t").startswith('"'):
            return made.macro(name, f' "{name.lower()}"')
        if name.upper() != name:
            return made.variable(name, LONG)
        return made.macro(name, self._value(name))

    def _value(self, name: str) -> str:
        """Of a macro of which only the name is known."""
        if _TEXT_NAME.fullmatch(name):
            return f' "{name.lower()}"'
        if _SWITCH.match(name):
            return " 0" if re.search(r"DEBUG|TEST|TRACE", name) else " 1"
        return f" {_FIRST_NUMBER + len(self.inventions.macros)}"

    def _incomplete(self, one: Complaint) -> bool:
        """A struct that is used and nowhere defined."""
        _, _, after = self._around(one)
        member = re.match(r"\s*(?:->|\.)\s*(\w+)", after)
        defined = re.search(rf"\b(struct|union)\s+{re.escape(one.name)}\s*\{{", self.read(one.file))
        if defined or one.name in ("void", "char"):
            return False
        return self.inventions.member(one.name, member[1] if member else "")

    def _retype(self, one: Complaint) -> bool:
        """A member or a variable that was taken for a number."""
        before, word, after = self._around(one)
        pattern = FUNCTION if one.kind is Kind.NOT_A_FUNCTION else POINTER
        chain = re.match(r"[\w>.\-]*", word + after)
        words = re.findall(
            r"\w+", before + (word if pattern == POINTER else chain[0] if chain else "")
        )
        for name in reversed(words):
            for tag, members in self.inventions.members.items():
                if members.get(name) == LONG:
                    return self.inventions.member(tag, name, pattern)
            if self.inventions.variables.get(name) == LONG:
                self.inventions.variables[name] = pattern
                return True
        return False

    # What is there already ------------------------------------------------------------------------

    def _clash(self, one: Complaint) -> bool:
        if one.name and self._forget(one.name, one.file):
            return True
        before, word, after = self._around(one)
        near = [*re.findall(r"\w+", f"{before}{word}")[-1:], *re.findall(r"\w+", after)[:1]]
        if any(self._forget(name, one.file) for name in near):
            return True
        span = self._span(one)
        if span is None or span.name != one.name:
            return False
        return _put(self.edits.replaced, one.file, span.name)

    def _forget(self, name: str, file: str) -> bool:
        """It is defined after all; if in an installed header, that is included before everything."""
        if not self.inventions.forget(name):
            return False
        if file.startswith("/usr/include/"):
            self.inventions.include(file.removeprefix("/usr/include/"))
        return True

    def _decoration(self, one: Complaint) -> bool:
        """A macro that stands before or behind a declaration, such as an attribute."""
        before, word, after = self._around(one)
        candidates = [
            (word, after),
            *((name, rest) for name, rest in _words_backwards(before, word + after)),
        ]
        for name, rest in candidates[:3]:
            if len(name) > 2 and name.upper() == name and not name.isdigit():
                return self.inventions.macro(name, _arguments(rest))
        return False

    def _unguard(self, one: Complaint) -> bool:
        """`#error`, where a guess went wrong: the line goes."""
        lines = self.read(one.file).split("\n")
        line = lines[one.line - 1] if 0 < one.line <= len(lines) else ""
        if not re.match(r"\s*#\s*error\b", line) or not self.is_editable(one.file):
            return False
        known = self.edits.lines.setdefault(one.file, set())
        new = one.line not in known
        known.add(one.line)
        return new

    def _undefine(self, one: Complaint) -> bool:
        """`info.linux`: GNU compilers define some ordinary words."""
        _, word, _ = self._around(one)
        if word not in ("linux", "unix", "i386") or word in self.inventions.undefined:
            return False
        self.inventions.undefined[word] = None
        return True

    # Functions ------------------------------------------------------------------------------------

    def _span(self, one: Complaint) -> Span | None:
        if not self.is_editable(one.file):
            return None
        for span in function_spans(self.read(one.file)):
            if span.first <= one.line <= span.last:
                return span
        return None

    def _leave_out(self, one: Complaint) -> bool:
        """The function that an error stands in, or the line that is in none."""
        span = self._span(one)
        if span is not None:
            if span.name in self.edits.bodies.get(one.file, ()):
                return _put(self.edits.gone, one.file, span.name)
            return _put(self.edits.bodies, one.file, span.name)
        if not self.is_editable(one.file):
            return False
        known = self.edits.lines.setdefault(one.file, set())
        lines = set(declaration_at(self.read(one.file), one.line))
        new = not lines <= known
        known |= lines
        return new


def _put(table: dict[str, dict[str, None]], file: str, name: str) -> bool:
    names = table.setdefault(file, {})
    new = name not in names
    names[name] = None
    return new


def _arguments(after: str) -> str:
    """The rest of the definition of a macro that decorates: it takes away what it is given, unless that
    is a declaration."""
    if not re.match(r"\s*\(", after):
        return ""
    return "(...) __VA_ARGS__" if _DECLARES.match(after) else "(...)"


def _words_backwards(before: str, after: str) -> list[tuple[str, str]]:
    """The words of a line from right to left, each with what follows it."""
    found = list(re.finditer(r"\w+", before))
    return [(one[0], before[one.end() :] + after) for one in reversed(found)]
