"""What is said of members, on the C file that shows why."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from heapflow.config import Config
from heapflow.frontend.inputs import find_inputs
from heapflow.frontend.load import load_program
from heapflow.invariants import passed, solve
from heapflow.invariants.abstract import text_of
from heapflow.invariants.find import Invariants, find_invariants
from heapflow.models.load import load_models
from heapflow.pointsto.analyse import solve_points_to
from heapflow.support.run import Run

FILE = Path(__file__).resolve().parents[1] / "c" / "leaks" / "fields_keep.c"


def invariants_of(*files: Path) -> Invariants:
    config, models = Config(), load_models(())
    inputs = find_inputs([str(file) for file in files], [])
    program = load_program(inputs, config.frontend, Run()).program
    assert program is not None
    _, calls = solve_points_to(program, models, config.pointsto)
    return find_invariants(program, calls, models, config.invariants, check=True)


@pytest.fixture(scope="module")
def found() -> Invariants:
    return invariants_of(FILE)


def test_variables_of_one_name_stay_apart(tmp_path: Path) -> None:
    first, second = tmp_path / "first.c", tmp_path / "second.c"
    first.write_text("static int level = 1;\nint set(int n) { level = n ? 2 : 3; return level; }\n")
    second.write_text("static int level = 1;\nint count(void) { level++; return level; }\n")
    assert invariants_of(first, second).dump().splitlines() == ["level: 1, 2, 3", "level: positive"]


def test_members_are_what_is_stored(found: Invariants) -> None:
    said = dict(line.split(": ") for line in found.dump().splitlines())
    assert said["struct.shape.kind"] == "1, 2, 4, 8"
    assert said["struct.undo.data"] == "positive"
    assert said["struct.undo.note"] == "zero or positive"
    assert said["struct.channel.next_id"] == "positive"
    assert said["struct.node.type"] == "1, 2"
    for given_up in ("struct.counted.refs", "struct.option.level", "struct.header.version"):
        assert given_up not in said


def test_parameters_are_what_callers_give(found: Invariants) -> None:
    assert frozenset((1, 2)) in found.params.values()


def test_nothing_is_said_beyond_a_bound() -> None:
    config, models = Config(), load_models(())
    program = load_program(find_inputs([str(FILE)], []), config.frontend, Run()).program
    assert program is not None
    _, calls = solve_points_to(program, models, config.pointsto)
    limited = find_invariants(program, calls, models, type(config.invariants)(most_visits=0))
    assert not limited.loads and limited.limits_hit["visits of instructions"] == 1


def test_functions_that_all_call_each_other_cost_no_square(tmp_path: Path) -> None:
    """The edges of a table are the square of its size: visits of instructions stay within bounds."""
    count = 200
    bodies = "".join(
        f"int f{k}(int x) {{ if (x == {k}) return {3 + k % 2}; return t[x](x - 1); }}\n"
        for k in range(count)
    )
    table = ", ".join(f"f{k}" for k in range(count))
    text = (
        f"typedef int (*F)(int);\nextern F t[];\n{bodies}F t[] = {{ {table} }};\n"
        "static int last;\nvoid show(int);\n"
        "int main(int c, char **v) { last = t[c](c); show(last); show(last); return 0; }\n"
        "int again(void) { return last; }\n"
    )
    (tmp_path / "table.c").write_text(text)
    found = invariants_of(tmp_path / "table.c")
    assert not found.limits_hit
    assert found.dump() == "last: 0, 3, 4\n"


def test_globals_that_main_sets_are_set(tmp_path: Path) -> None:
    """Behind the store at the start, and before the one at the end, no load finds the beginning."""
    (tmp_path / "main.c").write_text(
        "#include <stdlib.h>\n"
        "static int *list, *late;\n"
        "static int early(void) { return list != 0; }\n"
        "static int work(int *p, int *q) { return p != 0 && q != 0; }\n"
        "static void quit(void) { list = 0; late = 0; exit(0); }\n"
        "int main(int argc, char **argv) {\n"
        "  if (early()) return 1;\n"
        "  list = malloc(4);\n"
        "  if (argc > 2) late = malloc(4);\n"
        "  if (work(list, late)) quit();\n"
        "  return work(list, late);\n"
        "}\n"
    )
    found = invariants_of(tmp_path / "main.c")
    assert sorted(map(text_of, found.loads.values())) == ["positive", "positive"]
    assert list(map(text_of, found.params.values())) == ["positive", "zero or positive"]


def test_a_result_goes_with_the_argument(tmp_path: Path) -> None:
    (tmp_path / "get.c").write_text(
        "#include <stdlib.h>\n"
        "static void *get(unsigned long n) {\n"
        "  if (n == 0) return 0;\n"
        "  void *p = malloc(n);\n"
        "  if (!p) exit(1);\n"
        "  return p;\n"
        "}\n"
        "static void use(int *p, char *q) { if (p && q) exit(2); }\n"
        "int main(int argc, char **argv) { use(get(4), get(argc - 1)); return 0; }\n"
    )
    found = invariants_of(tmp_path / "get.c")
    said = [text_of(one) for (_, _), one in sorted(found.params.items())]
    assert said[-2:] == ["positive", "zero or positive"]


def test_a_chain_of_tests_is_looked_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each test of a chain is behind all before it, and each may return something else."""
    counts = []
    for size in (80, 160):
        done = 0

        def counted(*arguments: Any, _plain: Callable[..., Any]) -> Any:
            nonlocal done
            done += 1
            return _plain(*arguments)

        with monkeypatch.context() as patched:
            for module, name in ((passed, "narrowed"), (solve, "join")):
                plain = getattr(module, name)
                patched.setattr(module, name, partial(counted, _plain=plain))
            source = tmp_path / f"chain{size}.c"
            tests = "".join(f"else if (x == {3 * i}) return {i};\n" for i in range(1, size))
            function = f"int f(int x) {{ if (x == 0) return 7;\n{tests}return 1; }}\n"
            source.write_text(function + "int g(int x) { return f(x) + f(x + 1); }\n")
            assert "ways out of one function" in invariants_of(source).limits_hit
        counts.append(done)
    assert counts[0] > 80
    assert counts[1] < 2.5 * counts[0]


def test_a_pointer_that_a_thousand_functions_hand_on(tmp_path: Path) -> None:
    source = tmp_path / "chain.c"
    steps = "".join(
        f"static void f{i}(void *p, int x) {{ if (x != {i}) f{i - 1}(p, x); }}\n"
        for i in range(1, 1000)
    )
    source.write_text(
        "struct s { int kind; };\nstatic struct s one = {1};\n"
        f"static void f0(void *p, int x) {{ *(int *)p = x; }}\n{steps}"
        "int g(int x) { f999(&one, x); return one.kind; }\n"
    )
    assert "one.kind: 1" not in invariants_of(source).dump()


@pytest.mark.parametrize(("body", "seen"), [("p->a = 3;", 3), ("if (p->m) p->a = 3;", 0)])
def test_a_thousand_functions_that_set_a_member_for_each_other(
    tmp_path: Path, body: str, seen: int
) -> None:
    """What the last of them certainly sets nobody reads as zero; no chain of calls is too long."""
    source = tmp_path / "makers.c"
    steps = "".join(f"static void f{i}(struct s *p) {{ f{i - 1}(p); }}\n" for i in range(1, 1000))
    source.write_text(
        "#include <stdlib.h>\nstruct s { int a; char *m; };\n"
        f"static void f0(struct s *p) {{ {body} }}\n{steps}"
        "struct s *make(void) {\n"
        "  struct s *p = calloc(1, sizeof *p);\n"
        "  if (!p) exit(1);\n"
        "  f999(p);\n"
        "  return p;\n}\n"
        "int main(void) { struct s *p = make(); return p->a; }\n"
    )
    assert f"struct.s.a: {seen}" in invariants_of(source).dump()
