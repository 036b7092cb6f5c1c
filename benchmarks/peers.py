"""The other leak checkers: how each is called for one file, and which of its messages are leaks.

In:    a `SourceUnit` of a compile database.     Out: a command; from its output, `Place`s of leaks.
Guarantees: all get the same macros, include paths and language, and run with the checks that are on
       when nobody asks for more.
Not modelled: leaks of files and descriptors; they are not counted for any tool.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from heapflow.frontend.flags import translate_flags
from heapflow.frontend.units import SourceUnit

# File, line, column and message: the same leak in a header, seen from two files, is one.
Place = tuple[str, int, int, str]
_MESSAGE = re.compile(r"^(?P<file>[^\s:][^:]*):(?P<line>\d+):(?P<column>\d+): (?P<text>.*)$")
_CPPCHECK_LEAKS = frozenset(
    """memleak memleakOnRealloc leakNoVarFunctionCall leakReturnValNotUsed
    leakUnsafeArgAlloc""".split()
)
_CPPCHECK_INCLUDES = {"-I", "-isystem", "-iquote", "-idirafter"}


@dataclass(frozen=True, slots=True)
class Peer:
    """A tool that looks at one file at a time."""

    name: str
    programs: tuple[str, ...]  # names that it may be installed under, the best one first
    command: Callable[[str, SourceUnit], list[str]]
    is_leak: Callable[[str], bool]

    def find(self) -> str | None:
        return next((path for name in self.programs if (path := shutil.which(name))), None)

    def leaks(self, output: str, directory: str) -> set[Place]:
        """The leaks in what the tool wrote when it ran in `directory`."""
        rows = (_MESSAGE.match(line) for line in output.splitlines())
        return {
            (str(Path(directory, row["file"])), int(row["line"]), int(row["column"]), row["text"])
            for row in rows
            if row is not None and self.is_leak(row["text"])
        }


def _language(unit: SourceUnit) -> list[str]:
    return ["-x", unit.language] if unit.language else []


def _clang(program: str, unit: SourceUnit) -> list[str]:
    flags = [*translate_flags(unit.all_flags).kept, *_language(unit)]
    how = ["--analyze", "--analyzer-output", "text", "-w", "-fno-color-diagnostics"]
    return [program, *how, *flags, unit.source]


def _gcc(program: str, unit: SourceUnit) -> list[str]:
    flags = [*translate_flags(unit.all_flags).kept, *_language(unit)]
    how = ["-fanalyzer", "-fdiagnostics-plain-output", "-c", "-o", "/dev/null"]
    return [program, *how, *flags, unit.source]


def _cppcheck(program: str, unit: SourceUnit) -> list[str]:
    # {id} stands where compilers write "warning". Without the libraries it knows no strdup.
    template = "--template={file}:{line}:{column}: {id}: {message}"
    how = ["--quiet", template, "--library=posix", "--library=gnu", "--language=c"]
    return [program, *how, *cppcheck_flags(unit.all_flags), unit.source]


def cppcheck_flags(flags: tuple[str, ...]) -> list[str]:
    """The flags of a compiler that cppcheck knows, in its own spelling."""
    found: list[str] = []
    words = iter(translate_flags(flags).kept)
    for word in words:
        if word in ("-D", "-U", "-include") or word in _CPPCHECK_INCLUDES:
            found += _cppcheck_flag(word, next(words, ""))
        elif word.startswith(("-D", "-U", "-I")):
            found.append(word)
        elif word.startswith(("-isystem", "-iquote", "-idirafter")):
            found.append(f"-I{re.sub('^-(isystem|iquote|idirafter)', '', word)}")
        elif word.startswith("-std="):
            standard = re.sub(r"^(gnu|iso9899:)", "c", word[len("-std=") :])
            found += [f"--std={standard}"] if standard in ("c89", "c99", "c11") else []
    return found


def _cppcheck_flag(option: str, value: str) -> list[str]:
    if option in _CPPCHECK_INCLUDES:
        return [f"-I{value}"]
    return [f"--include={value}"] if option == "-include" else [f"{option}{value}"]


def _is_clang_leak(text: str) -> bool:
    """`Potential leak of memory pointed to by 'p'`, or `Potential memory leak`."""
    return text.startswith("warning: ") and "leak" in text and "[unix.Malloc]" in text


def _is_gcc_leak(text: str) -> bool:
    return text.startswith("warning: ") and "[-Wanalyzer-malloc-leak]" in text


def _is_cppcheck_leak(text: str) -> bool:
    return text.split(":", 1)[0] in _CPPCHECK_LEAKS


_CLANGS = ("clang", *(f"clang-{version}" for version in range(22, 10, -1)))
PEERS = (
    Peer("clang --analyze", _CLANGS, _clang, _is_clang_leak),
    Peer("gcc -fanalyzer", ("gcc",), _gcc, _is_gcc_leak),
    Peer("cppcheck", ("cppcheck",), _cppcheck, _is_cppcheck_leak),
)
