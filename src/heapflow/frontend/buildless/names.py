"""Names that nothing defines: what they have to be, by how they are used.

In:    `Complaint`s, the texts that they speak of.      Out: changed `Inventions`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from heapflow.frontend.buildless.features import Features
from heapflow.frontend.buildless.inventions import (
    DECLARING_LOOP,
    ELEMENTS,
    HEADER_OF,
    HEADER_OF_NAME,
    LONG,
    LOOP,
    POINTER,
    STRUCT,
    Inventions,
)
from heapflow.frontend.buildless.messages import Complaint, Kind
from heapflow.frontend.buildless.places import around, callee_around, callee_behind, text_before

_BEGINS_LOOP = re.compile(r"(?:^|[;{}])\s*(?!if\b|switch\b)([A-Za-z_]\w*)\s*\(.*\)\s*$")
_OPENS = re.compile(r"\s*\{")
_IS_OPERAND = re.compile(r"(^|[^\w\s)]|\breturn|\bsizeof)\s*\(\s*(const\s+)?$")
_TEXT_NAME = re.compile(
    r"(\w+_)?(VERSION|PACKAGE|DIR|PATH|PREFIX|NAME|URL|STRING|HOST|FILE|DATE|TITLE)"
)
_DECORATES = re.compile(r"\s+(?:[\w*]+\s+)*\**\w+[\s*]+\w+\s*[(;=\[,]")
_KEYWORD = re.compile(
    r"\s+(const|static|extern|inline|struct|union|enum|void|char|short|int|long|unsigned|signed|float"
    r"|double|typedef)\b"
)
_TYPE_WORD = re.compile(
    r"\s+(static|extern|inline|struct|union|enum|void|char|short|int|long|unsigned|signed|float|double)\b"
)
_SWITCH = re.compile(r"(\w+_)?(ENABLE|HAVE|USE|WITH|HAS|SUPPORT|CONFIG)_")
_DECLARES = re.compile(r"\s*\(\s*(struct|union|enum|extern|static|const|int|void|char|unsigned)\b")


@dataclass(slots=True)
class Names:
    """Decides what an unknown name is."""

    read: Callable[[str], str]
    features: Features
    given: Callable[[str], str | None]  # by build files
    inventions: Inventions

    def header(self, one: Complaint) -> bool:
        """A name that a standard header has, or what does not parse without it."""
        name = one.name
        if one.kind is Kind.DECLARATION:
            before, name, _ = self.around(one)
            if name not in HEADER_OF_NAME:
                words = re.findall(r"\w+", before) or [""]
                name = words[-1]
        elif one.kind is not Kind.IDENTIFIER:
            return False
        return name in HEADER_OF_NAME and self.inventions.include(HEADER_OF_NAME[name])

    def around(self, one: Complaint) -> tuple[str, str, str]:
        """The line before the place, the word at it, and what follows."""
        return around(self.read(one.file), one.line, one.column)

    def type(self, one: Complaint) -> bool:
        before, _, after = self.around(one)
        first = not before.strip()
        if first and re.match(r"\s*\(", after) and one.name.upper() == one.name:
            return self.inventions.macro(one.name, _arguments(after))
        if _TYPE_WORD.match(after):  # `export void f(…)`, whatever it is called
            return self.inventions.macro(one.name, "")
        alone = first and after.startswith("\n")
        if (
            one.name.upper() == one.name
            and len(one.name) > 1
            and (alone or _KEYWORD.match(after) or _DECORATES.match(after))
        ):
            return self.inventions.macro(one.name, "")
        if alias := self.features.alias(one.name):
            return self.inventions.alias(one.name, alias)
        text = self.read(one.file)
        by_value = re.search(rf"\b{re.escape(one.name)}\s+\w+\s*[;=,)\[]", text) is not None
        return self.inventions.type_named(one.name, not by_value)

    def identifier(self, one: Complaint) -> bool:
        before, word, after = self.around(one)
        name, made = one.name, self.inventions
        if name == "nullptr":
            return made.macro(name, " ((void *)0)")
        if name in HEADER_OF or (name.endswith("_t") and _IS_OPERAND.search(before)):
            return made.type_named(name, False)
        if word != name:  # inside of a macro
            return (
                made.macro(name, self.value(name)) if name.isupper() else made.variable(name, LONG)
            )
        if name.upper() == name and _KEYWORD.match(after):  # `ODD_CONST char *s;`
            return made.macro(name, "")
        if re.match(r"\s*\*+\s*(const\s*)?(\)|\w+\s*[;=,)])", after) and re.search(
            r"(^|[({;,]|sizeof)\s*(const\s+)?$", before
        ):
            return made.type_named(name, True)
        if re.match(r"\s+\w+\s*(\[[^]]*\]\s*)*[;=,]", after) and not before.strip():
            return made.type_named(name, False)
        if _IS_OPERAND.search(before) and re.match(r'\s*(\[\s*\])?\)\s*[\w("{]', after):  # a cast
            return made.type_named(name, False)
        if re.match(r"\s*->", after):
            return made.variable(name, POINTER)
        if re.match(r"\s*\.\s*\w", after):
            return made.variable(name, STRUCT)
        if name.isupper() and before.strip() in ("", "}") and after.startswith("\n"):
            return made.macro(name, "")  # `} END_EACH`
        if re.search(r"\bcase\s*\(?$", before):
            return made.macro(name, self.value(name))
        if re.match(r"\s*\[", after):
            return made.variable(name, ELEMENTS)
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
        return made.macro(name, self.value(name))

    def value(self, name: str) -> str:
        """Of a macro of which only the name is known."""
        if given := self.given(name):
            return f" {given}"
        if truth := re.fullmatch(r"(?:\w+_)?(TRUE|FALSE)", name):
            return " 1" if truth[1] == "TRUE" else " 0"
        if _TEXT_NAME.fullmatch(name):
            return f' "{name.lower()}"'
        if _SWITCH.match(name):
            return " 0" if re.search(r"DEBUG|TEST|TRACE", name) else " 1"
        return f" {self.inventions.number()}"

    def incomplete(self, one: Complaint) -> bool:
        """A struct that is used and nowhere defined."""
        if one.member == "enum":
            return self.inventions.enumeration(one.name)
        _, _, after = self.around(one)
        member = re.match(r"\s*(?:->|\.)\s*(\w+)", after)
        defined = re.search(rf"\b(struct|union)\s+{re.escape(one.name)}\s*\{{", self.read(one.file))
        if defined or one.name in ("void", "char"):
            return False
        return self.inventions.member(one.name, member[1] if member else "")

    def _takes_type(self, one: Complaint) -> bool:
        """`make(pool, struct item)`, `EACH(struct item *i, list) {`: only a macro takes a type."""
        if "expected expression" not in one.text:
            return False
        text, made = self.read(one.file), self.inventions
        _, word, after = self.around(one)
        name = callee_around(text_before(text, one.line, one.column))
        if not name or not re.match(r"[A-Za-z_]", word):
            return False
        arguments = re.match(r"[^;{}]*?\)\s*\{", word + after)
        if arguments and re.match(r"[\w\s]*[\s*]\w+\s*,", word + after):
            return made.macro(name, DECLARING_LOOP)
        return made.macro(name, f"(...) heapflow_{name}()") and made.variable(
            f"heapflow_{name}", "void *{}()"
        )

    def constant(self, one: Complaint) -> bool:
        """`case Odd_name:`: not a variable, but a macro or an enumerator."""
        _, word, after = self.around(one)
        made = self.inventions
        for name in (word, *re.findall(r"\w+", after.partition("\n")[0])):
            if name in made.variables:
                del made.variables[name]
                return made.macro(name, self.value(name))
        called = callee_behind(word + after.partition("\n")[0])
        self.features.note(Kind.IDENTIFIER, called, "")
        return bool(called) and made.macro(called, f"(...) {made.number()}")

    def parameter(self, one: Complaint) -> bool:
        """`int UNUSED(n)`: the macro gives back what it is given."""
        before, word, after = self.around(one)
        line = before + word + after.partition("\n")[0]
        start = len(before)
        headers = [HEADER_OF_NAME[one] for one in re.findall(r"\w+", line) if one in HEADER_OF_NAME]
        if any(self.inventions.include(one) for one in headers):
            return True
        for found in reversed(list(re.finditer(r"\b([A-Za-z_]\w*)\s*\(", line[: start + 1]))):
            if found[1].upper() == found[1] or found[1].startswith("_"):
                return self.inventions.gives_back(self.features.behind(found[1]))
        return False

    def decoration(self, one: Complaint) -> bool:
        """A macro that stands before or behind a declaration, such as an attribute."""
        before, word, after = self.around(one)
        if self._takes_type(one):
            return True
        if "top level declarator" in one.text and re.match(
            r"\s*[A-Za-z_]\w*\s*[(;=\[]", word + after
        ):
            words = re.findall(r"\w+", before)  # `static void __dead usage(void)`
            return bool(words) and self.inventions.macro(words[-1], "")
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
            if len(name) > 2 and name.upper() == name and not name.isdigit():
                return self.inventions.macro(name, _arguments(rest))
        return False


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
