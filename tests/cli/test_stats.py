"""`heapflow check --stats`: the cost of phases, and what each stage of detection removed."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

# The third block is lost only if n is both below and above another number: refuted by execution.
PROGRAM = """#include <stdlib.h>
int lost(int n) { char *p = malloc(4); return p != NULL && n; }
int kept(int n) { char *p = malloc(4); free(p); return n; }
int never(int n, int m) {
  char *p = malloc(4);
  if (n < m && m < n) return 1;
  free(p);
  return 0;
}
"""


def stats(tmp_path: Path, program: str) -> tuple[str, dict[str, int]]:
    """What `--stats` says, and the numbers in it by what they count."""
    source = tmp_path / "stages.c"
    source.write_text(program)
    command = [sys.executable, "-m", "heapflow", "check", str(source), "--no-cache", "--stats"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 1, run.stderr
    rows = re.findall(r"^ *(\d+)    (.*)$", run.stderr, re.M)
    return run.stderr, {what: int(number) for number, what in rows}


def test_stages_add_up(tmp_path: Path) -> None:
    text, numbers = stats(tmp_path, PROGRAM)
    assert numbers["objects followed, those handed to callers included"] == 3
    candidates = numbers["candidates of the Boolean stage"]
    assert numbers["objects that the Boolean stage removed"] == 3 - candidates
    assert candidates - numbers["candidates refuted"] == 1  # `lost`
    assert numbers["candidates confirmed"] == 1
    assert re.search(r"^ *\d+\.\d\d s  replay$", text, re.M)


OWN = """#include <stddef.h>
static char space[4096];
static void *get(size_t n, int zone) { return space + n + zone; }
void *malloc(size_t n) { return get(n, 0); }
void free(void *p) { space[0] = p != NULL; }
"""


def test_allocators_of_the_program_are_counted(tmp_path: Path) -> None:
    _, numbers = stats(tmp_path, PROGRAM.replace("#include <stdlib.h>\n", OWN))
    assert numbers["functions of the program that are taken by their model"] == 2
    assert numbers["functions that those hand on to"] == 1
