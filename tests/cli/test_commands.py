"""The smaller commands: explain, config, completion, version; and the Python API."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import heapflow
from heapflow.report.explain import brief, rule_page
from heapflow.report.finding import Rule
from heapflow.support.errors import UserError
from heapflow.version import full_version
from tests.cli.stub import Engine
from tests.report.samples import findings, write_program


@pytest.fixture
def engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Engine:
    monkeypatch.chdir(tmp_path)
    engine = Engine(monkeypatch, capsys, lambda _: findings())
    engine.install()
    return engine


@pytest.mark.parametrize("rule", Rule)
def test_explain(engine: Engine, rule: Rule) -> None:
    code, out, _ = engine.run("explain", rule.value)
    assert (code, out) == (0, rule_page(rule))
    assert out.startswith(f"# {rule.value}\n")
    for heading in ("Why it matters", "Example", "How to fix", "Known misses"):
        assert f"\n## {heading}\n" in out
    assert f"Level: {rule.level.label}. Weakness: CWE-{rule.cwe}." in out
    assert "\n" not in brief(rule)


def test_explain_lists_and_suggests(engine: Engine) -> None:
    assert [line.split()[0] for line in engine.run("explain")[1].splitlines()] == [
        rule.value for rule in Rule
    ]
    code, _, err = engine.run("explain", "neverfreed")
    assert code == 2
    assert "did you mean never-freed?" in err


def test_config_is_toml_with_origins(engine: Engine, tmp_path: Path) -> None:
    Path("heapflow.toml").write_text(
        'exclude = ["lib/"]\n[[allocator]]\nfunction = "pool_new"\nreleases = "pool_free"\n'
        "[limits.frontend]\njobs = 3\n"
    )
    code, out, _ = engine.run("config", "--select", "never-freed", "--allocator", "a=b")
    assert code == 0
    values = tomllib.loads(out)
    assert values["select"] == ["never-freed"]
    assert values["exclude"] == ["lib/"]
    assert [one["function"] for one in values["allocator"]] == ["pool_new", "a"]
    assert values["limits"] == {"frontend": {"jobs": 3}}
    lines = dict(line.split("#", 1) for line in out.splitlines() if " = " in line and "#" in line)
    origins = {key.split(" = ")[0]: origin.strip() for key, origin in lines.items()}
    assert origins["select"] == "command line"
    assert origins["exclude"] == str(tmp_path / "heapflow.toml")
    assert origins["ignore"] == "default"
    again = tmp_path / "again.toml"
    again.write_text(out)
    assert engine.run("config", "--config", again)[0] == 0  # what it prints it reads


def test_config_lists_limits(engine: Engine) -> None:
    out = engine.run("config", "--limits")[1]
    assert "[limits.frontend]  # default" in out
    assert "# jobs = 0" in out
    tomllib.loads(out)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(engine: Engine, shell: str) -> None:
    code, out, _ = engine.run("completion", shell)
    assert code == 0
    assert f"_HEAPFLOW_COMPLETE={shell}_complete" in out


def completed(words: str) -> list[str]:
    environ = os.environ | {
        "_HEAPFLOW_COMPLETE": "bash_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split(" ")) - 1),
    }
    command = [sys.executable, "-m", "heapflow"]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=True)
    return [line.split(",", 1)[1] for line in done.stdout.splitlines()]


def test_completions() -> None:
    assert completed("heapflow exp") == ["explain"]
    assert completed("heapflow explain over") == ["overwritten"]
    assert completed("heapflow check --select never-freed,ov") == ["never-freed,overwritten"]
    assert completed("heapflow check --format sa") == ["sarif"]
    assert "--write-baseline" in completed("heapflow check --wr")


def test_version(engine: Engine) -> None:
    assert engine.run("--version") == (0, f"heapflow {full_version()}\n", "")
    command = [sys.executable, "-m", "heapflow", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"heapflow {full_version()}\n"


def test_api(engine: Engine, tmp_path: Path) -> None:
    write_program(tmp_path)
    report = heapflow.check("main.c", "list.c", cflags=["-DX"], ignore=["leak-at-exit"])
    assert [one.rule for one in report.active] == [Rule.CONDITIONAL_LEAK, Rule.OVERWRITTEN]
    assert report.summary.functions == 3
    assert engine.inputs[0].units[0].own_flags == ("-DX",)
    with pytest.raises(UserError, match="did you mean `select`"):
        heapflow.check("main.c", selct=["overwritten"])
    assert heapflow.check().summary.functions == 3  # the current directory


def test_api_ignores_settings_files_unless_named(engine: Engine, tmp_path: Path) -> None:
    write_program(tmp_path)
    Path("heapflow.toml").write_text('select = ["overwritten"]')
    assert len(heapflow.check("main.c").findings) == 3
    assert len(heapflow.check("main.c", config="heapflow.toml").findings) == 1


def test_importing_heapflow_is_cheap() -> None:
    code = (
        "import sys, heapflow; assert 'numpy' not in sys.modules; "
        "assert 'heapflow.api' not in sys.modules; heapflow.Finding; "
        "assert 'heapflow.api' not in sys.modules; heapflow.check"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    with pytest.raises(AttributeError):
        heapflow.no_such_name  # noqa: B018
