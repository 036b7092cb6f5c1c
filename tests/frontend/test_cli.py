"""What the user sees: messages and exit codes, also for input of the worst kind."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from .conftest import Heapflow, Write

GOOD = """#include <stdio.h>
#include <stdlib.h>
struct node { struct node *next; char *name; int values[4]; };
static struct node *head;
int add(const char *name, int value) {
  struct node *n = malloc(sizeof *n);
  if (n == NULL) return -1;
  n->next = head;
  n->values[value % 4] = value > 0 ? value : -value;
  head = n;
  for (int i = 0; i < 4; i++) { switch (i) { case 1: n->values[i]++; break; default: break; } }
  printf("%s %d\\n", name, n->values[0]);
  return 0;
}
"""


def broken_files(number: int) -> list[str]:
    """C files that no compiler takes: cut off, shuffled, with bytes changed, lines doubled."""
    chance = random.Random(7)
    found = []
    for index in range(number):
        data = GOOD
        match index % 5:
            case 0:
                data = data[: chance.randrange(40, len(data) - 8)] + "\n{ ("
            case 1:
                at = chance.randrange(60, len(data))
                data = (
                    data[:at] + chance.choice(["@", "`", "))", "}{", "\x01", "\\u"]) * 3 + data[at:]
                )
            case 2:
                data = data.replace(
                    chance.choice(["malloc", "struct node", "return", "int"]), "§", 2
                )
            case 3:
                data = f'#include "missing{index}.h"\n{data}'
            case _:
                lines = data.splitlines()
                chance.shuffle(lines)
                data = "\n".join(lines)
        found.append(data)
    return found


def test_fifty_broken_files(heapflow: Heapflow, write: Write) -> None:
    files = broken_files(50)
    for number, data in enumerate(files):
        write(f"bad{number}.c", data)
    write("good.c", GOOD)
    names = [f"bad{number}.c" for number in range(len(files))]
    before = time.monotonic()
    run = heapflow("dump", "program", "--stats", *names, "good.c")
    assert time.monotonic() - before < 100
    assert run.returncode == 3
    assert "Traceback" not in run.stderr
    assert "bug in heapflow" not in run.stderr
    assert "… and 30 more files" in run.stderr
    assert "modules" in run.stdout.splitlines()[0]
    assert run.stdout.splitlines()[0].split()[-1] == "1"
    for name in names[:20]:  # the rest is summed up
        assert any(
            line.startswith(f"{name}:") and "error: " in line for line in run.stderr.splitlines()
        )


@pytest.mark.parametrize("size", [0, 3, 8, 100, 600, 2000])
def test_damaged_bitcode(heapflow: Heapflow, here: Path, size: int) -> None:
    data = b"BC\xc0\xde" + random.Random(size).randbytes(max(size - 4, 0))
    (here / "m.bc").write_bytes(data[:size])
    run = heapflow("dump", "program", "m.bc")
    assert run.returncode == 3
    assert run.stderr.startswith("m.bc: error: ")
    assert "Traceback" not in run.stderr


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["check"], 3, "compiled without a build"),
        (["check", "none.c"], 2, "none.c: no such file"),
        (["check", "."], 3, "no/such.h"),
        (["check", "-p", "nowhere"], 2, "nowhere: no such file"),
        (["check", "--unknown"], 2, "No such option"),
        (["check", "-j", "0", "a.c"], 2, "Invalid value"),
        (["check", "--clang", "no-such-clang", "a.c"], 2, "no such program"),
        (["check", "--clang", "true", "a.c"], 2, "not a clang"),
        (["frobnicate"], 2, "there is no command `frobnicate`"),
        (["capture"], 2, "no build command"),
        (["capture", "--", "no-such-build-tool"], 2, "no such command"),
        (["cache", "trim", "--to", "lots"], 2, "not a size"),
        (["dump", "program", "a.c", "--", "-DX=1", "-funknown-to-clang"], 0, "-funknown-to-clang"),
        (["dump", "program", "nested.c"], 3, "nested.c:1:"),
        (["dump", "program", "header.c"], 3, "'no/such.h' file not found"),
        (["dump", "program", "dir.c"], 2, "no C file in it"),
    ],
)
def test_messages(
    heapflow: Heapflow,
    write: Write,
    here: Path,
    arguments: list[str],
    status: int,
    message: str,
) -> None:
    write("a.c", "int main(void) { return 0; }\n")
    write("nested.c", "int f(int a) { int g(int b) { return a + b; } return g(1); }\n")
    write("header.c", "#include <no/such.h>\n")
    (here / "dir.c" / "x").mkdir(parents=True)
    run = heapflow(*arguments)
    assert run.returncode == status
    assert message in run.stderr
    assert "Traceback" not in run.stderr
    assert status == 0 or run.stdout == ""


def test_an_unreadable_database_entry(heapflow: Heapflow, write: Write) -> None:
    write("a.c", "int a;\n")
    write(
        "compile_commands.json",
        '[{"directory": ".", "file": "a.c", "command": "cc -c a.c"},'
        ' {"directory": "gone", "file": "b.c", "command": "cc -c b.c"}]',
    )
    run = heapflow("dump", "program", "--stats", ".")
    assert run.returncode == 3
    assert "b.c" in run.stderr
    assert run.stdout.splitlines()[0].split() == ["modules", "1"]


def test_version_is_quick(heapflow: Heapflow) -> None:
    before = time.monotonic()
    run = heapflow("--version")
    assert run.stdout.startswith("heapflow ")
    assert time.monotonic() - before < 2  # loose: the machine may be busy


def test_dump_and_stats(heapflow: Heapflow, write: Write) -> None:
    write("a.c", GOOD)
    dump = heapflow("dump", "program", "a.c")
    assert dump.returncode == 0
    assert "define @add" in dump.stdout
    assert dump.stdout == heapflow("dump", "program", "a.c", "--no-cache").stdout
    assert "instructions" in heapflow("dump", "program", "--stats", "a.c").stdout


def test_cache_command(heapflow: Heapflow, write: Write, own_cache: Path) -> None:
    write("a.c", "int a;\n")
    time.sleep(0.02)
    heapflow("dump", "program", "a.c")
    shown = heapflow("cache").stdout
    assert str(own_cache) in shown
    assert "entries    3" in shown  # manifest, tables, linked program
    assert "freed" in heapflow("cache", "trim", "--to", "0").stdout
    assert "entries    0" in heapflow("cache").stdout
    heapflow("dump", "program", "a.c")
    assert "freed" in heapflow("cache", "clear").stdout
    assert "entries    0" in heapflow("cache").stdout
