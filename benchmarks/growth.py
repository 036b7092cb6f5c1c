"""How the cost grows with the size of one function: nasty programs at four sizes, and their exponents.

    python -m benchmarks.growth [--limit SECONDS] [--smallest N] [--generators FILE] [NAME...]

Every program is generated at a size, and at twice, four and eight times of it, and checked in a process
of its own with an empty cache. Printed are CPU seconds beyond those of an empty program, and e of
seconds ~ size^e between the first and the third, and between the third and the last: 1 is linear, 0 is
bounded. FILE is Python with a table `S` of more generators: name to (function of the size that gives C
text, usual size).
"""

from __future__ import annotations

import argparse
import math
import random
import runpy
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.measured import Measured, run_measured

HEAD = "#include <stdlib.h>\n#include <string.h>\n"
Generator = Callable[[int], str]
KILLED = 128  # the status of what a signal ended
_FACTORS = (1, 2, 4, 8)
LEAST = 0.05  # seconds: below it is noise


def gotos(size: int) -> str:
    """Jumps to anywhere in one function."""
    pick = random.Random(1)
    parts = [
        f"L{i}: if (x > {i}) {{ x--; goto L{pick.randrange(size)}; }}\n"
        f" if (y == {i}) q = malloc({i + 1}); else if (y == {i} + 1) {{ free(q); q = 0; }}\n"
        f" x += y; if (x < -{i}) goto out;\n"
        for i in range(size)
    ]
    return (
        f"{HEAD}int f(int x, int y) {{ char *p = malloc(3), *q = 0;\n{''.join(parts)}"
        "out: free(p); return x; }\n"
    )


def conditional_allocations(size: int) -> str:
    """Blocks of one function, each freed under a condition of its own."""
    parts = [f"char *p{i} = malloc({i + 1}); if (a[{i}]) free(p{i});\n" for i in range(size)]
    return f"{HEAD}void f(int *a) {{\n{''.join(parts)}}}\n"


def struct_copies(size: int) -> str:
    """Structs that are copied one after the other."""
    fields = "".join(f"char *p{i};" for i in range(60))
    parts = [
        f"struct s s{i} = s{i - 1}; if (x == {i}) s{i}.p{i % 60} = malloc({i});\n"
        for i in range(1, size)
    ]
    return (
        f"{HEAD}struct s {{ {fields} }};\nint f(int x) {{ struct s s0; memset(&s0, 0, sizeof s0);"
        f" s0.p3 = malloc(3);\n{''.join(parts)} free(s{size - 1}.p3); return 0; }}\n"
    )


def recursion_by_pointers(size: int) -> str:
    """Functions that call each other through a table."""
    parts = [
        f"char *f{i}(int x, char *p) {{ if (x == {i}) {{ free(p); return malloc({i + 1}); }} "
        "return t[x](x - 1, p); }\n"
        for i in range(size)
    ]
    names = ", ".join(f"f{i}" for i in range(size))
    return (
        f"{HEAD}typedef char *(*F)(int, char *); extern F t[];\n{''.join(parts)}"
        f"F t[] = {{ {names} }};\n"
        "int main(int c, char **v) { char *p = t[c](c, malloc(2)); return p == 0; }\n"
    )


def flags(size: int) -> str:
    """Blocks that bits of a word say were allocated."""
    made = [f"if (a[{i}]) {{ p{i} = malloc(2); m |= 1u << {i % 32}; }}\n" for i in range(size)]
    freed = [f"if (m & (1u << {i % 32})) free(p{i});\n" for i in range(size)]
    names = "".join(f"char *p{i} = 0;" for i in range(size))
    return (
        f"{HEAD}int f(int *a) {{ unsigned m = 0; {names}\n{''.join(made)}{''.join(freed)}"
        "return 0; }\n"
    )


def dependent_additions(size: int) -> str:
    """One number that is made of all before it; a test of it decides."""
    parts = "".join(f"x += a[{i}] * {i + 1}; x ^= a[1];\n" for i in range(size))
    return (
        f"{HEAD}int f(int *a) {{ char *p = malloc(3); int x = 0;\n{parts} if (x) free(p);"
        " return x; }\n"
    )


# The smallest of the sizes of each.
OWN: dict[str, tuple[Generator, int]] = {
    "gotos": (gotos, 32),
    "conditional_allocations": (conditional_allocations, 125),
    "struct_copies": (struct_copies, 50),
    "recursion_by_pointers": (recursion_by_pointers, 100),
    "flags": (flags, 50),
    "dependent_additions": (dependent_additions, 1000),
}


def exponent(sizes: Sequence[int], seconds: Sequence[float]) -> float:
    """e of seconds ~ size^e between the first and the last."""
    first, last = max(seconds[0], LEAST), max(seconds[-1], LEAST)
    return math.log(last / first) / math.log(sizes[-1] / sizes[0])


def _check(text: str, folder: Path, limit: float) -> Measured:
    source = folder / "program.c"
    source.write_text(text)
    # CPU seconds are limited, not those on the clock: other work on the machine must not count.
    bounded = ["sh", "-c", f'ulimit -t {math.ceil(limit)}; exec "$@"', "sh"]
    command = [sys.executable, "-m", "heapflow", "check", "--no-cache", "-j1", "-q", str(source)]
    return run_measured([*bounded, *command], folder, 20 * limit)


def row(name: str, generate: Generator, sizes: Sequence[int], empty: float, limit: float) -> str:
    cells: list[str] = []
    seconds: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        for size in sizes:
            run = _check(generate(size), Path(folder), limit)
            if run.timed_out or run.status >= KILLED:
                return f"| {name} | {sizes[0]} | {' | '.join([*cells, f'> {limit:.0f}'])} |"
            seconds.append(run.cpu_seconds - empty)
            cells.append(f"{max(seconds[-1], 0):.1f}")
    within, beyond = exponent(sizes[:3], seconds[:3]), exponent(sizes[2:], seconds[2:])
    return f"| {name} | {sizes[0]} | {' | '.join(cells)} | {within:.2f} | {beyond:.2f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--limit", type=float, default=600.0, help="CPU seconds for one program")
    parser.add_argument("--smallest", type=int, default=0, help="the first of the sizes")
    parser.add_argument("--generators", help="a Python file with more of them")
    options = parser.parse_args()
    known = dict(OWN)
    if options.generators:
        more = runpy.run_path(options.generators)["S"]
        known.update({name: (make, max(usual // 4, 4)) for name, (make, usual) in more.items()})
    with tempfile.TemporaryDirectory() as folder:
        empty = _check("int main(void) { return 0; }\n", Path(folder), options.limit).cpu_seconds
    print(
        "| program | size | CPU s | twice the size | four times | eight times | exponent |"
        " from four to eight times |\n" + "|---" * 8 + "|"
    )
    for name in options.names or known:
        generate, size = known[name]
        size = options.smallest or size
        sizes = tuple(factor * size for factor in _FACTORS)
        print(row(name, generate, sizes, empty, options.limit), flush=True)


if __name__ == "__main__":
    main()
