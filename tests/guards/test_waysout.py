"""What is left of a condition where some ways do not come back, against each function's arguments."""

from __future__ import annotations

from pathlib import Path

import pytest

from heapflow.guards.waysout import ways_out
from heapflow.ir.ids import BlockId
from tests.guards.harness import Guarded

TEXT = """#include <setjmp.h>
#include <stdlib.h>
void mark(int);
void begin(void);
int more(void);
static void die(void) { exit(1); }
void straight(int n, int m) {
  if (n > 5) mark(0);
  begin();
  if (n == 1) abort();
  if (m == 2) { mark(2); die(); }
  mark(3);
}
jmp_buf back;
void jumps(int n) {
  begin();
  if (n == 1) longjmp(back, 1);
  if (n == 2) exit(2);
}
void inner_loop(int n, int m) {
  begin();
  while (n > 3) {
    if (m == 1) exit(1);
    mark(2);
  }
  if (m == 2) exit(2);
}
void in_loop(int n, int m) {
  while (more()) {
    begin();
    if (n == 1) exit(1);
    if (n == 2) return;
    if (m == 1) break;
  }
  if (m == 1) die();
}
static void check(int n) { if (n == 1) exit(1); }
void for_ever(int n) {
  for (;;) {
    begin();
    check(n);
  }
}
"""


def where_begun(program: Guarded, number: int) -> BlockId:
    context = program.book.context
    return next(
        BlockId(int(program.program.instrs.block[instr]))
        for instr in program.program.instr_range(number)
        if context.code.op[instr] in context.code.call_ops
        and program.program.func_name(program.program.direct_callee(instr)) == "begin"
    )


@pytest.mark.parametrize(
    ("func", "arguments", "gets_out"),
    [
        ("straight", (1, 0), False),
        ("straight", (0, 2), False),
        ("straight", (0, 0), True),
        ("straight", (9, 2), False),
        ("jumps", (1,), True),  # what a jump leaves behind is lost
        ("jumps", (3,), True),
        ("inner_loop", (9, 1), False),
        ("inner_loop", (9, 0), True),  # after some turn
        ("inner_loop", (0, 1), True),
        ("inner_loop", (9, 2), False),
        ("in_loop", (1, 0), False),
        ("in_loop", (2, 0), True),
        ("in_loop", (0, 1), False),
        ("in_loop", (0, 0), True),
        ("for_ever", (1,), False),
        ("for_ever", (0,), True),  # the next turn forgets what this one made
    ],
)
def test_ways_out(func: str, arguments: tuple[int, ...], gets_out: bool, tmp_path: Path) -> None:
    program = Guarded(TEXT, tmp_path)
    number = program.func(func)
    guards = program.book.guards(number)
    found = ways_out(guards, where_begun(program, number), program.space.true)
    assert program.evaluate(found, func, arguments) is gets_out


def test_the_whole_condition_is_left_where_ways_are_too_many(tmp_path: Path) -> None:
    program = Guarded(TEXT, tmp_path)
    number = program.func("straight")
    guards = program.book.guards(number)
    begun = where_begun(program, number)
    found = ways_out(guards, begun, program.space.true, most_blocks=2)
    assert found == program.space.true
    assert program.book.context.limits_hit["blocks on the ways out"] == 1
