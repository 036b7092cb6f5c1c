"""Compile one file of a tree without its build.

In:    a `SourceUnit` with `tree`, the compiler.      Out: bitcode and `Guesses`, or `CompileFailure`.
Round by round: compile, read the errors, repair. A function that cannot be repaired is left out: it is
then external, as if it lay in a library.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

from heapflow.frontend.buildless.features import NOT_GNU
from heapflow.frontend.buildless.functions import (
    Span,
    function_spans,
    guards_at,
    is_of_a_system,
    without_lines,
)
from heapflow.frontend.buildless.includes import Overlay, overlay_of
from heapflow.frontend.buildless.inventions import POINTER
from heapflow.frontend.buildless.macros import Macros, asked_by, make_macros
from heapflow.frontend.buildless.messages import Complaint, Kind, complaints_of
from heapflow.frontend.buildless.packages import Packages
from heapflow.frontend.buildless.places import around, callee_behind
from heapflow.frontend.buildless.repair import Repair
from heapflow.frontend.buildless.system import System
from heapflow.frontend.buildless.templates import (
    CONFIGURES,
    derived_header,
    enumerators_in,
    fill_template,
    names_in,
    names_in_template,
)
from heapflow.frontend.buildless.tree import (
    TEMPLATE_ENDINGS,
    Tree,
    index_tree,
    is_for_another_system,
    read_text,
)
from heapflow.frontend.compiler import Bitcode, CompileFailure, Compiler, compile_unit
from heapflow.frontend.guesses import Guesses
from heapflow.frontend.units import SourceUnit

MOST_ROUNDS = 40
_PERFECT = (False, 0, 0)
_PATIENCE = 3  # rounds in which types that a template lacks are looked for
MOST_SWITCHES = 3  # combinations of macros that are tried on a file
MOST_LAYERS = 2  # choices of branches, then what else is hidden
MOST_CHOICES = 4  # branches of one `#if … #else #error`
_INCLUDE = "i/i/i/i/i/i"  # deep enough for names that begin with `../`
_POSIX = ("-D_DEFAULT_SOURCE", "-D_XOPEN_SOURCE=700")
_SET = re.compile(r"^[ \t]*#[ \t]*define[ \t]+((?:\w+_)?(?:HAVE|SIZEOF)_[A-Z0-9_]+)", re.M)


@dataclass
class Known:
    """What is known of a tree and this system; the same for all its files."""

    tree: Tree
    system: System
    macros: Macros
    names: frozenset[str]  # that the sources ask for
    unset: frozenset[str]  # those among them that no header or template of the tree sets


@lru_cache(maxsize=4)
def known_of(root: str, compiler: Compiler) -> Known:
    """Index a tree and ask the system about what its sources ask for."""
    tree = index_tree(root)
    system = System(compiler, Packages(wanted="\n".join(map(tree.text, tree.builds))))
    names: set[str] = set()
    known: set[str] = set()
    enumerators: set[str] = set()
    for file in tree.files:
        if file.endswith(TEMPLATE_ENDINGS):
            known |= names_in_template(tree.text(file))
        elif file.endswith((".c", ".h")):
            names |= names_in(tree.text(file))
            enumerators |= enumerators_in(tree.text(file))
            if not is_for_another_system(file):
                known |= set(_SET.findall(tree.text(file)))
    unset = frozenset(names - known - enumerators)
    names = (names | known) - enumerators
    system.directories  # noqa: B018 - asked once, before processes are forked
    return Known(tree, system, make_macros(system, names), frozenset(names), unset)


def compile_by_guessing(
    compiler: Compiler, unit: SourceUnit, workplace: Path
) -> tuple[Bitcode, Guesses]:
    """Bitcode of a unit whose flags are unknown."""
    known = known_of(unit.tree, compiler)
    best = _Attempt(compiler, unit, workplace, known)
    best.run()
    for _ in range(MOST_LAYERS):
        before = best
        for group in before.switches():
            start = best
            for switches in group:
                on = tuple(dict.fromkeys((*start.on, *switches)))
                other = _Attempt(compiler, unit, workplace, known, on)
                other.run()
                if other.is_better_than(best):
                    best = other
                if best.cost() == _PERFECT:
                    break
        if best is before or not before.repair.features.choices:
            break  # what is missing under the branch that was chosen is looked for once more
    if best.bitcode is None:
        assert best.failure is not None
        raise best.failure
    return best.bitcode, best.guesses(best.bitcode)


@dataclass
class _Attempt:
    """One way to compile a file."""

    compiler: Compiler
    unit: SourceUnit
    workplace: Path
    known: Known
    on: tuple[str, ...] = ()  # macros that are switched on for this file
    bitcode: Bitcode | None = None
    failure: CompileFailure | None = None
    spent: float = 0.0
    rounds: int = 0
    read: set[str] = field(default_factory=set)  # headers of the overlay that the compiler opened
    spoilt: dict[str, set[int]] = field(default_factory=dict)  # lines of generated headers
    overlay: Overlay = field(init=False)
    repair: Repair = field(init=False)

    def __post_init__(self) -> None:
        tree = self.known.tree
        source = os.path.realpath(self.unit.path)
        relative = tree.relative(source)
        self.overlay = (
            overlay_of(tree, self.known.system, relative) if relative is not None else Overlay()
        )
        self.repair = Repair(
            source, self._is_editable, self._text, self.overlay.files, self.known.tree.given
        )
        # All at once: a header that is missing ends the compiler's run.
        self.repair.inventions.headers |= self.overlay.missing

    def _is_editable(self, path: str) -> bool:
        return self.known.tree.relative(self._full(path)) is not None

    def _text(self, path: str) -> str:
        full = self._full(path)
        relative = self.known.tree.relative(full)
        return self.known.tree.text(relative) if relative is not None else read_text(full)

    def _full(self, path: str) -> str:
        return os.path.normpath(Path(self.unit.directory, path))

    def run(self) -> None:
        """Compile, repairing what can be repaired."""
        try:
            self.bitcode = self._repaired()
        except CompileFailure as failure:
            self.failure = failure

    def _repaired(self) -> Bitcode:
        for self.rounds in range(MOST_ROUNDS):
            try:
                return self._finished(self._compiled())
            except CompileFailure as failure:
                self.spent += failure.cpu_seconds
                failure.cpu_seconds = self.spent
                said = [
                    replace(one, file=self._full(one.file)) for one in complaints_of(failure.said)
                ]
                blamed = self._blame(said)
                if not said or not (self.repair.round(said) or blamed):
                    raise
        said_last = f"{self.unit.name}: error: still wrong after {MOST_ROUNDS} repairs"
        raise CompileFailure(said_last, (), self.spent)

    def _compiled(self) -> Bitcode:
        bitcode = self._declared()
        if not (names := self._giving_pointers(bitcode)):
            return bitcode
        # Without a declaration, what they return would be cut to an `int`.
        made, before = self.repair.inventions, dict(self.repair.inventions.variables)
        for name in names:
            made.variable(name, f"{POINTER}()")
        self.spent += bitcode.cpu_seconds
        try:
            return compile_unit(self.compiler, self._prepared(), self.workplace)
        except CompileFailure as failure:
            self.spent += failure.cpu_seconds
            made.variables = before
            return replace(bitcode, cpu_seconds=0.0)

    def _giving_pointers(self, bitcode: Bitcode) -> list[str]:
        """Functions without a declaration whose results are used as pointers."""
        found: dict[str, None] = {}
        for file, line, column in bitcode.converted if bitcode.implicit else ():
            _, word, after = around(self._text(file), line, column)
            name = callee_behind(word + after)
            if name in bitcode.implicit:
                found[name] = None
        return list(found)

    def _declared(self) -> Bitcode:
        """Compiled with the headers that declare what the system's library has."""
        bitcode = compile_unit(self.compiler, self._prepared(), self.workplace)
        headers = (self.known.system.header_of(one) for one in sorted(bitcode.implicit))
        more = [one for one in headers if one and one not in self.repair.inventions.included]
        if not more:
            return bitcode
        self.spent += bitcode.cpu_seconds
        before = dict(self.repair.inventions.included)
        self.repair.inventions.included |= dict.fromkeys(more)
        try:
            return compile_unit(self.compiler, self._prepared(), self.workplace)
        except CompileFailure as failure:
            self.spent += failure.cpu_seconds
            self.repair.inventions.included = before
            return replace(bitcode, cpu_seconds=0.0)

    def _finished(self, bitcode: Bitcode) -> Bitcode:
        own, include = f"{self.workplace}/", f"{self.workplace / _INCLUDE}/"
        read = tuple(one for one in bitcode.dependencies if not one.startswith(own))
        self.read = {one.removeprefix(include) for one in bitcode.dependencies}
        templates = tuple(map(self.known.tree.path, self.overlay.templates.values()))
        spent = self.spent + bitcode.cpu_seconds
        return replace(bitcode, dependencies=(*read, *templates), cpu_seconds=spent)

    def _blame(self, said: list[Complaint]) -> bool:
        """Errors in what was made up: that goes, unless they may follow from missing types."""
        changed, include = False, f"{self.workplace / _INCLUDE}/"
        if self.rounds <= _PATIENCE and any(one.kind is Kind.TYPE for one in said):
            said = [one for one in said if not one.file.startswith(include)]
        for one in said:
            if one.file.startswith(include):
                lines = self.spoilt.setdefault(one.file.removeprefix(include), set())
                changed |= one.line not in lines
                lines.add(one.line)
            elif one.file == str(self.workplace / "prelude.h") and one.kind is not Kind.TYPE:
                line = (read_text(one.file).split("\n") + [""] * one.line)[one.line - 1]
                words = re.findall(r"\w+", line[one.column - 1 :])[:1]
                words += re.findall(r"\w+", line[: one.column - 1])[::-1]
                changed |= any(self.repair.inventions.forget(word) for word in words)
        return changed

    def _prepared(self) -> SourceUnit:
        """The unit with the overlay as it is now."""
        include = self.workplace / _INCLUDE
        for name, text in self._headers().items():
            target = Path(os.path.normpath(include / name))
            if not target.is_relative_to(self.workplace / "i"):
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, "utf-8", "surrogateescape")
        prelude = self.workplace / "prelude.h"
        decided = derived_header(self.known.unset, self.known.macros)
        prelude.write_text(decided + self.repair.inventions.prelude(), "utf-8")
        include.mkdir(parents=True, exist_ok=True)
        after = [word for one in self.overlay.directories for word in ("-idirafter", one)]
        return replace(
            self.unit,
            tree="",
            own_flags=(
                *self.unit.own_flags,
                *(_POSIX if NOT_GNU in self.on else ("-D_GNU_SOURCE",)),
                *(("-DHAVE_CONFIG_H",) if "HAVE_CONFIG_H" in self.known.names else ()),
                *(f"-D{one}=1" for one in self.on if one != NOT_GNU),
                *("-I", str(include), "-include", str(prelude)),
                *("-Xclang", "-ferror-limit", "-Xclang", "0"),
                *after,
                *self._edited(),
            ),
        )

    def _headers(self) -> dict[str, str]:
        found = {name: f'#include "{path}"\n' for name, path in self.overlay.forwards.items()}
        tree, macros = self.known.tree, self.known.macros
        for name, template in self.overlay.templates.items():
            text = fill_template(tree.text(template), macros)
            found[name] = without_lines(text, self.spoilt.get(name, set()))
        for name in self.repair.inventions.headers:
            is_configuration = CONFIGURES.search(name) is not None
            found[name] = derived_header(self.known.names, macros) if is_configuration else ""
        return found

    def _edited(self) -> tuple[str, ...]:
        """Files of the tree from which something is taken out, under their own names."""
        edits, added = self.repair.edits, self.repair.inventions.added
        files = dict.fromkeys((*edits.files(), *self.overlay.unfilled))
        if not files:
            return ()
        roots = []
        for number, path in enumerate(files):
            copy = self.workplace / f"edited-{number}"
            text = edits.apply(path, self._text(path), added)
            if path in self.overlay.unfilled:
                text = fill_template(text, self.known.macros)
            copy.write_text(text, "utf-8", "surrogateescape")
            roots.append({"type": "file", "name": path, "external-contents": str(copy)})
        overlay = self.workplace / "edited.json"
        settings = {"version": 0, "use-external-names": False, "roots": roots}
        overlay.write_text(json.dumps(settings), "utf-8")
        return ("-ivfsoverlay", str(overlay))

    # What came of it ------------------------------------------------------------------------------

    def switches(self) -> list[list[tuple[str, ...]]]:
        """Macros to try, one of each group: under which there is what is missing, or functions."""
        text = self._text(self.repair.source)
        spans = function_spans(text)
        guards = guards_at(text, spans[0].start) if self._hidden(spans) else []
        if guards:
            ours = tuple(one for one in guards if not is_of_a_system(one))
            return [[ours]] if ours and len(ours) == len(guards) else []
        features = self.repair.features
        if features.choices:
            made = [names[:MOST_CHOICES] for names in features.choices.values()]
            return [[(name,) for name in names] for names in made[:MOST_SWITCHES]]
        groups = [[one] for one, _ in features.wanted.most_common(MOST_SWITCHES)]
        inactive = self._inactive(text, spans)
        return [*groups, [inactive]] if inactive else groups

    def _inactive(self, text: str, spans: list[Span]) -> tuple[str, ...]:
        """What a configure step would look for or set, and further functions of the file hang on."""
        found: dict[str, None] = {}
        for one in self._absent(spans):
            guards = guards_at(text, one.start)
            if all(self._is_a_choice(guard) for guard in guards):
                found |= dict.fromkeys(guards)
        return tuple(found)

    def _is_a_choice(self, guard: str) -> bool:
        """Whether a macro is what a build may set: named so, or set by the tree's own build."""
        named = asked_by(guard) or self.known.tree.given(guard) not in (None, "0")
        return bool(named) and not is_of_a_system(guard)

    def _absent(self, spans: list[Span]) -> list[Span]:
        """Functions of the file that the module does not know."""
        data = self.bitcode.data if self.bitcode is not None else b""
        return [one for one in spans if not _is_named(one.name, data)]

    def _hidden(self, spans: list[Span]) -> bool:
        data = self.bitcode.data if self.bitcode is not None else None
        return (
            data is not None and bool(spans) and not any(_is_named(one.name, data) for one in spans)
        )

    def cost(self) -> tuple[bool, int, int]:
        """Smaller is better: it compiles, fewer functions are lost, less is invented."""
        spans = function_spans(self._text(self.repair.source))
        lost = len(spans) if self._hidden(spans) else len(self.repair.edits.dropped())
        made = self.repair.inventions
        added = sum(map(len, (*made.members.values(), *made.added.values())))
        types = len(made.integers) + len(made.structs) + len(made.typedefs)
        implicit = len(self.bitcode.implicit) if self.bitcode is not None else 0
        named = len(made.macros) + len(made.variables) + implicit
        return self.bitcode is None, lost, named + types + added

    def is_better_than(self, other: _Attempt) -> bool:
        """With more functions of the file, and few lost for it; else at less cost."""
        return self._rank() < other._rank()

    def _rank(self) -> tuple[bool, int, int, int]:
        failed, lost, made = self.cost()
        absent = len(self._absent(function_spans(self._text(self.repair.source))))
        return failed, 2 * lost + absent, made, absent

    def guesses(self, bitcode: Bitcode) -> Guesses:
        made = self.repair.inventions
        members = [f"{tag}.{one}" for tag, all_of in made.members.items() for one in all_of]
        return Guesses(
            made=tuple(one for one in self.overlay.templates if one in self.read),
            invented=tuple(one for one in made.headers if os.path.normpath(one) in self.read),
            macros=tuple(
                dict.fromkeys(
                    one
                    for one in (*made.macros, *made.variables, *self.on)
                    if one != NOT_GNU and not one.startswith("heapflow_")
                )
            ),
            types=(
                *made.integers,
                *made.structs,
                *made.typedefs,
                *(f"{tag}.{one}" for tag, all_of in made.added.items() for one in all_of),
                *(one for one in members if "heapflow_" not in one),
            ),
            dropped=tuple(self.repair.edits.dropped()),
            replaced=tuple(name for names in self.repair.edits.replaced.values() for name in names),
            implicit=tuple(sorted(bitcode.implicit)),
        )


def _is_named(function: str, bitcode: bytes) -> bool:
    """Whether a module knows a function, apart from a file of that name."""
    return re.search(re.escape(function.encode()) + rb"(?!\.c)", bitcode) is not None
