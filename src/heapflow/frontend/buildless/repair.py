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

from heapflow.frontend.buildless.conditions import demands_at, missing_at
from heapflow.frontend.buildless.edits import Edits, put
from heapflow.frontend.buildless.features import NOT_GNU, Features
from heapflow.frontend.buildless.functions import Span, declaration_at, function_spans, member_at
from heapflow.frontend.buildless.inventions import (
    ARRAY,
    CALLEE,
    FUNCTION,
    HEADER_OF_NAME,
    LONG,
    LOOP,
    POINTER,
    STRUCT,
    Inventions,
)
from heapflow.frontend.buildless.messages import Complaint, Kind

_PATTERNS = {
    Kind.NOT_A_POINTER: POINTER,
    Kind.NOT_A_FUNCTION: FUNCTION,
    Kind.NOT_A_STRUCT: STRUCT,
    Kind.NOT_A_NUMBER: LONG,
}
_MOST_COMPLAINTS = 400  # that are read in a round
_BEGINS_LOOP = re.compile(r"(?:^|[;{}])\s*(?!if\b|switch\b)([A-Za-z_]\w*)\s*\(.*\)\s*$")
_OPENS = re.compile(r"\s*\{")
_ELEMENTS = re.compile(r"subscripted value|indirection requires")
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
class Repair:
    """The inventions for one source, as far as they have come."""

    source: str  # path of the file that is compiled
    is_editable: Callable[[str], bool]
    read: Callable[[str], str]
    near: tuple[str, ...] = ()  # the source and the files of the tree that it may include
    given: Callable[[str], str | None] = field(default=lambda _: None)  # by build files
    inventions: Inventions = field(default_factory=Inventions)
    edits: Edits = field(default_factory=Edits)
    features: Features = field(init=False)

    def __post_init__(self) -> None:
        self.features = Features(self.near, self.read)

    def round(self, complaints: list[Complaint]) -> bool:
        """Repair what can be repaired; False if nothing changed."""
        complaints = complaints[:_MOST_COMPLAINTS]  # most of the others follow from them
        # What does not parse may be the consequence of a name that is missing.
        complaints = sorted(complaints, key=lambda one: one.kind is Kind.DECLARATION)
        for one in complaints:
            self._look_for(one)
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
                if one.name in (*made.members, *made.structs):
                    return made.member(one.name, one.member)
                return self._member(one.name, one.member)
            case Kind.INCOMPLETE:
                return self._incomplete(one)
            case Kind.NOT_A_POINTER | Kind.NOT_A_FUNCTION:
                return self._retype(one)
            case Kind.NOT_A_STRUCT | Kind.NOT_A_NUMBER if not one.name:
                return self._retype(one)
            case Kind.NOT_A_STRUCT | Kind.NOT_A_NUMBER:
                return made.turn(one.name, one.kind is Kind.NOT_A_STRUCT)
            case Kind.NOT_CONSTANT:
                return self._constant(one)
            case Kind.PARAMETER:
                return self._parameter(one)
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
        if name.upper() == name and _KEYWORD.match(after):  # `ODD_CONST char *s;`
            return made.macro(name, "")
        if re.match(r"\s*\*+\s*(const\s*)?(\)|\w+\s*[;=,)])", after) and re.search(
            r"(^|[({;,]|sizeof)\s*(const\s+)?$", before
        ):
            return made.type_named(name, True)
        if re.match(r"\s+\w+\s*(\[[^]]*\]\s*)*[;=,]", after) and not before.strip():
            return made.type_named(name, False)
        if re.match(r"\s*->", after):
            return made.variable(name, POINTER)
        if re.match(r"\s*\.\s*\w", after):
            return made.variable(name, STRUCT)
        if re.search(r"\bcase\s*\(?$", before):
            return made.macro(name, self._value(name))
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
        if given := self.given(name):
            return f" {given}"
        if _TEXT_NAME.fullmatch(name):
            return f' "{name.lower()}"'
        if _SWITCH.match(name):
            return " 0" if re.search(r"DEBUG|TEST|TRACE", name) else " 1"
        return f" {self.inventions.number()}"

    def _incomplete(self, one: Complaint) -> bool:
        """A struct that is used and nowhere defined."""
        _, _, after = self._around(one)
        member = re.match(r"\s*(?:->|\.)\s*(\w+)", after)
        defined = re.search(rf"\b(struct|union)\s+{re.escape(one.name)}\s*\{{", self.read(one.file))
        if defined or one.name in ("void", "char"):
            return False
        return self.inventions.member(one.name, member[1] if member else "")

    def _retype(self, one: Complaint) -> bool:
        """A type, a member or a variable that was taken for a number."""
        made = self.inventions
        pattern = ARRAY if _ELEMENTS.match(one.text) else _PATTERNS[one.kind]
        if one.name:
            if made.variables.get(one.name) == LONG:
                made.variables[one.name] = CALLEE
                return True
            return made.point(one.name, pattern)
        before, word, after = self._around(one)
        chain = re.match(r"[\w>.\-]*", word + after)
        words = re.findall(
            r"\w+", before + (word if pattern != FUNCTION else chain[0] if chain else "")
        )
        for name in reversed(words):
            for table in (*made.members.values(), *made.added.values(), made.variables):
                if table.get(name) == LONG:
                    table[name] = pattern
                    return True
                if table.get(name) == ARRAY and pattern in (POINTER, STRUCT):
                    table[name] = POINTER
                    return True
        return False

    def _constant(self, one: Complaint) -> bool:
        """`case Odd_name:`: not a variable, but a macro or an enumerator."""
        _, word, after = self._around(one)
        made = self.inventions
        for name in (word, *re.findall(r"\w+", after.partition("\n")[0])):
            if name in made.variables:
                del made.variables[name]
                return made.macro(name, self._value(name))
        return False

    def _parameter(self, one: Complaint) -> bool:
        """`int UNUSED(n)`: the macro gives back what it is given."""
        before, word, after = self._around(one)
        line = before + word + after.partition("\n")[0]
        start = len(before)
        headers = [HEADER_OF_NAME[one] for one in re.findall(r"\w+", line) if one in HEADER_OF_NAME]
        if any(self.inventions.include(one) for one in headers):
            return True
        for found in reversed(list(re.finditer(r"\b([A-Za-z_]\w*)\s*\(", line[: start + 1]))):
            if found[1].upper() == found[1] or found[1].startswith("_"):
                return self.inventions.gives_back(self.features.behind(found[1]))
        return False

    # What the tree defines under other conditions --------------------------------------------------

    def _look_for(self, one: Complaint) -> None:
        span = self._span(one) if one.kind is Kind.IS_A_MACRO else None
        self.features.note(one.kind, span.name if span is not None else one.name, one.member)

    def _member(self, struct: str, member: str) -> bool:
        """A struct of the tree gains a member."""
        for name in self.features.names_of(struct):
            if file := self.features.file_of_struct(name):
                put(self.edits.structs, file, name)
                return self.inventions.add(name, member)
        return False

    # What is there already ------------------------------------------------------------------------

    def _clash(self, one: Complaint) -> bool:
        if one.name and self._forget(one.name, one.file):
            return True
        before, word, after = self._around(one)
        near = [*re.findall(r"\w+", f"{before}{word}")[-1:], *re.findall(r"\w+", after)[:1]]
        if any(self._forget(name, one.file) for name in near):
            return True
        lacks = missing_at(self.read(one.file), one.line) if self.is_editable(one.file) else ""
        if lacks and self.inventions.macro(lacks, " 1"):
            return True
        span = self._span(one)
        if span is None or span.name != one.name or not one.other or self.is_editable(one.other):
            return False
        return put(self.edits.replaced, one.file, span.name)

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
        loop = _BEGINS_LOOP.search(before) if not word and _OPENS.match(after) else None
        if loop and self.inventions.macro(loop[1], LOOP):
            return True
        candidates = [
            (word, after),
            *((name, rest) for name, rest in _words_backwards(before, word + after)),
        ]
        for name, rest in candidates[:3]:
            left = before[: len(before) - len(rest) + len(word + after)].removesuffix(name).rstrip()
            if name.isupper() and (left.endswith('"') or rest.lstrip(" \t").startswith('"')):
                return self.inventions.macro(name, f' "{name.lower()}"')
            if HEADER_OF_NAME.get(name) == "sys/queue.h" and self.inventions.include("sys/queue.h"):
                return True
            if len(name) > 2 and name.upper() == name and not name.isdigit():
                return self.inventions.macro(name, _arguments(rest))
        return False

    def _unguard(self, one: Complaint) -> bool:
        """`#error`: what it asks for is defined; where that is unknown, the line goes."""
        text = self.read(one.file)
        lines = text.split("\n")
        line = lines[one.line - 1] if 0 < one.line <= len(lines) else ""
        if not re.match(r"\s*#\s*error\b", line):
            return False
        made = self.inventions
        for name, least in demands_at(text, one.line).items():
            known = self.given(name) or (str(least) if least is not None else None)
            if made.macro(name, f" {known}" if known else self._value(name)):
                return True
        if not self.is_editable(one.file):
            return False
        known_lines = self.edits.lines.setdefault(one.file, set())
        new = one.line not in known_lines
        known_lines.add(one.line)
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
        if one.kind is Kind.CLASH:
            self.features.wanted[NOT_GNU,] += 1
        span = self._span(one)
        if span is not None:
            if span.name in self.edits.bodies.get(one.file, ()):
                return put(self.edits.gone, one.file, span.name)
            return put(self.edits.bodies, one.file, span.name)
        if not self.is_editable(one.file):
            return False
        known = self.edits.lines.setdefault(one.file, set())
        text = self.read(one.file)
        lines = set(member_at(text, one.line))
        if lines <= known:
            lines = set(declaration_at(text, one.line))
        new = not lines <= known
        known |= lines
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
