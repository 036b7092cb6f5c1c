"""One function read for what it does with fields.

In:    a function, the effects of its callees.     Out: its `Effects`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TypeVar

from heapflow.ir.ids import ValueId
from heapflow.ir.kinds import FuncFlag, Op, TypeKind, ValueKind
from heapflow.models.model import (
    AccessPath,
    Arg,
    Free,
    Keep,
    Realloc,
    Take,
    Unref,
)
from heapflow.ownership.atcalls import TO_CALLERS, AtCalls
from heapflow.ownership.effects import Done, Effects, Place
from heapflow.ownership.loops import Loops
from heapflow.ownership.places import (
    CELL,
    FRESH,
    SOMETHING,
    Field,
    Origin,
    OriginKind,
    RootKind,
    in_order,
)
from heapflow.ownership.program import Whole

_Key = TypeVar("_Key", bound=Hashable)
_CALLS = frozenset((int(Op.CALL), int(Op.INVOKE), int(Op.CALL_BR)))
_INTRINSIC = int(FuncFlag.INTRINSIC)
# Plain numbers: looking up a member of an enumeration costs more than what is done with it.
_ALLOCA = int(Op.ALLOCA)
_GEP = int(Op.GEP)
_LOAD = int(Op.LOAD)
_RET = int(Op.RET)
_STORE = int(Op.STORE)
_POINTER = int(TypeKind.POINTER)
_STRUCT = int(TypeKind.STRUCT)
_INSTR = int(ValueKind.INSTR)
_PARAM = int(ValueKind.PARAM)


class Reader:
    """Reads one function; callees were read before."""

    def __init__(self, whole: Whole, func: int) -> None:
        self.whole, self.tables, self.config = whole, whole.tables, whole.config
        self.func = func
        self.effects = Effects()
        self.at_calls = AtCalls(whole, func)
        self.pointers = self.at_calls.pointers
        self.row = -1  # that is being read
        self._loops: Loops | None = None
        self._copies: list[tuple[int, int, int]] = []  # targets and sources of memcpy

    def read(self) -> Effects:
        rows = self.tables.program.instr_range(self.func)
        op = self.tables.op
        calls = [row for row in rows if op[row] in _CALLS]
        self._fill_locals(rows, calls)
        for row in rows:
            self._read(row, op[row])
        for row in calls:
            self._call(row)
        for row, target, source in self._copies:
            self.row = row
            self._copy(target, source)
        self._forget_released_in_turn()
        self.effects.stores = {
            place: chains
            for place, chains in self.effects.stores.items()
            if place[1].kind in TO_CALLERS
        }
        return self.effects

    def _read(self, row: int, op: int) -> None:
        """One of its own instructions that is no call."""
        tables, effects = self.tables, self.effects
        if op == _LOAD:
            if self._is_pointer(tables.type[row]):
                self._load(row)
            else:
                self._add(effects.reads, self._lasting(tables.operands(row)[0]))
        elif op == _STORE:
            if self._is_pointer(tables.aux_type[row]):
                self._store(row)
            else:
                self._add(effects.sets, self._lasting(tables.operands(row)[0]))
        elif op == _GEP:
            self._shape(row)
        elif op == _RET:
            for value in tables.operands(row):
                self._add(effects.returned, self.pointers.origins(value))

    def _is_pointer(self, type_id: int) -> bool:
        return self.tables.layouts.kind[type_id] == _POINTER

    def _fill_locals(self, rows: range, calls: list[int]) -> None:
        """What is stored in variables that have an address."""
        tables, pointers = self.tables, self.pointers
        for row in rows:
            if tables.op[row] == _STORE:
                target, value = tables.operands(row)
                place = tables.value_index[target]
                if tables.value_kind[target] == _INSTR and tables.op[place] == _ALLOCA:
                    pointers.contents.setdefault(place, []).append(value)
        for row in calls:
            for position, chain in self.at_calls.fills(row):
                arguments = tables.operands(row)[1:]
                if position < len(arguments):
                    target = arguments[position]
                    place = tables.value_index[target]
                    is_local = tables.value_kind[target] == _INSTR
                    if is_local and tables.op[place] == _ALLOCA:
                        made = Origin(OriginKind.FRESH, FRESH, chain=chain)
                        pointers.filled.setdefault(place, set()).add(made)

    # Its own instructions ------------------------------------------------------------------------

    def _lasting(self, address: int) -> list[Place]:
        """Places that a caller has, too."""
        return [one for one in self.pointers.places(address) if one[1].kind in TO_CALLERS]

    def _load(self, row: int) -> None:
        self.row = row
        places = self._lasting(self.tables.operands(row)[0])
        self._note(self.effects.loads, places, 0)
        for place in places:
            self._at(Done.LOAD, place)

    def _store(self, row: int) -> None:
        self.row = row
        target, value = self.tables.operands(row)
        origins = self.pointers.origins(value)
        if origins and self.pointers.base(value) == self.pointers.base(target):
            origins = frozenset((SOMETHING,))  # a struct that leads into itself owns nothing by it
        for place in self.pointers.places(target):
            self._put(place, origins)
            fresh = [one.chain for one in origins if one.kind is OriginKind.FRESH]
            self._note_loop(row, place[0], target, fresh)
            if self.pointers.has_index(target):
                self._add(self.effects.indexed, [(place[0], chain) for chain in fresh])
            if not origins:
                self._add(self.effects.resets, [place])

    def _note_loop(
        self, row: int, field: Field, target: int, chains: Iterable[tuple[int, ...]]
    ) -> None:
        """A store that comes again and again to the same struct."""
        chains = [chain for chain in chains if chain]
        if not chains or field.owner == CELL:
            return
        if self._loops is None:
            self._loops = Loops(self.tables, self.config, self.func)
        loop = self._loops.around(row)
        if loop >= 0 and self._loops.stays(target, loop):
            for chain in chains:
                if self._loops.around(chain[-1]) == loop:
                    self.effects.looped.add((field, chain))

    def _put(self, place: Place, origins: frozenset[Origin], depth: int = 0) -> None:
        if place[1].kind is RootKind.OTHER:
            self._hand(origins)
            return
        self._at(Done.STORE, place)
        self._note(self.effects.depth, [place], depth)
        chains = self.effects.stores.setdefault(place, set())
        if not origins:
            chains.add(())
        for one in in_order(origins):
            if one.kind is OriginKind.FRESH:
                self._add(chains, [one.chain])
                continue
            chains.add(())
            if one.kind is OriginKind.LOADED and one.field is not None:
                if one.field != place[0]:
                    self._add(self.effects.hands, [one.field])
            elif one.root.kind is RootKind.PARAM and one.kind is OriginKind.ADDRESS:
                self._add(self.effects.keeps, [(*place, one.root.number)])

    def _forget_released_in_turn(self) -> None:
        """Stores into a field that the same loop also releases are in order, for all we see."""
        loops = self._loops
        if loops is None:
            return
        released = {
            (what[0], loops.around(row))
            for (done, what), rows in self.effects.rows.items()
            if done is Done.RELEASE and isinstance(what, tuple)
            for row in rows
        }
        looped = self.effects.looped
        self.effects.looped = {
            (place, chain)
            for place, chain in looped
            if (place, loops.around(chain[-1])) not in released
        }

    def _at(self, done: Done, what: object) -> None:
        self.effects.rows.setdefault((done, what), set()).add(self.row)

    def _hand(self, origins: Iterable[Origin]) -> None:
        fields = [one.field for one in origins if one.field is not None]
        self._add(self.effects.hands, fields)

    def _shape(self, row: int) -> None:
        """A parameter that is taken for the address of a struct."""
        struct = self.tables.aux_type[row]
        if self.tables.layouts.kind[struct] != _STRUCT:
            return
        base = self.tables.operands(row)[0]
        if self.tables.value_kind[base] == _PARAM:
            position = self.tables.param_position[self.tables.value_index[base]]
            self.effects.shapes.setdefault(position, set()).add(struct)

    def _copy(self, target: int, source: int) -> None:
        """A struct is copied from a variable: what was stored there is stored here."""
        roots = {one.root for one in self.pointers.origins(source)}
        goals = {root for _, root in self._lasting(target)}
        for (place, root), chains in list(self.effects.stores.items()):
            if root in roots and place.owner != CELL:
                for goal in goals:
                    self._at(Done.STORE, (place, goal))
                    self._add(self.effects.stores.setdefault((place, goal), set()), chains)

    # Calls ---------------------------------------------------------------------------------------

    def _call(self, row: int) -> None:
        self.row = row
        arguments = self.tables.operands(row)[1:]
        targets = self.whole.targets(row)
        if not targets:
            self._give_away(arguments, -1)
        for func in targets:
            known = self.whole.effects.get(func)
            if known is not None:
                self._inherit(row, known, arguments)
            elif self.tables.func_flags[func] & _INTRINSIC:
                self._intrinsic(func, arguments)
            elif not self.tables.has_body(func):
                self._external(row, func, arguments)

    def _intrinsic(self, func: int, arguments: list[ValueId]) -> None:
        name = self.tables.program.func_name(func)
        if name.startswith("llvm.memset"):
            roots = [root for place, root in self._lasting(arguments[0])]
            self._note(self.effects.clears, roots, 0)
            for root in roots:
                self._at(Done.CLEAR, root)
        elif name.startswith(("llvm.memcpy", "llvm.memmove")):
            self._copies.append((self.row, arguments[0], arguments[1]))

    def _external(self, row: int, func: int, arguments: list[ValueId]) -> None:
        if self.whole.model(func) is None:
            self._give_away(arguments, func)
            return
        for position, chain in self.at_calls.fills(row):
            if position < len(arguments):
                made = frozenset((Origin(OriginKind.FRESH, FRESH, chain=chain),))
                for place in self.pointers.places(arguments[position]):
                    self._put(place, made)
        for effect in self.whole.model_effects(func):
            match effect:
                case Free(AccessPath(Arg(index), ()), family) if self.at_calls.is_memory(family):
                    self._release(arguments[index - 1 : index], 0)
                case Realloc(AccessPath(Arg(index), ())):
                    self._release(arguments[index - 1 : index], 0)
                case (
                    Take(AccessPath(Arg(index)))
                    | Keep(AccessPath(Arg(index)))
                    | Unref(AccessPath(Arg(index)))
                ):
                    self._give_away(arguments[index - 1 : index], -1)
                case _:
                    pass

    def _release(self, arguments: list[ValueId], depth: int) -> None:
        for argument in arguments:
            for one in self.pointers.origins(argument):
                if one.kind is OriginKind.LOADED and one.field is not None:
                    self._note(self.effects.releases, [(one.field, one.root)], depth)
                    self._at(Done.RELEASE, (one.field, one.root))
                elif one.kind is OriginKind.ADDRESS and one.root.kind is RootKind.PARAM:
                    self._note(self.effects.frees, [one.root.number], depth)
                    self._at(Done.FREE, one.root.number)

    def _give_away(self, arguments: list[ValueId], func: int) -> None:
        """To code that is not known: it may release or keep what it gets."""
        for position, argument in enumerate(arguments):
            if func < 0 or not self.tables.program.is_const_pointee(func, position):
                self._hand(self.pointers.origins(argument))
                self._add(self.effects.hands, [place for place, _ in self._lasting(argument)])

    def _inherit(self, row: int, known: Effects, arguments: list[ValueId]) -> None:
        mine = self.effects
        self._inherit_stores(row, known, arguments)
        for theirs, ours in ((known.loads, mine.loads), (known.releases, mine.releases)):
            for place, depth in self._near(theirs):
                kept = [
                    one
                    for one in self.at_calls.mapped(place, arguments)
                    if one[1].kind in TO_CALLERS
                ]
                self._note(ours, kept, depth)
                for one in kept:
                    self._at(Done.RELEASE if ours is mine.releases else Done.LOAD, one)
        self._add(mine.hands, [one for one in known.hands if one.owner != CELL])
        for position, depth in self._near(known.frees):
            self._release(arguments[position : position + 1], depth)
        for root, depth in self._near(known.clears):
            self._note(mine.clears, self.at_calls.roots(root, arguments), depth)
            for cleared in self.at_calls.roots(root, arguments):
                self._at(Done.CLEAR, cleared)
        self._inherit_shapes(known, arguments)

    def _near(self, known: dict[_Key, int]) -> Iterable[tuple[_Key, int]]:
        """What a callee does that is near enough, and how far away it is from here."""
        return [(one, at + 1) for one, at in known.items() if at < self.config.deepest_effect]

    def _inherit_stores(self, row: int, known: Effects, arguments: list[ValueId]) -> None:
        for place, depth in self._near(known.depth):
            chains = known.stores.get(place)
            if chains is None:
                continue
            longer = {
                (*one, row) if one else () for one in chains if not one or self.at_calls.fits(one)
            }
            for mapped in self.at_calls.mapped(place, arguments):
                if mapped[1].kind is not RootKind.OTHER and longer:
                    self._add(self.effects.stores.setdefault(mapped, set()), longer)
                    self._note(self.effects.depth, [mapped], depth)
                    self._at(Done.STORE, mapped)
                    self._inherit_kinds(row, known, place, mapped)
                    if place[1].kind is RootKind.PARAM:
                        target = arguments[place[1].number]
                        self._note_loop(row, mapped[0], target, sorted(longer))
        for field, root, position in known.keeps:
            if position < len(arguments):
                origins = self.pointers.origins(arguments[position])
                for mapped in self.at_calls.mapped((field, root), arguments):
                    self._put(mapped, origins, 1)
                    fresh = [one.chain for one in origins if one.kind is OriginKind.FRESH]
                    self._add(self.effects.lent, [(mapped[0], chain) for chain in fresh])

    def _inherit_kinds(self, row: int, known: Effects, place: Place, mapped: Place) -> None:
        """What kind of store it is."""
        root, arguments = place[1], self.tables.operands(row)[1:]
        given = root.kind is RootKind.PARAM and self.pointers.has_index(arguments[root.number])
        for chain in known.stores[place]:
            if self.at_calls.fits(chain) and (given or (place[0], chain) in known.indexed):
                self._add(self.effects.indexed, [(mapped[0], (*chain, row))])
            if self.at_calls.fits(chain) and (place[0], chain) in known.lent:
                self._add(self.effects.lent, [(mapped[0], (*chain, row))])
        if place in known.resets:
            self._add(self.effects.resets, [mapped])

    def _inherit_shapes(self, known: Effects, arguments: list[ValueId]) -> None:
        tables = self.tables
        for position, shapes in known.shapes.items():
            if position < len(arguments):
                argument = arguments[position]
                if tables.value_kind[argument] == _PARAM:
                    mine = tables.param_position[tables.value_index[argument]]
                    self.effects.shapes.setdefault(mine, set()).update(shapes)

    def _note(self, known: dict[_Key, int], more: Iterable[_Key], depth: int) -> None:
        """Within the bound; the nearest counts."""
        for one in more:
            if one in known:
                known[one] = min(known[one], depth)
            elif len(known) < self.config.most_effects:
                known[one] = depth
            else:
                self.pointers.cut_off.add("effects of a function")

    def _add(self, known: set, more: Iterable) -> None:  # type: ignore[type-arg]
        """Within the bound."""
        for one in more:
            if len(known) < self.config.most_effects:
                known.add(one)
            elif one not in known:
                self.pointers.cut_off.add("effects of a function")
