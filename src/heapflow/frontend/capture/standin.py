"""Stand in for a build's compilers: the preloaded library, or shims on PATH where that cannot work.

In:    names of tools.      Out: an environment for the build.
Guarantees: tools run with the arguments, directory, streams and exit status that they would have had.
Not modelled: builds that clear the environment, and 32-bit tools on a 64-bit system (these run
       unrecorded).
"""

from __future__ import annotations

import os
import shlex
import shutil
import stat
import subprocess
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from heapflow.frontend.cache import Cache, cache_directory, digest, write_atomically
from heapflow.frontend.capture.records import SHIM_MAGIC
from heapflow.frontend.capture.tools import Tool, tool_of
from heapflow.frontend.compiler import zig_path
from heapflow.support.errors import UserError
from heapflow.support.files import Refusal, read_regular

# The shim leaves the same facts as the library, in a file of its own, whose time is the record's.
# Shell builtins only: a build runs thousands of these. The number of the process and its start time
# stay the same through exec.
_SHIM = """#!/bin/sh
if [ -n "$HEAPFLOW_CAPTURE_FILE" ]; then
  read -r _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ heapflow_start _ < /proc/$$/stat
  printf '%s\\0' {magic} "$$.$heapflow_start $HEAPFLOW_CAPTURE_INSIDE" "$(pwd)" {tool} \\
    "$CPATH" "$C_INCLUDE_PATH" "$#" "$@" > "$HEAPFLOW_CAPTURE_FILE.$$.$heapflow_start"
  for heapflow_word in "$@"; do case $heapflow_word in @*)
    printf '%s\\0' "$heapflow_word" "$(cat "${{heapflow_word#@}}")" \\
      >> "$HEAPFLOW_CAPTURE_FILE.$$.$heapflow_start" ;;
  esac; done
  HEAPFLOW_CAPTURE_INSIDE="$$.$heapflow_start $HEAPFLOW_CAPTURE_INSIDE"
  export HEAPFLOW_CAPTURE_INSIDE
fi 2>/dev/null
exec {tool} "$@"
"""
SHIM_DIRECTORY = "bin"
_KIND = "tool"  # of the library's entry in the cache
_FOR_OTHERS = 0o022  # who may write


def capture_environment(
    workplace: Path, record: Path, names: Sequence[str], compilers: Sequence[str], method: str
) -> dict[str, str]:
    """The build's environment: ours, plus what makes tools record themselves."""
    environment = dict(os.environ)
    environment["HEAPFLOW_CAPTURE_FILE"] = str(record)
    environment["HEAPFLOW_CAPTURE_NAMES"] = ":".join(names)
    library = _working_library(workplace) if method != "shims" else None
    if library is not None:
        others = environment.get("LD_PRELOAD")
        environment["LD_PRELOAD"] = f"{library}:{others}" if others else str(library)
        # Programs that the build makes with a sanitizer, and runs, insist on being loaded first.
        options = environment.get("ASAN_OPTIONS")
        relaxed = "verify_asan_link_order=0"
        environment["ASAN_OPTIONS"] = f"{options}:{relaxed}" if options else relaxed
    shimmed = [
        (name, tool)
        for name, tool in _tools_on_path(compilers)
        if library is None or (tool_of(name) is not Tool.COPY and _is_static(tool))
    ]
    if shimmed:
        _write_shims(workplace / SHIM_DIRECTORY, shimmed, environment)
    return environment


def _tools_on_path(compilers: Sequence[str]) -> list[tuple[str, str]]:
    """Name and path of every tool that the build can call by name, versioned and cross ones too."""
    found: dict[str, str] = {}
    named = {Path(name).name for name in compilers}
    for directory in os.environ.get("PATH", os.defpath).split(os.pathsep):
        try:
            names = sorted(os.listdir(directory))  # noqa: PTH208 - names only
        except OSError:
            continue
        for name in names:
            path = str(Path(directory, name))
            if name not in found and tool_of(name, named) and os.access(path, os.X_OK):
                found[name] = path
    return list(found.items())


def _working_library(workplace: Path) -> Path | None:
    """The interposer, built on first use; None if it cannot be built or does not work here."""
    source = files("heapflow.frontend.capture").joinpath("interpose.c").read_bytes()
    key = digest(source, os.uname().machine)
    cache = _cache()
    content = cache.get(_KIND, key) if cache is not None else None
    if content is None:
        content = _build_library(source, workplace)
        if content is None:
            return None
        if cache is not None:
            cache.put(_KIND, key, content)
    # A server that the build starts outlives it, and the loader complains about a library that is gone.
    for place in (cache.tools if cache is not None else workplace, workplace):
        library = place / f"interpose-{key}.so"
        # The loader splits the variable at these; it has no way to quote.
        if any(letter in str(library) for letter in ": "):
            continue
        if _install(content, library) and _works(library, workplace):
            return library
    return None


def _cache() -> Cache | None:
    """The user's cache; None if it is somebody else's."""
    try:
        return Cache(cache_directory())
    except UserError:
        return None


def _install(content: bytes, library: Path) -> bool:
    """Make the file hold exactly this, at once: another capture may be loading it. Nobody else may be
    able to change it, or what its name stands for, afterwards."""
    try:
        library.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder = library.parent.lstat()
        if not stat.S_ISDIR(folder.st_mode) or folder.st_uid != os.geteuid():
            return False
        if folder.st_mode & _FOR_OTHERS:
            library.parent.chmod(0o700)
        if not _holds(library, content):
            write_atomically(library, content)
    except OSError:
        return False
    return True


def _holds(library: Path, content: bytes) -> bool:
    """Whether it is a file of ours that only we may write, with this content."""
    try:
        status = library.lstat()
        is_ours = status.st_uid == os.geteuid() and not status.st_mode & _FOR_OTHERS
        return is_ours and read_regular(library, len(content), follow=False) == content
    except (OSError, Refusal):
        return False  # not there, or not what it should be


def _build_library(source: bytes, workplace: Path) -> bytes | None:
    file, library = workplace / "interpose.c", workplace / "built.so"
    file.write_bytes(source)
    candidates = [[name] for name in ("cc", "gcc", "clang") if shutil.which(name)]
    zig = zig_path()
    if zig is not None:
        candidates.append([str(zig), "cc"])
    for command in candidates:
        call = [*command, "-shared", "-fPIC", "-O2", "-w", "-o", str(library), str(file)]
        run = subprocess.run(call, capture_output=True, check=False, cwd=workplace)
        if run.returncode == 0 and library.is_file():
            return library.read_bytes()
    return None


def _works(library: Path, workplace: Path) -> bool:
    """Does a process that loads the library leave a record?"""
    record = workplace / "trial"
    record.write_bytes(b"")
    environment = {
        **os.environ,
        "LD_PRELOAD": str(library),
        "HEAPFLOW_CAPTURE_FILE": str(record),
        "HEAPFLOW_CAPTURE_NAMES": "sh",
    }
    run = subprocess.run(["sh", "-c", ":"], env=environment, capture_output=True, check=False)
    return run.returncode == 0 and not run.stderr and record.stat().st_size > 0


def _is_static(tool: str) -> bool:
    """An ELF program that no loader prepares ignores LD_PRELOAD."""
    try:
        with Path(tool).open("rb") as file:
            head = file.read(4096)
    except OSError:
        return False
    if head[:4] != b"\x7fELF" or head[4] != 2:
        return False
    offset = int.from_bytes(head[32:40], "little")
    size, count = (int.from_bytes(head[at : at + 2], "little") for at in (54, 56))
    kinds = [
        int.from_bytes(head[offset + i * size : offset + i * size + 4], "little")
        for i in range(count)
    ]
    program_interpreter = 3
    return program_interpreter not in kinds


def _write_shims(
    directory: Path, tools: Sequence[tuple[str, str]], environment: dict[str, str]
) -> None:
    directory.mkdir()
    path = environment.get("PATH", os.defpath)
    for name, tool in tools:
        shim = directory / name
        shim.write_text(_SHIM.format(tool=shlex.quote(tool), magic=SHIM_MAGIC))
        shim.chmod(shim.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
    environment["PATH"] = f"{directory}{os.pathsep}{path}"
