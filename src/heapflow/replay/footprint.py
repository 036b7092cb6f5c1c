"""What a function may write to, with everything that it calls: behind which parameters, or globals.

In:    Knowledge, Touches.     Out: `Footprint` per function, found for all functions at once.
An address is followed back to where it comes from: a variable of the function itself, a parameter, a
global, what a call gave. What is loaded from behind a parameter counts as behind it. Of what a
parameter points to, the stretch is known if all that is written lies at known distances.
Guarantees: nothing that a function may write is left out, as far as the call graph is right and
            functions that are not known write only behind what they get.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from heapflow.ir.ids import FuncId
from heapflow.ir.kinds import CALLS, FuncFlag, Op, ValueKind
from heapflow.models.model import (
    Alloc,
    Ensures,
    FillMemory,
    FunctionModel,
    NoReturn,
    Pure,
    Ret,
    ReturnsTwice,
    Write,
)
from heapflow.support.scc import components_of

if TYPE_CHECKING:
    from heapflow.replay.knowledge import Knowledge

_CALLS = frozenset(int(op) for op in CALLS)
_WRITES = frozenset(int(op) for op in (Op.STORE, Op.ATOMIC_RMW, Op.CMPXCHG))
_RET, _LOAD, _GEP, _ALLOCA = int(Op.RET), int(Op.LOAD), int(Op.GEP), int(Op.ALLOCA)
_NOTHING = frozenset((int(Op.ICMP), int(Op.FCMP), int(Op.LANDING_PAD)))
_VA_ARG = int(Op.VA_ARG)
_INSTR, _PARAM = int(ValueKind.INSTR), int(ValueKind.PARAM)
_GLOBAL_KINDS = frozenset((int(ValueKind.GLOBAL), int(ValueKind.CONST_EXPR)))
_FUNCTION, _INTRINSIC = int(ValueKind.FUNCTION), int(FuncFlag.INTRINSIC)

# Where an address comes from: twice the position of a parameter, one more for what lies behind the
# object that it points to; or one of these. Variables of the function itself are numbers below.
_GLOBAL = -1
_ANY = -2
_FIRST_OWN = -3

_HARMLESS = (Ensures, FillMemory, NoReturn, Pure, ReturnsTwice, Write)
_Roots = frozenset[int]
_NONE: _Roots = frozenset()
_Key = tuple[int, bool]  # a value; whether it is only the address from which another was loaded
_POINTER = 64  # bits
_FAR = 1 << 40  # bytes: no end is known
_EVERYWHERE = (-_FAR, _FAR)


@dataclass(frozen=True, slots=True)
class Footprint:
    """What one function may write to."""

    near: _Roots = _NONE  # positions of parameters: what they point to
    far: _Roots = _NONE  # the same: what that leads to
    globals: bool = False
    anywhere: bool = False  # it is not known where
    gives_any: bool = False  # its result may lead anywhere
    # Of some parameters: from where to where it writes behind them, in bytes.
    stretches: Mapping[int, tuple[int, int]] = field(default_factory=dict)


ALL = Footprint(globals=True, anywhere=True, gives_any=True)


class Footprints:
    """By function; functions that call each other are taken for unknown."""

    def __init__(self, knowledge: Knowledge) -> None:
        self.known, self.program = knowledge, knowledge.program
        table = self.program.instrs
        self.ops: list[int] = table.op.tolist()
        self.starts: list[int] = table.operand_start.tolist()
        self.operand: list[int] = table.operand.tolist()
        self.found: list[Footprint] = []
        self._find()

    def of_part(
        self,
        rows: Sequence[int],
        given: Sequence[int],
        again: Mapping[int, Sequence[int]] | None = None,
    ) -> Footprint:
        """What a part of a function may write to; values from outside of it are its parameters. Some
        of these are other values in further turns (`again`)."""
        return _Part(self, rows, given, again or {}).footprint()

    def _find(self) -> None:
        known = self.known
        count = len(known.func_flags)
        bodies = [func for func in range(count) if known.has_body(func)]
        edges: list[list[int]] = [[] for _ in range(count)]
        for func in bodies:
            rows = self.program.instr_range(func)
            calls = (row for row in rows if self.ops[row] in _CALLS)
            edges[func] = sorted({one for row in calls for one in self.targets(row)})
        self.found = [ALL] * count
        for component in components_of(edges):
            func = component[0]
            is_alone = len(component) == 1 and func not in edges[func]
            if is_alone and known.has_body(func):
                rows = self.program.instr_range(func)
                self.found[func] = self.of_part(rows, known.parameters(func))

    def targets(self, row: int) -> list[FuncId]:
        """Functions that a call may reach."""
        known = self.known
        found = [known.meant(target) for target in known.callees(row)]
        callee = self.operand[self.starts[row]]
        if not found and known.value_kind[callee] == _FUNCTION:
            found = [known.meant(known.value_index[callee])]
        return found

    def operands(self, row: int) -> list[int]:
        return self.operand[self.starts[row] : self.starts[row + 1]]


class _Part:
    """One function, or a loop of it, whose callees are known."""

    def __init__(
        self,
        finder: Footprints,
        rows: Sequence[int],
        given: Sequence[int],
        again: Mapping[int, Sequence[int]],
    ) -> None:
        self.finder, self.known = finder, finder.known
        self.rows, self.first, self.again = rows, min(rows, default=0), again
        self.position = {value: number for number, value in enumerate(given)}
        self._roots: dict[int, _Roots] = {}
        self._made: dict[_Key, tuple[_Roots, _Roots]] = {}
        self._inside: dict[int, set[int]] = {}  # own variable -> what may lie in it
        self._written: dict[int, tuple[int, int]] = {}  # position -> from where to where

    def footprint(self) -> Footprint:
        self._settle()
        written: set[int] = set()
        given: set[int] = set()
        for row in self.rows:
            op = self.finder.ops[row]
            if op in _WRITES:
                pointer = self.finder.operand[self.finder.starts[row]]
                roots = self._of(pointer)
                written |= roots
                self._stretch(roots, pointer, (0, self._size(row)))
            elif op in _CALLS:
                written |= self._written_by(row)
            elif op == _RET:
                given |= self._of_all(self.finder.operands(row))
        near = frozenset(one // 2 for one in written if one >= 0 and one % 2 == 0)
        far = frozenset(one // 2 for one in written if one >= 0 and one % 2 == 1)
        stretches = {one: (low, high) for one, (low, high) in self._written.items() if high < _FAR}
        return Footprint(near, far, _GLOBAL in written, _ANY in written, _ANY in given, stretches)

    # How far ---------------------------------------------------------------------------------------

    def _stretch(self, roots: Iterable[int], pointer: int, stretch: tuple[int, int]) -> None:
        """A stretch behind a pointer is written."""
        near = [one // 2 for one in roots if one >= 0 and one % 2 == 0]
        found = self._place(pointer) if near else None
        for position in near:
            low, high = stretch
            if found is None or found[0] != position or high >= _FAR:
                self._written[position] = _EVERYWHERE
            else:
                low, high = low + found[1], high + found[1]
                before = self._written.get(position, (low, high))
                self._written[position] = min(low, before[0]), max(high, before[1])

    def _place(self, pointer: int) -> tuple[int, int] | None:
        """The parameter from which a pointer is computed, and its distance; None: not known."""
        known, distance = self.known, 0
        while known.value_kind[pointer] == _INSTR and pointer not in self.position:
            row = known.value_index[pointer]
            operands = self.finder.operands(row)
            if self.finder.ops[row] != _GEP or len(operands) > 1:
                return None
            instrs = known.program.instrs
            distance += int(instrs.aux[row]) + int(instrs.aux2[row])
            pointer = operands[0]
        position = self.position.get(pointer)
        return None if position is None or pointer in self.again else (position, distance)

    def _size(self, row: int) -> int:
        """Bytes that a store writes."""
        type_id = int(self.known.program.instrs.aux_type[row])
        return max(self.known.types.size[type_id], 1) if type_id >= 0 else _FAR

    def _stretch_of_argument(self, argument: int) -> None:
        """A function that is not known writes to an argument: to the member whose address it is."""
        roots = self._of(argument)
        extent = self.known.extents.of(argument)
        if extent is None or extent.size < 0:
            self._stretch(roots, argument, _EVERYWHERE)
        else:
            self._stretch(roots, extent.base, (extent.start, extent.start + extent.size))

    def _settle(self) -> None:
        """What may lie in the function's own variables: until nothing is added."""
        before = -1
        while (size := sum(map(len, self._inside.values()))) != before:
            before = size
            self._roots = {}
            for row in self.rows:
                op = self.finder.ops[row]
                if op in _WRITES:
                    pointer, *values = self.finder.operands(row)
                    self._put(self._of(pointer), self._of_all(values))
                elif op in _CALLS:
                    self._exchange(row)

    def _put(self, places: Iterable[int], what: _Roots) -> None:
        for place in places:
            if place <= _FIRST_OWN:
                self._inside.setdefault(place, set()).update(what)
        if any(place > _FIRST_OWN for place in places):
            # An own variable that others know of may get anything.
            for one in what:
                if one <= _FIRST_OWN:
                    self._inside.setdefault(one, set()).add(_ANY)

    def _exchange(self, row: int) -> None:
        """A callee may put what it is given, or a global, into variables that it is given."""
        arguments = self.finder.operands(row)[1:]
        roots = self._of_all(arguments)
        own = [one for one in roots if one <= _FIRST_OWN]
        if not own:
            return
        targets = self.finder.targets(row)
        more = {_GLOBAL}
        if not targets or any(self._is_odd(target) for target in targets):
            more.add(_ANY)
        more |= roots | self._behind(roots)
        for one in own:
            self._inside.setdefault(one, set()).update(more)

    def _is_odd(self, func: int) -> bool:
        """Whether a function may give what it was not given: unknown, or `va_start`."""
        known = self.known
        if known.has_body(func):
            return self.finder.found[func].anywhere or self.finder.found[func].gives_any
        if known.func_flags[func] & _INTRINSIC:
            return known.program.func_name(func).startswith("llvm.va")
        return _is_unclear(known.model(func))

    # Where values come from ----------------------------------------------------------------------

    def _of_all(self, values: Iterable[int]) -> _Roots:
        found: set[int] = set()
        for value in values:
            found |= self._of(value)
        return frozenset(found)

    def _of(self, value: int) -> _Roots:
        found = self._roots.get(value)
        if found is not None:
            return found
        plain, loaded = self._sources((value, False))
        found = self._roots[value] = frozenset(plain | self._behind(loaded))
        return found

    def _sources(self, key: _Key) -> tuple[_Roots, _Roots]:
        """Roots that a value is made of, and roots of addresses from which it was loaded."""
        if key not in self._made:
            self._make(key)
        return self._made[key]

    def _make(self, first: _Key) -> None:
        """All that a value is made of, what it is made of first: each is looked at once. A value may be
        made of itself, round a loop."""
        numbers, keys = {first: 0}, [first]
        own: list[set[int]] = []
        leads: list[list[_Key]] = []
        for key in keys:  # grows as it goes
            own.append(set())
            leads.append(list(self._step(*key, own[-1])))
            for one in leads[-1]:
                if one not in self._made and one not in numbers:
                    numbers[one] = len(keys)
                    keys.append(one)
        inner = [[numbers[one] for one in found if one in numbers] for found in leads]
        for component in components_of(inner):
            plain: set[int] = set()
            loaded: set[int] = set()
            for number in component:
                (loaded if keys[number][1] else plain).update(own[number])
                for before in filter(None, map(self._made.get, leads[number])):
                    plain |= before[0]
                    loaded |= before[1]
            pair = frozenset(plain), frozenset(loaded)
            self._made.update((keys[number], pair) for number in component)

    def _step(self, value: int, is_loaded: bool, found: set[int]) -> Iterable[tuple[int, bool]]:
        """Add roots; values that have the same ones, or from whose memory it was loaded."""
        known, finder = self.known, self.finder
        kind = known.value_kind[value]
        position = self.position.get(value)
        if position is not None or kind == _PARAM:
            found.add(_ANY if position is None else 2 * position)
            return ((one, is_loaded) for one in self.again.get(value, ()))
        if kind in _GLOBAL_KINDS:
            found.add(_GLOBAL)
            return ()
        if kind != _INSTR:
            return ()
        row = known.value_index[value]
        op = finder.ops[row]
        if op == _ALLOCA:
            found.add(_FIRST_OWN - (row - self.first))
        elif op == _LOAD:
            return ((finder.operand[finder.starts[row]], True),)
        elif op in _CALLS:
            return self._given_by(row, is_loaded, found)
        elif op == _VA_ARG:
            found.add(_ANY)
        elif op == _GEP:
            return ((finder.operand[finder.starts[row]], is_loaded),)
        elif op not in _NOTHING:
            return ((one, is_loaded) for one in finder.operands(row))
        return ()

    def _loaded(self, root: int) -> Iterable[int]:
        """Where what lies there comes from."""
        if root <= _FIRST_OWN:
            return self._inside.get(root, ())
        return (root | 1,) if root >= 0 else (root,)

    def _behind(self, roots: Iterable[int]) -> set[int]:
        """All that some places lead to."""
        found: set[int] = set()
        stack = [one for root in roots for one in self._loaded(root)]
        while stack:
            root = stack.pop()
            if root not in found:
                found.add(root)
                stack += self._loaded(root)
        return found

    def _given_by(self, row: int, is_loaded: bool, found: set[int]) -> Iterable[tuple[int, bool]]:
        """A result: made by the callee, an argument, or what arguments and globals lead to."""
        known, targets = self.known, self.finder.targets(row)
        if known.types.width(int(known.program.instrs.type[row])) < _POINTER:
            return ()
        if not targets or any(self._is_odd(target) for target in targets):
            found.add(_ANY)
            return ()
        models = [known.model(target) for target in targets if not known.has_body(target)]
        if len(models) == len(targets) and all(map(_makes, models)):
            return ()
        found.add(_GLOBAL)
        arguments = self.finder.operands(row)[1:]
        return [(one, way) for one in arguments for way in {is_loaded, True}]

    # What a call writes ---------------------------------------------------------------------------

    def _written_by(self, row: int) -> set[int]:
        known, finder = self.known, self.finder
        arguments = finder.operands(row)[1:]
        targets = finder.targets(row)
        if not targets:
            for argument in arguments:
                self._stretch_of_argument(argument)
            return {*self._of_all(arguments), _GLOBAL, _ANY}
        found: set[int] = set()
        for target in targets:
            if known.has_body(target):
                there = finder.found[target]
                for one in there.near:
                    if one < len(arguments):
                        roots = self._of(arguments[one])
                        found |= roots
                        stretch = there.stretches.get(one, _EVERYWHERE)
                        self._stretch(roots, arguments[one], stretch)
                far = self._of_all(arguments[one] for one in there.far if one < len(arguments))
                found |= self._behind(far)
                self._reach(self._behind(far))
                if there.globals:
                    found.add(_GLOBAL)
                if there.anywhere:
                    found.add(_ANY)
            else:
                found |= self._written_outside(target, arguments)
        return found

    def _written_outside(self, func: int, arguments: list[int]) -> set[int]:
        """What a function without a body may write: data into its arguments, as its model says; else
        all that its arguments lead to."""
        known = self.known
        if known.func_flags[func] & _INTRINSIC:
            if not known.program.func_name(func).startswith(("llvm.mem", "llvm.va")):
                return set()
            for argument in arguments:
                self._stretch(self._of(argument), argument, _EVERYWHERE)
            return set(self._of_all(arguments))
        model = known.model(func)
        if model is None or model.is_belief or not all(map(is_harmless, model.effects)):
            roots = self._of_all(arguments)
            for argument in arguments:
                self._stretch_of_argument(argument)
            self._reach(self._behind(roots))
            return {*roots, *self._behind(roots)}
        found: set[int] = set()
        for position in model.written_args:
            if position <= len(arguments):
                found |= self._of(arguments[position - 1])
                self._stretch_of_argument(arguments[position - 1])
        return found

    def _reach(self, roots: Iterable[int]) -> None:
        """What lies behind something may be what a parameter points to."""
        for one in roots:
            if one >= 0 and one % 2 == 0:
                self._written[one // 2] = _EVERYWHERE


def _is_unclear(model: FunctionModel | None) -> bool:
    return model is None or model.is_belief


def is_harmless(effect: object) -> bool:
    """Whether an effect changes nothing but what `written_args` names."""
    if isinstance(effect, Alloc):
        return isinstance(effect.target.root, Ret) and not effect.target.steps
    return isinstance(effect, _HARMLESS)


def _makes(model: FunctionModel | None) -> bool:
    """Whether a function of the library only makes something new."""
    effects = () if model is None else model.effects
    return bool(effects) and all(isinstance(effect, Alloc) for effect in effects)
