"""Ways that end in a call that does not come back, against what the function does for each argument."""

from __future__ import annotations

from pathlib import Path

import pytest

from heapflow.guards.deadends import dead_ends_behind
from tests.guards.harness import Guarded

TEXT = """#include <setjmp.h>
#include <stdlib.h>
void mark(int);
static void die(void) { exit(1); }
void straight(int n, int m) {
  if (n > 5) mark(0);
  mark(1);
  if (n == 1) abort();
  if (m == 2) { mark(2); die(); }
  mark(3);
}
jmp_buf back;
void jumps(int n) {
  mark(1);
  if (n == 1) longjmp(back, 1);
  if (n == 2) exit(2);
}
void inner_loop(int n) {
  mark(1);
  for (int i = 0; i < n; i++)
    if (i == 3) exit(1);
}
"""


@pytest.mark.parametrize(
    ("func", "arguments", "ends"),
    [
        ("straight", (1, 0), True),
        ("straight", (0, 2), True),
        ("straight", (0, 0), False),
        ("straight", (9, 2), True),
        ("jumps", (1,), False),  # what a jump leaves behind is lost
        ("jumps", (2,), True),
        ("jumps", (3,), False),
        ("inner_loop", (9,), False),  # not looked for
    ],
)
def test_dead_ends(func: str, arguments: tuple[int, ...], ends: bool, tmp_path: Path) -> None:
    program = Guarded(TEXT, tmp_path)
    number = program.func(func)
    guards = program.book.guards(number)
    blocks = [
        int(program.program.instrs.block[instr])
        for instr in program.program.instr_range(number)
        if program.book.context.op[instr] in program.book.context.call_ops
        and program.program.func_name(program.program.direct_callee(instr)) == "mark"
    ]
    first = next(block for block in blocks if guards.reach[block] == program.space.true)
    found = dead_ends_behind(guards, first)
    assert program.evaluate(found, func, arguments) is ends
