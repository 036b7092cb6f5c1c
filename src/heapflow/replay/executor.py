"""The executor: values, decisions, addresses, loads and stores of one execution.

In:    Knowledge, bounds, what a candidate asks for (`Task`).     Out: states that were stepped.
An instruction that cannot go on without a choice raises `Choice` before it has changed anything; the
search forks the state, adds one alternative to each fork, and the same instruction is executed again.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Final

from heapflow.ir.kinds import ValueKind
from heapflow.replay.config import ReplayConfig
from heapflow.replay.contents import (
    apart,
    clear_of,
    element,
    forget,
    has_pointers,
    inside,
    within,
)
from heapflow.replay.contents import is_address as is_address
from heapflow.replay.control import Alternative as Alternative
from heapflow.replay.control import Choice as Choice
from heapflow.replay.control import Cut as Cut
from heapflow.replay.control import Ended as Ended
from heapflow.replay.descriptors import descriptors_in
from heapflow.replay.evaluate import Model, evaluate
from heapflow.replay.farfetched import strain
from heapflow.replay.initial import literal, make_global
from heapflow.replay.instr import Instr
from heapflow.replay.knowledge import Knowledge
from heapflow.replay.lengths import tie
from heapflow.replay.memory import (
    Accessor,
    Ground,
    Kind,
    Object,
    addresses_in,
    base_address,
)
from heapflow.replay.solver import GaveUp, Solver
from heapflow.replay.state import End, EventKind, Frame, State, Stop, Taken
from heapflow.replay.term import Term, Value
from heapflow.replay.watch import Watch as Watch

_LARGEST = 1 << 40  # bytes of a block
_CODE: Final = Kind.CODE
_WORLD: Final = Kind.WORLD
_tuple: Final = tuple.__new__  # see `state`
BLURRED = "smeared"  # what a write to an index that is not known leaves is named so

Expression = Callable[["Executor", State, Frame, Instr], Value]


def _excluded(state: State, value: Term) -> int:
    """How many values of a term were given up before."""
    negated = (one.args[0] for one in state.conditions.related(value.atoms) if one.op == "not")
    return sum(one.op == "eq" and value in one.args for one in negated)


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

    # Decisions -----------------------------------------------------------------------------------

    def decide(self, state: State, condition: Value) -> bool:
        """Whether a condition holds; a choice if both can be."""
        condition = self.settled(state, condition)
        if isinstance(condition, int):
            return bool(condition)
        known = state.known.get(condition.number)
        if known is not None:
            return bool(known)
        before = self.given_up
        alternatives = self._both(state, condition)
        if len(alternatives) == 1:
            holds = alternatives[0].condition is condition
            if self.given_up > before:  # it need not be so, but is from now on
                self.learn(state, alternatives[0].condition)
            state.known[condition.number] = int(holds)
            return holds
        if not alternatives:
            raise Ended(End.BROKEN)
        raise Choice(alternatives)

    def _both(self, state: State, condition: Term) -> list[Alternative]:
        """A condition and its negation, as far as they can be: one of them holds in the model."""
        other = self.terms.negate(condition)
        if isinstance(other, int) or condition.depth > self.config.deepest_term:
            return self.alternatives(state, [condition, other])
        model = state.current_model
        holds = evaluate(condition, model) == 1
        found = [_tuple(Alternative, (condition if holds else other, model, False, False))]
        try:
            against = self.extend(state, other if holds else condition, fails=True)
        except Cut as cut:
            self.cuts.add(cut.bound)
            self.given_up += 1
            return found
        if against is not None:
            one = other if holds else condition
            found.append(_tuple(Alternative, (one, against, False, False)))
        return found if holds else found[::-1]

    def alternatives(self, state: State, conditions: list[Value]) -> list[Alternative]:
        """Those that can be, with models."""
        found = []
        for condition in conditions:
            condition = self.settled(state, condition)
            if isinstance(condition, int):
                if condition:
                    raise AssertionError("a choice that is none")
                continue
            try:
                model = self.extend(state, condition)
            except Cut as cut:
                self.cuts.add(cut.bound)
                self.given_up += 1
                continue
            if model is not None:
                found.append(Alternative(condition, model))
        return found

    def extend(self, state: State, condition: Term, fails: bool = False) -> Model | None:
        """A model in which a condition holds, too; `fails`: it does not in the one at hand."""
        if condition.depth > self.config.deepest_term:
            raise Cut("depth of a computation")
        stats = self.solver.stats
        solved, checks = stats.solved, stats.checks
        try:
            return self.solver.extend(state.conditions, state.current_model, condition, fails)
        except GaveUp:
            raise Cut("solver") from None
        finally:
            if stats.solved > solved:
                self.steps += (stats.solved - solved) * self.config.steps_per_question
                self.steps += (stats.checks - checks) // max(self.config.checks_per_step, 1)

    def assume(self, state: State, alternative: Alternative, stop: Stop | None = None) -> None:
        """Go on with one of the alternatives of a stop."""
        self.learn(state, alternative.condition)
        state.current_model = alternative.model
        state.chosen += 1
        state.strain += strain(self, state, alternative.condition)
        state.taken = _tuple(Taken, (alternative.condition.number, state.taken, stop))
        state.last_choice = state.steps

    def learn(self, state: State, condition: Term) -> None:
        """A condition holds from now on, and with it what follows at once."""
        state.conditions.append(condition)
        stack = [(condition, 1)]
        while stack:
            term, holds = stack.pop()
            state.known[term.number] = holds
            if term.op == "not":
                stack.append((term.args[0], 1 - holds))
            elif term.op == ("and" if holds else "or") and term.width == 1:
                stack += [(part, holds) for part in term.args if isinstance(part, Term)]
            elif term.op == "eq" and holds:
                unknown, value = term.args
                if isinstance(unknown, Term) and unknown.op == "var" and isinstance(value, int):
                    state.bound[unknown.number] = int(value)

    def require(self, state: State, condition: Value) -> None:
        """Something that must hold for the execution to go on without undefined behaviour."""
        condition = self.settled(state, condition)
        if isinstance(condition, int):
            if not condition:
                raise Ended(End.BROKEN)
            return
        if state.known.get(condition.number) == 1:
            return
        model = self.extend(state, condition)
        if model is None:
            raise Ended(End.BROKEN)
        self.learn(state, condition)
        state.current_model = model

    # Objects and addresses -----------------------------------------------------------------------

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

    def resolve(self, state: State, address: Value) -> tuple[Object, Value]:
        """The object that an address lies in, and the offset there."""
        for _ in range(20):
            address = self.settled(state, address)
            if isinstance(address, int):
                ident = address >> 32
                if ident == 0:
                    raise Ended(End.BROKEN)
                obj = self.object(state, ident)
                return obj, address - obj.base
            if address.op == "ite":
                chosen = self.decide(state, address.args[0])
                address = address.args[1] if chosen else address.args[2]
                continue
            if address.op == "sum":
                constant: int = address.args[0]
                if constant >> 32 and constant < 1 << 62:
                    obj = self.object(state, constant >> 32)
                    return obj, self.terms.sub(64, address, obj.base)
            unknown = self._pointer_in(address)
            if unknown is None:
                self.settle(state, address)
            else:
                self.bind(state, unknown)
        raise Cut("unknown address")

    def _pointer_in(self, address: Term) -> Term | None:
        """The unknown that an address starts from."""
        if address.op == "var":
            return address if address.width == 64 else None
        if address.op != "sum":
            return None
        parts = [term for term, factor in address.args[1] if factor == 1]
        plain = [term for term in parts if term.op == "var" and term.width == 64]
        found: Term | None = plain[0] if len(plain) == 1 else None
        for term in plain:
            if term.number in self.pointers:
                found = term
                break
        return found

    def bind(self, state: State, unknown: Term) -> None:
        """An unknown pointer leads to an object of its own."""
        if len(state.objects) > self.config.most_objects:
            raise Cut("objects")
        made = state.make(_WORLD, f"*{unknown.args[0]}")
        same = self.terms.eq(64, unknown, made.base)
        assert isinstance(same, Term)
        model = self.extend(state, same)
        if model is None:
            del state.objects[made.id]
            self.settle(state, unknown)
            return
        self.learn(state, same)
        state.current_model = model

    def settle(self, state: State, value: Value) -> int:
        """One value of a term; other values are tried when nothing else is left."""
        value = self.settled(state, value)
        if isinstance(value, int):
            return value
        number = evaluate(value, state.current_model)
        same = self.terms.eq(value.width, value, number)
        if isinstance(same, int) or state.known.get(same.number) == 1:
            return number
        other = self.terms.negate(same)
        assert isinstance(other, Term)
        try:
            model = self.extend(state, other)
        except Cut as cut:
            # Whether there are others was not found out. This one is possible.
            self.cuts.add(cut.bound)
            model = None
        if model is None:
            self.learn(state, same)
            return number
        first = Alternative(same, state.current_model)
        if _excluded(state, value) >= self.config.most_values:
            self.cuts.add("values of an index")
            raise Choice([first])
        raise Choice([first, Alternative(other, model, later=True)])

    # Memory --------------------------------------------------------------------------------------

    def place(self, state: State, address: Value, size: int) -> tuple[Object, int]:
        """Where an access of `size` bytes goes: an object that lives, and a known offset."""
        obj, offset = self.resolve(state, address)
        if obj.freed >= 0:
            self.misuse(state, obj)
            raise Ended(End.BROKEN)
        if isinstance(offset, int):
            within(self, state, obj, offset, size)
            return obj, offset
        inside(self, state, obj, offset, size)
        return obj, self._signed(self.settle(state, offset))

    def _signed(self, offset: int) -> int:
        return offset - (1 << 64) if offset >> 63 else offset

    def load(self, state: State, address: Value, width: int, is_pointer: bool) -> Value:
        """Read a scalar."""
        size = (width + 7) // 8
        obj, offset = self.resolve(state, address)
        if obj.freed >= 0:
            self.misuse(state, obj)
            return self.unknown(f"stale:{state.steps}", width, is_pointer)
        if obj.kind is _CODE:
            raise Ended(End.BROKEN)
        if isinstance(offset, Term):
            inside(self, state, obj, offset, size)
            offset = self.settled(state, offset)
        if isinstance(offset, Term):
            if not (is_pointer or self.picks or has_pointers(self, state, obj)):
                return element(self, state, obj, offset, width)
            obj, offset = self.place(state, address, size)
        else:
            within(self, state, obj, offset, size)
        if obj.owner != state.token:
            cell = obj.cells.get(offset)
            if cell is None or cell[0] != size:
                obj = state.own(obj.id)
        value = self.memory.read(obj, offset, size)
        if width == 8 and obj.lengths:
            tie(self, state, obj, offset, value)
        if width != size * 8:
            value = self.terms.extract(width, value, 0)
        if is_pointer and isinstance(value, Term) and value.op == "var":
            self.pointers.add(value.number)
        return self.settled(state, value)

    def smear(self, state: State, ident: int, name: str) -> None:
        """Data was written somewhere in an object."""
        self.forget(state, ident, f"smear:{name}")

    def store(self, state: State, address: Value, width: int, value: Value) -> None:
        """Write a scalar. Data that goes to an index that is not known makes all data there unknown."""
        size = (width + 7) // 8
        obj, where = self.resolve(state, address)
        if obj.freed >= 0 and self.goes_beyond:
            return
        leads: set[int] = set()
        addresses_in(value, leads)
        if isinstance(where, Term):
            leads |= descriptors_in(state, [value])
        if isinstance(where, Term) and not (leads or self.picks) and obj.freed < 0:
            inside(self, state, obj, where, size)
            self.smear(state, obj.id, f"{BLURRED}{state.steps}")
            self.watch.smeared(self, state, obj, size)
            return
        if isinstance(where, Term) and state.tracked and leads:
            apart(self, state, obj, where)
            clear_of(self, state, obj, where, size)
        obj, offset = self.place(state, address, size)
        if obj.kind is _CODE:
            raise Ended(End.BROKEN)
        if width != size * 8:
            value = self.terms.zext(size * 8, value, width)
        if isinstance(value, Term):
            value = self.cut_off(state, value)
        if obj.kind is _WORLD and offset not in obj.cells:
            self.watch.overwriting(self, state, obj, size)
        self.memory.write(state.own(obj.id), offset, size, value)

    # Blocks --------------------------------------------------------------------------------------

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
        self.require(state, self.terms.ult(64, size, _LARGEST) if size != -1 else 1)
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
