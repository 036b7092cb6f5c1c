"""What a real clang does with the flags of a hostile build, and what it does for heapflow.

The clang of ziglang loads no plug-ins: these tests need one of the system, and are skipped without it.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from heapflow.frontend.compiler import _clang_at
from tests.security.conftest import LEAK, Heapflow

# With `PLUG` and `OUT` replaced, each of them loads the plug-in or writes a file.
BITING = [
    ["-fpass-plugin=PLUG"],
    ["-fplugin=PLUG"],
    ["-Xclang", "-load", "-Xclang", "PLUG"],
    ["-Xpreprocessor", "-load", "-Xpreprocessor", "PLUG"],
    ["-Wp,-load,PLUG"],
    ["-Xclang", "-fpass-plugin=PLUG"],
    ["--config=OUT.cfg"],
    ["--config", "OUT.cfg"],
    ["@OUT.rsp"],
    ["-save-temps"],
    ["-save-temps=cwd"],
    ["--save-temps"],
    ["-Xclang", "-dependency-file", "-Xclang", "OUT", "-Xclang", "-MT", "-Xclang", "x"],
    ["-MD", "-MF", "OUT"],
    ["-MMD", "-MFOUT"],
    ["-MJOUT"],
    ["-MJ", "OUT"],
    ["-ftime-trace=OUT"],
    ["-foptimization-record-file=OUT", "-fsave-optimization-record"],
    ["-Xclang", "-dependency-dot", "-Xclang", "OUT"],
    ["-Xclang", "-header-include-file", "-Xclang", "OUT", "-H"],
    ["-mllvm", "-info-output-file=OUT", "-mllvm", "-stats"],
    ["-fmodules", "-fmodules-cache-path=OUT"],
    ["--serialize-diagnostics", "OUT"],
    ["-serialize-diagnostics", "OUT"],
    ["-fproc-stat-report=OUT"],
    ["-Xclang", "-diagnostic-log-file", "-Xclang", "OUT"],
    ["-Xclang", "-stats-file=OUT"],
    ["-save-stats=cwd"],
    ["--coverage"],
    ["-ftime-trace"],
]


def real_clang() -> str | None:
    names = ["clang", *(f"clang-{number}" for number in range(15, 23))]
    paths = filter(None, map(shutil.which, names))
    return next((path for path in paths if _clang_at(path)), None)


pytestmark = pytest.mark.skipif(real_clang() is None, reason="the system has no fitting clang")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A plug-in that leaves a mark when it is loaded."""
    place = tmp_path_factory.mktemp("plug")
    (place / "plug.c").write_text(
        "int creat(const char *, unsigned);\n__attribute__((constructor)) static void x(void) "
        f'{{ creat("{place / "ran"}", 0600); }}\n'
    )
    call = [str(real_clang()), "-shared", "-fPIC", "-o", str(place / "plug.so"), "plug.c"]
    if subprocess.run(call, cwd=place, capture_output=True, check=False).returncode:
        pytest.skip("nothing can be linked here")
    return place / "plug.so"


@pytest.fixture
def plug(here: Path, library: Path) -> Path:
    """The plug-in, and files of flags that name it."""
    (library.parent / "ran").unlink(missing_ok=True)
    for name in ("out.cfg", "out.rsp"):
        (here / name).write_text(f"-fpass-plugin={library}\n")
    return library


def named(flags: list[str], here: Path, plug: Path) -> list[str]:
    return [word.replace("PLUG", str(plug)).replace("OUT", str(here / "out")) for word in flags]


def contents(*places: Path) -> list[str]:
    found = [path for place in places for path in place.rglob("*") if "user" not in path.parts]
    return sorted(str(path) for path in found)


def test_flags_that_run_code_or_write_files_do_neither(
    here: Path, heapflow: Heapflow, plug: Path
) -> None:
    entries = []
    for number, flags in enumerate(BITING):
        file = f"a{number}.c"
        (here / file).write_text(LEAK.replace("f(int", f"f{number}(int"))
        arguments = ["cc", *named(flags, here, plug), "-c", file]
        entries.append({"directory": str(here), "file": file, "arguments": arguments})
    (here / "compile_commands.json").write_text(json.dumps(entries))
    before = contents(here.parent, plug.parent)
    configured = here.parent / "user" / "config" / "heapflow"
    configured.mkdir(parents=True)
    (configured / "heapflow.toml").write_text(f'clang = "{real_clang()}"\n')
    done = heapflow("check", ".", "--format", "json")
    assert len(json.loads(done.stdout)["findings"]) == len(BITING), done.stderr
    assert contents(here.parent, plug.parent) == before, (
        "no plug-in left its mark, nothing was written"
    )


@pytest.mark.parametrize("flags", BITING, ids=" ".join)
def test_the_attack_is_one(here: Path, plug: Path, flags: list[str]) -> None:
    """Without heapflow each of them does what the test above is there to see."""
    output = here.parent / "unit.bc"
    call = [str(real_clang()), *named(flags, here, plug), "-c", "-emit-llvm", "-o", str(output)]
    before = set(contents(here.parent, plug.parent))
    subprocess.run([*call, "leak.c"], cwd=here, capture_output=True, check=False)
    assert set(contents(here.parent, plug.parent)) - before - {str(output)}
