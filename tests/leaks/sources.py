"""The annotated C sources: programs, the functions in them, and the marks on their lines.

In:    tests/c/leaks/*.c (one program each), tests/c/leaks/<name>/*.c (one program of several files).
Out:   Unit (a program), Function (what can be called), Mark (what should be reported, or was).
Example: `char *p = strdup(s);  // LEAK: never-freed` is Mark("LEAK", "never-freed", file, line, "").

LEAK  a leak, and reported.      FN  a leak that is missed.     FP  no leak, but reported.
So the truth is LEAK ∪ FN, and what is reported is LEAK ∪ FP. FN and FP carry a reason.
`LEAK: rule with its owner`: it has no report of its own, that of the block which held it names it.
OPEN  a block on which a limit left no verdict, as the summary says (`OPEN: most-nodes`).
A mark sits on the line of the allocation, or of the call that brought the block into the function
whose fault it is. `rule|rule` means that either name is right.
Which rule: `overwritten` if the last pointer dies because something is stored over it (variable, field,
slot, next turn of a loop); else `never-freed` if no path frees the block or hands it over; else
`conditional-leak`. `leak-at-exit` is what is lost only because `main` returns.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent / "c" / "leaks"
RULES = (
    "never-freed",
    "conditional-leak",
    "overwritten",
    "leak-if-allocation-fails",
    "leak-at-exit",
)

_MARK = re.compile(r"//\s*(LEAK|FP|FN|OPEN):\s*([a-z-]+(?:\|[a-z-]+)*)[ \t]*([^/\n]*)")
_FUNCTION = re.compile(
    r"""^(?P<result>(?!static\b|return\b|else\b|typedef\b)[A-Za-z_][\w \t*]*?[\s*])
        (?P<name>main|\w+_(?:bad|ok))\s*
        \((?P<params>[^;{}()]*)\)\s*\{""",
    re.MULTILINE | re.VERBOSE,
)
_NOT_RUN = re.compile(r"//[ \t]*NOT RUN:[ \t]*(.+)")


@dataclass(frozen=True, order=True)
class Mark:
    kind: str
    rule: str
    file: Path
    line: int
    reason: str

    @property
    def rules(self) -> tuple[str, ...]:
        return tuple(self.rule.split("|"))

    @property
    def with_owner(self) -> bool:
        return self.kind == "LEAK" and self.reason == "with its owner"


@dataclass(frozen=True)
class Param:
    type: str
    name: str


@dataclass(frozen=True)
class Function:
    name: str
    result: str
    params: tuple[Param, ...]
    file: Path
    line: int
    not_run: str | None  # the reason why no driver can call it

    @property
    def leaks(self) -> bool:
        return self.name.endswith("_bad")

    @property
    def prototype(self) -> str:
        params = ", ".join(f"{p.type} {p.name}" for p in self.params) or "void"
        return f"{self.result} {self.name}({params})"


@dataclass(frozen=True)
class Unit:
    """One program: the files that are analysed, compiled and run together."""

    name: str
    files: tuple[Path, ...]

    @property
    def not_run(self) -> bool:
        """Whether the first line of its first file says that it cannot be linked."""
        return "NOT RUN:" in self.files[0].read_text().split("\n", 1)[0]

    def marks(self) -> tuple[Mark, ...]:
        return tuple(mark for file in self.files for mark in read_marks(file))

    def functions(self) -> tuple[Function, ...]:
        return tuple(function for file in self.files for function in read_functions(file))


def find_units(root: Path = ROOT) -> tuple[Unit, ...]:
    single = [Unit(file.stem, (file,)) for file in sorted(root.glob("*.c"))]
    several = [
        Unit(folder.name, tuple(sorted(folder.glob("*.c"))))
        for folder in sorted(root.iterdir())
        if folder.is_dir()
    ]
    return (*single, *several)


def read_marks(file: Path) -> tuple[Mark, ...]:
    return tuple(
        Mark(found[1], found[2], file, number, found[3].strip())
        for number, text in enumerate(file.read_text().splitlines(), start=1)
        for found in _MARK.finditer(text)
    )


def read_functions(file: Path) -> tuple[Function, ...]:
    text = file.read_text()
    functions = []
    for found in _FUNCTION.finditer(text):
        line = text.count("\n", 0, found.start("name")) + 1
        above = _comment_above(text, found.start())
        reason = _NOT_RUN.search(above)
        functions.append(
            Function(
                found["name"],
                " ".join(found["result"].split()),
                tuple(_params(found["params"])),
                file,
                line,
                reason[1].strip() if reason else None,
            )
        )
    return tuple(functions)


def _comment_above(text: str, start: int) -> str:
    lines = text[:start].splitlines()
    above: list[str] = []
    while lines and lines[-1].lstrip().startswith(("//", "/*", "*")):
        above.append(lines.pop())
    return "\n".join(above)


def _params(text: str) -> list[Param]:
    if text.strip() in ("", "void"):
        return []
    return [_param(one) for one in text.split(",")]


def _param(text: str) -> Param:
    found = re.fullmatch(r"\s*(.*?[\s*])(\w+)\s*(\[\s*\])?\s*", text, re.DOTALL)
    assert found, f"parameter not understood: {text!r}"
    stars = " *" if found[3] else ""
    return Param(" ".join(found[1].split()) + stars, found[2])
