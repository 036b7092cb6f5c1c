"""What was taken for a number, a struct or a pointer, and has to be another of these.

In:    `Complaint`s, the texts that they speak of.      Out: changed `Inventions`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from heapflow.frontend.buildless.inventions import (
    ANY,
    ARRAY,
    CALLEE,
    ELEMENTS,
    FUNCTION,
    LONG,
    POINTER,
    STRUCT,
    Inventions,
)
from heapflow.frontend.buildless.messages import Complaint, Kind
from heapflow.frontend.buildless.places import around, callee_behind, callee_of_result, text_before

_PATTERNS = {
    Kind.NOT_A_POINTER: POINTER,
    Kind.NOT_A_FUNCTION: FUNCTION,
    Kind.NOT_A_STRUCT: STRUCT,
    Kind.NOT_A_NUMBER: LONG,
}
# Possessive, and from the beginning of a word: one that can be split in many ways takes for ever.
_CHAIN_BEFORE = re.compile(r"(?<!\w)(?:\w++(?:\[[^][]*\]|\([^()]*\))?+(?:\s*(?:->|\.)\s*)?+)*+\s*$")
_CHAIN = re.compile(r"[*&(\s]*\w+(?:(?:\[[^][]*\])?(?:->|\.)\w+)*")
_MEMBER_BEFORE = re.compile(r"\s*(?:->|\.)\s*$")
_ELEMENTS = re.compile(r"subscripted value|indirection requires")


@dataclass(slots=True)
class Retyping:
    """Corrects types that were invented, and those of functions that nothing declares."""

    read: Callable[[str], str]
    inventions: Inventions

    def _around(self, one: Complaint) -> tuple[str, str, str]:
        return around(self.read(one.file), one.line, one.column)

    def retype(self, one: Complaint) -> bool:
        """A type, a member or a variable that was taken for a number."""
        made = self.inventions
        pattern = ARRAY if _ELEMENTS.match(one.text) else _PATTERNS[one.kind]
        if one.name:
            if made.variables.get(one.name) == LONG:
                made.variables[one.name] = CALLEE
                return True
            return made.point(one.name, pattern)
        before, word, after = self._around(one)
        if _MEMBER_BEFORE.search(before):  # the place is the member's, not the operand's
            before, word, after = _MEMBER_BEFORE.sub("", before), "", ""
        left, right = _CHAIN_BEFORE.search(before), _CHAIN.match(word + after)
        words = re.findall(r"\w+", (left[0] if left else "") + (right[0] if right else ""))
        if word and one.text.startswith("subscripted"):
            words = [word]
        for name in reversed(words):
            for table in (*made.members.values(), *made.added.values(), made.variables):
                if table.get(name) == LONG:
                    table[name] = pattern
                    return True
                if table.get(name) in (ARRAY, ELEMENTS) and pattern in (POINTER, STRUCT):
                    table[name] = POINTER
                    return True
        return False

    def result(self, one: Complaint) -> bool:
        """The result of a function that nothing declares is no `int`."""
        text, made = self.read(one.file), self.inventions
        before = text_before(text, one.line, one.column)
        if one.kind in (Kind.NOT_A_POINTER, Kind.NOT_A_STRUCT):
            before = _MEMBER_BEFORE.sub("", before)
            if self._is_inferred(one, before) and made.macro("auto", " __auto_type"):
                return True
            name = callee_of_result(before) or self._initializer(one, before)
            pattern = POINTER if one.kind is Kind.NOT_A_POINTER else STRUCT
            return bool(name) and made.variable(name, f"{pattern}()")
        if not (struct := re.search(r"\b((?:struct|union) \w+)'", one.text)):
            return False
        _, word, after = self._around(one)
        if "'long'" in one.text:  # an invented member or variable
            names = (*re.findall(r"\w+", before)[-1:], *re.findall(r"[\w.>\-]+", word + after)[:2])
            return any(made.holds(name.split(">")[-1].split(".")[-1], struct[1]) for name in names)
        name = callee_behind(word + after)
        return bool(name) and made.variable(name, f"{struct[1]} {{}}()")

    def _operand(self, one: Complaint, before: str) -> str:
        at, word, _ = self._around(one)
        is_member = _MEMBER_BEFORE.search(at) is not None
        return word if word and not is_member else (re.findall(r"\w+", before) or [""])[-1]

    def _is_inferred(self, one: Complaint, before: str) -> bool:
        """`auto item = list->first;`: C23 gives it the type of its value."""
        name = self._operand(one, before)
        return re.search(rf"\bauto\s+{name}\s*=", before) is not None

    def _initializer(self, one: Complaint, before: str) -> str:
        """`auto item = first(list);`: the callee that gives a variable its type."""
        name = self._operand(one, before)
        found = re.findall(rf"\b(?:auto|__auto_type)\s+{name}\s*=\s*(\w+)\s*\(", before)
        return str(found[-1]) if found else ""

    def number(self, one: Complaint) -> bool:
        """A macro that was taken for a text."""
        before, word, after = self._around(one)
        words = [*re.findall(r"\w+", before)[::-1], *re.findall(r"\w+", word + after)]
        for name in words:
            if self.inventions.macros.get(name, "").startswith(' "'):
                self.inventions.macros[name] = f" {self.inventions.number()}"
                return True
        return False

    def arithmetic(self, one: Complaint) -> bool:
        """A member or variable that was taken for a pointer."""
        before, word, after = self._around(one)
        words = re.findall(r"\w+", f"{before} {word}{after}".partition("\n")[0])
        return ANY in one.text and any(self.inventions.counts(name) for name in words)
