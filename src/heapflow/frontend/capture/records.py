"""What the interposer and the shims wrote, as values in the order of time.

In:    the record file.      Out: `Record`s, nested ones resolved.
Guarantees: a damaged record (the disk was full, a process was killed) costs itself only.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

MAGIC = b"HFR1"
SHIM_MAGIC = "HFS1"
_HEADER = 12


@dataclass(frozen=True, slots=True)
class Record:
    """One start of a tool."""

    time: int
    process: str  # unique in the build
    ancestors: tuple[str, ...]
    directory: str
    program: str
    arguments: tuple[str, ...]  # without the program; response files are expanded
    include_path: tuple[str, ...] = ()  # as flags, from CPATH and C_INCLUDE_PATH


def parse_records(data: bytes) -> list[Record]:
    """All readable records, in the order of time."""
    found: list[Record] = []
    at = data.find(MAGIC)
    while at >= 0:
        record, following = _record_at(data, at)
        if record is not None:
            found.append(record)
        at = data.find(MAGIC, following)
    return sorted(found, key=lambda record: record.time)


def _record_at(data: bytes, at: int) -> tuple[Record | None, int]:
    """The record at a position (None: damaged), and where to look for the next one."""
    try:
        length = int(data[at + 4 : at + _HEADER], 16)
        body = data[at + _HEADER : at + _HEADER + length]
        if len(body) < length:
            raise ValueError("cut off")
        return _record(body), at + _HEADER + length
    except (ValueError, IndexError):
        return None, at + len(MAGIC)


def _record(body: bytes) -> Record:
    fields = body.decode("utf-8", "surrogateescape").split("\0")
    time, ancestry, directory, program, cpath, c_include_path, number = fields[:7]
    count = int(number)
    arguments = fields[7 : 7 + count]
    rest = fields[7 + count :]
    responses = dict(zip(rest[0::2], rest[1::2], strict=False))
    process, *ancestors = ancestry.split() or [""]
    return Record(
        time=int(time),
        process=process,
        ancestors=tuple(ancestors),
        directory=directory,
        program=program,
        arguments=tuple(_expand(_own_arguments(program, arguments), responses)),
        include_path=_include_path(cpath, c_include_path),
    )


def read_records(file: Path) -> list[Record]:
    """What the library and the shims left: in the file, and in those beside it."""
    found = parse_records(file.read_bytes())
    for path in file.parent.glob(f"{file.name}.*"):
        record = _shim_record(path)
        if record is not None:
            found.append(record)
    return sorted(found, key=lambda record: record.time)


def _shim_record(path: Path) -> Record | None:
    fields = path.read_bytes().decode("utf-8", "surrogateescape").split("\0")
    if len(fields) < 7 or fields[0] != SHIM_MAGIC:
        return None
    _, ancestry, directory, program, cpath, c_include_path, count = fields[:7]
    if not count.isdigit() or len(fields) < 7 + int(count):
        return None
    arguments, rest = fields[7 : 7 + int(count)], fields[7 + int(count) :]
    responses = dict(zip(rest[0::2], rest[1::2], strict=False))
    process, *ancestors = ancestry.split() or [path.name]
    return Record(
        time=path.stat().st_mtime_ns,
        process=process,
        ancestors=tuple(ancestors),
        directory=directory,
        program=program,
        arguments=tuple(_expand(arguments, responses)),
        include_path=_include_path(cpath, c_include_path),
    )


def _include_path(cpath: str, c_include_path: str) -> tuple[str, ...]:
    """The compiler's environment as flags. An empty element is the current directory."""
    return (
        *(f"-I{path or '.'}" for path in cpath.split(":") if cpath),
        *(f"-isystem{path or '.'}" for path in c_include_path.split(":") if c_include_path),
    )


def _own_arguments(program: str, arguments: list[str]) -> list[str]:
    """Without the program; for a script, also without the interpreter in front of it."""
    for index in (1, 2):
        if index < len(arguments) and arguments[index] == program:
            return arguments[index + 1 :]
    return arguments[1:]


def _expand(arguments: Iterable[str], responses: dict[str, str]) -> Iterable[str]:
    for argument in arguments:
        if argument not in responses:
            yield argument
            continue
        try:
            yield from shlex.split(responses[argument])
        except ValueError:
            yield argument


def outermost(records: list[Record]) -> list[tuple[Record, list[Record]]]:
    """Records that no other record caused, each with those that it did.

    The compiler driver runs the linker, a wrapper runs the compiler, a shim is replaced by what it
    stands for: one action of the build, seen several times.
    """
    heads: dict[str, int] = {}
    groups: list[tuple[Record, list[Record]]] = []
    for record in records:
        above = next(
            (heads[one] for one in (record.process, *record.ancestors) if one in heads), None
        )
        if above is None:
            heads[record.process] = len(groups)
            groups.append((record, []))
        else:
            groups[above][1].append(record)
    return groups


def without_launcher(record: Record) -> Record:
    """`ccache gcc -c x.c` as `gcc -c x.c`; unchanged if no command follows."""
    words = record.arguments
    # `ccache key=value gcc …` sets options for itself.
    while words and "=" in words[0] and not words[0].startswith("-"):
        words = words[1:]
    if not words or words[0].startswith("-"):
        return record
    return replace(record, program=words[0], arguments=words[1:])
