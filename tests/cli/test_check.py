"""`heapflow check` from arguments to exit status, with a stand-in for the engine."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from heapflow.frontend.load import Failure, Loaded
from heapflow.report.finding import FailedFile, Rule, Summary
from tests.cli.stub import CLEAN, Engine
from tests.report.samples import at_exit, conditional, findings, write_program


@pytest.fixture
def engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Engine:
    """In a directory with the sample program; the engine finds all that is in it."""
    write_program(tmp_path)
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "CLICOLOR_FORCE"):
        monkeypatch.delenv(name, raising=False)
    engine = Engine(monkeypatch, capsys, lambda _: findings())
    engine.install()
    return engine


def test_findings_on_stdout_summary_on_stderr(engine: Engine) -> None:
    code, out, err = engine.run("check", "list.c", "main.c")
    assert code == 1
    assert out.startswith("list.c:5:12: error: memory from `malloc`")
    assert err == "2 errors, 1 note (1 file, 3 functions, 2 blocks followed)\n"
    assert "\x1b" not in out


def test_clean(engine: Engine) -> None:
    engine.find = lambda _: ()
    assert engine.run("check", "list.c")[:2] == (0, "")
    assert engine.run("check", "list.c", "-q") == (0, "", "")


def test_nothing_analysed_is_not_clean(engine: Engine) -> None:
    engine.find, engine.summary = lambda _: (), Summary(files=1)
    code, out, err = engine.run("check", "list.c")
    assert (code, out) == (3, "")
    assert "nothing was analysed" in err
    assert engine.run("check", "list.c", "--exit-zero")[0] == 3


def test_failed_files(engine: Engine) -> None:
    failed = FailedFile("list.c", "list.c:3:1: error: expected ';'")
    engine.find, engine.summary = lambda _: (), replace(CLEAN, files=2, failed=(failed,))
    lost = (Failure(failed.file, failed.error),)
    engine.loaded = Loaded(None, 2, 0, lost, (("-fodd", 1),), "clang")
    code, _, err = engine.run("check", "list.c", "main.c")
    assert code == 3
    assert "list.c:3:1: error: expected ';'\n" in err
    assert "-fodd" in err
    assert "not analysed: 1 of 2 files: list.c" in err
    assert engine.run("check", "list.c", "main.c", "--exit-zero")[0] == 0


def test_other_languages_count_unless_they_are_expected(engine: Engine) -> None:
    engine.find, engine.summary = lambda _: (), replace(CLEAN, other_languages=(("C++", 2),))
    code, out, err = engine.run("check", "list.c", "--format", "json")
    assert code == 3
    assert "left out, not C: 2 files in C++" in err
    summary = json.loads(out)["summary"]
    assert summary["complete"] is False
    assert summary["other_languages"] == {"C++": 2}
    assert engine.run("check", "list.c", "--other-languages", "ignore")[0] == 0
    Path("heapflow.toml").write_text('other-languages = "ignore"\n')
    assert engine.run("check", "list.c")[0] == 0


def test_tests_are_told_apart_and_fail_nothing(engine: Engine) -> None:
    code, out, err = engine.run("check", "list.c", "main.c", "--tests", "list.c")
    assert code == 1  # main.c has an error of its own
    assert out.index("main.c:4") < out.index("list.c:5")
    assert "[conditional-leak] (in tests)" in out
    assert "; in tests: 1 error" in err
    Path("heapflow.toml").write_text('tests = ["*.c"]\n')
    assert engine.run("check", "list.c", "main.c")[0] == 0


def test_a_failed_file_comes_before_findings(engine: Engine) -> None:
    engine.summary = replace(CLEAN, files=2, failed=(FailedFile("list.c", "list.c:3:1: error"),))
    code, out, err = engine.run("check", "list.c", "main.c")
    assert code == 3
    assert out.startswith("list.c:5:12: error: memory from `malloc`")
    assert "not analysed: 1 of 2 files: list.c" in err
    assert engine.run("check", "list.c", "--exit-zero")[0] == 0


@pytest.mark.parametrize(
    ("options", "status"),
    [
        ((), 0),
        (("--fail-on", "note"), 1),
        (("--fail-on", "warning"), 0),
        (("--exit-zero",), 0),
        (("--ignore", "leak-at-exit"), 0),
        (("--select", "never-freed,overwritten"), 0),
    ],
)
def test_exit_status_of_a_note(engine: Engine, options: tuple[str, ...], status: int) -> None:
    engine.find = lambda _: (at_exit(),)
    assert engine.run("check", "main.c", *options)[0] == status


def test_several_formats_at_once(engine: Engine) -> None:
    code, out, _ = engine.run(
        *("check", "main.c", "--format", "terminal", "--format", "sarif:out.sarif"),
        *("--format", "json:out.json", "--format", "html:out.html", "--format", "junit:out.xml"),
    )
    assert code == 1
    assert out.startswith("list.c:5:12: error")
    assert len(json.loads(Path("out.sarif").read_text())["runs"][0]["results"]) == 3
    assert len(json.loads(Path("out.json").read_text())["findings"]) == 3
    assert Path("out.html").read_text().startswith("<!doctype html>")
    assert Path("out.xml").read_text().startswith("<?xml")


def test_output_file(engine: Engine) -> None:
    """As a benchmark runs it: flags of the compiler come last."""
    code, out, _ = engine.run(
        "check", "main.c", "--format", "sarif", "-o", "o.sarif", "--", "-DX", "-Iinclude"
    )
    assert (code, out) == (1, "")
    assert json.loads(Path("o.sarif").read_text())["version"] == "2.1.0"
    assert engine.inputs[0].units[0].own_flags == ("-DX", "-Iinclude")


def test_formats_on_stdout(engine: Engine) -> None:
    assert json.loads(engine.run("check", "main.c", "--format", "json")[1])["version"] == 1
    assert engine.run("check", "main.c", "--format", "github")[1].startswith("::error file=list.c")
    assert len(json.loads(engine.run("check", "main.c", "--format", "gitlab")[1])) == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--format", "jsn"), "did you mean `json`?"),
        (("--format", "json", "--format", "sarif"), "two formats would share stdout"),
        (("--format", "json", "--format", "sarif", "-o", "x"), "2 formats have no file"),
        (("--format", "json:x", "-o", "y"), "0 formats have no file"),
        (("-o", "no/such/x"), "there is no directory"),
        (("--select", "nver-freed"), "did you mean `never-freed`?"),
        (("--ignore", ",".join(rule.value for rule in Rule)), "no rule is left"),
        (("--allocator", "pool_new"), "--allocator pool_new=pool_free"),
        (("--limit", "x"), "--limit leaks.most-nodes=5000"),
        (("--limit", "frontnd.jobs=3"), "did you mean `frontend`?"),
        (("--limit", "frontend.jbs=3"), "did you mean `jobs`?"),
        (("--limit", "frontend.jobs=many"), "has to be a number"),
        (("--limit", "replay.most-steps=-5"), "has to be at least 0"),
        (("--baseline", "gone.json"), "--write-baseline"),
        (("--config", "gone.toml"), "cannot read the settings"),
        (("--fail-on", "warn"), "fail-on"),
        (("--new-since", "no-such-ref"), "git"),
    ],
)
def test_mistakes_could_not_run(engine: Engine, arguments: tuple[str, ...], message: str) -> None:
    code, out, err = engine.run("check", "main.c", *arguments)
    assert (code, out) == (2, "")
    assert message in err


def test_colour(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b[31;1merror:" in engine.run("check", "main.c", "--color", "always")[1]
    monkeypatch.setenv("CLICOLOR_FORCE", "1")
    assert "\x1b" in engine.run("check", "main.c")[1]
    assert "\x1b" not in engine.run("check", "main.c", "--color", "never")[1]
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in engine.run("check", "main.c")[1]


def test_baseline_round_trip(engine: Engine) -> None:
    code, _, err = engine.run("check", "main.c", "--write-baseline", "known.json")
    assert code == 0
    assert "wrote 3 findings to known.json" in err
    code, out, err = engine.run("check", "main.c", "--baseline", "known.json")
    assert (code, out) == (0, "")
    assert "against the baseline: 0 introduced, 0 fixed, 3 unchanged" in err
    assert "no new leaks found" in err
    engine.find = lambda _: (at_exit(), replace(conditional(), allocator="calloc"))
    code, out, err = engine.run("check", "main.c", "--baseline", "known.json")
    assert code == 1
    assert out.count("error:") == 1
    assert "against the baseline: 1 introduced, 2 fixed, 1 unchanged" in err


def test_suppressed_findings_stay_in_json(engine: Engine) -> None:
    text = Path("main.c").read_text()
    mark = "  // heapflow: ignore[leak-at-exit] wanted"
    Path("main.c").write_text(text.replace("  return 0;", "  return 0;" + mark))
    Path("list.c").write_text(Path("list.c").read_text() + "// heapflow: ignore[overwritten]\n")
    code, out, err = engine.run("check", "list.c", "main.c")
    assert code == 1
    assert "leak-at-exit" not in out
    assert "list.c:17:1: note: nothing needs the suppression `ignore[overwritten]`" in out
    assert "1 finding suppressed by comments" in err
    document = json.loads(engine.run("check", "list.c", "main.c", "--format", "json")[1])
    assert [one["suppressed"] and one["suppressed"]["reason"] for one in document["findings"]] == [
        None,
        "wanted",
        None,
    ]
    assert len(document["unused_suppressions"]) == 1


def test_root_names_files(engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path / "sub")
    (tmp_path / "sub" / "list.c").write_text("")
    code, out, _ = engine.run("check", "list.c", "--root", "..", "--select", "conditional-leak")
    assert code == 1
    assert out.startswith("sub/list.c:5:12")


def test_verbose_lists_phases(engine: Engine) -> None:
    engine.run("check", "main.c")
    _, _, err = engine.run("check", "main.c", "--verbose", "--ignore", "leak-at-exit")
    assert "1 finding left out by rule or path settings" in err


def test_settings_file_holds(engine: Engine) -> None:
    Path("heapflow.toml").write_text('exclude = ["main.c"]\nfail-on = "error"\njobs = 1\n')
    code, out, _ = engine.run("check", "main.c")
    assert code == 1
    assert not any(line.startswith("main.c:") for line in out.splitlines())
    assert engine.configs[0].frontend.jobs == 1
    assert "main.c:" in engine.run("check", "main.c", "--no-config")[1]
    engine.run("check", "main.c", "-j", "2")
    assert engine.configs[-1].frontend.jobs == 2


def test_limits_reach_the_phase(engine: Engine) -> None:
    Path("heapflow.toml").write_text("[limits.frontend]\ncache-limit = 5\n")
    engine.run("check", "main.c", "--limit", "frontend.jobs=7")
    assert engine.configs[0].frontend.cache_limit == 5


def test_patterns_are_relative_to_where_they_are_written(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "heapflow.toml").write_text('exclude = ["sub/list.c"]\n')
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path / "sub")
    (tmp_path / "sub" / "list.c").write_text("")
    assert "list.c:5" not in engine.run("check", "list.c")[1]
    assert "list.c:5" in engine.run("check", "list.c", "--exclude", "sub/list.c")[1]
    assert "list.c:5" not in engine.run("check", "list.c", "--exclude", "./list.c")[1]
