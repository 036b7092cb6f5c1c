"""Parameters that are followed on every way, also through long chains of calls."""

from __future__ import annotations

from pathlib import Path

from tests.replay.explore import load_text

LENGTH = 1500


def test_callees_first(tmp_path: Path) -> None:
    """No chain of calls is too long, and functions that call each other say nothing."""
    first = "int f0(int n, int *p) { return *p + n; }\n"
    chain = [f"int f{i}(int n, int *p) {{ return f{i - 1}(n, p); }}\n" for i in range(1, LENGTH)]
    skips = "int maybe(int n, int *p) { return n ? f0(n, p) : 0; }\n"
    pair = """\
int odd(int n, int *p);
int even(int n, int *p) { return n ? odd(n - 1, p) : 1; }
int odd(int n, int *p) { return n ? even(n - 1, p) : 0; }
"""
    knowledge = load_text(first + "".join(chain) + skips + pair, tmp_path)
    program = knowledge.program
    func = {program.func_name(number): number for number in range(len(program.functions))}
    followed = knowledge.followed
    assert followed.parameters(func[f"f{LENGTH - 1}"]) == {1}
    assert followed.parameters(func["maybe"]) == frozenset()
    assert followed.parameters(func["odd"]) == followed.parameters(func["even"]) == frozenset()
