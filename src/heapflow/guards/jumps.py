"""Jumps that end the program.

    int main(…) { if (setjmp(top)) return 2; … }      fatal() { …; longjmp(top, 1); }

A jump back to a place from which nothing but the end of `main` is reached is another spelling of
`exit`: what it leaves behind is not lost by it. Such a place is in a function that runs once, not in
a loop: `main`, or one that is called from one place of such a function only.
Not modelled: what that function does after the jump.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from heapflow.guards.cfg import build_cfg
from heapflow.guards.places import root_of
from heapflow.ir.codes import VALUE_FUNCTION
from heapflow.ir.kinds import Op
from heapflow.logic.term import Term

if TYPE_CHECKING:
    from heapflow.guards.context import GuardContext

_KEEPING: Final = frozenset({Op.STORE, Op.PHI, Op.SELECT})


class Jumps:
    """Where jumps lead; found when first asked for."""

    def __init__(self, context: GuardContext) -> None:
        self._context = context
        self._places: list[tuple[int, Term]] | None = None  # calls of setjmp, with the buffer
        self._calls: dict[int, list[int]] = {}  # function -> calls that may enter it
        self._once: dict[int, bool] = {}
        self._in_loops: dict[int, bool] = {}  # blocks of setjmp, and of calls that lead there
        self._addresses: frozenset[int] | None = None

    def ends_program(self, jump: int) -> bool:
        """Whether a call of longjmp can only go to a place that runs once."""
        context = self._context
        if self._places is None:
            self._places = self._find_places()
        operands = context.operands(jump)
        target = root_of(context, operands[1])[0] if len(operands) > 1 else None
        found = [site for site, buffer in self._places if buffer == target]
        found = found or [site for site, _ in self._places]  # which one is not known
        ends = bool(found) and all(self._runs_once(site) for site in found)
        return ends and context.policies.acts("jumps-to-main")

    def _find_places(self) -> list[tuple[int, Term]]:
        context = self._context
        found: list[tuple[int, Term]] = []
        for instr, op in enumerate(context.op):
            if op not in context.call_ops:
                continue
            for func in context.writes.callees(instr):
                self._calls.setdefault(func, []).append(instr)
            operands = context.operands(instr)
            # vfork has no buffer, and nobody jumps there.
            if instr in context.returning_twice and len(operands) > 1:
                found.append((instr, root_of(context, operands[1])[0]))
        return found

    def _runs_once(self, site: int) -> bool:
        """Up from a call to `main`, as long as there is one caller and no loop."""
        context, passed = self._context, list[int]()
        while True:
            block = context.instr_block[site]
            func = context.block_func[block]
            if self._is_in_a_loop(func, block) or func in passed:
                found = False
                break
            known = self._once.get(func)
            if known is not None:
                found = known
                break
            passed.append(func)
            calls = self._calls.get(func, [])
            found = context.program.func_name(func) == "main"
            if found or len(calls) != 1 or func in self._passed():
                break
            site = calls[0]
        for func in passed:
            self._once[func] = found
        return found

    def _is_in_a_loop(self, func: int, block: int) -> bool:
        known = self._in_loops.get(block)
        if known is None:
            loops = build_cfg(self._context.program, func).loops_of
            known = self._in_loops[block] = bool(loops.get(block))
        return known

    def _passed(self) -> frozenset[int]:
        """Functions whose address goes elsewhere than to calls, as their first use shows."""
        if self._addresses is None:
            context, first = self._context, dict[int, bool]()
            for instr, op in enumerate(context.op):
                is_call = op in context.call_ops
                start = context.operand_start[instr] + (1 if is_call else 0)
                for value in context.operand[start : context.operand_start[instr + 1]]:
                    if context.value_kind[value] == VALUE_FUNCTION:
                        first.setdefault(context.value_index[value], is_call or op in _KEEPING)
            self._addresses = frozenset(func for func, passed in first.items() if passed)
        return self._addresses
