"""Bodies of single functions, for questions about a few of them.

In:    Program.     Out: who uses a value, what a call names, which way control can go.
The functions asked about are those of an allocator: a table of all uses in the program would cost more.
"""

from __future__ import annotations

from heapflow.ir.kinds import (
    CALLS,
    CHOICES,
    COPIES,
    CmpPredicate,
    EdgeKind,
    FuncFlag,
    Op,
    TypeKind,
    ValueKind,
)
from heapflow.ir.program import Program

MOVES = CHOICES | COPIES
_WIDTHS = frozenset({Op.ZEXT, Op.SEXT, Op.TRUNC})


class Bodies:
    """Lists of uses, made when a function is first asked about."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._users: dict[int, dict[int, list[int]]] = {}

    def users(self, func: int, value: int) -> list[int]:
        """Instructions of a function that have the value as an operand."""
        known = self._users.get(func)
        if known is None:
            known = self._users[func] = {}
            for instr in self.program.instr_range(func):
                for operand in dict.fromkeys(self.program.operands(instr)):
                    known.setdefault(operand, []).append(instr)
        return known.get(value, [])

    def params(self, func: int) -> list[int]:
        """Values of the parameters."""
        start = self.program.functions.param_start
        found: list[int] = self.program.params.value[start[func] : start[func + 1]].tolist()
        return found

    def is_call(self, instr: int) -> bool:
        return int(self.program.instrs.op[instr]) in CALLS

    def is_pointer(self, value: int) -> bool:
        types = self.program.types
        return bool(types.kind[self.program.values.type[value]] == TypeKind.POINTER)

    def callee(self, call: int) -> int:
        """The one function that a call means, defined or not; -1 if several or unknown."""
        func = self.program.direct_callee(call)
        start = self.program.functions.alternative_start
        return -1 if func < 0 or start[func] < start[func + 1] else func

    def has_body(self, func: int) -> bool:
        return not self.program.is_declaration(func)

    def is_variadic(self, func: int) -> bool:
        return bool(self.program.functions.flags[func] & FuncFlag.VARARG)

    def never_returns(self, func: int) -> bool:
        """Whether a body has no way back to its caller."""
        ops = self.program.instrs.op
        return not any(ops[instr] == Op.RET for instr in self.program.instr_range(func))

    def unchanged(self, value: int) -> int:
        """The value that this one is, or that it was before its width changed."""
        program = self.program
        while program.values.kind[value] == ValueKind.INSTR:
            instr = int(program.values.index[value])
            if int(program.instrs.op[instr]) not in _WIDTHS:
                break
            value = program.operands(instr)[0]
        return value

    def returned(self, func: int) -> set[int] | None:
        """The calls of which a function returns the results; None if it returns anything else.

        NULL in place of a pointer is nothing else.
        """
        program = self.program
        pending: list[int] = []
        for instr in program.instr_range(func):
            if program.instrs.op[instr] == Op.RET:
                pending += program.operands(instr)
        calls: set[int] = set()
        seen = set(pending)
        while pending:
            value = pending.pop()
            if program.values.kind[value] == ValueKind.NULL and self.is_pointer(value):
                continue
            if program.values.kind[value] != ValueKind.INSTR:
                return None
            instr = int(program.values.index[value])
            if self.is_call(instr):
                calls.add(instr)
                continue
            sources = self.sources(instr)
            if not sources:
                return None
            pending += [source for source in sources if source not in seen]
            seen.update(sources)
        return calls

    def sources(self, instr: int) -> list[int]:
        """The values that the result may be, if an instruction only copies; else none."""
        op = int(self.program.instrs.op[instr])
        if op not in MOVES:
            return []
        return self.program.operands(instr)[1 if op == Op.SELECT else 0 :]

    def is_on_all_ways(self, func: int, calls: set[int], value: int) -> bool:
        """Whether each way through a function passes one of the calls, unless the value is NULL."""
        program, blocks = self.program, self.program.blocks
        passed = {int(program.instrs.block[call]) for call in calls}
        entry = int(program.functions.block_start[func])
        pending, seen = [entry], {entry}
        while pending:
            block = pending.pop()
            if block in passed:
                continue
            if program.instrs.op[int(blocks.instr_start[block + 1]) - 1] == Op.RET:
                return False
            for edge in range(int(blocks.edge_start[block]), int(blocks.edge_start[block + 1])):
                target = int(blocks.edge_target[edge])
                if target not in seen and not self._says_null(edge, value):
                    seen.add(target)
                    pending.append(target)
        return True

    def _says_null(self, edge: int, value: int) -> bool:
        """Whether control follows an edge only if a pointer is NULL."""
        program, blocks = self.program, self.program.blocks
        condition = int(blocks.edge_condition[edge])
        if condition < 0 or program.values.kind[condition] != ValueKind.INSTR:
            return False
        instr = int(program.values.index[condition])
        if program.instrs.op[instr] != Op.ICMP:
            return False
        left, right = program.operands(instr)
        if value not in (left, right):
            return False
        other = right if left == value else left
        holds = {CmpPredicate.EQ: EdgeKind.IF_TRUE, CmpPredicate.NE: EdgeKind.IF_FALSE}
        wanted = holds.get(CmpPredicate(int(program.instrs.aux[instr])))
        return bool(
            program.values.kind[other] == ValueKind.NULL and blocks.edge_kind[edge] == wanted
        )
