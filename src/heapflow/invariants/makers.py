"""Members that are seen as zero, because their object was cleared and they were not set before.

In:    Cells, Pointees, Calls.     Out: `Makers.zero`: cells that hold 0 where somebody may read them.
An object is cleared by its allocator or by a fill. From there its maker is followed on all ways: what
is stored on the way is set; what is not set yet is seen by callees that read such a member, and by all
once the maker returns, unless it returns the object to a caller, who goes on. A maker that releases
what it has begun is fine.
Guarantees: a cell that is not in `zero` is set before anybody but its maker reads it.
Not modelled: threads that find an object before its maker has finished.
"""

from __future__ import annotations

from typing import NamedTuple

from heapflow.invariants.calls import Calls
from heapflow.invariants.cells import Cells
from heapflow.invariants.config import InvariantConfig
from heapflow.invariants.pointees import Pointees
from heapflow.invariants.released import Released
from heapflow.ir.kinds import CmpPredicate, EdgeKind, Op, TypeKind, ValueKind
from heapflow.models.model import AccessPath, Alloc, Ret
from heapflow.pointsto.facts import CALLS

_LOAD, _STORE, _GEP, _RET, _ICMP = map(int, (Op.LOAD, Op.STORE, Op.GEP, Op.RET, Op.ICMP))
_ALLOCA, _BR = int(Op.ALLOCA), int(Op.BR)
_NULL = int(ValueKind.NULL)
_EQ, _NE = int(CmpPredicate.EQ), int(CmpPredicate.NE)
_MOST_NESTED = 120  # functions, four frames each; no bound on what is found


class _Event(NamedTuple):
    """An object was cleared."""

    row: int
    pointer: int
    struct: int  # -1: not known yet
    unset: int  # mask of cells
    depth: int


class _Walk(NamedTuple):
    """What a function does with an object that it clears, or is given."""

    seen: int  # cells that somebody may read as zero
    returned: int  # not set yet where it is returned
    unset: int  # not set yet where the function ends


_Asked = tuple[int, int, int]  # function, position of the parameter, mask of cells


class _Deeper(Exception):
    """Too many functions wait for each other: this one comes first."""

    def __init__(self, key: _Asked) -> None:
        super().__init__()
        self.key = key


class Makers:
    """Found once, for all cells."""

    def __init__(
        self, cells: Cells, pointees: Pointees, calls: Calls, config: InvariantConfig
    ) -> None:
        self.cells, self.pointees, self.calls, self.config = cells, pointees, calls, config
        self.facts, self.program = cells.facts, cells.program
        self.cut_off = 0
        self._blocks = self.program.functions.block_start.tolist()
        self._rows = self.program.blocks.instr_start.tolist()
        self._edges = self.program.blocks.edge_start.tolist()
        self._edge_target = self.program.blocks.edge_target.tolist()
        self._edge_kind = self.program.blocks.edge_kind.tolist()
        self._edge_condition = self.program.blocks.edge_condition.tolist()
        self._block_of = self.program.instrs.block.tolist()
        self._set: dict[_Asked, int] = {}
        self._nested = 0  # functions that are being walked, each for its caller
        self._released = Released(calls, config)
        self.loads = self._find_loads()
        self.zero = 0
        self.cleared = 0  # cells of cleared objects, seen or not
        for event in self._events():
            self._follow(event)

    # Who reads what ------------------------------------------------------------------------------

    def _find_loads(self) -> list[int]:
        """For each function a mask of the cells that it reads, its callees included."""
        facts, graph = self.facts, self.calls.graph
        own = [0] * len(facts.func_flags)
        callees: list[set[int]] = [set() for _ in own]
        of_value = self.cells.of_value
        for row in range(facts.instr_count):
            op = facts.op[row]
            if op == _LOAD:
                cell = of_value.get(facts.operand[facts.start[row]])
                if cell is not None:
                    own[facts.func_of_instr[row]] |= 1 << cell
            elif op in CALLS:
                callees[facts.func_of_instr[row]].update(self.calls.targets(row))
        first, back = graph.callback_start.tolist(), graph.callback.tolist()
        for number, row in enumerate(graph.call.tolist()):
            callees[facts.func_of_instr[row]].update(back[first[number] : first[number + 1]])
        scc = graph.scc.tolist()
        members: dict[int, list[int]] = {}
        for func, number in enumerate(scc):
            members.setdefault(number, []).append(func)
        for number in sorted(members):
            mask = 0
            for func in members[number]:
                mask |= own[func]
                for callee in callees[func]:
                    mask |= own[callee]
            for func in members[number]:
                own[func] = mask
        return own

    # Where objects are cleared -------------------------------------------------------------------

    def _events(self) -> list[_Event]:
        facts, calls = self.facts, self.calls
        found: list[_Event] = []
        for row in range(facts.instr_count):
            if facts.op[row] not in CALLS:
                continue
            for func in calls.targets(row):
                if facts.has_body(func):
                    continue
                if self._clears_result(func) and facts.result[row] >= 0:
                    found.append(_Event(row, facts.result[row], -1, 0, 0))
                filled = calls.filled(row, func)
                if filled is not None and filled[1] == 0:
                    found += self._filled(row, filled[0])
        return found

    def _clears_result(self, func: int) -> bool:
        """Whether a new block is zero, or may be."""
        model = self.calls.model(func)
        for effect in model.effects if model is not None else ():
            if isinstance(effect, Alloc) and effect.target == AccessPath(Ret()):
                return effect.zeroed or (model is not None and model.is_belief)
        return False

    def _filled(self, row: int, position: int) -> list[_Event]:
        facts, cells = self.facts, self.cells
        arguments = facts.operands(row)[1:]
        pointer = arguments[position]
        size = self._size(arguments[position + 1 :])
        place = cells.member_of.get(pointer)
        if place is not None and facts.value_kind[pointer] == ValueKind.INSTR:
            # Members from here on; without a size, this one.
            end = place[1] + (size if size > 0 else 1)
            for cell, _ in cells.fields_in(place[0], place[1], end):
                self.zero |= 1 << cell
            return []
        structs = self.pointees.structs(pointer)
        found = []
        for struct in sorted(structs):
            unset = self._mask(struct, size if size > 0 else 1 << 60)
            found.append(_Event(row, pointer, struct, unset, 0))
        return found or [_Event(row, pointer, -1, 0, 0)]

    def _size(self, arguments: list[int]) -> int:
        """The bytes that are filled: the last number among the arguments but for flags."""
        for value in reversed(arguments):
            if self.facts.value_kind[value] == ValueKind.INT:
                type_id = self.facts.value_type[value]
                if self.program.types.bits[type_id] >= 32:
                    return int(self.program.values.number[value])
            elif self.facts.type_kind[self.facts.value_type[value]] == TypeKind.INT:
                return -1
        return -1

    # From there on -------------------------------------------------------------------------------

    def _follow(self, event: _Event) -> None:
        pending = [event]
        done: set[tuple[int, int]] = set()
        while pending:
            row, pointer, struct, unset, depth = pending.pop()
            for one, mask in self._typed(pointer, struct, unset):
                if (row, one) in done:
                    continue
                done.add((row, one))
                self.cleared |= mask
                walk = self._walk(row, pointer, one, mask)
                self.zero |= walk.seen
                if walk.returned:
                    pending += self._handed(row, one, walk.returned, depth)
            is_open = struct < 0 and not self.pointees.structs_of_new(pointer)
            if is_open and self._is_returned(pointer):
                pending += self._handed(row, -1, 0, depth)  # somebody else knows what it is

    def _typed(self, pointer: int, struct: int, unset: int) -> list[tuple[int, int]]:
        if struct >= 0:
            return [(struct, unset)]
        return [(one, self._mask(one)) for one in sorted(self.pointees.structs_of_new(pointer))]

    def _mask(self, struct: int, size: int = 1 << 60) -> int:
        """The cells of a cleared object that can be told apart; the others are zero from now on."""
        found = many = 0
        for cell, at in self.cells.fields_in(struct, 0, size):
            if at < 0 or found >> cell & 1:
                many |= 1 << cell
            found |= 1 << cell
        self.zero |= many
        return found & ~many

    def _handed(self, row: int, struct: int, unset: int, depth: int) -> list[_Event]:
        """The same in callers, to whom the object is returned."""
        func = self.facts.func_of_instr[row]
        callers = self.calls.callers(func)
        if depth >= self.config.farthest_maker or not callers:
            self.cut_off += depth >= self.config.farthest_maker
            self.zero |= unset
            return []
        results = ((call, self.facts.result[call]) for call in callers)
        return [_Event(call, v, struct, unset, depth + 1) for call, v in results if v >= 0]

    def _is_returned(self, pointer: int) -> bool:
        facts = self.facts
        aliases = facts.flows_on(pointer, self.config.most_origins)
        return any(facts.op[user] == _RET for alias in aliases for user in facts.users(alias))

    # One function --------------------------------------------------------------------------------

    def _walk(self, row: int, pointer: int, struct: int, unset: int) -> _Walk:
        """From an instruction on; -1 - block: from the beginning of a function."""
        facts = self.facts
        names = set(facts.flows_on(pointer, self.config.most_origins))
        stores = self._stores(names, struct)
        block = self._block_of[row] if row >= 0 else -1 - row
        first = row + 1 if row >= 0 else self._rows[block]
        maker = facts.row_of_value[pointer]
        is_local = 0 <= maker < facts.instr_count and facts.op[maker] == _ALLOCA
        seen = returned = left = 0
        at_entry: dict[int, int] = {block: unset}
        pending = [(block, first)]
        visits = 0
        while pending:
            block, start = pending.pop()
            visits += 1
            if visits > self.config.most_maker_blocks:
                self.cut_off += 1
                return _Walk(seen | unset, 0, unset)
            mask, more, out = self._through(block, start, at_entry[block], names, stores)
            seen |= more
            if out >= 0 or not mask:
                if mask and out == 1:
                    returned |= mask
                elif mask and out == 0 and not is_local:
                    left |= mask
                continue
            for target in self._targets(block, names):
                before = at_entry.get(target)
                if before is None or mask & ~before:
                    at_entry[target] = mask | (before or 0)
                    pending.append((target, self._rows[target]))
        return _Walk(seen | (left if row >= 0 else 0), returned, left | returned)

    def _through(
        self, block: int, start: int, mask: int, names: set[int], stores: dict[int, int]
    ) -> tuple[int, int, int]:
        """What is unset behind a block, what was seen in it, and how it ends: -1 it goes on, 0 it
        leaves the function, 1 with the object as its result."""
        facts = self.facts
        seen = 0
        for row in range(start, self._rows[block + 1]):
            if not mask:
                return 0, seen, -1
            op = facts.op[row]
            if row in stores:
                mask &= ~stores[row]
            elif op in CALLS:
                if not self.program.call_returns(row):
                    return 0, seen, -1
                mask, more = self._past(row, mask, names, stores)
                seen |= more
            elif op == _RET:
                operands = facts.operands(row)
                return mask, seen, int(bool(operands) and operands[0] in names)
        return mask, seen, -1

    def _past(
        self, row: int, mask: int, names: set[int], stores: dict[int, int]
    ) -> tuple[int, int]:
        """What is unset behind a call, and what its callees may read before."""
        facts, calls = self.facts, self.calls
        targets = calls.targets(row)
        if not targets:
            return mask, mask
        seen, left = 0, 0
        arguments = facts.operands(row)[1:]
        given = [position for position, value in enumerate(arguments) if value in names]
        for func in targets:
            if not facts.has_body(func):
                left |= 0 if self._released.by_model(func, given) else mask
                continue
            seen |= mask & self.loads[func]
            still = mask
            for position in given:
                still &= ~self._must_set(func, position, mask)
                if self._released.by(func, position):
                    still = 0
            left |= still
        return left, seen

    def _must_set(self, func: int, position: int, mask: int) -> int:
        """Cells of what a parameter leads to that a function has set whenever it returns."""
        struct = self.pointees.of_param(func, position)
        params = self.facts.params(func)
        if struct < 0 or position >= len(params):
            return 0
        key = func, position, mask
        found = self._set.get(key)
        if found is None:
            found = self._set_within(key) if self._nested else self._set_callees_first(key)
        return found

    def _set_callees_first(self, key: _Asked) -> int:
        """With what lies too deep on the way."""
        waiting = [key]
        while True:
            try:
                found = self._set_within(waiting[-1])
            except _Deeper as deeper:
                self._set[waiting[-1]] = 0  # to those that call it in turn
                waiting.append(deeper.key)
                continue
            finally:
                self._nested = 0
            waiting.pop()
            if not waiting:
                return found

    def _set_within(self, key: _Asked) -> int:
        if self._nested >= _MOST_NESTED:
            raise _Deeper(key)
        func, position, mask = key
        parameter = self.facts.params(func)[position]
        struct = self.pointees.of_param(func, position)
        self._set[key] = 0  # functions that call each other set nothing
        self._nested += 1
        try:
            walk = self._walk(-1 - self._blocks[func], parameter, struct, mask)
        except _Deeper:
            del self._set[key]
            raise
        self._nested -= 1
        found = self._set[key] = mask & ~walk.unset
        return found

    def _stores(self, names: set[int], struct: int) -> dict[int, int]:
        """Instructions that set members of the object: masks of cells."""
        facts, cells = self.facts, self.cells
        found: dict[int, int] = {}
        stack = [(name, struct) for name in sorted(names)]
        while stack:
            value, inner = stack.pop()
            for row in facts.users(value):
                if row >= facts.instr_count:
                    continue
                operands = facts.operands(row)
                if facts.op[row] == _GEP and operands[0] == value and len(operands) == 1:
                    result = facts.result[row]
                    if (
                        cells.layouts.kind[facts.aux_type[row]] != TypeKind.STRUCT
                        or facts.aux2[row]
                    ):
                        continue
                    if result in cells.struct_at:
                        stack.append((result, cells.struct_at[result]))
                        continue
                    cell = cells.of_value.get(result)
                    if cell is not None:
                        for user in facts.users(result):
                            is_store = user < facts.instr_count and facts.op[user] == _STORE
                            if is_store and facts.operands(user)[0] == result:
                                found[user] = found.get(user, 0) | 1 << cell
                elif facts.op[row] in CALLS and value in operands[1:2] and self._copies(row):
                    mask = sum({1 << cell for cell, _ in cells.fields_in(inner)})
                    found[row] = found.get(row, 0) | mask
        return found

    def _copies(self, row: int) -> bool:
        return any(self.calls.copied(func) for func in self.calls.targets(row))

    def _targets(self, block: int, names: set[int]) -> list[int]:
        """Where control goes on, but for ways on which there is no object."""
        found = []
        for edge in range(self._edges[block], self._edges[block + 1]):
            kind, condition = self._edge_kind[edge], self._edge_condition[edge]
            if kind in (EdgeKind.IF_TRUE, EdgeKind.IF_FALSE) and self._is_null(
                condition, kind == EdgeKind.IF_TRUE, names
            ):
                continue
            if kind != EdgeKind.UNWIND:
                found.append(self._edge_target[edge])
        return found

    def _is_null(self, condition: int, taken: bool, names: set[int]) -> bool:
        facts = self.facts
        row = facts.row_of_value[condition]
        if not 0 <= row < facts.instr_count or facts.op[row] != _ICMP:
            return False
        predicate, operands = facts.aux[row], facts.operands(row)
        if predicate not in (_EQ, _NE) or facts.value_kind[operands[1]] != _NULL:
            return False
        return operands[0] in names and taken == (predicate == _EQ)
