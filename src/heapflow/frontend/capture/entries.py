"""From records to a compile database and the list of what is linked into what.

In:    `Record`s.      Out: `Captured`.
Guarantees: one entry per compiled C file and call; commands that only preprocess, list dependencies,
       ask for versions or check syntax give none; probes of configure scripts give none.
Not modelled: C read from standard input (counted); sources that the build deleted (counted).
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from heapflow.frontend.capture.links import BuildGraph
from heapflow.frontend.capture.records import Record, outermost, without_launcher
from heapflow.frontend.capture.tools import Tool, tool_of
from heapflow.frontend.commandline import C_LANGUAGES, C_SUFFIXES, Command, Stage, parse_command
from heapflow.frontend.database import entry_key


@dataclass(slots=True)
class Captured:
    """What a build did."""

    entries: list[dict[str, Any]] = field(default_factory=list)
    targets: list[dict[str, Any]] = field(default_factory=list)
    unit_targets: dict[str, list[str]] = field(default_factory=dict)  # by `entry_key`
    archived: list[str] = field(default_factory=list)  # files that went into an archive, by key
    from_stdin: int = 0
    vanished: list[str] = field(default_factory=list)


# Directories in which build systems try out the compiler.
_PROBES = ("/CMakeFiles/CMakeScratch/", "/CMakeFiles/CMakeTmp/", "/CompilerIdC/", "/meson-private/")


def make_entries(records: list[Record], compilers: Iterable[str] = ()) -> Captured:
    """The database of a build."""
    build = _Build(frozenset(compilers))
    for head, inner in outermost(records):
        build.action(head, inner)
    return build.captured()


class _Build:
    """The build, action by action."""

    def __init__(self, compilers: frozenset[str]) -> None:
        self.compilers = compilers
        self.entries: list[dict[str, Any]] = []
        self.graph = BuildGraph()
        self.from_stdin = 0

    def action(self, head: Record, inner: list[Record]) -> None:
        tool = tool_of(head.program, self.compilers)
        if tool is Tool.LAUNCHER:
            head = without_launcher(head)
            tool = tool_of(head.program, self.compilers)
        match tool:
            case Tool.COMPILER | Tool.CXX:
                self._compile(head, inner, tool)
            case Tool.LINKER:
                self.graph.linked(head.directory, _linker_command(head.arguments), ())
            case Tool.ARCHIVER:
                self.graph.archived(head.directory, head.arguments)
            case Tool.COPY:
                self.graph.copied(head.directory, head.arguments)
            case _:
                pass

    def _compile(self, head: Record, inner: list[Record], tool: Tool) -> None:
        arguments = _c_arguments(head, tool)
        if arguments is None:
            return
        command = parse_command(arguments)
        if command.stage is Stage.NOTHING:
            return
        made = [
            self._unit(head, inner, command, source)
            for source in command.sources
            if source != "-" and (tool is Tool.COMPILER or _says_c(arguments))
        ]
        self.from_stdin += "-" in command.sources
        if command.stage is Stage.LINK:
            is_known = len(made) == len(command.sources) and tool is Tool.COMPILER
            command = command if is_known else replace(command, exports=True)
            self.graph.linked(head.directory, command, made)

    def _unit(self, head: Record, inner: list[Record], command: Command, source: str) -> int:
        """Add the entry of one compiled file; its number."""
        flags_from = next((one for one in inner if self._compiles(one, source)), head)
        arguments = [*flags_from.arguments, *head.include_path]
        output = _object_name(command, source)
        if len(command.sources) > 1 or command.stage is Stage.LINK:
            arguments = _single(parse_command(arguments), arguments, source, output)
        self.entries.append(
            {
                "directory": head.directory,
                "file": source,
                "arguments": [flags_from.program, *arguments],
                "output": output,
            }
        )
        unit = len(self.entries) - 1
        if command.stage is not Stage.LINK:
            self.graph.compiled(head.directory, output, unit)
        return unit

    def _compiles(self, record: Record, source: str) -> bool:
        """A wrapper's compiler call for the same file: it has the flags that the wrapper added."""
        if tool_of(record.program, self.compilers) is not Tool.COMPILER:
            return False
        command = parse_command(record.arguments)
        return command.stage is not Stage.NOTHING and source in command.sources

    def captured(self) -> Captured:
        result = Captured(from_stdin=self.from_stdin)
        kept: dict[int, dict[str, Any]] = {}
        for unit, entry in enumerate(self.entries):
            path = Path(entry["directory"], entry["file"])
            if _is_probe(path):
                continue
            if path.exists():
                kept[unit] = entry
            elif path.parent.exists():  # a directory made for one file only held a probe
                result.vanished.append(str(path))
        by_key = {entry_key(entry): entry for entry in kept.values()}
        result.entries = list(by_key.values())
        for output, units in self.graph.targets.items():
            members = [kept[unit] for unit in units if unit in kept]
            if members:
                is_whole = output in self.graph.whole and len(members) == len(units)
                is_whole = is_whole and all(map(_is_c, members))
                result.targets.append(_target(output, members, is_whole))
            for entry in members:
                result.unit_targets.setdefault(entry_key(entry), []).append(output)
        archived = self.graph.archived_units
        result.archived = [entry_key(kept[unit]) for unit in sorted(archived) if unit in kept]
        return result


def _target(output: str, members: list[dict[str, Any]], is_whole: bool) -> dict[str, Any]:
    files = (os.path.normpath(Path(one["directory"], one["file"])) for one in members)
    return {"output": output, "files": list(dict.fromkeys(files)), "whole": is_whole}


def _is_c(entry: dict[str, Any]) -> bool:
    return Path(entry["file"]).suffix in C_SUFFIXES


def _c_arguments(record: Record, tool: Tool) -> tuple[str, ...] | None:
    """The arguments of the C compiler; None if this is none (`zig build`)."""
    if Path(record.program).name == "zig":
        return record.arguments[1:] if record.arguments[:1] == ("cc",) else None
    return record.arguments


def _says_c(arguments: Iterable[str]) -> bool:
    words = list(arguments)
    pairs = pairwise(words)
    return any(first == "-x" and second in C_LANGUAGES for first, second in pairs) or "-xc" in words


def _object_name(command: Command, source: str) -> str:
    """Where the object goes if nobody says."""
    if command.output is not None and command.stage is not Stage.LINK and len(command.sources) == 1:
        return command.output
    suffix = ".s" if command.stage is Stage.ASSEMBLY else ".o"
    return Path(source).with_suffix(suffix).name


def _single(command: Command, arguments: list[str], source: str, output: str) -> list[str]:
    """The command that compiles one of several sources, and does not link."""
    language = (
        [word for word in ("-x", _language_of(arguments)) if word] if _says_c(arguments) else []
    )
    return [*command.flags, *language, "-c", "-o", output, source]


def _language_of(arguments: list[str]) -> str:
    return arguments[arguments.index("-x") + 1] if "-x" in arguments else "c"


def _linker_command(arguments: tuple[str, ...]) -> Command:
    command = parse_command(arguments)
    # `ld -r` and friends: the options mean the same, and a linker always links.
    relocatable = command.relocatable or "-i" in arguments or "-Ur" in arguments
    return replace(command, stage=Stage.LINK, sources=(), relocatable=relocatable)


def _is_probe(path: Path) -> bool:
    return path.name.startswith("conftest") or any(part in f"{path.parent}/" for part in _PROBES)
