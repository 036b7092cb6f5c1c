"""Record a compile database from any build, by standing in for its compilers.

In:    a build command.      Out: compile_commands.json and heapflow-links.json, the build's status.
Guarantees: the build runs as it would have; nothing that it makes differs.
Not modelled: compilers that run elsewhere (in containers or on other machines), and those that get
       an environment from which LD_PRELOAD is gone.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from heapflow.frontend.cache import write_atomically
from heapflow.frontend.capture.entries import Captured, make_entries
from heapflow.frontend.capture.records import Record, read_records
from heapflow.frontend.capture.standin import SHIM_DIRECTORY, capture_environment
from heapflow.frontend.capture.tools import Tool, tool_names, tool_of
from heapflow.frontend.database import LARGEST, LINKS_NAME, entry_key
from heapflow.support.errors import UserError
from heapflow.support.files import Refusal, read_regular


@dataclass(frozen=True, slots=True)
class CaptureOutcome:
    """How the build ended, and what it did."""

    status: int
    captured: Captured


def capture_build(
    command: Sequence[str], compilers: Sequence[str] = (), method: str = "auto"
) -> CaptureOutcome:
    """Run a build and watch it. `method`: auto, or shims to do without the preloaded library."""
    named = _compiler_names(compilers)
    with tempfile.TemporaryDirectory(prefix="heapflow-capture-") as directory:
        workplace = Path(directory)
        record = workplace / "records"
        record.touch()
        names = tool_names(Path(name).name for name in named)
        environment = capture_environment(workplace, record, names, named, method)
        status = _run(command, environment)
        records = [_real_program(one, workplace) for one in read_records(record)]
    basenames = frozenset(Path(name).name for name in named)
    return CaptureOutcome(status, make_entries(records, basenames))


def _compiler_names(compilers: Sequence[str]) -> tuple[str, ...]:
    """Those of --cc and of CC, which may say `ccache gcc -m32`."""
    found = list(compilers)
    for word in _words(os.environ.get("CC", "")):
        if tool_of(word) is not Tool.LAUNCHER and "=" not in word:
            found.append(word)
            break
    return tuple(found)


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return []


def _run(command: Sequence[str], environment: dict[str, str]) -> int:
    """The build itself, with our streams; its exit status as a shell would say it."""
    try:
        build = subprocess.Popen(list(command), env=environment)
    except FileNotFoundError as error:
        raise UserError(f"{command[0]}: no such command") from error
    except OSError as error:
        raise UserError(f"{command[0]}: cannot be run: {error.strerror}") from error
    # Ctrl-C goes to the build as well; it decides what to do, and we record what there is.
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        status = build.wait()
    finally:
        signal.signal(signal.SIGINT, before)
    return status if status >= 0 else 128 - status


def _real_program(record: Record, workplace: Path) -> Record:
    """A shim seen by the library is named after the tool that it stands for."""
    program = Path(record.program)
    if program.parent != workplace / SHIM_DIRECTORY:
        return record
    return replace(record, program=shutil.which(program.name) or program.name)


@dataclass(frozen=True, slots=True)
class Earlier:
    """What an earlier capture recorded; a build that compiles less does not undo it."""

    entries: list[dict[str, Any]] = field(default_factory=list)
    links: dict[str, Any] = field(default_factory=dict)


def read_earlier(path: Path) -> Earlier:
    """The database at `path` and its links, without files that are gone; empty if there is none."""
    entries = _read_json(path, [])
    links = _read_json(path.parent / LINKS_NAME, {})
    if not isinstance(entries, list) or not all(isinstance(one, dict) for one in entries):
        raise UserError(f"{path}: cannot be added to: not a compile database\n{_ADVICE}")
    if not _are_links(links):
        raise UserError(f"{path.parent / LINKS_NAME}: cannot be added to: damaged\n{_ADVICE}")
    return Earlier([one for one in entries if Path(_place(one)[0]).is_file()], links)


def _are_links(links: Any) -> bool:
    """Whether what is to be added to has the form that we write."""
    try:
        names = [one["output"] for one in links.get("targets", ())]
        names += [target for targets in links.get("units", {}).values() for target in targets]
        names += links.get("archived", ())
    except (AttributeError, KeyError, TypeError):
        return False
    return all(isinstance(name, str) for name in names)


_ADVICE = "  start anew:  heapflow capture --fresh -- make"


def write_database(captured: Captured, path: Path, earlier: Earlier | None = None) -> list[str]:
    """Write the database and, beside it, what is linked into what; files that only `earlier` has."""
    earlier = earlier or Earlier()
    entries, links = _merged(captured, earlier.entries, earlier.links)
    _write_json(path, entries)
    _write_json(path.parent / LINKS_NAME, links)
    new = {_place(entry)[0] for entry in captured.entries}
    old = (_place(entry)[0] for entry in earlier.entries)
    return list(dict.fromkeys(file for file in old if file not in new))


def _merged(
    captured: Captured, old_entries: list[dict[str, Any]], old_links: dict[str, Any]
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """What was there, with the files that were compiled again replaced."""
    new = {_place(entry) for entry in captured.entries}
    kept = [entry for entry in old_entries if _place(entry) not in new]
    outputs = {target["output"] for target in captured.targets}
    old_targets = [one for one in old_links.get("targets", []) if one["output"] not in outputs]
    old_units = old_links.get("units", {})
    units = {key: old_units[key] for key in map(entry_key, kept) if key in old_units}
    # A file that was compiled again belongs where it belonged, though its program may be older.
    before = {_place(entry): old_units.get(entry_key(entry), []) for entry in old_entries}
    for entry in captured.entries:
        found = [*captured.unit_targets.get(entry_key(entry), ()), *before.get(_place(entry), ())]
        if found:
            units[entry_key(entry)] = list(dict.fromkeys(found))
    links = {
        "version": 1,
        "targets": [*old_targets, *captured.targets],
        "units": units,
        "archived": list(dict.fromkeys([*old_links.get("archived", []), *captured.archived])),
    }
    return [*kept, *captured.entries], links


def _place(entry: dict[str, Any]) -> tuple[str, str]:
    directory = str(entry.get("directory", ""))
    return (
        os.path.normpath(Path(directory, str(entry.get("file", "")))),
        os.path.normpath(Path(directory, str(entry.get("output", "")))),
    )


def _read_json(path: Path, default: Any) -> Any:
    try:
        if not path.exists():
            return default
        return json.loads(read_regular(path, LARGEST).decode("utf-8", "surrogateescape"))
    except (OSError, ValueError, RecursionError, Refusal) as error:
        raise UserError(f"{path}: cannot be added to: {error}\n{_ADVICE}") from error


def _write_json(path: Path, value: Any) -> None:
    text = json.dumps(value, indent=1, ensure_ascii=False) + "\n"
    try:
        write_atomically(path.absolute(), text.encode("utf-8", "surrogateescape"))
    except OSError as error:
        raise UserError(
            f"{path}: cannot be written: {error.strerror}\n"
            "  make room or choose a directory (-o BUILD/compile_commands.json), and build again"
        ) from error
