"""The program's tables as plain lists, and names for the places that pointers lie in.

In:    Program, CallGraph, models.     Out: `Facts`.
What a place is: `place.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from heapflow.ir.codes import (
    OP_ALLOCA,
    OP_GEP,
    OP_LOAD,
    VALUE_CONST_EXPR,
    VALUE_FUNCTION,
    VALUE_GLOBAL,
    VALUE_INSTR,
    VALUE_PARAM,
)
from heapflow.ir.columns import Columns
from heapflow.ir.ids import NO_VALUE, BlockId, FuncId, InstrId, ValueId
from heapflow.ir.kinds import CALLS, POINTER_COPIES, Op
from heapflow.ir.program import Program
from heapflow.ir.table import listed
from heapflow.modelled.take import ProgramModels
from heapflow.models.model import (
    AccessPath,
    Arg,
    Assign,
    Free,
    FunctionModel,
    Inside,
    Offset,
    Realloc,
    Ret,
)
from heapflow.pointsto.callgraph import CallGraph
from heapflow.properties.config import PropertiesConfig
from heapflow.properties.machine import Machines
from heapflow.properties.place import ANYWHERE, Of, Place, base, depth, is_given, step, values_in

SAME: Final = frozenset(int(op) for op in POINTER_COPIES)
CALL_OPS: Final = frozenset(int(op) for op in CALLS)


class Facts(Columns):
    """Columns that every function needs, and what functions are."""

    def __init__(
        self,
        program: Program,
        calls: CallGraph,
        models: ProgramModels,
        machines: Machines,
        config: PropertiesConfig,
    ) -> None:
        self.config, self.limits_hit = config, Counter[str]()
        super().__init__(program)
        self.calls, self.models, self.machines = calls, models, machines
        instrs = program.instrs
        self.result: list[ValueId] = listed(instrs.result)
        self.operand_block: list[BlockId] = listed(instrs.operand_block)
        self._params: list[FuncId] = listed(program.params.func)
        starts = listed(program.functions.param_start)
        self.param_start: list[int] = starts
        self.edge_start: list[int] = listed(program.blocks.edge_start)
        self.edge_target: list[BlockId] = listed(program.blocks.edge_target)
        self.edge_kind: list[int] = listed(program.blocks.edge_kind)
        self._callees = dict(zip(calls.call.tolist(), range(len(calls.call)), strict=True))
        self._callee_start: list[int] = calls.callee_start.tolist()
        self._callee: list[FuncId] = calls.callee.tolist()
        self._targets: dict[InstrId, list[FuncId]] = {}
        self._told: dict[Place, bool] = {}
        self._places: dict[ValueId, Place] = {}
        self._models: dict[FuncId, FunctionModel | None] = {}
        self.returned: dict[FuncId, int] = {}  # functions that return one of their arguments: which
        self.got: dict[FuncId, Place] = {}  # functions that return what lies in a place: which
        # Functions that put an argument where their callers find it: in which place, and which.
        self.put: dict[FuncId, tuple[tuple[Place, int], ...]] = {}

    def targets(self, call: InstrId) -> list[FuncId]:
        """Functions that a call may reach, through aliases and declarations."""
        known = self._targets.get(call)
        if known is None:
            known = self._targets[call] = self._find_targets(call)
        return known

    def _find_targets(self, call: InstrId) -> list[FuncId]:
        row = self._callees.get(call, -1)
        if row >= 0 and self._callee_start[row] < self._callee_start[row + 1]:
            found = self._callee[self._callee_start[row] : self._callee_start[row + 1]]
        else:
            named = self.operand[self.operand_start[call]]
            found = [self.value_index[named]] if self.value_kind[named] == VALUE_FUNCTION else []
        return [self.meant(func) for func in found]

    def given_back(self, call: InstrId) -> ValueId:
        """The argument that a call returns; -1: none is known to be."""
        targets = self.targets(call)
        arguments = self.operands(call)[1:]
        if len(targets) != 1 or self.returned.get(targets[0], len(arguments)) >= len(arguments):
            return NO_VALUE
        return arguments[self.returned[targets[0]]]

    def got_from(self, call: InstrId) -> Place | None:
        """The place of this function whose contents a call returns; None: none is known."""
        targets = self.targets(call)
        place = self.got.get(targets[0]) if len(targets) == 1 else None
        if place is None:
            return None
        return self.at_call(place, [self.place(one) for one in self.operands(call)[1:]])

    def put_by(self, call: InstrId) -> list[tuple[Place, ValueId]]:
        """Places of this function in which a call puts one of its arguments, and which."""
        arguments = self.operands(call)[1:]
        found = []
        for func in self.targets(call):
            for place, position in self.put.get(func, ()) if arguments else ():
                told = self.at_call(place, [self.place(one) for one in arguments])
                if told is not None and position < len(arguments):
                    found.append((told, arguments[position]))
        return found

    def inside(self, call: InstrId) -> list[tuple[Place | None, ValueId]]:
        """Where a function of a library leaves a pointer into what an argument leads to (None: in its
        result), and which argument: `strchr`, the end that `strtol` found."""
        arguments, targets = self.operands(call)[1:], self.targets(call)
        if len(targets) != 1 or self.has_body(targets[0]):
            return []
        model = self.model(targets[0], len(arguments))
        found: list[tuple[Place | None, ValueId]] = []
        for effect in model.effects if model is not None else ():
            if not isinstance(effect, Assign) or not isinstance(effect.value, Inside):
                continue
            source = effect.value.path
            if not isinstance(source.root, Arg) or source.steps:
                continue
            value = arguments[source.root.index - 1]
            if effect.target == AccessPath(Ret()):
                found.append((None, value))
            elif (place := self.path(effect.target, arguments)) is not None:
                found.append((place, value))
        return found

    def model(self, func: FuncId, arguments: int) -> FunctionModel | None:
        if func not in self._models:
            self._models[func] = self.models.lookup(self.program.func_name(func))
        model = self._models[func]
        return model if model is not None and model.accepts(arguments) else None

    def releases(self, func: FuncId, arguments: int) -> bool:
        """Whether a function without a body releases something."""
        model = self.model(func, arguments)
        effects = model.effects if model is not None else ()
        return any(isinstance(effect, Free | Realloc) for effect in effects)

    # Places --------------------------------------------------------------------------------------

    def place(self, value: ValueId) -> Place:
        """What a value is, in terms of what its function was given."""
        found = self._places.get(value)
        if found is None:
            self._places[value] = (Of.VALUE, value)  # for a chain that comes back to itself
            found = self._places[value] = self._find(value)
        return found

    def _is_near(self, inner: Place) -> bool:
        """Whether a place has few loads and steps, so that one more may be added."""
        if depth(inner) < self.config.deepest_place:
            return True
        self.limits_hit["depth of places"] += 1
        return False

    def at_call(self, place: Place, arguments: list[Place]) -> Place | None:
        """A callee's place in terms of its caller; None: it has no name there."""
        match place[0]:
            case Of.ARGUMENT:
                return arguments[place[1]] if place[1] < len(arguments) else None
            case Of.BEHIND:
                inner = self.at_call(place[1], arguments)
                return None if inner is None else step(inner, place[2])
            case Of.CONTENT:
                inner = self.at_call(place[1], arguments)
                return None if inner is None or not self._is_near(inner) else (Of.CONTENT, inner)
            case Of.GLOBAL:
                return place
            case _:
                return None

    def _find(self, value: ValueId) -> Place:
        kind = self.value_kind[value]
        if kind == VALUE_PARAM:
            param = self.value_index[value]
            return (Of.ARGUMENT, param - self.param_start[self._params[param]])
        if kind == VALUE_GLOBAL:
            return (Of.GLOBAL, self.meant_global(self.value_index[value]))
        if kind == VALUE_CONST_EXPR:
            return self._constant(value)
        if kind != VALUE_INSTR:
            return (Of.VALUE, value)
        instr = self.value_index[value]
        op = self.op[instr]
        if op in SAME:
            return self.place(self.operands(instr)[0])
        if op == OP_GEP:
            base_value, *indices = self.operands(instr)
            start = self.place(base_value)
            if indices:
                start = (Of.ELEMENT, start, *indices) if self._is_near(start) else (Of.VALUE, value)
            return step(start, self.aux[instr] + self.aux2[instr])
        if op == OP_LOAD:
            inner = self.place(self.operands(instr)[0])
            return (Of.CONTENT, inner) if self._is_near(inner) else (Of.VALUE, value)
        if op in CALL_OPS and (same := self.given_back(instr)) >= 0:
            return self.place(same)
        if op in CALL_OPS and (place := self.got_from(instr)) is not None:
            return place
        return (Of.VALUE, value)

    def _constant(self, value: ValueId) -> Place:
        table = self.program.const_exprs
        row = self.value_index[value]
        first, last = int(table.operand_start[row]), int(table.operand_start[row + 1])
        if table.op[row] == Op.GEP:
            base = self.place(ValueId(int(table.operand[first])))
            offset = ANYWHERE if last - first > 1 else int(table.aux[row] + table.aux2[row])
            return step(base, offset)
        if table.op[row] in SAME:
            return self.place(ValueId(int(table.operand[first])))
        return (Of.VALUE, value)

    def path(self, path: AccessPath, arguments: Sequence[ValueId]) -> Place | None:
        """The place that a model's path means at a call; None: not an argument's."""
        if not isinstance(path.root, Arg) or path.root.index > len(arguments):
            return None
        found = self.place(arguments[path.root.index - 1])
        for one in path.steps:
            found = (Of.CONTENT, step(found, one.bytes if isinstance(one, Offset) else ANYWHERE))
        return found

    def is_local(self, place: Place) -> bool:
        """Whether it is the address of (a part of) a local variable."""
        place = base(place)
        if place[0] != Of.VALUE or self.value_kind[place[1]] != VALUE_INSTR:
            return False
        maker: InstrId = self.value_index[place[1]]
        return self.op[maker] == OP_ALLOCA

    def is_told(self, place: Place) -> bool:
        """Whether callers have a name for it, too, and always the same."""
        found = self._told.get(place)
        if found is None:
            found = self._told[place] = is_given(place) and not values_in(place)
        return found
