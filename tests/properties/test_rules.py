"""heapflow reports exactly what the marks in tests/c/rules say, and AddressSanitizer agrees.

`// RULE: name` stands on the line at which it is told: a resource that is lost at the call that gave
it, anything else where it happens. `// MISS: name reason` is not reported, `// FALSE: name reason`
wrongly is.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from heapflow.api import check
from heapflow.report.finding import Rule, StepKind

ROOT = Path(__file__).resolve().parent.parent / "c" / "rules"
RULES = (
    Rule.RESOURCE_LEAK,
    Rule.DOUBLE_FREE,
    Rule.USE_AFTER_FREE,
    Rule.MISMATCHED_RELEASE,
    Rule.INVALID_FREE,
)
_MARK = re.compile(r"// (RULE|FALSE): ([a-z-]+)")
_FUNCTION = re.compile(r"^(?:void|char \*)\s*(\w+_(?:bad|ok))\(int n\)", re.MULTILINE)
FILES = sorted(ROOT.glob("*.c"))


def marks(file: Path) -> set[tuple[int, str]]:
    return {
        (number, found[2])
        for number, text in enumerate(file.read_text().splitlines(), start=1)
        for found in _MARK.finditer(text)
    }


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_reports_equal_marks(file: Path) -> None:
    report = check(file, root=ROOT, select=[rule.value for rule in RULES])
    found = {(one.primary.line, one.rule.value) for one in report.findings}
    assert found == marks(file)


def test_what_is_lost_beside_a_misuse() -> None:
    file = ROOT / "lost_beside.c"
    lines = file.read_text().splitlines()
    lost = {number for number, text in enumerate(lines, start=1) if text.endswith("// LOST")}
    assert {one.primary.line for one in check(file, select=["never-freed"]).findings} == lost


def test_blocks_of_two_calls_are_two(tmp_path: Path) -> None:
    file = tmp_path / "two.c"
    file.write_text(
        "#include <stdlib.h>\n#include <string.h>\n"
        "void twice(int n, const char *text) {\n"
        "  char *p;\n"
        "  if (n > 3) p = malloc(n);\n"
        "  else p = strdup(text);\n"
        "  char *q = p;\n"
        "  free(p);\n"
        "  free(q);\n"
        "}\n"
        "void once_each(int n, const char *text) {\n"
        "  char *p = n > 3 ? malloc(n) : strdup(text);\n"
        "  free(p);\n"
        "  if (n < 0) free(p);\n"
        "}\n"
    )
    found = check(file, root=tmp_path, select=["double-free"]).findings
    assert sorted((one.primary.line, one.allocation.line) for one in found) == [
        (9, 5),
        (9, 6),
        (14, 12),
    ]
    assert len({one.fingerprint for one in found}) == 3


def test_blocks_of_two_calls_of_a_wrapper_are_two(tmp_path: Path) -> None:
    file = tmp_path / "wrapped.c"
    file.write_text(
        "#include <stdlib.h>\n"
        "static void *take(int n) { return malloc(n); }\n"
        "static void *take_more(int n) { return take(n + 8); }\n"
        "static void drop(void *p) { free(p); }\n"
        "void twice(int n) {\n"
        "  char *p;\n"
        "  if (n > 3) p = take(n);\n"
        "  else if (n > 0) p = take(1);\n"
        "  else p = take_more(2);\n"
        "  char *q = p;\n"
        "  drop(p);\n"
        "  drop(q);\n"
        "}\n"
        "void one_of_them(int n) {\n"
        "  char *p = n > 3\n"
        "    ? take(n)\n"
        "    : take(1);\n"
        "  drop(p);\n"
        "  if (n < 0) drop(p);\n"
        "}\n"
        "void other_block(int n) {\n"
        "  char *p = take(n), *q = take(n + 1);\n"
        "  drop(p);\n"
        "  drop(q);\n"
        "}\n"
    )
    found = check(file, root=tmp_path, select=["double-free"]).findings
    called = [
        (
            one.primary.line,
            next(step.place.line for step in one.steps if step.kind is StepKind.CALL),
        )
        for one in found
    ]
    assert sorted(called) == [(12, 7), (12, 8), (12, 9), (19, 17)]


def test_every_bad_function_is_marked() -> None:
    for file in FILES:
        lines = file.read_text().splitlines()
        marked = {number for number, _ in marks(file)}
        name = ""
        bad: dict[str, bool] = {}
        for number, text in enumerate(lines, start=1):
            start = re.match(r"^[\w *]+?(\w+)\(.*\) \{", text)
            if start and not text.startswith("static"):
                name = start[1]
                bad.setdefault(name, False)
            if number in marked or (name.endswith("_bad") and "// MISS: " in text):
                bad[name] = True
        assert bad == {name: name.endswith("_bad") for name in bad}


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc")
@pytest.mark.parametrize("stem", ["calls", "released", "wrong"])
def test_address_sanitizer_agrees(stem: str, tmp_path: Path) -> None:
    """Each function is run with three numbers: a bad one goes wrong for some, an ok one for none."""
    source = ROOT / f"{stem}.c"
    names = _FUNCTION.findall(source.read_text())
    assert len(names) >= 10
    driver = tmp_path / "driver.c"
    prototypes = "".join(f"void {name}(int);\n" for name in names)
    cases = "".join(f'  if (!strcmp(v[1], "{name}")) {name}(atoi(v[2]));\n' for name in names)
    driver.write_text(
        f"#include <stdlib.h>\n#include <string.h>\n{prototypes}"
        f"int main(int c, char **v) {{\n{cases}  return c == 0;\n}}\n"
    )
    program = tmp_path / "program"
    flags = ["-w", "-g", "-O0", "-fsanitize=address", "-fno-builtin"]
    made = subprocess.run(
        ["gcc", *flags, str(source), str(driver), "-o", str(program)],
        capture_output=True,
        text=True,
    )
    if made.returncode:
        pytest.skip("gcc has no AddressSanitizer here")
    for name in names:
        if name in _NOT_SEEN:
            continue
        failed = [n for n in (0, 1, 2) if _fails(program, name, n)]
        assert bool(failed) == name.endswith("_bad"), (name, failed)


# The sanitizer takes `free` of a stream and `fclose` of a pipe; nobody uses what is returned.
_NOT_SEEN = ("pipe_bad", "returned_bad", "stream_bad")


def _fails(program: Path, name: str, number: int) -> bool:
    environment = {"ASAN_OPTIONS": "detect_leaks=0"}
    command = [str(program), name, str(number)]
    return subprocess.run(command, capture_output=True, env=environment).returncode != 0
