"""Random C programs that allocate.

In:    a seed.      Out: the text of a program from csmith, with heap blocks put into it.
Guarantees: the same seed gives the same text; the result compiles.
Not modelled: what the programs do when they are run. csmith's rules against undefined behaviour do not
       hold any more once its pointers point elsewhere; they are for reading, not for running.

csmith itself never calls malloc, and without an allocation there is nothing to check. So every third
local pointer gets a fresh block in place of its first value, and every other one of those that live to
the end of their function is freed there.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from heapflow.support.errors import ToolError

_POINTER = re.compile(r"^(?P<indent> +)(?P<type>[^=;]*\*[^=;]*?)(?P<name>l_\d+) = [^;]*;$")
_INCLUDES = (Path("/usr/include/csmith"), Path("/usr/local/include/csmith"))


def csmith_flags() -> list[str]:
    """The flag for csmith's own headers."""
    versioned = sorted(Path("/usr/include").glob("csmith-*"))
    found = [place for place in (*_INCLUDES, *versioned) if (place / "csmith.h").is_file()]
    if shutil.which("csmith") is None or not found:
        raise ToolError("csmith or its headers are missing (Debian: csmith, libcsmith-dev)")
    return [f"-I{found[0]}"]


def csmith_program(seed: int) -> str:
    """The program of a seed, with allocations."""
    command = ["csmith", "--seed", str(seed)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return with_allocations(done.stdout)


def with_allocations(text: str) -> str:
    """Let every third local pointer of a csmith program start with a block of its own."""
    lines = ["#include <stdlib.h>"]
    seen = 0
    freed: list[str] = []  # pointers of the current function that its last statement shall free
    for line in text.splitlines():
        pointer = _POINTER.match(line)
        if pointer is not None:
            seen += 1
        if pointer is not None and seen % 3 == 0:
            lines.append(f"{pointer['indent']}{pointer['type']}{pointer['name']} = calloc(4, 16);")
            if len(pointer["indent"]) == 4 and seen % 2 == 0:
                freed.append(pointer["name"])
            continue
        if line.startswith("    return ") and freed:
            lines += [f"    free((void *){name});" for name in freed]
        if line.startswith("}"):
            freed = []
        lines.append(line)
    return "\n".join(lines) + "\n"
