"""The hook that compiles some phases for a wheel; `make wheel-test` builds one and uses it."""

from __future__ import annotations

import re
from importlib.machinery import EXTENSION_SUFFIXES, ModuleSpec
from pathlib import Path
from typing import Any

import pytest
import yaml

from hatch_build import NEEDED, PACKAGES, SWITCH, CompileHook, missing_tool, modules_to_compile
from heapflow import version

ROOT = Path(__file__).parent.parent


def hook() -> CompileHook:
    settings: dict[str, Any] = {}
    return CompileHook(str(ROOT), settings, None, None, "dist", "wheel")  # type: ignore[arg-type]


def initialised(version: str) -> dict[str, Any]:
    data: dict[str, Any] = {"force_include": {}, "pure_python": True, "infer_tag": False}
    hook().initialize(version, data)
    return data


def test_every_package_has_modules() -> None:
    listed = modules_to_compile(ROOT)
    assert {Path(path).parent.name for path in listed} == set(PACKAGES)
    assert all((ROOT / path).is_file() for path in listed)
    assert len(listed) == len(set(listed))


@pytest.mark.parametrize("value", ["", "0"])
def test_off_unless_asked_for(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv(SWITCH, value)
    assert hook().dependencies() == []
    assert initialised("standard") == {
        "force_include": {},
        "pure_python": True,
        "infer_tag": False,
    }


def test_editable_installs_stay_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SWITCH, "1")
    assert initialised("editable")["pure_python"]


def test_missing_compiler_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SWITCH, "1")
    monkeypatch.setenv("CC", "no-such-compiler -pthread")
    assert "no-such-compiler" in missing_tool()
    with pytest.raises(SystemExit, match="no C compiler"):
        initialised("standard")


def test_the_compiler_is_the_linters_mypy() -> None:
    locked = (ROOT / "requirements-dev.txt").read_text().split()
    assert [name for name in NEEDED if "==" in name] == [
        n for n in locked if n.startswith("mypy==")
    ]


def test_version_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    def found(origin: str) -> None:
        spec = ModuleSpec("heapflow.leaks.detect", None, origin=origin)
        monkeypatch.setattr(version, "find_spec", lambda name: spec)

    found("detect.py")
    assert version.full_version() == version.__version__
    found(f"detect{EXTENSION_SUFFIXES[0]}")
    assert version.full_version() == f"{version.__version__} (compiled)"


def test_wheels_of_the_usual_platforms_are_compiled() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/wheels.yml").read_text())
    job = workflow["jobs"]["wheels"]
    assert {name.split("-")[0] for name in job["strategy"]["matrix"]["os"]} == {"ubuntu", "macos"}
    (build,) = (step for step in job["steps"] if "cibuildwheel" in step.get("uses", ""))
    assert build["env"]["CIBW_ENVIRONMENT"].split()[0] == f"{SWITCH}=1"
    lowest = (
        "cp3"
        + re.findall(r'requires-python = ">=3\.(\d+)"', (ROOT / "pyproject.toml").read_text())[0]
    )
    assert build["env"]["CIBW_BUILD"].split()[0] == f"{lowest}-*"
