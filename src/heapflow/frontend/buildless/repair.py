"""From complaints to inventions: one repair per kind of error.

In:    `Complaint`s about one source, the texts that they speak of.
Out:   changed `Inventions` and `Edits`.
Guarantees: a round that changes nothing says so; functions are left out only in a round that has no
       other repair.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from heapflow.frontend.buildless.conditions import choices_at, demands_at, missing_at
from heapflow.frontend.buildless.edits import Edits, put
from heapflow.frontend.buildless.features import NOT_GNU, Features
from heapflow.frontend.buildless.functions import (
    Span,
    declaration_at,
    function_spans,
    member_at,
    prototype_of,
)
from heapflow.frontend.buildless.inventions import (
    Inventions,
)
from heapflow.frontend.buildless.messages import Complaint, Kind
from heapflow.frontend.buildless.names import Names
from heapflow.frontend.buildless.retyping import Retyping

# Types first: without them declarations are lost, and what they declare seems to be missing.
_TYPES = (Kind.FILE, Kind.FILE_BY_MACRO, Kind.TYPE, Kind.INCOMPLETE)
_MOST_COMPLAINTS = 400  # that are read in a round
_MOST_ALIKE = 2  # rounds with the same errors


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
    met: Counter[tuple[Complaint, ...]] = field(default_factory=Counter)
    features: Features = field(init=False)
    names: Names = field(init=False)
    retyping: Retyping = field(init=False)

    def __post_init__(self) -> None:
        self.features = Features(self.near, self.read)
        self.names = Names(self.read, self.features, self.given, self.inventions)
        self.retyping = Retyping(self.read, self.inventions)

    def round(self, complaints: list[Complaint]) -> bool:
        """Repair what can be repaired; False if nothing changed."""
        complaints = complaints[:_MOST_COMPLAINTS]  # most of the others follow from them
        if self._goes_round(complaints):
            gone = [self._leave_out(one) for one in complaints]
            if any(gone):
                return True
        # What does not parse may be the consequence of a name that is missing.
        complaints = sorted(complaints, key=lambda one: one.kind is Kind.DECLARATION)
        for one in complaints:
            self._look_for(one)
        changed = [self._unguard(one) or self._undefine(one) for one in complaints]
        changed += [self._repair(one) for one in complaints if one.kind in _TYPES]
        changed += [self.names.header(one) for one in complaints]
        if not any(changed):
            changed = [self._repair(one) for one in complaints if one.kind not in _TYPES]
        if any(changed):
            return True
        left_out = [self._leave_out(one) for one in complaints]  # all of them, not the first only
        return any(left_out)

    def _goes_round(self, complaints: list[Complaint]) -> bool:
        """Whether repairs undo each other: the same errors are there for the third time."""
        self.met[tuple(complaints)] += 1
        return self.met[tuple(complaints)] > _MOST_ALIKE

    def _repair(self, one: Complaint) -> bool:
        made = self.inventions
        match one.kind:
            case Kind.FILE:
                known = one.name in made.headers
                made.headers[one.name] = None
                return not known
            case Kind.FILE_BY_MACRO:
                return self._named_header(one)
            case Kind.TYPE:
                return self.names.type(one)
            case Kind.IDENTIFIER:
                return self.names.identifier(one)
            case Kind.MEMBER:
                if one.name in (*made.members, *made.structs):
                    return made.member(one.name, one.member)
                return self._member(one.name, one.member)
            case Kind.INCOMPLETE:
                return self.names.incomplete(one)
            case Kind.NOT_A_POINTER | Kind.NOT_A_FUNCTION:
                return self.retyping.retype(one) or self.retyping.result(one)
            case Kind.NOT_A_STRUCT | Kind.NOT_A_NUMBER if not one.name:
                return self.retyping.retype(one) or self.retyping.result(one)
            case Kind.NOT_A_STRUCT | Kind.NOT_A_NUMBER:
                return self.retyping.result(one) or made.turn(
                    one.name, one.kind is Kind.NOT_A_STRUCT
                )
            case Kind.IS_A_STRUCT:
                return self.retyping.result(one)
            case Kind.IS_A_NUMBER:
                return self.retyping.number(one) or self.retyping.arithmetic(one)
            case Kind.NO_MACRO:
                return self._condition(one)
            case Kind.NOT_CONSTANT:
                return self.names.constant(one)
            case Kind.PARAMETER:
                return self.names.parameter(one)
            case Kind.CLASH:
                return self._clash(one)
            case Kind.DECLARATION:
                return self.names.decoration(one)
            case _:
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

    def _named_header(self, one: Complaint) -> bool:
        """`#include LIB_OF_TODAY`: an empty header of this name."""
        _, word, _ = self.names.around(one)
        header = f"{word.lower()}.h"
        if not word or not self.inventions.macro(word, f" <{header}>"):
            return False
        self.inventions.headers[header] = None
        return True

    def _condition(self, one: Complaint) -> bool:
        """`#if !LIBRARY_CHECK_VERSION(2, 28, 0)`: clang names the macro only where it comes first.

        What a tree does for old versions of a library is not meant: what is asked for is there.
        """
        before, word, _ = self.names.around(one)
        name = one.name
        if not name and word in ("", "("):
            name = (re.findall(r"(\w+)\s*$", before) or [""])[0]
        if not re.fullmatch(r"[A-Za-z_]\w*", name):
            return False
        if not self.inventions.macros.get(name, "(").startswith("("):
            del self.inventions.macros[name]  # it seemed to be a number
        return self.inventions.macro(name, f"(...) {int('VERSION' in name.upper())}")

    # What is there already ------------------------------------------------------------------------

    def _clash(self, one: Complaint) -> bool:
        before, word, after = self.names.around(one)
        if word in ("union", "enum") and re.match(rf"\s+{re.escape(one.name)}\b", after):
            if word == "union":
                return self.inventions.unite(one.name)
            self.inventions.members.pop(one.name, None)
            return self.inventions.enumeration(one.name)
        if one.name and self._forget(one.name, one.file):
            return True
        near = [*re.findall(r"\w+", f"{before}{word}")[-1:], *re.findall(r"\w+", after)[:1]]
        if not one.name and any(self._forget(name, one.file) for name in near):
            return True
        if one.text.startswith("conflicting types") and self._forward(word + after):
            return True
        lacks = missing_at(self.read(one.file), one.line) if self.is_editable(one.file) else ""
        if lacks and self.inventions.macro(lacks, " 1"):
            return True
        return self._prefer(one)

    def _forward(self, text: str) -> bool:
        """Structs that are first named in parameters are others in each declaration."""
        tags = re.findall(r"\bstruct\s+(\w+)\s*\*", re.split(r"[{;]", text)[0])
        return bool([one for one in tags if self.inventions.forward(one)])

    def _prefer(self, one: Complaint) -> bool:
        """Of two declarations, the system's before the tree's, a definition before the first."""
        if not one.other:
            return False
        if not self.is_editable(one.file):
            header = re.sub(r"^/usr/include/(x86_64-linux-gnu/)?", "", one.file)
            known = header.startswith(("/", "bits/")) or not self.is_editable(one.other)
            return not known and self.inventions.include(header)
        span = self._span(one)
        if span is None or span.name != one.name:
            return False
        if not self.is_editable(one.other):
            return put(self.edits.replaced, one.file, span.name)
        return self._declare(span, one)

    def _declare(self, span: Span, one: Complaint) -> bool:
        """A definition that clashes with what was declared before: its own head is declared there."""
        if not one.other_line:
            return False
        known = self.edits.prototypes.setdefault(one.other, {})
        if any(span.name in declared for declared in known.values()):
            return False
        user = self._span(replace(one, file=one.other, line=one.other_line))
        line = one.other_line
        if user is not None:  # called before it was declared
            line = user.first
        else:
            gone = declaration_at(self.read(one.other), line)
            self.edits.lines.setdefault(one.other, set()).update(gone)
        known[line] = prototype_of(self.read(one.file), span)
        return True

    def _forget(self, name: str, file: str) -> bool:
        """It is defined after all; if in an installed header, that is included before everything."""
        if not self.inventions.forget(name):
            return False
        if file.startswith("/usr/include/"):
            self.inventions.include(file.removeprefix("/usr/include/"))
        return True

    def _unguard(self, one: Complaint) -> bool:
        """`#error`: what it asks for is defined; where that is unknown, the line goes."""
        text = self.read(one.file)
        lines = text.split("\n")
        line = lines[one.line - 1] if 0 < one.line <= len(lines) else ""
        if not re.match(r"\s*#\s*error\b", line):
            return False
        made = self.inventions
        # Those that the build files name come first: which of them fits best is tried.
        choices = sorted(choices_at(text, one.line), key=lambda name: self.given(name) is None)
        if choices:
            self.features.choices[one.file, one.line] = choices
        for name, least in demands_at(text, one.line).items():
            known = self.given(name) or (str(least) if least is not None else None)
            if made.macro(name, f" {known}" if known else self.names.value(name)):
                return True
        if not self.is_editable(one.file):
            return False
        known_lines = self.edits.lines.setdefault(one.file, set())
        new = one.line not in known_lines
        known_lines.add(one.line)
        return new

    def _undefine(self, one: Complaint) -> bool:
        """`info.linux`: GNU compilers define some ordinary words."""
        _, word, _ = self.names.around(one)
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
