"""What all callers of a function give it.

In:    Knowledge.     Out: the few constants that a parameter can be; whether it is never NULL.
Only where all callers are known (`Knowledge.callers`). An argument is followed through φs, selects,
addresses, and parameters of the caller that are known in the same way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from heapflow.ir.kinds import Op, ValueKind

if TYPE_CHECKING:
    from heapflow.replay.config import ReplayConfig
    from heapflow.replay.knowledge import Knowledge

_ADDRESS: Final = -1  # of a variable or function: not NULL, and nothing else is known
_CHOSEN: Final = {int(Op.PHI): 0, int(Op.SELECT): 1}  # the first operand that is a value

Parameter = tuple[int, int]  # function, position


class GivenValues:
    """Asked for the parameters of functions at which a search begins."""

    def __init__(self, knowledge: Knowledge, config: ReplayConfig) -> None:
        self.known, self.program, self.config = knowledge, knowledge.program, config
        self.cut_off: set[Parameter] = (
            set()
        )  # more values, or from farther away, than are looked at
        self._of: dict[Parameter, frozenset[int] | None] = {}

    def constants(self, func: int, position: int) -> frozenset[int] | None:
        """The values of a parameter; None: not known, or too many."""
        found = self._given((func, position), self.config.deepest_given)
        return None if found is None or _ADDRESS in found else found

    def is_never_null(self, func: int, position: int) -> bool:
        """Whether every caller gives the address of a variable or function, or a number but 0."""
        found = self._given((func, position), self.config.deepest_given)
        return found is not None and 0 not in found

    def _given(self, asked: Parameter, left: int) -> frozenset[int] | None:
        if asked not in self._of:
            self._of[asked] = None  # of functions that call each other nothing is said
            self._of[asked] = self._find(asked, left)
        return self._of[asked]

    def _find(self, asked: Parameter, left: int) -> frozenset[int] | None:
        func, position = asked
        calls = self.known.callers(func)
        found: set[int] = set()
        for call in calls:
            given = self.program.operands(call)[1:]
            if position >= len(given) or self.program.direct_callee(call) < 0:
                return None
            if not _Source(self, asked, found).collect(given[position], left):
                return None
        return frozenset(found) if found else None

    def of_value(self, value: int, asked: Parameter, left: int) -> frozenset[int] | None:
        """What a parameter of a caller can be; one that hands itself on adds nothing."""
        params = self.program.params
        row = self.known.value_index[value]
        func = int(params.func[row])
        other = func, row - int(self.program.functions.param_start[func])
        return frozenset() if other == asked else self._given(other, left)


class _Source:
    """Where one argument comes from."""

    def __init__(self, given: GivenValues, asked: Parameter, found: set[int]) -> None:
        self.given, self.asked, self.found = given, asked, found
        self.known, self.program = given.known, given.program
        self.seen: set[int] = set()

    def collect(self, value: int, left: int) -> bool:
        """Add what a value can be; False: that is not known."""
        if value in self.seen:
            return True
        self.seen.add(value)
        kind = self.known.value_kind[value]
        if kind in (ValueKind.GLOBAL, ValueKind.FUNCTION):
            return self._add(_ADDRESS)
        constant = self.known.scalar(value)
        if constant is not None:
            return self._add(constant)
        if left == 0:
            return self._cut_off()
        if kind == ValueKind.PARAM:
            inner = self.given.of_value(value, self.asked, left - 1)
            return inner is not None and all(map(self._add, sorted(inner)))
        if kind == ValueKind.CONST_EXPR:
            return self._is_address(value, left)
        return kind == ValueKind.INSTR and self._follow(value, left - 1)

    def _add(self, number: int) -> bool:
        self.found.add(number)
        return len(self.found) <= self.given.config.most_given or self._cut_off()

    def _cut_off(self) -> bool:
        self.given.cut_off.add(self.asked)
        return False

    def _follow(self, value: int, left: int) -> bool:
        instr = self.known.value_index[value]
        op = int(self.program.instrs.op[instr])
        if op in _CHOSEN:
            operands = self.program.operands(instr)[_CHOSEN[op] :]
            return all(self.collect(operand, left) for operand in operands)
        return self._is_address(value, left)

    def _is_address(self, value: int, left: int) -> bool:
        """Somewhere in a variable: that is not NULL, whatever is added."""
        for _ in range(left + 1):
            kind, index = self.known.value_kind[value], self.known.value_index[value]
            if kind in (ValueKind.GLOBAL, ValueKind.FUNCTION):
                return self._add(_ADDRESS)
            if kind == ValueKind.CONST_EXPR:
                expression = self.known.const_expr(index)
                op, first = expression.op, expression.operands[0] if expression.operands else -1
            elif kind == ValueKind.INSTR:
                op, operands = int(self.program.instrs.op[index]), self.program.operands(index)
                first = operands[0] if operands else -1
            else:
                return False
            if op == Op.ALLOCA:
                return self._add(_ADDRESS)
            if op != Op.GEP:
                return False
            value = first
        return False
