"""Each test has a cache, a configuration and a directory of its own, and runs the real command."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Heapflow = Callable[..., subprocess.CompletedProcess[str]]
LEAK = (
    "#include <stdlib.h>\nint f(int n){ char *p = malloc(8); if(n) return 1; free(p); return 0; }\n"
)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty tree, in which the command runs; what belongs to the user lies elsewhere."""
    tree, user = tmp_path / "tree", tmp_path / "user"
    tree.mkdir()
    user.mkdir()
    monkeypatch.setenv("HEAPFLOW_CACHE_DIR", str(user / "cache"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(user / "config"))
    monkeypatch.chdir(tree)
    (tree / "leak.c").write_text(LEAK)
    return tree


@pytest.fixture
def heapflow(here: Path) -> Heapflow:
    def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "heapflow", *arguments],
            capture_output=True,
            text=True,
            errors="surrogateescape",
            cwd=here,
            env={**os.environ, **environment},
            timeout=120,
            check=False,
        )

    return run
