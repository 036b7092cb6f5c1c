"""What of the program's own global variables no code writes.

In:    Knowledge.     Out: `Written`: for each variable whose address is used for plain reads and writes
       only, the stretches that are written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from heapflow.ir.kinds import CALLS, GlobalFlag, Linkage, Op, ValueKind
from heapflow.models.model import Alloc
from heapflow.replay.footprint import is_harmless

if TYPE_CHECKING:
    from heapflow.replay.knowledge import Knowledge

_OWN = (Linkage.INTERNAL,)
# Plain numbers: looking up a member of an enumeration costs more than what is done with it.
_CALLS = frozenset(int(op) for op in CALLS)
_READS = frozenset((int(Op.LOAD), int(Op.ICMP)))
_STORE, _GEP = int(Op.STORE), int(Op.GEP)


class Written:
    """What is written of which global."""

    def __init__(self, knowledge: Knowledge) -> None:
        self.known, self.program = knowledge, knowledge.program
        self._loaded: frozenset[int] | None = None
        self._stretches = self._find()

    def is_written(self, number: int, offset: int, size: int) -> bool:
        """Whether any code may write to a part of a global variable."""
        table = self.program.globals
        flags = int(table.flags[number])
        if flags & GlobalFlag.CONSTANT:
            return False
        unset = flags & GlobalFlag.TENTATIVE  # somebody else's file may be meant to set it
        own = int(table.linkage[number]) in _OWN or not unset
        if not own or number not in self._stretches:
            return not own
        stretches = self._stretches[number]
        if stretches is None:
            return True
        return any(start < offset + size and offset < start + count for start, count in stretches)

    def is_left_open(self, number: int) -> bool:
        """Whether neither code nor an initialiser sets it, and other files can."""
        is_common = bool(int(self.program.globals.flags[number]) & GlobalFlag.TENTATIVE)
        return is_common and self._stretches.get(number, []) == []

    def _find(self) -> dict[int, list[tuple[int, int]] | None]:
        """Globals of the program's own whose address is used for plain reads and writes only."""
        written: dict[int, list[tuple[int, int]] | None] = {}
        program, table = self.program, self.program.instrs
        addresses = self._global_addresses()
        for value in list(addresses):
            written.setdefault(addresses[value][0], [])
        ops, starts = table.op.tolist(), table.operand_start.tolist()
        operands, aux_types = table.operand.tolist(), table.aux_type.tolist()
        for row, op in enumerate(ops):
            for position, value in enumerate(operands[starts[row] : starts[row + 1]]):
                place = addresses.get(value)
                if place is None or op in _READS:
                    continue
                number, offset = place
                if op == _STORE and position == 0 and offset >= 0:
                    stretches = written[number]
                    if stretches is not None:
                        stretches.append((offset, max(self.known.types.size[aux_types[row]], 1)))
                elif (op in _CALLS and self._only_reads(row, position - 1)) or (
                    op == _GEP and position == 0 and self._is_read_only(int(table.result[row]))
                ):
                    continue
                else:
                    written[number] = None
        for value in program.globals.init_value.tolist():
            if value in addresses:
                written[addresses[value][0]] = None
        return written

    def _only_reads(self, call: int, position: int) -> bool:
        """Whether a function only reads what an argument leads to, and its result leads elsewhere."""
        func = self.program.direct_callee(call)
        if func < 0 or position < 0:
            return False
        func, program = self.known.meant(func), self.program
        model = None if self.known.has_body(func) else self.known.model(func)
        if model is not None and not model.is_belief and all(map(is_harmless, model.effects)):
            if position + 1 in model.written_args:
                return False
            is_new = any(isinstance(effect, Alloc) for effect in model.effects)
        elif program.is_const_pointee(func, position):
            is_new = False
        else:
            return False
        return is_new or not self.known.types.is_pointer(int(program.instrs.type[call]))

    def _is_read_only(self, value: int) -> bool:
        """Whether a computed address is only loaded from (asked for elements of static tables)."""
        return int(value) in self._loaded_only()

    def _loaded_only(self) -> frozenset[int]:
        if self._loaded is None:
            table = self.program.instrs
            starts = table.operand_start.tolist()
            operands, ops = table.operand.tolist(), table.op.tolist()
            geps: dict[int, list[int]] = {}
            bad: set[int] = set()
            results = table.result.tolist()
            made = {results[row] for row, op in enumerate(ops) if op == _GEP}
            for row, op in enumerate(ops):
                for position, value in enumerate(operands[starts[row] : starts[row + 1]]):
                    if value in made:
                        if op == _GEP:
                            geps.setdefault(value, []).append(results[row])
                        elif op in _CALLS and self._only_reads(row, position - 1):
                            continue
                        elif op not in _READS:
                            bad.add(value)
            grown = True
            while grown:
                more = {v for v, inner in geps.items() if v not in bad and bad.intersection(inner)}
                bad |= more
                grown = bool(more)
            self._loaded = frozenset(made - bad)
        return self._loaded

    def _global_addresses(self) -> dict[int, tuple[int, int]]:
        """Constants that are an address in a global: the global and the offset."""
        found: dict[int, tuple[int, int]] = {}
        known, variable, expression = self.known, int(ValueKind.GLOBAL), int(ValueKind.CONST_EXPR)
        for value, kind in enumerate(known.value_kind):
            if kind == variable:
                found[value] = ((known.global_address(known.value_index[value]) >> 32) - 1, 0)
        for value, kind in enumerate(known.value_kind):
            if kind == expression:
                expr = known.const_expr(known.value_index[value])
                base = found.get(expr.operands[0]) if expr.operands else None
                if base is not None and expr.op == _GEP and len(expr.operands) == 1:
                    found[value] = (base[0], base[1] + expr.aux + expr.aux2)
                elif any(operand in found for operand in expr.operands):
                    for operand in expr.operands:
                        if operand in found:
                            found[value] = (found[operand][0], -1)
        return found
