"""What is known of the program as a whole: addresses, constants, who calls whom, what callees may do.

In:    Program, CallGraph, models.     Out: `Knowledge`, one for all candidates.
Guarantees: nothing here depends on a candidate, so candidates can be replayed in any order.
Not modelled: a function that is reached only by a pointer from code that is not given.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from heapflow.invariants.find import Invariants
from heapflow.ir.columns import Columns
from heapflow.ir.constants import constant_bytes, shuffle_mask
from heapflow.ir.ids import FuncId, InstrId
from heapflow.ir.kinds import FuncFlag, GlobalFlag, Linkage, Op, ValueKind
from heapflow.ir.program import Program
from heapflow.ir.table import listed
from heapflow.models.model import FunctionModel
from heapflow.pointsto.callgraph import CallGraph
from heapflow.pointsto.taken import taken_in_code
from heapflow.replay.brief import Brevity
from heapflow.replay.code import Code, NamedValues
from heapflow.replay.config import ReplayConfig
from heapflow.replay.extents import Extents
from heapflow.replay.followed import Followed
from heapflow.replay.footprint import Footprint, Footprints
from heapflow.replay.history import Answers
from heapflow.replay.instr import Instr, TypeFacts, make_instr
from heapflow.replay.loops import Loop, loop_at
from heapflow.replay.memory import Object, base_address
from heapflow.replay.modeltable import ModelTable
from heapflow.replay.programs import Programs
from heapflow.replay.terms import mask
from heapflow.replay.touches import Touches, find_touches, touches_of_part
from heapflow.replay.written import Written

_OWN = (Linkage.INTERNAL,)
BLOCK_ADDRESSES = 1 << 24  # addresses of labels lie below the first object
# Plain numbers: looking up a member of an enumeration costs more than what is done with it.
_LOAD, _BR, _SWITCH = int(Op.LOAD), int(Op.BR), int(Op.SWITCH)
_TAKEN, _UNCALLED = int(FuncFlag.ADDRESS_TAKEN), int(FuncFlag.UNCALLED)
_CONSTANT = int(GlobalFlag.CONSTANT)
_DECLARATION = int(GlobalFlag.DECLARATION)
_BLOCK_ADDRESS = int(ValueKind.BLOCK_ADDRESS)
_WIDE = frozenset((int(ValueKind.FLOAT), int(ValueKind.WIDE_INT)))
_FUNCTION = int(ValueKind.FUNCTION)
_GLOBAL = int(ValueKind.GLOBAL)
_INSTR = int(ValueKind.INSTR)
_INT = int(ValueKind.INT)
_METADATA = int(ValueKind.METADATA)
_NULL = int(ValueKind.NULL)
_OTHER = int(ValueKind.OTHER)


class Knowledge(Columns):
    """Tables as lists, and facts about functions that are computed when first asked for."""

    def __init__(
        self,
        program: Program,
        calls: CallGraph | None,
        models: ModelTable,
        borrowed: Mapping[int, int] | None = None,
        config: ReplayConfig | None = None,
        invariants: Invariants | None = None,
    ) -> None:
        super().__init__(program)
        self.calls, self.models = calls, models
        self._unread: dict[int, set[int]] = {}  # function -> objects of globals that are its own
        for number, owner in (borrowed or {}).items():
            self._unread.setdefault(owner, set()).add(1 + number)
        self.types = TypeFacts(program)
        self.value_number: list[int] = listed(program.values.number)
        self.result: list[int] = listed(program.instrs.result)
        self.globals = len(program.globals)
        flags: list[int] = listed(program.globals.flags)
        self.constant_globals = frozenset(  # objects
            1 + number for number, flag in enumerate(flags) if flag & _CONSTANT
        )
        self.first_function = 1 + self.globals
        self.first_object = self.first_function + len(program.functions) + 1
        self.has_main = any(
            self.has_body(func) and program.func_name(func) == "main"
            for func in range(len(program.functions))
        )
        # Variables without a definition, in a program that is complete.
        self.library_variables = frozenset(
            program.global_name(number)
            for number, flag in enumerate(flags if self.has_main else ())
            if flag & _DECLARATION
        )
        self._codes: dict[int, Code] = {}
        self._named = NamedValues(program)
        self._callees: dict[int, list[FuncId]] = {}  # by call
        self._names: dict[int, str] = {}
        self._sizes: dict[int, int] = {}
        self._scalars: dict[int, int | None] = {}
        # Globals as they are at first, with and without main's view (`initial`).
        self.initial: dict[tuple[int, bool], Object] = {}
        self._addresses: dict[int, int] = {}
        self.answers = Answers()
        self.followed = Followed(self)
        self.programs = Programs(program)
        self.extents = Extents(self)
        config = config or ReplayConfig()
        self.invariants = invariants or Invariants()
        self.brevity = Brevity(self, config.most_ending_steps)
        self._models: dict[int, FunctionModel | None] = {}
        self._touches: list[Touches] | None = None
        self._footprints: Footprints | None = None
        self._loops: dict[int, Loop | None] = {}  # by header
        self._written: Written | None = None
        self._const_exprs: dict[int, Instr] = {}
        # Functions whose address an instruction takes, or that libraries call back.
        self._given: set[int] | None = None
        self._masks: dict[int, list[int]] = {}

    # Functions -----------------------------------------------------------------------------------

    def code(self, func: int) -> Code:
        found = self._codes.get(func)
        if found is None:
            found = self._codes[func] = Code(
                self.program, self.types, func, self.value_kind, self._named
            )
        return found

    def callees(self, call: int) -> list[FuncId]:
        """Functions that a call may reach; none without a call graph, as in a concrete run."""
        found = self._callees.get(call)
        if found is None:
            found = self._callees[call] = [] if self.calls is None else self.calls.callees(call)
        return found

    def has_known_callee(self, call: int) -> bool:
        """Whether one of the functions that a call may reach has a body; a loop that was passed can be
        executed as well."""
        if self.is_loop(call):
            return True
        return any(self.has_body(self.meant(func)) for func in self.callees(call))

    def is_loop(self, call: int) -> bool:
        """Whether what was passed is no call: the end of a loop's first block stands for the loop."""
        return self.op[call] == _BR or self.op[call] == _SWITCH

    def name(self, func: int) -> str:
        found = self._names.get(func)
        if found is None:
            found = self._names[func] = self.program.func_name(func)
        return found

    def model(self, func: int) -> FunctionModel | None:
        if func not in self._models:
            self._models[func] = self.models.lookup(self.program.func_name(func))
        return self._models[func]

    def variable_model(self, value: int) -> FunctionModel | None:
        """The model of what a library's variable holds, if a value was loaded from one (`xmlFree`)."""
        if self.value_kind[value] != _INSTR:
            return None
        load = self.value_index[value]
        pointer = self.operands(load)[0] if self.op[load] == _LOAD else -1
        if pointer < 0 or self.value_kind[pointer] != _GLOBAL:
            return None
        number = self.value_index[pointer]
        if not self.program.globals.flags[number] & _DECLARATION:
            return None
        return self.models.lookup(self.program.global_name(number))

    def callers(self, func: int) -> list[InstrId]:
        """Calls by name, if nobody else can call the function: it has no other address, and the
        program is complete or the function is its own. Those in functions that nobody calls come in
        only where nobody calls this one either."""
        if self.func_flags[func] & FuncFlag.ADDRESS_TAKEN:
            return []
        own = int(self.program.functions.linkage[func]) == Linkage.INTERNAL
        if self.calls is None or not (own or self.has_main):
            return []
        calls = self.calls.callers(func)
        if self.is_uncalled(func):
            return calls
        return [call for call in calls if not self.is_uncalled(self.func_of(call))]

    def callers_by_table(self, func: int) -> list[int]:
        """Calls by pointer, if the address of a function lies in the program's own tables only: nothing
        gives it to a library or stores it."""
        calls = self.calls
        if calls is None or not self.has_main or not self.func_flags[func] & _TAKEN:
            return []
        if self._given is None:
            self._given = {*taken_in_code(self.program), *calls.callback.tolist()}
        if func in self._given or self.is_uncalled(func):
            return []
        return [call for call in calls.callers(func) if not self.is_uncalled(self.func_of(call))]

    def is_uncalled(self, func: int) -> bool:
        """Whether nobody calls a function in the programs that were built."""
        return bool(self.func_flags[func] & _UNCALLED)

    # Addresses -----------------------------------------------------------------------------------

    def global_address(self, number: int) -> int:
        found = self._addresses.get(number)
        if found is None:
            found = self._addresses[number] = self._address_of(number)
        return found

    def _address_of(self, number: int) -> int:
        return base_address(1 + self.meant_global(number))

    def function_address(self, func: int) -> int:
        return base_address(self.first_function + self.meant(func))

    def function_at(self, ident: int) -> int:
        """The function whose object that is, or -1."""
        func = ident - self.first_function
        return func if 0 <= func < len(self.func_flags) else -1

    def is_value(self, value: int) -> bool:
        """Whether an operand is a value, not metadata."""
        return self.value_kind[value] not in (_METADATA, _OTHER)

    def const_expr(self, index: int) -> Instr:
        found = self._const_exprs.get(index)
        if found is None:
            table = self.program.const_exprs
            found = self._const_exprs[index] = make_instr(table, self.types, index)
        return found

    def scalar(self, value: int) -> int | None:
        """The value of a constant that needs no computation; None: it does."""
        if value not in self._scalars:
            self._scalars[value] = self._scalar(value)
        return self._scalars[value]

    def _scalar(self, value: int) -> int | None:
        kind = self.value_kind[value]
        if kind == _INT:
            width = self.types.width(self.value_type[value])
            return self.value_number[value] & mask(width or 64)
        if kind in _WIDE:
            data = constant_bytes(self.program, value)
            width = self.types.width(self.value_type[value])
            return None if data is None else int.from_bytes(data, "little") & mask(width)
        if kind == _NULL:
            return 0
        if kind == _GLOBAL:
            return self.global_address(self.value_index[value])
        if kind == _FUNCTION:
            return self.function_address(self.value_index[value])
        if kind == _BLOCK_ADDRESS:
            block: int = self.value_index[value]
            return BLOCK_ADDRESSES + block
        return None

    def shuffle_mask(self, instr: Instr) -> list[int]:
        """For each element of the result its number among both operands' elements; -1: any."""
        found = self._masks.get(instr.id)
        if found is None:
            found = self._masks[instr.id] = shuffle_mask(self.program, instr.id)
        return found

    # What is asked about the whole program -------------------------------------------------------

    def size(self, func: int) -> int:
        """Instructions of a function."""
        found = self._sizes.get(func)
        if found is None:
            rows = self.program.instr_range(func)
            found = self._sizes[func] = rows.stop - rows.start
        return found

    def parameters(self, func: int) -> list[int]:
        """Values of a function's parameters."""
        start, end = self.program.functions.param_start[func : func + 2]
        values: list[int] = self.program.params.value[start:end].tolist()
        return values

    def touches(self, func: int) -> Touches:
        """What a function and everything it calls may do."""
        if self._touches is None:
            self._touches = find_touches(self)
        return self._touches[func]

    def footprint(self, func: int) -> Footprint:
        """What a function and everything it calls may write to."""
        return self.footprints().found[func]

    def footprints(self) -> Footprints:
        if self._footprints is None:
            self._footprints = Footprints(self)
        return self._footprints

    def touches_of_part(self, parts: Iterable[range]) -> Touches:
        """What a part of a function may do, by rows of instructions."""
        self.touches(0)
        assert self._touches is not None
        return touches_of_part(self, self._touches, parts)

    def loop(self, code: Code, header: int) -> Loop | None:
        """The loop that begins with a block, if its turns can be passed."""
        if header not in self._loops:
            self._loops[header] = loop_at(self, code, header)
        return self._loops[header]

    def unread_after(self, func: int) -> frozenset[int]:
        """Objects of globals that serve as a function's locals: nobody reads them afterwards."""
        return frozenset(self._unread.get(func, ()))

    def is_written(self, number: int, offset: int, size: int) -> bool:
        """Whether any code may write to a part of a global variable."""
        return self._writes().is_written(number, offset, size)

    def is_left_open(self, number: int) -> bool:
        """Whether a global variable gets its value from somewhere else, if it gets one."""
        return self._writes().is_left_open(number)

    def _writes(self) -> Written:
        if self._written is None:
            self._written = Written(self)
        return self._written
