"""Places that a call certainly writes, and when.

    static void reset(char **p) { *p = NULL; }        reset(&name);  replaces what `name` holds

An address is an SSA value and a constant distance from it. A function writes `(parameter, distance)`
under the reach conditions of its stores there, and of its calls that pass the parameter on. At a call
these become addresses of the caller. Library functions do the same where their model hands out a block
through an argument.
"""

from __future__ import annotations

from typing import Final

from heapflow.flow.effects import effect_guard
from heapflow.flow.lists import GraphLists
from heapflow.flow.replaced import Address, address_of
from heapflow.guards.guards import FunctionGuards, GuardBook
from heapflow.ir.codes import OP_STORE, VALUE_INSTR, VALUE_PARAM
from heapflow.ir.ids import (
    NO_FUNC,
    NO_VALUE,
    BlockId,
    FuncId,
    InstrId,
    LocationSetId,
    NodeId,
    ValueId,
)
from heapflow.logic.address import is_variable, moved
from heapflow.logic.compare import constant_of
from heapflow.logic.space import Guard
from heapflow.logic.term import Term
from heapflow.models.model import AccessPath, Arg, Effect, Offset

_WORD: Final = 8  # bytes of a pointer

Writes = dict[Address, Guard]
PlacesOf = dict[
    LocationSetId, set[Address]
]  # location set -> addresses through which the object was stored
UNKNOWN: Final[Address] = (NO_VALUE, 0)


class Overwrites:
    """What functions and calls certainly write; computed on demand."""

    def __init__(self, lists: GraphLists, book: GuardBook) -> None:
        self.book, self.context, self.space = book, book.context, book.space
        self._of_func: dict[FuncId, Writes] = {}
        self._at_call: dict[InstrId, Writes] = {}
        self._modelled: dict[InstrId, list[tuple[int, Effect]]] = {}
        self._filled: dict[FuncId, frozenset[Term]] = {}
        sources = lists.svfg.sources
        for row in range(len(sources)):
            if not lists.is_value(NodeId(int(sources.node[row]))):
                effect = lists.svfg.effects[int(sources.effect[row])]
                self._modelled.setdefault(InstrId(int(sources.instr[row])), []).append(
                    (row, effect)
                )

    def address(self, pointer: ValueId) -> Address:
        return address_of(self.book, pointer)

    def at_call(self, site: InstrId, address: Address) -> Guard:
        """The condition under which a call replaces what is at an address."""
        known = self._at_call.get(site)
        if known is None and not any(base == address[0] for base in self._passed(site)):
            return self.space.false  # the usual case, told without looking into the callee
        if known is None:
            guards = self.book.guards_of_block(self.context.code.instr_block[site])
            known = self._at_call[site] = self._written_by_call(guards, site)
        return known.get(address, self.space.false)

    def in_caller(self, site: InstrId, address: Address) -> Address | None:
        """A callee's address in terms of its caller."""
        value, distance = address
        if self.context.code.value_kind[value] != VALUE_PARAM:
            return None
        param = self.context.code.value_index[value]
        position = param - self.context.code.param_start[self.context.code.param_func[param]] + 1
        operands = self.context.code.operands(site)
        if self.context.code.direct_callee(site) != self.context.code.param_func[param]:
            return None
        if position >= len(operands):
            return None
        base, more = self.address(operands[position])
        return base, distance + more

    def places_in_caller(
        self, held: LocationSetId, site: InstrId, places: PlacesOf
    ) -> set[Address]:
        """The addresses behind a location set, after a call whose callee filled it."""
        found: set[Address] = set()
        for address in places.get(held, {UNKNOWN}):
            here = UNKNOWN if address == UNKNOWN else self.in_caller(site, address)
            found.add(here or UNKNOWN)
        return found

    def filled_variables(self, func: FuncId) -> frozenset[Term]:
        """Variables of a function that external functions write to, called by it or for it."""
        known = self._filled.get(func)
        if known is None:
            calls = [
                event for found in self.context.writes.events(func).values() for event in found
            ]
            places = (place for event in calls for place in (*event.written, *event.filled))
            known = self._filled[func] = frozenset(root for root, _ in places if is_variable(root))
        return known

    def filled_by_model(self, site: InstrId) -> set[Address]:
        """Where a library function puts what it allocates."""
        targets = (self._target(site, effect) for _, effect in self._modelled.get(site, ()))
        return {target or UNKNOWN for target in targets}

    def _passed(self, site: int) -> list[int]:
        """The values from which the addresses that a call gets are computed."""
        code = self.context.code
        operands = code.operands(site)[1:]
        return [self.address(value)[0] for value in operands if code.is_pointer(value)]

    def _written_by_call(self, guards: FunctionGuards, site: InstrId) -> Writes:
        found: Writes = {}
        callee = self.context.code.direct_callee(site)
        if callee >= 0:
            for address, guard in self._written(callee).items():
                here = self.in_caller(site, address)
                if here is not None:
                    found[here] = self.book.instantiate(guard, site, callee)
        for _, effect in self._modelled.get(site, ()):
            place = self._target(site, effect)
            if place is not None:
                guard = effect_guard(guards, site, effect)
                found[place] = found[place] | guard if place in found else guard
        return found

    def _target(self, site: InstrId, effect: Effect) -> Address | None:
        match getattr(effect, "target", None):
            case AccessPath(root=Arg(index=index), steps=(Offset(bytes=distance),)):
                operands = self.context.code.operands(site)
                if index < len(operands):
                    base, more = self.address(operands[index])
                    return base, distance + more
        return None

    def _written(self, func: FuncId) -> Writes:
        """Callees first; in a recursion, nothing is certain."""
        known = self._of_func.get(func)
        if known is not None:
            return known
        self._of_func[func] = {}
        waiting = [func]
        while waiting:
            callee = self._not_known(waiting[-1])
            if callee >= 0:
                self._of_func[callee] = {}
                waiting.append(callee)
            else:
                self._of_func[waiting[-1]] = self._find_written(waiting[-1])
                waiting.pop()
        return self._of_func[func]

    def _not_known(self, func: FuncId) -> FuncId:
        """A callee that is passed a parameter and comes first, or -1."""
        context = self.context
        for block in self.book.guards(func).cfg.order:
            for instr in context.returning.calls(block):
                callee = context.code.direct_callee(instr)
                if callee >= 0 and callee not in self._of_func and self._passes_param(instr):
                    return callee
        return NO_FUNC

    def _passes_param(self, call: int) -> bool:
        return any(self.context.code.value_kind[base] == VALUE_PARAM for base in self._passed(call))

    def _find_written(self, func: FuncId) -> Writes:
        found: Writes = {}
        guards, most = self.book.guards(func), self.context.limits.most_written_nodes
        too_large: set[Address] = set()  # dropped at once: joining more only costs
        for block in guards.cfg.order:
            reach = guards.reach.get(block, self.space.false)
            for address, guard in self._written_in(guards, block):
                if self.context.code.value_kind[address[0]] != VALUE_PARAM or address in too_large:
                    continue
                here = found.get(address, self.space.false) | (reach & guard)
                if self.space.size(here) > 4 * most:
                    self.context.limits_hit["condition of a write too large"] += 1
                    too_large.add(address)
                else:
                    found[address] = here
        for address, guard in found.items():
            if address not in too_large and self.space.size(guard) > most:
                self.context.limits_hit["condition of a write too large"] += 1
                too_large.add(address)
        return {address: guard for address, guard in found.items() if address not in too_large}

    def _written_in(self, guards: FunctionGuards, block: BlockId) -> list[tuple[Address, Guard]]:
        code = self.context.code
        found: list[tuple[Address, Guard]] = []
        for instr in code.instrs_in(block):
            if code.op[instr] == OP_STORE:
                address = self.address(code.operands(instr)[0])
                found.append((address, self.space.true))
            elif code.op[instr] in code.call_ops and self._passes_param(instr):
                found += self._written_by_call(guards, instr).items()
        return found


class Places:
    """Where one object lies in memory, as addresses, as far as one run knows.

    `known` gives the addresses that it was stored through by location set: what a set with a single
    address holds is gone when that address is written again. Inside a loop an SSA value means another
    address in each turn: such addresses are not compared, unless the run stays in one turn.
    """

    def __init__(
        self,
        overwrites: Overwrites,
        lists: GraphLists,
        guards: FunctionGuards,
        known: PlacesOf | None = None,
    ) -> None:
        self.overwrites, self.lists, self.guards = overwrites, lists, guards
        self.known: PlacesOf = {held: set(found) for held, found in (known or {}).items()}
        self.changing: set[BlockId] | None = (
            None  # blocks whose values change; None: those of loops
        )

    def add(self, held: LocationSetId, address: Address) -> None:
        self.known.setdefault(held, set()).add(address)

    def stored(self, node: NodeId, is_exact: bool) -> None:
        """The object is put into memory at a node: by a store, or in a way that tells no address."""
        address = UNKNOWN
        if is_exact:
            pointer = self.guards.context.code.operands(self.lists.instr[node])[0]
            address = self.overwrites.address(pointer)
        self.add(self.lists.locations[node], address)

    def stored_at(self, held: LocationSetId) -> Address | None:
        """The one address at which the object was stored into a location set."""
        addresses = self.known.get(held, ())
        if len(addresses) != 1:
            return None
        (address,) = addresses
        return None if address == UNKNOWN else address

    def same(self, held: LocationSetId, other: LocationSetId) -> None:
        """A location set is a part of another one, in which the object lies."""
        if held != other:
            for address in self.known.get(other, {UNKNOWN}):
                self.add(held, address)

    def handed_over(self, held: LocationSetId, site: InstrId, places: PlacesOf) -> None:
        """A callee put the object into memory, at these places of its own."""
        for address in self.overwrites.places_in_caller(held, site, places):
            self.add(held, address)

    def replaced_by_store(self, held: LocationSetId, node: NodeId) -> bool:
        """Whether a store replaces the object where it lies."""
        address = self._only(held)
        instr = self.lists.instr[node]
        if address is None or instr < 0 or self.guards.context.code.op[instr] != OP_STORE:
            return False
        return self.overwrites.address(self.guards.context.code.operands(instr)[0]) == address

    def replaced_by_call(self, held: LocationSetId, site: InstrId) -> Guard:
        """The condition under which a call replaces the object where it lies."""
        address = self._only(held)
        if address is None or site < 0:
            return self.guards.context.space.false
        return self.overwrites.at_call(site, address)

    def cleared(self, held: LocationSetId, instr: InstrId) -> bool:
        """Whether a number is known to be where the object lay, just before an instruction.

        `memset` of a whole struct, here or in a callee, is no store that the graph shows. This is
        asked of variables to which no pointer is kept anywhere: through such a one, anybody writes.
        """
        address, lists, func = self._only(held), self.lists, self.guards.func
        if address is None or instr < 0:
            return False
        objects = lists.objects_at(held)
        if lists.kept & objects or any(lists.stack_owner.get(o, -1) != func for o in objects):
            return False
        base = self.guards.term(address[0])
        if base not in self.overwrites.filled_variables(func):
            return False
        place = moved(base, address[1])
        found = self.guards.memory.read(place, _WORD, instr)
        return all(constant_of(term) is not None for _, term in found)

    def _only(self, held: LocationSetId) -> Address | None:
        address = self.stored_at(held)
        return None if address is None or self.changes(address[0]) else address

    def changes(self, value: ValueId) -> bool:
        """Whether a value may differ from one turn to the next."""
        code = self.guards.context.code
        if code.value_kind[value] != VALUE_INSTR:
            return False
        block = code.instr_block[code.value_index[value]]
        if self.changing is not None:
            return block in self.changing
        return bool(self.guards.cfg.loops_of.get(block))
