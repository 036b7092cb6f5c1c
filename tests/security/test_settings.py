"""A settings file of the tree names no program and no output, unless the user trusts its directory."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from heapflow.settings.read import find_settings
from tests.security.conftest import Heapflow


def evil_clang(here: Path) -> Path:
    """A program that leaves a mark when it is run."""
    program = here / "x"
    program.write_text(f"#!/bin/sh\ntouch {here}/ran\necho 'clang version 16.0.1'\n")
    program.chmod(0o755)
    return here / "ran"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("heapflow.toml", 'clang = "./x"\n'),
        ("pyproject.toml", '[tool.heapflow]\nclang = "./x"\n'),
    ],
)
def test_a_program_is_run_only_where_trusted(
    here: Path, heapflow: Heapflow, name: str, text: str
) -> None:
    ran = evil_clang(here)
    (here / name).write_text(text)
    done = heapflow("check", "leak.c")
    assert done.returncode == 1
    assert not ran.exists()
    assert "`clang` would run a program" in done.stderr
    assert "--trust" in done.stderr
    heapflow("check", "leak.c", "--trust")
    assert ran.exists()
    ran.unlink()
    heapflow("check", "leak.c")  # it is remembered
    assert ran.exists()
    ran.unlink()
    below = here / "below"
    below.mkdir()
    (below / name).write_text(text.replace("./x", "../x"))
    heapflow("check", "--config", f"below/{name}", "leak.c")  # for that directory alone
    assert not ran.exists()


def test_a_file_is_written_only_where_trusted(here: Path, heapflow: Heapflow) -> None:
    victim = here.parent / "victim"
    victim.write_text("mine\n")
    (here / "out").symlink_to(victim)
    (here / "heapflow.toml").write_text('format = ["json:out"]\n')
    done = heapflow("check", "leak.c")
    assert done.returncode == 1
    assert victim.read_text() == "mine\n"
    assert "`format` would" in done.stderr
    (here / "heapflow.toml").write_text('format = ["json"]\n')  # nothing is written: it counts
    assert heapflow("check", "leak.c").stdout.startswith("{")


def test_the_users_own_settings_may_name_programs(here: Path, heapflow: Heapflow) -> None:
    ran = evil_clang(here)
    own = here.parent / "user" / "config" / "heapflow"
    own.mkdir(parents=True)
    (own / "heapflow.toml").write_text(f'clang = "{here}/x"\nfail-on = "error"\n')
    (here / "heapflow.toml").write_text('fail-on = "warning"\n')
    shown = heapflow("config").stdout
    assert f'clang = "{here}/x"' in shown
    assert 'fail-on = "warning"' in shown  # the tree's settings come over them
    heapflow("check", "leak.c")
    assert ran.exists()


def test_trust_needs_something_to_trust(heapflow: Heapflow) -> None:
    done = heapflow("check", "leak.c", "--trust")
    assert done.returncode == 2
    assert "no settings file" in done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_settings_of_another_user_are_passed_over(here: Path, heapflow: Heapflow) -> None:
    path = here / "heapflow.toml"
    path.write_text('exclude = ["**"]\n')
    os.chown(path, 65534, 65534)
    assert find_settings(here / "below").values == {}
    done = heapflow("check", "leak.c")
    assert done.returncode == 1
    assert "belongs to another user" in done.stderr
    assert heapflow("check", "leak.c", "--config", str(path)).returncode == 0  # named: it is meant
    path.write_text('clang = "./x"\n')
    done = heapflow("check", "leak.c", "--config", str(path), "--trust")
    assert done.returncode == 2
    assert "belongs to another user" in done.stderr
