"""Loops, calls that do not come back, calls through pointers, and the size of conditions."""

from __future__ import annotations

from pathlib import Path

from heapflow.ir.ids import InstrId
from heapflow.ir.kinds import Op
from tests.guards.harness import Guarded

HEAD = """
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
void mark(int); int unknown(void); void error(int, int, const char *, ...);
static jmp_buf failure;
"""


def test_a_loop_with_a_constant_count_is_entered(tmp_path: Path) -> None:
    body = "void f(int n) { for (int i = 0; i < 10; i++) { mark(1); if (n) return; } mark(2); }"
    found = Guarded(HEAD + body, tmp_path)
    guards = found.mark_guards("f")
    assert found.space.is_true(guards[1])
    assert not found.evaluate(guards[2], "f", (1,))
    assert found.evaluate(guards[2], "f", (0,))


def test_the_first_turn_may_be_the_one_in_question(tmp_path: Path) -> None:
    body = "void f(void) { for (int i = 0; i < 10; i++) { if (i == 0) mark(1); else mark(2); } }"
    found = Guarded(HEAD + body, tmp_path)
    guards = found.mark_guards("f")
    first = found.book.guards(found.func("f")).turns.first_turn(
        found.book.guards(found.func("f")).cfg.loops[0].header
    )
    assert found.space.is_true(guards[1] | ~first)
    assert found.space.is_false(guards[2] & first)
    assert not found.space.is_false(guards[2])


def test_a_test_in_several_blocks_is_the_loops(tmp_path: Path) -> None:
    body = "void f(char *p, int n) { for (int i = n; p && i < 9; i++) if (unknown()) break; }"
    found = Guarded(HEAD + body, tmp_path)
    guards = found.book.guards(found.func("f"))
    assert len(guards.cfg.loops[0].exits) == 2
    assert len(guards.turns.tests(0)) == 1


def test_a_modelled_function_that_may_not_return(tmp_path: Path) -> None:
    body = 'void f(int n) { error(n, 0, "x"); mark(1); if (n == 0) mark(2); }'
    found = Guarded(HEAD + body, tmp_path)
    guards = found.mark_guards("f")
    assert found.evaluate(guards[2], "f", (0,))
    end = found.book.guards(found.func("f")).returns
    assert not found.evaluate(end, "f", (1,)) and found.evaluate(end, "f", (0,))


def test_a_jump_leaves_the_callers_too(tmp_path: Path) -> None:
    body = (
        "static void check(int n) { if (n < 0) longjmp(failure, 1); }"
        "void f(int n) { check(n); mark(1); }"
        "int g(int n) { if (setjmp(failure)) return 1; f(n); return 0; }"
        "int h(int n) { if (setjmp(failure)) mark(3); return n; }"
    )
    found = Guarded(HEAD + body, tmp_path)
    guards = found.book.guards(found.func("f"))
    assert found.evaluate(guards.unwinds, "f", (-1,))
    assert not found.evaluate(guards.unwinds, "f", (1,))
    assert not found.evaluate(guards.returns, "f", (-1,))
    after = [i for i in found.program.instr_range(guards.func) if _is_call_of(found, i, "mark")]
    assert guards.reach_at(after[0]) == guards.returns
    assert found.space.is_false(found.book.guards(found.func("g")).unwinds)
    assert found.space.is_false(found.mark_guards("h")[3])  # nothing jumps there


def _is_call_of(found: Guarded, instr: int, name: str) -> bool:
    if found.program.instrs.op[instr] != Op.CALL:
        return False
    callee = found.program.direct_callee(instr)
    return callee >= 0 and found.program.func_name(callee) == name


def test_a_call_through_a_pointer_enters_what_it_points_to(tmp_path: Path) -> None:
    body = (
        "static void one(int n) { mark(n); } static void two(int n) { mark(n + 1); }"
        "void f(int n) { void (*call)(int) = n > 1 ? one : two; call(n); }"
    )
    found = Guarded(HEAD + body, tmp_path)
    calls = list(found.program.instr_range(found.func("f")))
    site = InstrId(next(i for i in calls if found.program.instrs.op[i] == Op.CALL))
    found.book.guards(found.func("f"))
    enters = found.book.instantiate(found.space.true, site, found.func("one"))
    assert found.evaluate(enters, "f", (2,)) and not found.evaluate(enters, "f", (1,))


def test_long_chains_stay_small(tmp_path: Path) -> None:
    """300 strings compared one after the other: linear conditions, nothing left after the join."""
    links = " else ".join(f'if (!strcmp(s, "{n}")) mark(1)' + ";" for n in range(300))
    body = f"void f(char *s) {{ {links} mark(2); }}"
    found = Guarded(HEAD + body, tmp_path)
    guards = found.mark_guards("f")
    assert found.space.is_true(guards[2])
    limit = found.book.context.limits.most_nodes
    reach = found.book.guards(found.func("f")).reach.values()
    assert max(found.space.size(guard) for guard in reach) <= limit
