"""Find a clang and make it turn C files into bitcode.

In:    `SourceUnit`.      Out: bitcode and the list of files that it was made from, or `CompileFailure`.
Guarantees: the build's own files are not touched; flags that clang refuses are dropped and named.
Not modelled: what only GCC compiles (nested functions): such a file fails with clang's message.
"""

from __future__ import annotations

import os
import platform
import re
import resource
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from heapflow.frontend.access import LARGEST, content_digest
from heapflow.frontend.flags import Translation, refused_flags, translate_flags, unknown_flags
from heapflow.frontend.units import SourceUnit
from heapflow.frontend.waiting import run_compiler
from heapflow.support.errors import ToolError, UserError
from heapflow.support.files import Refusal, read_regular

# Opaque pointers came with 15; newer bitcode than llvmlite's LLVM cannot be read.
OLDEST_CLANG = 15
_CONFIGURATION = "Configuration file: "
_VERSION = re.compile(r"clang version (\d+)[\d.]*")

# Without its passes, -O1 keeps every statement of the source as -O0 does; unlike that it describes the
# declarations that are called (their C types, with `const`), and does not keep SROA from working. What
# else it does is undone: lifetime markers, alias metadata, the macros by which headers choose inline
# versions of functions. -g gives names and lines; types that no variable of the file has are listed,
# too, since a variable that another file defines has none here, and members are known by their names.
# The sanitizer and stack protector defaults of some distributions add branches that are not the
# program's. -fcommon tells `int n;` from `int n = 0;` (`reader.py`). -fno-builtin is not there: a
# `malloc` that clang knows is the `malloc` we know.
_BITCODE_FLAGS = (
    *[
        "-c",
        "-emit-llvm",
        *("-g", "-fno-eliminate-unused-debug-types"),
        "-O1",
        *("-Xclang", "-disable-llvm-passes", "-Xclang", "-disable-lifetime-markers"),
        *("-fno-strict-aliasing", "-fno-inline", "-U__OPTIMIZE__"),
        "-fno-stack-protector",
        "-fcommon",
    ],
    # The only warnings that tell something: external names that no header declares, and functions
    # without a declaration whose `int` is used as a pointer.
    *["-Wno-everything", "-Wmissing-prototypes", "-Wmissing-variable-declarations"],
    *["-Wimplicit-function-declaration", "-Wint-conversion", "-Wint-to-pointer-cast"],
    *["-fno-color-diagnostics", "-fno-caret-diagnostics", "-Wno-error"],
)
# K&R programs and GCC 12's defaults: implicit declarations are warnings there, errors in clang 16.
_LENIENT_FLAGS = tuple(
    f"-Wno-error={name}"
    for name in (
        "implicit-function-declaration",
        "implicit-int",
        "int-conversion",
        "incompatible-function-pointer-types",
        "incompatible-pointer-types",
        "return-type",
        "return-mismatch",
        "deprecated-non-prototype",
    )
)
_UNANNOUNCED = re.compile(
    r"warning: no previous (?:prototype for function|extern declaration for non-static variable) "
    r"'([^']+)'"
)
_IMPLICIT = re.compile(r"warning: call to undeclared (?:library )?function '(\w+)'")
_CONVERTED = re.compile(
    r"^(.+?):(\d+):(\d+): warning: (?:incompatible integer to pointer conversion .* of type 'int'"
    r"|cast to '[^']*\*' from smaller integer type 'int')",
    re.M,
)
_MAX_RETRIES = 6
_LONGEST_COMMAND = 100_000  # characters; Linux takes some two million, the environment included
# Files that clang would write by order of the environment: not here.
_WRITING_VARIABLES = frozenset(
    """DEPENDENCIES_OUTPUT SUNPRO_DEPENDENCIES CC_PRINT_OPTIONS CC_PRINT_OPTIONS_FILE CC_PRINT_HEADERS
    CC_PRINT_HEADERS_FILE CC_LOG_DIAGNOSTICS CC_LOG_DIAGNOSTICS_FILE CC_PRINT_PROC_STAT
    CC_PRINT_PROC_STAT_FILE CC_PRINT_INTERNAL_STAT CC_PRINT_INTERNAL_STAT_FILE
    CLANG_CRASH_DIAGNOSTICS_DIR
    CLANG_MODULE_CACHE_PATH""".split()
)


@dataclass(frozen=True, slots=True)
class Compiler:
    """A clang: how to call it, and what identifies it in cache keys."""

    command: tuple[str, ...]
    version: str
    fingerprint: str
    seconds: float = 600.0  # that one call may take

    @property
    def path(self) -> str:
        return self.command[0]


@dataclass(frozen=True, slots=True)
class Bitcode:
    """What the compiler made, and from what."""

    data: bytes
    dependencies: tuple[str, ...]
    dropped_flags: tuple[str, ...]
    cpu_seconds: float
    unannounced: frozenset[str] = frozenset()  # external definitions that no header declares
    has_commons: bool = True  # whether the build merges variables that several files define
    implicit: frozenset[str] = frozenset()  # functions that are called without a declaration
    converted: tuple[tuple[str, int, int], ...] = ()  # where an `int` becomes a pointer


class CompileFailure(Exception):
    """The compiler refused a file; the message is its first error, `said` all of them."""

    def __init__(
        self, message: str, dropped: tuple[str, ...], cpu_seconds: float, said: str = ""
    ) -> None:
        super().__init__(message)
        self.dropped_flags = dropped
        self.cpu_seconds = cpu_seconds
        self.said = said


def find_compiler(wanted: str | None = None) -> Compiler:
    """The clang to use: the one asked for, else a fitting one on PATH, else ziglang's."""
    if wanted is not None:
        path = shutil.which(wanted)
        if path is None:
            raise UserError(f"--clang {wanted}: no such program")
        found = _clang_at(path)
        if found is None:
            raise UserError(
                f"--clang {wanted}: not a clang from {OLDEST_CLANG} to {_newest_clang()}\n"
                "  leave --clang out to use the compiler that is installed with heapflow"
            )
        return found
    path = shutil.which("clang")
    return (_clang_at(path) if path else None) or _zig_clang()


@cache
def _newest_clang() -> int:
    """The newest bitcode that llvmlite reads, known without loading its large library."""
    from importlib.metadata import version

    major, minor = (int(part) for part in version("llvmlite").split(".")[:2])
    # llvmlite 0.50 carries LLVM 22; later releases carry at least that.
    return 22 if (major, minor) >= (0, 50) else 20


def _clang_at(path: str) -> Compiler | None:
    """A `Compiler` for a clang whose version fits."""
    try:
        run = subprocess.run(
            [path, "--version"], capture_output=True, text=True, timeout=20, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = _VERSION.search(run.stdout)
    if match is None or not OLDEST_CLANG <= int(match[1]) <= _newest_clang():
        return None
    path = str(Path(path).absolute())  # it runs in another directory
    first, *others = run.stdout.splitlines()
    configured = [_configuration(line) for line in others if line.startswith(_CONFIGURATION)]
    return Compiler((path,), first, "|".join((first, _stamp(Path(path)), *configured)))


def _configuration(line: str) -> str:
    """The content of a file of flags that this clang reads on its own."""
    try:
        return content_digest(read_regular(line.removeprefix(_CONFIGURATION), LARGEST))
    except Refusal as error:
        return str(error)


def zig_path() -> Path | None:
    """The binary in the ziglang wheel, if that is installed."""
    from importlib.util import find_spec

    spec = find_spec("ziglang")
    places = list(spec.submodule_search_locations or ()) if spec else []
    zig = Path(places[0], "zig") if places else None
    return zig if zig is not None and zig.is_file() else None


def _zig_clang() -> Compiler:
    """The clang inside the ziglang wheel, called without its Python wrapper and without `zig cc`.

    `zig cc` adds sanitizers and a cache of its own and takes half as long again; `zig clang` is the
    plain compiler, which must be told the target and where its own headers are.
    """
    zig = zig_path()
    if zig is None:
        raise ToolError(
            f"no clang from {OLDEST_CLANG} to {_newest_clang()} on PATH, and the ziglang package is "
            "missing\n  install it with:  pip install ziglang"
        )
    from importlib.metadata import version

    library = zig.parent / "lib"
    own = (str(zig), "clang", "-target", _target(), "-resource-dir", str(library))
    command = (*own, *_libc_headers(library))
    name = f"clang of ziglang {version('ziglang')}"
    return Compiler(command, name, f"{name}|{command[3:]}")


def _target() -> str:
    machine = platform.machine() or "x86_64"
    musl = not platform.libc_ver()[0] and list(Path("/lib").glob("ld-musl-*"))
    return f"{machine}-linux-{'musl' if musl else 'gnu'}"


def _libc_headers(library: Path, system: Path = Path("/usr/include")) -> tuple[str, ...]:
    """The C library's headers that come with zig, where the system has none installed."""
    if (system / "stdio.h").exists():
        return ()
    machine = {"x86_64": "x86", "i686": "x86"}.get(platform.machine(), platform.machine())
    names = [f"{machine}-linux-gnu", "generic-glibc", f"{machine}-linux-any", "any-linux-any"]
    found = [library / "libc" / "include" / name for name in names]
    return tuple(word for path in found if path.is_dir() for word in ("-idirafter", str(path)))


def _stamp(path: Path) -> str:
    """Changes when the compiler is replaced under the same name."""
    try:
        status = path.resolve().stat()
    except OSError:
        return ""
    return f"{status.st_size}:{status.st_mtime_ns}"


# Flags that a compiler does not know, by its fingerprint: learnt once per process, not per file.
_unknown: dict[str, frozenset[str]] = {}


def compile_unit(compiler: Compiler, unit: SourceUnit, workplace: Path) -> Bitcode:
    """Compile one C file; `workplace` is an empty directory for what the compiler writes."""
    known = _unknown.get(compiler.fingerprint, frozenset())
    spent = 0.0
    _require_sound(unit)
    for _ in range(_MAX_RETRIES):
        flags = _translated(unit, known)
        status, stderr, cpu = _call(compiler, unit, flags.kept, workplace)
        spent += cpu
        if status == 0:
            return _result(unit, workplace, flags.dropped, spent, stderr)
        complaints = refused_flags(stderr) - known
        if not complaints or _translated(unit, known | complaints) == flags:
            break
        known |= complaints
        _unknown[compiler.fingerprint] = unknown_flags(stderr).union(
            _unknown.get(compiler.fingerprint, ())
        )
    raise CompileFailure(_first_error(stderr, status, unit), flags.dropped, spent, stderr)


def _translated(unit: SourceUnit, refused: frozenset[str]) -> Translation:
    """The build's flags, then those that the user typed."""
    build = translate_flags(unit.flags, refused)
    own = translate_flags(unit.own_flags, refused, own=True)
    return Translation((*build.kept, *own.kept), (*build.dropped, *own.dropped))


def _require_sound(unit: SourceUnit) -> None:
    """A compiler reads devices without an end, and waits at a FIFO."""
    reason = ""
    if unit.path.exists() and not unit.path.is_file():
        reason = "not a regular file"
    elif unit.path.name.startswith("@"):
        # Whatever comes before it: clang's driver hands the last part of the name to its own inside.
        reason = "clang takes a name that begins with @ for a file of flags; rename it"
    if reason:
        raise CompileFailure(f"{unit.name}: error: {reason}", (), 0.0)


def _call(
    compiler: Compiler,
    unit: SourceUnit,
    flags: tuple[str, ...],
    workplace: Path,
) -> tuple[int, str, float]:
    """Run clang once: exit status, messages, CPU seconds."""
    environment = {
        **{name: value for name, value in os.environ.items() if name not in _WRITING_VARIABLES},
        "LC_ALL": "C",
        "PWD": str(workplace),
        "TMPDIR": str(workplace),
    }
    before = _children_cpu()
    command = _command(compiler, unit, flags, workplace)
    status, stderr = run_compiler(command, workplace, environment, compiler.seconds)
    return status, stderr, _children_cpu() - before


def _children_cpu() -> float:
    use = resource.getrusage(resource.RUSAGE_CHILDREN)
    return use.ru_utime + use.ru_stime


def _command(
    compiler: Compiler, unit: SourceUnit, flags: tuple[str, ...], workplace: Path
) -> list[str]:
    words = _words(unit, flags, workplace)
    if sum(map(len, words)) > _LONGEST_COMMAND:
        file = workplace / "words"
        quoted = (word.replace("\\", "\\\\").replace('"', '\\"') for word in words)
        text = "".join(f'"{word}"\n' for word in quoted)
        file.write_bytes(text.encode("utf-8", "surrogateescape"))
        words = [f"@{file}"]
    return [*compiler.command, *words]


def _words(unit: SourceUnit, flags: tuple[str, ...], workplace: Path) -> list[str]:
    return [
        *flags,
        *_LENIENT_FLAGS,
        *_BITCODE_FLAGS,
        *("-MD", "-MF", str(workplace / "unit.d"), "-MT", "unit"),
        *("-o", str(workplace / "unit.bc")),
        # It runs in our directory: what it may write without being told where lands there.
        f"-working-directory={unit.directory}",
        "-fno-crash-diagnostics",
        *(("-x", unit.language) if unit.language else ()),
        _input_name(unit.source),
    ]


def _input_name(source: str) -> str:
    """A file's name that cannot be read as a flag, or as a file of flags (`@directory/x.c`)."""
    return f"./{source}" if source.startswith(("-", "@")) else source


def _result(
    unit: SourceUnit,
    workplace: Path,
    dropped: tuple[str, ...],
    cpu_seconds: float,
    said: str,
) -> Bitcode:
    data = (workplace / "unit.bc").read_bytes()
    text = (workplace / "unit.d").read_text(encoding="utf-8", errors="surrogateescape")
    paths = (_absolute(unit.directory, name) for name in dependencies_of(text))
    asked = [flag for flag in unit.all_flags if flag in ("-fcommon", "-fno-common")]
    return Bitcode(
        data,
        tuple(dict.fromkeys(paths)),
        dropped,
        cpu_seconds,
        frozenset(_UNANNOUNCED.findall(said)),
        implicit=frozenset(_IMPLICIT.findall(said)),
        converted=tuple((file, int(row), int(at)) for file, row, at in _CONVERTED.findall(said)),
        has_commons=asked[-1:] == ["-fcommon"],
    )


def _absolute(directory: str, name: str) -> str:
    """A dependency's path in one spelling. Most are system headers, which have it already."""
    if name.startswith("/") and "/." not in name and "//" not in name:
        return name
    return os.path.normpath(os.path.join(directory, name))  # noqa: PTH118 - strings are faster here


def dependencies_of(makefile: str) -> list[str]:
    """The prerequisites in a dependency file, with make's escapes undone."""
    joined = makefile.replace("\\\n", " ").split(":", 1)[-1]
    if "\\" not in joined and "$" not in joined:
        return joined.split()
    words = re.findall(r"(?:\\.|[^\s\\])+", joined)
    return [word.replace("\\ ", " ").replace("\\#", "#").replace("$$", "$") for word in words]


def _first_error(stderr: str, status: int, unit: SourceUnit) -> str:
    """The compiler's own first error, with its position and the file that was being compiled."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    line = next((line for line in lines if re.search(r"\b(fatal )?error: ", line)), "")
    if not line:
        reason = f"the compiler was killed by signal {-status}" if status < 0 else ""
        reason = reason or (lines[0] if lines else f"the compiler failed with status {status}")
        return f"{unit.name}: error: {reason}"
    line = re.sub(r"^(zig|clang[-\d.]*): ", "", line)
    source = _input_name(unit.source)
    if line.startswith(f"{source}:"):
        return unit.name + line[len(source) :]
    if re.match(r"(fatal )?error: ", line):
        return f"{unit.name}: {line}"
    return f"{line} (in a file that {unit.name} includes)"
