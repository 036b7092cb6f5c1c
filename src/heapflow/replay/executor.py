"""The executor: what one search has in common, values of operands, objects.

In:    Knowledge, bounds, who watches (`Watch`).     Out: values and objects of a state.
What conditions can be is found out in `decisions`, where accesses go in `addresses`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Final

from heapflow.ir.kinds import ValueKind
from heapflow.replay.capacity import require_room
from heapflow.replay.config import ReplayConfig
from heapflow.replay.contents import forget
from heapflow.replay.contents import is_address as is_address
from heapflow.replay.control import Alternative as Alternative
from heapflow.replay.control import Choice as Choice
from heapflow.replay.control import Cut as Cut
from heapflow.replay.control import Ended as Ended
from heapflow.replay.decisions import require
from heapflow.replay.events import End, EventKind
from heapflow.replay.frame import Frame
from heapflow.replay.initial import literal, make_global
from heapflow.replay.instr import Instr
from heapflow.replay.knowledge import Knowledge
from heapflow.replay.memory import Accessor, Ground, Kind, Object, base_address
from heapflow.replay.solver import Solver
from heapflow.replay.state import State
from heapflow.replay.term import Term, Value
from heapflow.replay.watch import Watch as Watch

_LARGEST = 1 << 40  # bytes of a block
_CODE: Final = Kind.CODE

Expression = Callable[["Executor", State, Frame, Instr], Value]


class Executor:
    """One per search."""

    def __init__(
        self,
        knowledge: Knowledge,
        config: ReplayConfig,
        expression: Expression,
        watch: Watch,
        from_main: bool = False,
        solver: Solver | None = None,
    ) -> None:
        self.knowledge, self.config = knowledge, config
        self.expression, self.watch = expression, watch
        self.types = knowledge.types
        self.solver = solver or Solver.bounded(config, knowledge.answers)
        self.solver.begin()
        self.terms = self.solver.terms
        self.memory = Accessor(self.terms, config.most_copied_cells)
        self.from_main = from_main  # globals have their initial contents
        self.pointers: set[int] = set()  # unknowns that are pointers
        self.printed: set[int] = set()  # results of `snprintf` and its like
        self.unlikely: set[int] = set()  # conditions that hardly ever hold (`farfetched`)
        self.steps = 0
        self.given_up = 0  # alternatives that a bound left out
        self._constants: dict[int, Value] = {}
        self.call_of: dict[str, int] = {}  # name of what a passed call made -> that call
        self.agreed: dict[Hashable, int] = {}  # calls that only read, numbered (`agreeing`)
        self.answers: set[int] = set()  # unknowns that equal calls share, so far (`merge`)
        self.looked_at = 0  # terms, for these
        self.related: dict[str, tuple[str, ...]] = {}  # unknown -> names of what it is about
        self.left_from = -1  # the block from which the function that returned last came to its end
        self.may_fail = False  # allocations, one on each path
        self.goes_beyond = False  # the end of defined behaviour: of what C leaves open, anything
        self.picks = (
            False  # where data goes to an index that is not known, one value after the other
        )
        self.blurred: set[str] = set()  # unknowns for data at such an index, where it is not picked
        self.concrete = False  # a program is run, not looked at: nothing is unknown
        self.left_out: set[str] = set()  # bounds beyond which something is only taken as not known
        self.cuts: set[str] = set()  # bounds that left something out without ending a path

    def is_length(self, atom: int) -> bool:
        """Whether an unknown is the length of a text, measured or printed."""
        return atom in self.printed or str(self.terms.by_number[atom].args[0]).startswith("strlen:")

    def charge(self, size: int) -> None:
        """Work that is no instruction counts as some, where it is much: what a search costs is bounded
        by its steps, however large a state is."""
        self.steps += max(size - self.config.uncharged_size, 0) // max(self.config.size_per_step, 1)

    # Values --------------------------------------------------------------------------------------

    def value(self, state: State, frame: Frame, number: int) -> Value:
        """What an operand is now."""
        found = frame.regs.get(number)
        if found is None:
            found = self._constants.get(number)
            if found is None:
                found = self.constant(state, frame, number)
        if isinstance(found, Term):
            bound = state.bound
            if bound:
                if found.op == "var":
                    return bound.get(found.number, found)
                if not bound.keys().isdisjoint(found.atoms):
                    return self.terms.substitute(found, bound)
        return found

    def settled(self, state: State, value: Value) -> Value:
        """The value, with the unknowns for which a value was chosen replaced by it."""
        if isinstance(value, Term):
            bound = state.bound
            if bound:
                if value.op == "var":
                    return bound.get(value.number, value)
                if not bound.keys().isdisjoint(value.atoms):
                    return self.terms.substitute(value, bound)
        return value

    def constant(self, state: State, frame: Frame, number: int) -> Value:
        """The value of a constant operand."""
        known = self.knowledge
        found: Value | None = known.scalar(number)
        kind = known.value_kind[number]
        if found is None and kind == ValueKind.UNDEF and self.concrete:
            found = 0
        elif found is None and kind == ValueKind.UNDEF:
            return self._unset(frame, self.types.width(known.value_type[number]) or 64)
        if found is None and kind == ValueKind.CONST_EXPR:
            expression = known.const_expr(known.value_index[number])
            found = self.expression(self, state, frame, expression)
        if found is None:
            found = literal(self, number)
        self._constants[number] = found
        return found

    def _unset(self, frame: Frame, width: int) -> Term:
        """What one function reads of variables that it never set is one value: which variable it was
        is not known."""
        return self.terms.var(f"unset:{frame.number}:{width}", width)

    def cut_off(self, state: State, value: Term) -> Term:
        """An unknown in place of what is too large: to compute on with it would cost more each step."""
        widest = self.config.widest_term
        large = value.depth > self.config.deepest_term or len(value.atoms) > widest
        if not large and (value.op != "sum" or len(value.args[1]) <= widest):
            return value
        self.left_out.add("size of a computation")
        return self.terms.var(f"deep:{state.steps}", value.width)

    def unknown(self, name: str, width: int, is_pointer: bool) -> Term:
        """An unknown of the outer world."""
        made = self.terms.var(name, width)
        if is_pointer:
            self.pointers.add(made.number)
        return made

    # Objects -------------------------------------------------------------------------------------

    def object(self, state: State, ident: int) -> Object:
        """An object by its number; globals and functions are made when they are first met."""
        found = state.objects.get(ident)
        if found is not None:
            return found
        if 0 < ident <= self.knowledge.globals:
            return make_global(self, state, ident)
        if self.knowledge.function_at(ident) >= 0:
            made = state.objects[ident] = Object(ident, _CODE, "code", state.token)
            return made
        raise Ended(End.BROKEN, "no object lies there")

    def outside(self, state: State, obj: Object, name: str) -> None:
        """A global variable of code that is not given: its contents are unknown."""

    def call_back(self, state: State, instr: Instr, func: int, arguments: list[Value]) -> Value:
        """A function of the library calls one of the program; in concrete runs only."""
        raise Cut("functions that are called back")

    def new_object(self, state: State, kind: Kind, name: str, size: Value, by: int) -> Object:
        if len(state.objects) > self.config.most_objects:
            raise Cut("objects")
        made = state.make(kind, name)
        made.size, made.by = size, by
        made.ground = Ground.ZERO if self.concrete else Ground.UNSET
        made.name = f"{name}#{made.id}"
        return made

    def next_address(self, state: State) -> int:
        """Where the next new object will lie."""
        return base_address(state.next_object)

    def new_block(self, state: State, instr: Instr, size: Value, family: str) -> Object:
        """A block of the heap; nobody gets more than there are addresses."""
        require(self, state, self.terms.ult(64, size, _LARGEST) if size != -1 else 1)
        require_room(self, state, size)
        made = self.new_object(state, Kind.HEAP, "block", size, instr.id)
        made.family = family
        state.note(EventKind.ALLOCATED, instr.id, made.id)
        return made

    def forget(
        self,
        state: State,
        ident: int,
        name: str,
        start: int = 0,
        pointers: bool = False,
        end: int = -1,
        is_whole: bool = False,
    ) -> None:
        """Somebody may have written to an object, or a stretch of it: data, or `pointers` as well."""
        forget(self, state, ident, name, start, pointers, end, is_whole)

    def stretch(self, state: State, frame: Frame, operand: int) -> tuple[int, int] | None:
        """The addresses of the member into which a pointer leads; the second is -1 if its end is not
        known."""
        extent = self.knowledge.extents.of(operand)
        if extent is None:
            return None
        base = self.settled(state, self.value(state, frame, extent.base))
        if not isinstance(base, int):
            return None
        start = base + extent.start
        return start, start + extent.size if extent.size >= 0 else -1

    def release(self, state: State, obj: Object, instr: int) -> None:
        """The end of a block."""
        if obj.freed >= 0:
            self.misuse(state, obj, again=True)
        state.own(obj.id).freed = instr
        if obj.id in state.tracked:
            state.tracked = state.tracked - {obj.id}
            state.note(EventKind.FREED, instr, obj.id)
        self.watch.released(self, state, obj, instr)

    def misuse(self, state: State, obj: Object, again: bool = False) -> None:
        """A block is used, or released again, that was released: the end of a path, unless those are
        looked at that go beyond."""
        self.watch.misused(self, state, obj, again)
        if again or not self.goes_beyond:
            raise Ended(End.BROKEN)
