"""`#line` shows no file that the compiler did not open, or that is not the user's business."""

from __future__ import annotations

import os
import resource
from pathlib import Path

import pytest

from heapflow.frontend import access as access_module
from heapflow.frontend import waiting
from heapflow.frontend.access import Access, content_digest, trees_of
from heapflow.frontend.compiler import find_compiler
from heapflow.support.files import Refusal, read_regular
from tests.security.conftest import LEAK, Heapflow

BODY = LEAK.splitlines()[1] + "\n"


def pointing_at(name: str | Path) -> str:
    return f'#include <stdlib.h>\n#line 1 "{name}"\n{BODY}'


@pytest.mark.parametrize("kind", ["outside", "inside", "link", "included"])
def test_files_that_are_only_named_are_not_shown(here: Path, heapflow: Heapflow, kind: str) -> None:
    secret = here.parent / "secret.h"
    place: Path = here / "secret.h" if kind == "inside" else secret
    place.write_text("/* hunter2 hunter2 hunter2 hunter2 */\n")
    text = pointing_at(place)
    if kind == "link":
        (here / "link.h").symlink_to(secret)
        text = '#include "link.h"\n' + pointing_at("link.h")
    if kind == "included":
        text = f'#include "{secret}"\n' + text
    (here / "a.c").write_text(text)
    done = heapflow("check", "a.c", "--format", "terminal", "--format", "html:o.html")
    assert done.returncode == 1
    assert "hunter2" not in done.stdout
    assert "hunter2" not in (here / "o.html").read_text()
    if kind in ("link", "included"):
        assert "outside of the tree" in done.stderr
    drawn = heapflow("graph", "--function", "f", "a.c")
    assert drawn.returncode == 0
    assert not [one for one in here.glob("svfg.*") if "hunter2" in one.read_text()]


@pytest.mark.parametrize("name", ["/dev/zero", "fifo"])
def test_devices_and_pipes_are_not_read(here: Path, heapflow: Heapflow, name: str) -> None:
    os.mkfifo(here / "fifo")
    (here / "a.c").write_text(pointing_at(name))
    assert heapflow("check", "a.c").returncode == 1


def test_a_directory_is_not_read(tmp_path: Path) -> None:
    with pytest.raises(Refusal, match="not a regular file"):
        read_regular(tmp_path, 10)


@pytest.mark.parametrize("name", ["/dev/zero", "fifo.c"])
def test_a_source_is_a_regular_file(here: Path, heapflow: Heapflow, name: str) -> None:
    os.mkfifo(here / "fifo.c")
    entry = f'[{{"directory": "{here}", "file": "{name}", "arguments": ["cc", "-xc", "{name}"]}}]'
    (here / "compile_commands.json").write_text(entry)
    done = heapflow("check", ".")
    assert done.returncode == 3
    assert "not a regular file" in done.stderr


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="only Linux tells who sleeps")
@pytest.mark.parametrize("how", ["a.c", "."])
def test_a_pipe_that_is_included_costs_one_file(here: Path, heapflow: Heapflow, how: str) -> None:
    """Nobody will ever write into it. The other file is analysed."""
    os.mkfifo(here / "pipe.h")
    (here / "a.c").write_text('#include "pipe.h"\n')
    done = heapflow("check", how, *([] if how == "." else ["leak.c"]))
    assert done.returncode == 3
    assert "a.c: error: the compiler waits" in done.stderr
    assert done.stdout.startswith("leak.c:")


def test_headers_of_the_tree_are_shown(here: Path, heapflow: Heapflow) -> None:
    (here / "inc").mkdir()
    (here / "inc" / "f.h").write_text(BODY.replace("if(n)", "if (n == 77)"))
    (here / "src").mkdir()
    (here / "src" / "a.c").write_text('#include <stdlib.h>\n#include "../inc/f.h"\n')
    done = heapflow("check", "src/a.c")
    assert "if (n == 77)" in done.stdout


def test_sources_beside_the_build_are_shown_in_a_repository(here: Path, heapflow: Heapflow) -> None:
    """`cd build && heapflow check .`: the tree is the repository, not the directory of the build."""
    build = here / "build"
    build.mkdir()
    entry = f'[{{"directory": "{build}", "file": "../leak.c", "arguments": ["cc", "../leak.c"]}}]'
    (build / "compile_commands.json").write_text(entry)
    assert str(here) not in trees_of([build])
    (here / ".git").mkdir()
    assert str(here) in trees_of([build])


def test_the_size_is_limited(here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = here / "leak.c"
    opened = {str(path): content_digest(path.read_bytes())}
    access = Access(trees_of([here]), opened)
    assert access.read(path) == LEAK.encode()
    monkeypatch.setattr(access_module, "LARGEST", 10)
    with pytest.raises(Refusal, match="larger than"):
        access.read(path)


def test_a_file_that_changed_is_not_shown(here: Path) -> None:
    path = here / "leak.c"
    access = Access(trees_of([here]), {str(path): content_digest(b"as it was")})
    with pytest.raises(Refusal):
        access.read(path)
    assert access.changed == {str(path)}


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="only Linux bounds another process")
def test_assembler_that_reads_without_an_end_takes_no_more_memory_than_is_given(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "MOST_MEMORY", 3 << 28)
    (here / "zero.c").write_text('__asm__(".incbin \\"/dev/zero\\"");\n')
    command = (*find_compiler().command, "-c", "-emit-llvm", "-o", "unit.bc", "zero.c")
    status, said = waiting.run_compiler(command, here, dict(os.environ), 100.0)
    assert (status != 0, said) == (True, "error: the compiler ran out of memory")
    (here / "zero.c").write_text("int zero;\n")
    assert waiting.run_compiler(command, here, dict(os.environ), 100.0)[0] == 0
