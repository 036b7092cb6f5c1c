"""Long functions without branches: what is lost behind them is found, at a cost that grows alike."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from heapflow.config import Config
from heapflow.frontend.inputs import find_inputs
from heapflow.frontend.load import FrontendSettings
from heapflow.pipeline import AnalysisResult, analyse
from heapflow.replay.code import Block, Code
from heapflow.report.finding import Rule
from heapflow.support.run import Run
from tests.replay.explore import load_text

HEAD = "#include <stdlib.h>\nint f(int *a, unsigned y) { char *p = malloc(3); unsigned x = 0;\n"
TAIL = "if (x == y) free(p); return 0; }\n"
BODIES = {
    "one unknown": lambda i: "x += a[1];\n",
    "an unknown each": lambda i: f"x += a[{i}];\n",
    "a product each": lambda i: f"x += (y > {i}) * a[{i % 9}];\n",
    "deep": lambda i: f"x = (x >> 8) ^ (a[{i % 20}] + (x & 255));\n",
}
SIZE = 2500  # beyond all that a search may take of its own


def _run(text: str, work: Path) -> tuple[AnalysisResult, Run]:
    source = work / "long.c"
    source.write_text(text)
    config = Config(frontend=FrontendSettings(use_cache=False, jobs=1))
    run = Run()
    return analyse(find_inputs([str(source)]), config, run), run


@pytest.mark.parametrize("name", BODIES)
def test_what_is_lost_behind_them_is_found(name: str, tmp_path: Path) -> None:
    body = "".join(map(BODIES[name], range(SIZE)))
    result, run = _run(HEAD + body + TAIL, tmp_path)
    assert [finding.rule for finding in result.findings] == [Rule.CONDITIONAL_LEAK]
    is_exact = name == "one unknown"
    assert ("replay: size of a computation" in run.limits_hit) != is_exact


def test_what_is_freed_behind_them_is_not_reported(tmp_path: Path) -> None:
    body = "".join(map(BODIES["one unknown"], range(SIZE)))
    # The sum is exact: it is even.
    result, run = _run(HEAD + body + "if (x % 2 == 0) free(p); return 0; }\n", tmp_path)
    assert not result.findings
    assert run.counters["candidates refuted"] == run.counters["candidates of the Boolean stage"]


def test_liveness_is_what_is_used_later(tmp_path: Path) -> None:
    pick = random.Random(5)
    sums = [
        f"v{i} = v{pick.randrange(9)} * {i} + v{pick.randrange(9)}; v{pick.randrange(9)} = a[v0];\n"
        for i in range(9)
    ]
    names = ", ".join(f"v{i} = a[{i}]" for i in range(9))
    loop = f"do {{ {''.join(sums * 9)} }} while (v3 < v4);\n"
    text = f"int f(int *a) {{ int {names};\n{''.join(sums)}{loop}{''.join(sums)} return v7; }}\n"
    code = load_text(text, tmp_path).code(0)
    for number, block in code.blocks.items():
        order = list(range(len(block.instrs)))
        pick.shuffle(order)
        for index in order:
            assert code.names(code.live_after(number, index)) == _later(code, block, index)


def _later(code: Code, block: Block, index: int) -> tuple[int, ...]:
    """The definition: used behind, and not made before that."""
    found = set(code.names(block.live_out))
    for instr in reversed(block.instrs[index + 1 :]):
        found.discard(instr.result)
        found.update(operand for operand in instr.operands if operand in code.bit)
    return tuple(sorted(found))


def test_liveness_is_not_computed_anew_at_each_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    walked = 0
    back = Code._live_back

    def counted(self: Code, block: Block, live: int, begin: int, end: int) -> int:
        nonlocal walked
        walked += max(min(end, len(block.instrs)) - begin, 0)
        return back(self, block, live, begin, end)

    monkeypatch.setattr(Code, "_live_back", counted)
    body = "".join(map(BODIES["one unknown"], range(SIZE)))
    _, run = _run(HEAD + body + TAIL, tmp_path)
    executed = run.counters["instructions executed"]
    assert executed > SIZE and 0 < walked < 40 * executed
