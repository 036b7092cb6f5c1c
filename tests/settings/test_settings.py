"""Settings files: which one holds, what may stand in them, what wins."""

from __future__ import annotations

from pathlib import Path

import pytest

from heapflow.models.load import load_models
from heapflow.report.finding import Level, Rule
from heapflow.settings.allocators import allocator_models
from heapflow.settings.read import SettingsFile, find_settings, read_settings
from heapflow.settings.schema import AllocatorPair
from heapflow.settings.settings import COMMAND_LINE, DEFAULT, effective_settings
from heapflow.support.errors import UserError


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_nearest_parent_wins(tmp_path: Path) -> None:
    outer = write(tmp_path / "heapflow.toml", 'ignore = ["overwritten"]')
    inner = write(tmp_path / "a" / "pyproject.toml", "[tool.heapflow]\njobs = 2\n")
    write(tmp_path / "a" / "b" / "pyproject.toml", "[tool.other]\n")
    (tmp_path / "a" / "b" / "c").mkdir()
    assert find_settings(tmp_path / "a" / "b" / "c").path == inner
    assert find_settings(tmp_path / "a" / "b" / "c").values == {"jobs": 2}  # not merged
    assert find_settings(tmp_path).path == outer
    both = write(tmp_path / "a" / "heapflow.toml", "")
    assert find_settings(tmp_path / "a").path == both


def test_no_file_is_fine(tmp_path: Path) -> None:
    assert find_settings(tmp_path / "nowhere").values == {}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("exlude = []", "unknown key `exlude`; did you mean `exclude`?"),
        ("zzz = 1", "it can be: select, ignore"),
        ('select = ["overwriten"]', "did you mean `overwritten`?"),
        ("select = 3", "`select` has to be a list of strings"),
        ('jobs = "two"', "`jobs` has to be a whole number"),
        ("jobs = 0", "`jobs` has to be a whole number, at least 1"),
        ("jobs = true", "`jobs` has to be a whole number"),
        ('memory-model = "region"', "did you mean `regions`?"),
        ('fail-on = "fatal"', "it can be: error, warning, note"),
        ("[allocator]\nfunction = 'a'", r"write allocators as tables: \[\[allocator\]\]"),
        ("[[allocator]]\nfunction = 'a'", "needs `releases`"),
        ("[[allocator]]\nfunction = 'a b'\nreleases = 'c'", "needs `function`, the name"),
        ("[[allocator]]\nfunction = 'a'\nrelease = 'b'", "did you mean `releases`?"),
        ("[limits]\nnodes = 3", r"limits are given by phase: \[limits.nodes\]"),
        ("limits = 3", "`limits` has to be"),
        ("[limits.leaks]\nnodes = []", "limits.leaks.nodes has to be a number"),
        ("select = [", "not valid TOML"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        read_settings(write(tmp_path / "heapflow.toml", text))


def test_pyproject_without_our_table(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"has no table \[tool.heapflow\]"):
        read_settings(write(tmp_path / "pyproject.toml", "[tool.x]\n"))


def test_order_of_origins(tmp_path: Path) -> None:
    file = SettingsFile(
        tmp_path / "heapflow.toml",
        {"ignore": ("overwritten",), "models": ("m.toml",), "fail-on": "error", "baseline": "b"},
    )
    settings = effective_settings(file, {"ignore": ("leak-at-exit",), "models": ("n.toml",)})
    assert settings.rules == frozenset(Rule) - {Rule.LEAK_AT_EXIT}
    assert settings.models == (tmp_path / "m.toml", Path("n.toml"))
    assert settings.fail_on is Level.ERROR
    assert settings.text("baseline") == str(tmp_path / "b")
    assert settings.origins["ignore"] == COMMAND_LINE
    assert settings.origins["models"] == f"{tmp_path / 'heapflow.toml'}, {COMMAND_LINE}"
    assert settings.origins["select"] == DEFAULT


def test_limits_add_up_by_name() -> None:
    file = SettingsFile(Path("heapflow.toml"), {"limits": {"leaks": {"a": 1, "b": 2}}})
    settings = effective_settings(file, {"limits": {"leaks": {"b": 3}, "guards": {"c": 4}}})
    assert settings.limits == {"leaks": {"a": 1, "b": 3}, "guards": {"c": 4}}
    assert file.values["limits"] == {"leaks": {"a": 1, "b": 2}}


def test_allocator_pairs_become_models(tmp_path: Path) -> None:
    pairs = [
        AllocatorPair("pool_new", "pool_free"),
        AllocatorPair("pool_dup", "pool_free"),
        AllocatorPair("open_it", "close_it"),
    ]
    path = write(tmp_path / "pairs.toml", allocator_models(pairs))
    models = load_models([path])
    for name in ("pool_new", "pool_dup", "pool_free", "open_it", "close_it"):
        assert models.lookup(name) is not None, name
    assert models.families["pool_free"].releasers == ("pool_free",)
