"""Compile the slowest phases with mypyc when a wheel is built with HEAPFLOW_COMPILE=1.

Without the variable, in editable installs and in source distributions this does nothing, and what is
installed is plain Python: the reference, and all there is without a C compiler. In a compiled wheel the
libraries lie beside the sources and come first when Python imports a module
(docs/decisions/0065-compiled-wheels.md#compiled-wheels-on-request).
"""

from __future__ import annotations

import os
import sysconfig
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from shutil import which
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SWITCH = "HEAPFLOW_COMPILE"
PACKAGES = ("flow", "guards", "leaks", "logic", "policies", "support")  # those that gain
# Classes that interpreted ones inherit from, which compiled ones do not allow.
INTERPRETED = ("support/run.py",)
# mypy as the linters have it: another mypyc may compile the same source differently. The last two are
# there for their types.
NEEDED = ("mypy==2.4.1", "setuptools>=65", "numpy>=2.0", "oxidd>=0.13")


def is_wanted() -> bool:
    return os.environ.get(SWITCH, "") not in ("", "0")


def modules_to_compile(root: Path) -> list[str]:
    """Paths of the modules to compile, relative to the project, in a fixed order."""
    return [
        str(path.relative_to(root))
        for package in PACKAGES
        for path in sorted((root / "src" / "heapflow" / package).glob("*.py"))
        if path.name != "__init__.py"
        and str(path.relative_to(root / "src" / "heapflow")) not in INTERPRETED
    ]


def missing_tool() -> str:
    """What there is not of a C compiler and Python's headers, as a clause; empty if all is there."""
    compiler = (os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc").split()[0]
    if which(compiler) is None:
        return f"there is no C compiler ({compiler}; Debian: apt install gcc)"
    header = Path(sysconfig.get_path("include"), "Python.h")
    if not header.exists():
        return f"Python's headers are missing ({header}; Debian: apt install python3-dev)"
    return ""


class CompileHook(BuildHookInterface[Any]):
    """hatchling asks for `dependencies`, calls `initialize`, packs the wheel, and calls `finalize`."""

    PLUGIN_NAME = "custom"
    _folder: tempfile.TemporaryDirectory[str] | None = None

    def dependencies(self) -> list[str]:
        return list(NEEDED) if is_wanted() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if not is_wanted() or version == "editable":
            return
        problem = missing_tool()
        if problem:
            raise SystemExit(
                f"{SWITCH} is set, but {problem}. Without it, plain Python is installed."
            )
        self._folder = tempfile.TemporaryDirectory(prefix="heapflow-compile-")
        built = Path(self._folder.name)
        for library in compile_modules(Path(self.root), built):
            build_data["force_include"][str(library)] = str(library.relative_to(built / "lib"))
        build_data["pure_python"] = False
        build_data["infer_tag"] = True  # this Python, this platform

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if self._folder is not None:
            self._folder.cleanup()


def compile_modules(root: Path, built: Path) -> list[Path]:
    """Compile all modules into one library, and a stub for each. The result lies in built/lib."""
    from mypyc.build import mypycify
    from setuptools import Distribution
    from setuptools.command.build_ext import build_ext

    before = Path.cwd()
    os.chdir(root)  # the names of modules are derived from relative paths
    try:
        # The linters check types; here only the compiler's own complaints matter.
        extensions = mypycify(
            ["--config-file=", "--ignore-missing-imports", *modules_to_compile(root)],
            opt_level="2",
            debug_level="0",
            multi_file=True,
            target_dir=str(built / "c"),
            group_name="heapflow",
        )
        command: Any = build_ext(Distribution({"name": "heapflow", "ext_modules": extensions}))
        command.build_lib = str(built / "lib")
        command.build_temp = str(built / "objects")
        command.build_extensions = partial(_build_on_all_cores, command, command.build_extensions)
        command.ensure_finalized()
        command.run()
    finally:
        os.chdir(before)
    return sorted(path for path in (built / "lib").rglob("*") if path.is_file())


def _build_on_all_cores(command: Any, build: Callable[[], None]) -> None:
    """One process of the C compiler per core: distutils takes one file after the other."""
    compile_files = command.compiler.compile

    def compile_in_parallel(sources: list[str], **options: Any) -> list[str]:
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            parts = pool.map(lambda file: compile_files([file], **options), sources)
            return [name for part in parts for name in part]

    command.compiler.compile = compile_in_parallel
    build()
