"""Where on the losing path the last pointer to the object goes: replaced, or out of scope.

In:    a leak, the blocks of a path that loses the object.     Out: `Loss`, or None: the path's end.
The path is run with one question: which values, variables and places in memory hold the object now?
    - a φ holds it if the value of the edge that the path took does;
    - a variable (debug information binds it to values) or an address that gets something else holds it
      no more, whether a statement or a called function writes it;
    - where a loop begins again, what its body computed is gone, unless a φ of the header holds it.
The last of these events after which nothing holds the object is the loss.
"""

from __future__ import annotations

from dataclasses import dataclass

from heapflow.guards.book import GuardBook
from heapflow.ir.kinds import BindingKind, Op, ValueKind
from heapflow.ir.program import Program
from heapflow.leaks.lists import GraphLists
from heapflow.leaks.overwrites import UNKNOWN, Overwrites
from heapflow.leaks.verdict import Verdict
from heapflow.report.finding import LostBy
from heapflow.svfg.graph import NodeKind

# "variable", its id, offset; "memory", a value, distance from it; "elsewhere": in an earlier turn
Holder = tuple[str, int, int]

_MAY_CARRY = frozenset({Op.LOAD, Op.CALL, Op.INVOKE})


@dataclass(frozen=True, slots=True)
class Loss:
    """The instruction that loses the object, and what held it until then."""

    instr: int
    by: LostBy
    holder: Holder | None


def find_loss(
    program: Program,
    lists: GraphLists,
    book: GuardBook,
    overwrites: Overwrites,
    verdict: Verdict,
    blocks: list[int],
) -> Loss | None:
    """The last event on the path after which nothing holds the object."""
    return _Tracer(program, lists, book, overwrites, verdict).run(blocks)


class _Tracer:
    def __init__(
        self,
        program: Program,
        lists: GraphLists,
        book: GuardBook,
        overwrites: Overwrites,
        verdict: Verdict,
    ) -> None:
        self.program, self.lists, self.book = program, lists, book
        self.overwrites, self.verdict = overwrites, verdict
        self.context = book.context
        self.guards = book.guards(verdict.source.func)
        self.carriers = {
            lists.value[node]
            for node, held in verdict.flow.reached
            if held < 0 and lists.is_value(node)
        }
        self.bindings = _bindings_by_instr(program, verdict.source.func)
        self.moved_at = self._moving_calls()
        self.now: set[int] = set()  # values that carry the object
        self.holders: dict[Holder, None] = {}
        self.started = False
        self.before = -1  # the block before the previous one
        self.loss: Loss | None = None

    def run(self, blocks: list[int]) -> Loss | None:
        previous = -1
        for block in blocks:
            self._enter(previous, block)
            for instr in range(
                self.context.instr_start[block], self.context.instr_start[block + 1]
            ):
                self._bind(instr)
                self._execute(instr)
            self.before, previous = previous, block
        return self.loss

    def _moving_calls(self) -> set[int]:
        """Calls that put the object into memory where it was not before."""
        lists, came_from = self.lists, self.verdict.flow.came_from
        found: set[int] = set()
        for (node, held), (before, held_before) in came_from.items():
            if lists.kind[node] != NodeKind.ACTUAL_OUT:
                continue
            handed = lists.is_value(before)
            if handed or (lists.kind[before] == NodeKind.ACTUAL_IN and held != held_before):
                found.add(lists.instr[node])
        return found

    # Events --------------------------------------------------------------------------------------

    def _hold(self, holder: Holder) -> None:
        self.holders[holder] = None
        self.loss = None

    def _drop(self, holder: Holder, instr: int, by: LostBy) -> None:
        if holder in self.holders:
            del self.holders[holder]
            if self.started and not self.holders:
                self.loss = Loss(instr, by, holder)

    def _enter(self, previous: int, block: int) -> None:
        """φs, all at once; then what a new turn of a loop forgets."""
        context, held = self.context, []
        for instr in range(context.instr_start[block], context.instr_start[block + 1]):
            if context.op[instr] != Op.PHI:
                break
            first = context.operand_start[instr]
            for position, operand in enumerate(context.operands(instr)):
                if context.operand_block[first + position] == previous and operand in self.now:
                    held.append(context.result[instr])
        blocks = self._loop_blocks(block)
        if previous in blocks:
            self._new_turn(previous, blocks, held)
        self.now.update(held)

    def _loop_blocks(self, header: int) -> set[int]:
        for loop in self.guards.cfg.loops:
            if loop.header == header:
                return loop.blocks
        return set()

    def _new_turn(self, latch: int, blocks: set[int], held: list[int]) -> None:
        self.now = {value for value in self.now if not self._is_made_in(value, blocks)}
        for holder in list(self.holders):
            if holder[0] == "memory" and self._is_made_in(holder[1], blocks):
                del self.holders[holder]  # `a[i]` of the last turn has no name in this one
                self.holders["elsewhere", holder[1], holder[2]] = None
        if self.now or held:
            return
        lines = self._lines(blocks)
        for holder in list(self.holders):
            variable = variable_of(self.program, holder)
            if variable >= 0 and int(self.program.variables.line[variable]) in lines:
                self._drop(holder, self._end_of_turn(latch), LostBy.END_OF_SCOPE)

    def _end_of_turn(self, latch: int) -> int:
        """The jump to the end of the loop's body, such as a `continue`."""
        context, before = self.context, self.before
        if before >= 0 and len(self.guards.cfg.out_edges[before]) == 1:
            jump = context.instr_start[before + 1] - 1
            if self.program.position(jump)[1]:
                return jump
        return context.instr_start[latch + 1] - 1

    def _is_made_in(self, value: int, blocks: set[int]) -> bool:
        context = self.context
        if context.value_kind[value] != ValueKind.INSTR:
            return False
        return context.instr_block[context.value_index[value]] in blocks

    def _lines(self, blocks: set[int]) -> range:
        start = self.context.instr_start
        lines = [
            line
            for block in blocks
            for instr in range(start[block], start[block + 1])
            if (line := self.program.position(instr)[1])
        ]
        return range(min(lines), max(lines) + 1) if lines else range(0)

    def _bind(self, instr: int) -> None:
        for variable, offset, value in self.bindings.get(instr, ()):
            holder = ("variable", variable, offset)
            if value in self.now:
                self._hold(holder)
            else:
                self._drop(holder, self._assigning(value, instr), LostBy.OVERWRITTEN)

    def _assigning(self, value: int, instr: int) -> int:
        """The instruction that computed what a variable gets, if that is near the assignment."""
        if self.context.value_kind[value] != ValueKind.INSTR:
            return instr
        made = self.context.value_index[value]
        is_near = self.context.instr_block[made] == self.context.instr_block[instr]
        return made if is_near and self.context.op[made] != Op.PHI else instr

    def _execute(self, instr: int) -> None:
        context, source = self.context, self.verdict.source
        op, result = context.op[instr], context.result[instr]
        if op == Op.STORE:
            self._store(instr)
        elif op in context.call_ops and instr != source.site:
            self._call(instr)
        if instr == source.site and self.started and self.verdict.in_loop:
            self._make_another(instr)
        elif instr == source.site:
            self.started, self.loss = True, None  # of several turns, the last one is told
            self.holders.clear()
            self.now.update(self.lists.value[node] for (node, held), _ in source.starts if held < 0)
            for addresses in source.places.values():
                for address in addresses - {UNKNOWN}:
                    self._hold(("memory", *address))
        elif op != Op.PHI and result in self.carriers and self.started:
            operands = context.operands(instr)
            if op in _MAY_CARRY or any(operand in self.now for operand in operands):
                self.now.add(result)

    def _make_another(self, instr: int) -> None:
        """The allocation runs again: where it puts the next object, this one is no more."""
        self.now.discard(self.context.result[instr])
        if instr in self.moved_at:
            self._hold(("elsewhere", instr, 0))
        for addresses in self.verdict.source.places.values():
            for address in addresses - {UNKNOWN}:
                self._drop(("memory", *address), instr, LostBy.LOOP)

    def _store(self, instr: int) -> None:
        pointer, stored = self.context.operands(instr)[:2]
        holder = ("memory", *self.overwrites.address(pointer))
        if stored in self.now:
            self._hold(holder)
        else:
            self._drop(holder, instr, LostBy.OVERWRITTEN)

    def _call(self, instr: int) -> None:
        space = self.book.space
        if self.started and instr in self.moved_at:
            self._hold(("elsewhere", instr, 0))
        for holder in list(self.holders):
            if holder[0] == "memory":
                guard = self.overwrites.at_call(instr, (holder[1], holder[2]))
                if not space.is_false(guard & self.verdict.leaks):
                    self._drop(holder, instr, LostBy.OVERWRITTEN)


def variable_of(program: Program, holder: Holder) -> int:
    """The variable that a holder is or lies in, or -1."""
    kind, number, _ = holder
    if kind != "memory":
        return number if kind == "variable" else -1
    bindings = program.bindings
    rows = (bindings.value == number) & (bindings.kind == BindingKind.ADDRESS)
    found = bindings.variable[rows].tolist()
    return int(found[0]) if found else -1


def _bindings_by_instr(program: Program, func: int) -> dict[int, list[tuple[int, int, int]]]:
    found: dict[int, list[tuple[int, int, int]]] = {}
    bindings, instrs = program.bindings, program.instr_range(func)
    inside = (bindings.instr >= instrs.start) & (bindings.instr < instrs.stop)
    for row in inside.nonzero()[0].tolist():
        if bindings.kind[row] == BindingKind.VALUE and bindings.offset[row] >= 0:
            triple = (
                int(bindings.variable[row]),
                int(bindings.offset[row]),
                int(bindings.value[row]),
            )
            found.setdefault(int(bindings.instr[row]), []).append(triple)
    return found
