"""What is known of the program as a whole: addresses, constants, who calls whom, what callees may do.

In:    Program, CallGraph, models.     Out: `Knowledge`, one for all candidates.
Guarantees: nothing here depends on a candidate, so candidates can be replayed in any order.
Not modelled: a function that is reached only by a pointer from code that is not given.
"""

from __future__ import annotations

from collections.abc import Iterable

from heapflow.ir.constants import constant_bytes, shuffle_mask
from heapflow.ir.kinds import CALLS, FuncFlag, GlobalFlag, Linkage, Op, ValueKind
from heapflow.ir.program import Program
from heapflow.models.model import Exit, FunctionModel, NoReturn
from heapflow.pointsto.callgraph import CallGraph
from heapflow.replay.code import Code, Instr, TypeFacts, make_instr
from heapflow.replay.memory import base_address
from heapflow.replay.modeltable import ModelTable
from heapflow.replay.terms import mask
from heapflow.support.scc import components_of

_OWN = (Linkage.INTERNAL,)
BLOCK_ADDRESSES = 1 << 24  # addresses of labels lie below the first object


class Knowledge:
    """Tables as lists, and facts about functions that are computed when first asked for."""

    def __init__(self, program: Program, calls: CallGraph | None, models: ModelTable) -> None:
        self.program, self.calls, self.models = program, calls, models
        self.types = TypeFacts(program)
        values = program.values
        self.value_kind: list[int] = values.kind.tolist()
        self.value_index: list[int] = values.index.tolist()
        self.value_type: list[int] = values.type.tolist()
        self.value_number: list[int] = values.number.tolist()
        self.func_flags: list[int] = program.functions.flags.tolist()
        self.instr_block: list[int] = program.instrs.block.tolist()
        self.block_func: list[int] = program.blocks.func.tolist()
        self.globals = len(program.globals)
        self.first_function = 1 + self.globals
        self.first_object = self.first_function + len(program.functions) + 1
        self.has_main = any(
            self.has_body(func) and program.func_name(func) == "main"
            for func in range(len(program.functions))
        )
        self._codes: dict[int, Code] = {}
        self._models: dict[int, FunctionModel | None] = {}
        self._components: list[int] | None = None
        self._touches: list[_Touches] = []
        self._written: dict[int, list[tuple[int, int]] | None] | None = None
        self._const_exprs: dict[int, Instr] = {}
        self._masks: dict[int, list[int]] = {}

    # Functions -----------------------------------------------------------------------------------

    def code(self, func: int) -> Code:
        found = self._codes.get(func)
        if found is None:
            found = self._codes[func] = Code(self.program, self.types, func)
        return found

    def has_body(self, func: int) -> bool:
        return not self.func_flags[func] & FuncFlag.DECLARATION

    def meant(self, func: int) -> int:
        """The function that a name stands for: an alias is its target, and so is a declaration that
        can only mean one definition."""
        functions = self.program.functions
        while self.func_flags[func] & FuncFlag.ALIAS and functions.aliasee[func] >= 0:
            func = int(functions.aliasee[func])
        if not self.has_body(func):
            first, last = functions.alternative_start[func], functions.alternative_start[func + 1]
            if last > first:
                return int(functions.alternative[first])
        return func

    def callees(self, call: int) -> list[int]:
        """Functions that a call may reach; none without a call graph, as in a concrete run."""
        return [] if self.calls is None else self.calls.callees(call)

    def model(self, func: int) -> FunctionModel | None:
        if func not in self._models:
            self._models[func] = self.models.lookup(self.program.func_name(func))
        return self._models[func]

    def func_of(self, instr: int) -> int:
        return self.block_func[self.instr_block[instr]]

    def callers(self, func: int) -> list[int]:
        """Calls by name, if nobody else can call the function: it has no other address, and the
        program is complete or the function is its own."""
        if self.func_flags[func] & FuncFlag.ADDRESS_TAKEN:
            return []
        own = self.program.functions.linkage[func] == Linkage.INTERNAL
        if self.calls is None or not (own or self.has_main):
            return []
        return self.calls.callers(func)

    # Addresses -----------------------------------------------------------------------------------

    def global_address(self, number: int) -> int:
        table = self.program.globals
        while table.flags[number] & GlobalFlag.ALIAS and table.aliasee[number] >= 0:
            number = int(table.aliasee[number])
        if table.flags[number] & GlobalFlag.DECLARATION:
            first, last = table.alternative_start[number], table.alternative_start[number + 1]
            if last > first:
                number = int(table.alternative[first])
        return base_address(1 + number)

    def function_address(self, func: int) -> int:
        return base_address(self.first_function + self.meant(func))

    def function_at(self, ident: int) -> int:
        """The function whose object that is, or -1."""
        func = ident - self.first_function
        return func if 0 <= func < len(self.func_flags) else -1

    def is_value(self, value: int) -> bool:
        """Whether an operand is a value, not metadata."""
        return self.value_kind[value] not in (ValueKind.METADATA, ValueKind.OTHER)

    def const_expr(self, index: int) -> Instr:
        found = self._const_exprs.get(index)
        if found is None:
            table = self.program.const_exprs
            found = self._const_exprs[index] = make_instr(table, self.types, index)
        return found

    def scalar(self, value: int) -> int | None:
        """The value of a constant that needs no computation; None: it does."""
        kind = self.value_kind[value]
        if kind == ValueKind.INT:
            width = self.types.width(self.value_type[value])
            return self.value_number[value] & mask(width or 64)
        if kind in (ValueKind.WIDE_INT, ValueKind.FLOAT):
            data = constant_bytes(self.program, value)
            width = self.types.width(self.value_type[value])
            return None if data is None else int.from_bytes(data, "little") & mask(width)
        if kind == ValueKind.NULL:
            return 0
        if kind == ValueKind.GLOBAL:
            return self.global_address(self.value_index[value])
        if kind == ValueKind.FUNCTION:
            return self.function_address(self.value_index[value])
        if kind == ValueKind.BLOCK_ADDRESS:
            return BLOCK_ADDRESSES + self.value_index[value]
        return None

    def shuffle_mask(self, instr: Instr) -> list[int]:
        """For each element of the result its number among both operands' elements; -1: any."""
        found = self._masks.get(instr.id)
        if found is None:
            found = self._masks[instr.id] = shuffle_mask(self.program, instr.id)
        return found

    # What functions may do -----------------------------------------------------------------------

    def touches(self, func: int) -> _Touches:
        """What a function and everything it calls may do."""
        if self._components is None:
            self._find_touches()
        assert self._components is not None
        return self._touches[self._components[func]]

    def _find_touches(self) -> None:
        count = len(self.func_flags)
        own = [_Touches() for _ in range(count)]
        edges: list[set[int]] = [set() for _ in range(count)]
        for func in range(count):
            if self.has_body(func):
                self._touch(func, own[func], edges[func])
        self._components = [0] * count
        for component in components_of([sorted(e) for e in edges]):
            joined = _Touches()
            for func in component:
                joined.join(own[func])
                for callee in edges[func]:
                    if callee not in component:
                        joined.join(self._touches[self._components[callee]])
            joined.returns = any(self._may_return(func, component) for func in component)
            joined.ends = joined.ends or not joined.returns
            for func in component:
                self._components[func] = len(self._touches)
            self._touches.append(joined)

    def _touch(self, func: int, found: _Touches, edges: set[int]) -> None:
        table = self.program.instrs
        for row in self.program.instr_range(func):
            op = int(table.op[row])
            for operand in self.program.operands(row):
                self._names(operand, found)
            if op in (Op.STORE, Op.ATOMIC_RMW, Op.CMPXCHG):
                found.stores = found.stores or not self._is_local(self.program.operands(row)[0])
            elif op in CALLS:
                targets = self.callees(row)
                direct = self.program.direct_callee(row)
                edges.update(self.meant(target) for target in targets)
                if direct >= 0 and not targets:
                    edges.add(self.meant(direct))
                if not any(self.has_body(self.meant(t)) for t in targets):
                    found.external = True
                    found.unwinds = found.unwinds or self._unwinds(direct)
                    found.stores = found.stores or self._may_write(direct)

    def _unwinds(self, func: int) -> bool:
        """Whether an external function leaves by a jump (longjmp)."""
        model = self.model(func) if func >= 0 else None
        if model is None or self.func_flags[func] & FuncFlag.INTRINSIC:
            return False
        return any(
            isinstance(effect, NoReturn) and effect.exit is Exit.UNWIND for effect in model.effects
        )

    def _may_write(self, func: int) -> bool:
        if func < 0:
            return True
        if self.func_flags[func] & FuncFlag.INTRINSIC:
            return self.program.func_name(func).startswith(("llvm.mem", "llvm.va"))
        model = self.model(func)
        return model is None or bool(model.written_args) or bool(model.effects)

    def _is_local(self, pointer: int) -> bool:
        """Whether an address is that of a variable of the function itself."""
        for _ in range(8):
            if self.value_kind[pointer] != ValueKind.INSTR:
                return False
            row = self.value_index[pointer]
            op = int(self.program.instrs.op[row])
            if op == Op.ALLOCA:
                return True
            if op not in (Op.GEP, Op.BIT_CAST):
                return False
            pointer = self.program.operands(row)[0]
        return False

    def _names(self, value: int, found: _Touches) -> None:
        """Globals that an operand names, also inside constants."""
        kind = self.value_kind[value]
        if kind == ValueKind.GLOBAL:
            found.globals.add(object_of_global(self, self.value_index[value]))
        elif kind == ValueKind.CONST_EXPR:
            for operand in self.const_expr(self.value_index[value]).operands:
                self._names(operand, found)

    def _may_return(self, func: int, component: Iterable[int]) -> bool:
        """Whether a way to a return passes no call that never comes back."""
        if not self.has_body(func):
            if self.func_flags[func] & FuncFlag.NO_RETURN:
                return False
            model = self.model(func)
            return model is None or not model.never_returns
        inside = set(component)
        code = self.code(func)
        seen, stack = {code.entry}, [code.entry]
        while stack:
            block = code.blocks[stack.pop()]
            if not all(self._comes_back(instr, inside) for instr in block.instrs):
                continue
            if block.instrs[-1].op == Op.RET:
                return True
            for edge in block.edges:
                if edge.target not in seen:
                    seen.add(edge.target)
                    stack.append(edge.target)
        return False

    def _comes_back(self, instr: Instr, inside: set[int]) -> bool:
        if instr.op not in CALLS:
            return True
        if not self.program.call_returns(instr.id):
            return False
        callee = self.program.direct_callee(instr.id)
        if callee < 0:
            return True
        callee = self.meant(callee)
        if callee in inside:
            return True
        assert self._components is not None
        return self._touches[self._components[callee]].returns

    # What is never written -----------------------------------------------------------------------

    def is_written(self, number: int, offset: int, size: int) -> bool:
        """Whether any code may write to a part of a global variable."""
        if self._written is None:
            self._find_written()
        assert self._written is not None
        table = self.program.globals
        flags = int(table.flags[number])
        if flags & GlobalFlag.CONSTANT:
            return False
        unset = flags & GlobalFlag.TENTATIVE  # somebody else's file may be meant to set it
        own = table.linkage[number] in _OWN or (flags & GlobalFlag.UNANNOUNCED and not unset)
        if not own or number not in self._written:
            return not own
        stretches = self._written[number]
        if stretches is None:
            return True
        return any(start < offset + size and offset < start + count for start, count in stretches)

    def _find_written(self) -> None:
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
                if place is None or op in (Op.LOAD, Op.ICMP):
                    continue
                number, offset = place
                if op == Op.STORE and position == 0 and offset >= 0:
                    stretches = written[number]
                    if stretches is not None:
                        stretches.append((offset, max(self.types.size[aux_types[row]], 1)))
                elif op == Op.GEP and position == 0 and self._is_read_only(table.result[row]):
                    continue
                else:
                    written[number] = None
        for value in program.globals.init_value.tolist():
            if value in addresses:
                written[addresses[value][0]] = None
        self._written = written

    def _is_read_only(self, value: int) -> bool:
        """Whether a computed address is only loaded from (asked for elements of static tables)."""
        return int(value) in self._loaded_only()

    _loaded: frozenset[int] | None = None

    def _loaded_only(self) -> frozenset[int]:
        if self._loaded is None:
            table = self.program.instrs
            starts = table.operand_start.tolist()
            operands, ops = table.operand.tolist(), table.op.tolist()
            geps: dict[int, list[int]] = {}
            bad: set[int] = set()
            results = table.result.tolist()
            made = {results[row] for row, op in enumerate(ops) if op == Op.GEP}
            for row, op in enumerate(ops):
                for value in operands[starts[row] : starts[row + 1]]:
                    if value in made:
                        if op == Op.GEP:
                            geps.setdefault(value, []).append(results[row])
                        elif op not in (Op.LOAD, Op.ICMP):
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
        for value, kind in enumerate(self.value_kind):
            if kind == ValueKind.GLOBAL:
                found[value] = (object_of_global(self, self.value_index[value]) - 1, 0)
        for value, kind in enumerate(self.value_kind):
            if kind == ValueKind.CONST_EXPR:
                expr = self.const_expr(self.value_index[value])
                base = found.get(expr.operands[0]) if expr.operands else None
                if base is not None and expr.op == Op.GEP and len(expr.operands) == 1:
                    found[value] = (base[0], base[1] + expr.aux + expr.aux2)
                elif any(operand in found for operand in expr.operands):
                    for operand in expr.operands:
                        if operand in found:
                            found[value] = (found[operand][0], -1)
        return found


class _Touches:
    """What a function and all that it calls may do."""

    __slots__ = ("ends", "external", "globals", "returns", "stores", "unwinds")

    def __init__(self) -> None:
        self.globals: set[int] = set()  # objects that are named in it
        self.stores = False  # to memory that is not a variable of its own
        self.external = False  # code that is not known is called
        self.returns = True
        self.unwinds = False  # some call in it may jump out of its frame
        self.ends = False  # some call in it may end the process, or jump away

    def join(self, other: _Touches) -> None:
        self.globals |= other.globals
        self.stores = self.stores or other.stores
        self.external = self.external or other.external
        self.ends = self.ends or other.ends
        self.unwinds = self.unwinds or other.unwinds


def object_of_global(knowledge: Knowledge, number: int) -> int:
    """The object of a global variable, through aliases."""
    return knowledge.global_address(number) >> 32
