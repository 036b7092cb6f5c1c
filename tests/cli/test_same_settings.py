"""Commands that show what `check` computes read the same settings and models as it does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

MODEL = """format = 1
source = "the vault"
[families.vault]
kind = "handle"
release = ["vault_close"]
[[model]]
functions = ["int vault_open(const char *, struct vault **)"]
family = "vault"
effects = ["alloc *arg2 when ret == 0"]
[[model]]
functions = ["void vault_close(struct vault *)"]
family = "vault"
effects = ["free arg1"]
"""
RESOURCE = """[[resource]]
name = "vault"
acquire = ["vault_open"]
release = ["vault_close"]
result = "*arg2 when ret == 0"
"""
PROGRAM = """struct vault;
int vault_open(const char *name, struct vault **out);
void vault_close(struct vault *);
int lost(const char *name, int n) {
  struct vault *v;
  if (vault_open(name, &v) != 0) return -1;
  if (n > 3) return 1;
  vault_close(v);
  return 0;
}
int kept(const char *name) {
  struct vault *v;
  if (vault_open(name, &v) != 0) return -1;
  vault_close(v);
  return 0;
}
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HEAPFLOW_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    Path("vault.toml").write_text(MODEL)
    Path("use.c").write_text(PROGRAM)
    return tmp_path


def heapflow(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "heapflow", *arguments],
        capture_output=True,
        text=True,
        env={**os.environ},
        check=False,
        timeout=120,
    )


@pytest.mark.parametrize("settings", ['models = ["vault.toml"]\n', RESOURCE])
def test_settings_hold_for_all(settings: str) -> None:
    Path("heapflow.toml").write_text(settings)
    checked = heapflow("check", "use.c")
    assert checked.returncode == 1 and checked.stdout.count("error:") == 1, checked.stdout
    assert "use.c:6:" in checked.stdout
    assert "vault_open" in heapflow("dump", "verdicts", "use.c").stdout
    listed = heapflow("functions", "use.c").stdout
    assert "vault_open: allocator, argument 2, modelled" in listed
    without = heapflow("functions", "use.c", "--no-config").stdout
    assert "modelled" not in without


@pytest.mark.parametrize("command", [("dump", "flow"), ("dump", "verdicts"), ("functions",)])
def test_models_can_be_named(command: tuple[str, ...]) -> None:
    assert "vault_open" in heapflow(*command, "use.c", "--models", "vault.toml").stdout


def test_a_forgotten_star_is_a_mistake() -> None:
    Path("vault.toml").write_text(MODEL.replace("alloc *arg2", "alloc arg2"))
    done = heapflow("check", "use.c", "--models", "vault.toml")
    assert done.returncode == 2
    assert (
        "`arg2` is passed by value, nothing can be put there; did you mean `*arg2`?" in done.stderr
    )
