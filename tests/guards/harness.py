"""Compile a C text and ask for the guards of its functions."""

from __future__ import annotations

from pathlib import Path

from heapflow.frontend.bitcode import read_module
from heapflow.frontend.canonical import canonicalise
from heapflow.guards.book import GuardBook
from heapflow.ir.compare import compare_numbers
from heapflow.ir.ids import BlockId, FuncId
from heapflow.ir.kinds import Op, ValueKind
from heapflow.ir.program import Program
from heapflow.logic.atoms import Compared
from heapflow.logic.space import Guard
from heapflow.logic.term import Int, Operation, Term, Val
from heapflow.models.load import load_models
from tests.frontend.bitcode.compile import compile_to_bitcode


class Guarded:
    """A program with its guards and a way to evaluate them on concrete arguments."""

    def __init__(self, text: str, tmp_path: Path) -> None:
        source = tmp_path / "guarded.c"
        source.write_text(text)
        bitcode = canonicalise(compile_to_bitcode(source, tmp_path))
        self.program: Program = read_module(bitcode, "guarded.c")
        self.book = GuardBook(self.program, models=load_models())
        self.space = self.book.space

    def func(self, name: str) -> FuncId:
        names = [self.program.func_name(f) for f in range(len(self.program.functions))]
        return FuncId(names.index(name))

    def mark_guards(self, name: str, callee: str = "mark") -> dict[int, Guard]:
        """mark(n) in a function -> the condition under which it is called."""
        func = self.func(name)
        guards = self.book.guards(func)
        found: dict[int, Guard] = {}
        for instr in self.program.instr_range(func):
            if self.program.instrs.op[instr] != Op.CALL:
                continue
            called = self.program.direct_callee(instr)
            if called >= 0 and self.program.func_name(called) == callee:
                number = int(self.program.values.number[self.program.operands(instr)[1]])
                block = BlockId(int(self.program.instrs.block[instr]))
                known = found.get(number, self.space.false)
                found[number] = known | guards.reach.get(block, self.space.false)
        return found

    def evaluate(self, guard: Guard, func: str, arguments: tuple[int, ...]) -> bool:
        """The truth of a guard whose atoms compare parameters with constants or each other."""
        start = int(self.program.functions.param_start[self.func(func)])
        while (variable := guard.node_var()) is not None:
            atom = self.book.context.variables.atoms[variable]
            assert isinstance(atom, Compared), f"{atom} is not about parameters"
            left = self._number(atom.left, start, arguments)
            right = self._number(atom.right, start, arguments)
            high, low = self.space.branches(guard)
            guard = high if compare_numbers(atom.predicate, left, right) else low
        return self.space.is_true(guard)

    def _number(self, term: Term, start: int, arguments: tuple[int, ...]) -> int:
        match term:
            case Int(number):
                return number
            case Operation(op, one, other):
                left = self._number(one, start, arguments)
                right = self._number(other, start, arguments)
                return {Op.ADD: left + right, Op.SUB: left - right, Op.MUL: left * right}[op]
            case Val(value):
                assert self.program.values.kind[value] == ValueKind.PARAM, term
                return arguments[int(self.program.values.index[value]) - start]
        raise AssertionError(term)
