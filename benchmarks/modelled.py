"""Are models right? Tiny programs, made from them, are run under valgrind.

For every allocator whose arguments can be made up there are two programs: one drops the block, which
valgrind must call lost, and one gives it to the family's releaser, after which nothing is lost.

python -m benchmarks.modelled [--every N] [--only NAME …]    a line for each that a run contradicts
Not covered: functions with arguments that cannot be made up, or that return null for what is made up;
lists, of whose elements models say nothing; libraries without headers here. What a library makes once
and keeps is not lost when it is dropped: such a line is no mistake.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from heapflow.models import Models, load_models
from heapflow.models.model import (
    AccessPath,
    Alloc,
    Arg,
    Free,
    FunctionModel,
    ResourceKind,
    Ret,
    Unref,
)

# Headers of a model file's functions, and how programs are built against them.
LIBRARIES = {
    "libc.toml": (
        "stdlib.h string.h wchar.h stdio.h unistd.h libgen.h argz.h malloc.h dirent.h locale.h",
        [],
        [],
    ),
    "glib.toml": ("glib.h glib-object.h", ["glib-2.0", "gobject-2.0"], []),
    "gio.toml": ("gio/gio.h", ["gio-2.0"], []),
    "libxml2.toml": (
        "libxml/tree.h libxml/parser.h libxml/xpath.h libxml/uri.h libxml/hash.h libxml/dict.h "
        "libxml/list.h libxml/xmlregexp.h libxml/xmlwriter.h",
        ["libxml-2.0"],
        [],
    ),
    "misc.toml": ("expat.h", [], ["-lexpat"]),
    "desktop.toml": ("X11/Xlib.h X11/Xutil.h", [], ["-lX11"]),
}
_NULL = 7  # exit status: the allocator returned null
_LISTS = ("g_list", "g_slist")
# What is given for a parameter, by its type.
VALUES = (
    (r"const (g?char|xmlChar|void|gchar) \*", '(void *)"ab"'),
    (r"gconstpointer", '"ab"'),
    (r"(unsigned |const )*(g?u?(int|long)\d*|g?s?size(_t)?|gunichar)", "2"),
    (r"gboolean|gdouble|double|gfloat", "1"),
    (r"G(Hash|Equal|Destroy)\w+", "NULL"),
)


@dataclass(frozen=True)
class Case:
    """An allocator, what it is called with, and what releases its result."""

    name: str
    call: str
    release: str
    origin: str


def cases(models: Models) -> Iterator[Case]:
    every = list(models.all())  # families are there once their files are read
    releasers = _releasers(models)
    for model in every:
        if model.origin not in LIBRARIES or model.signature is None:
            continue
        allocs = [
            e for e in model.effects if isinstance(e, Alloc) and e.target == AccessPath(Ret())
        ]
        values = [_value(param.text) for param in model.signature.params]
        more = [e for e in model.effects if isinstance(e, Alloc)]
        if (
            len(allocs) != 1
            or len(more) != 1
            or allocs[0].family in _LISTS
            or allocs[0].when
            or model.signature.variadic
            or None in values
        ):
            continue
        family = models.families[allocs[0].family]
        release = releasers.get(family.name)
        if family.kind is not ResourceKind.MEMORY or family.arena or release is None:
            continue
        arguments = ", ".join(value for value in values if value is not None)
        yield Case(model.name, f"{model.name}({arguments})", release, model.origin)


def _releasers(models: Models) -> dict[str, str]:
    """By family: the function of one argument that ends its blocks."""
    found: dict[str, str] = {}
    for family in models.families.values():
        for name in family.releasers:
            model = models.lookup(name)
            if model is not None and family.name not in found and _ends_first(model, family.name):
                found[family.name] = name
    return found


def _ends_first(model: FunctionModel, family: str) -> bool:
    signature = model.signature
    return (
        signature is not None
        and len(signature.params) == 1
        and any(
            isinstance(effect, Free | Unref)
            and effect.family == family
            and effect.target == AccessPath(Arg(1))
            for effect in model.effects
        )
    )


def _value(text: str) -> str | None:
    return next((value for pattern, value in VALUES if re.fullmatch(pattern, text)), None)


def _program(case: Case, releases: bool) -> str:
    headers = "".join(f"#include <{name}>\n" for name in LIBRARIES[case.origin][0].split())
    drops = f"{case.release}(p);" if releases else ""
    return (
        f"#define _GNU_SOURCE\n{headers}"
        "__attribute__((noinline)) static int once(void) {\n"
        f"  void *p = (void *){case.call};\n"
        f"  if (p == NULL) return {_NULL};\n"
        f"  {drops}\n"
        "  return 0;\n}\n"
        "int main(void) { return once() | once() | once(); }\n"
    )


def lost_blocks(case: Case, releases: bool, folder: Path) -> int | None:
    """How many blocks valgrind calls lost; None: the program cannot be built, or crashes."""
    _, packages, libraries = LIBRARIES[case.origin]
    source, binary = folder / "case.c", folder / "case"
    source.write_text(_program(case, releases))
    flags = (
        subprocess.run(
            ["pkg-config", "--cflags", "--libs", *packages], capture_output=True, text=True
        ).stdout.split()
        if packages
        else []
    )
    build = ["gcc", "-w", "-O0", str(source), "-o", str(binary), *flags, *libraries]
    if subprocess.run(build, capture_output=True).returncode:
        return None
    run = subprocess.run(
        ["valgrind", "--leak-check=full", "--show-leak-kinds=definite,indirect", str(binary)],
        capture_output=True,
        text=True,
        cwd=folder,  # names that are made up may become files
        env={"G_SLICE": "always-malloc", "PATH": "/usr/bin:/bin"},
        timeout=60,
    )
    if run.returncode < 0 or run.returncode == _NULL or "Invalid" in run.stderr:
        return None
    found = re.search(r"definitely lost: [\d,]+ bytes in ([\d,]+) blocks", run.stderr)
    if found is None:
        return 0 if "no leaks are possible" in run.stderr else None
    return int(found[1].replace(",", ""))


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--every", type=int, default=1, help="one of so many functions")
    options = parser.parse_args(arguments)
    models = load_models()
    chosen = [case for case in cases(models) if not options.only or case.name in options.only]
    agree = wrong = skipped = 0
    with tempfile.TemporaryDirectory() as name:
        for case in chosen[:: options.every]:
            dropped = lost_blocks(case, False, Path(name))
            released = lost_blocks(case, True, Path(name))
            if dropped is None or released is None:
                skipped += 1
            elif dropped >= 2 and released == 0:
                agree += 1
            else:
                wrong += 1
                print(f"{case.name}: {dropped} lost if dropped, {released} after {case.release}")
    print(f"{agree} agree, {wrong} do not, {skipped} cannot be run")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
