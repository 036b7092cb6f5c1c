"""Who holds an object when its function is done: other objects that live on.

In:    the sources of one function, their flows.     Out: the condition under which a holder lives.
An object in a field of another fresh object lives as long as that one does, which is asked of that
object's verdict; what holds each other lives. Elements of a list or tree are one object to us: an
element that an older one links to is held, one that only links to itself is not.
"""

from __future__ import annotations

from collections import Counter
from typing import Final, Protocol

from heapflow.flow.config import LeakConfig
from heapflow.flow.flow import Flow, GraphLists, Source, State, address_of
from heapflow.guards.guards import GuardBook
from heapflow.ir.codes import OP_PHI
from heapflow.ir.ids import LocationSetId, NodeId, ObjectId, ValueId
from heapflow.leaks.confined import Confined
from heapflow.logic.space import Guard
from heapflow.svfg.graph import NodeKind

_STORE: Final = int(NodeKind.STORE)
_ACTUAL_OUT: Final = int(NodeKind.ACTUAL_OUT)


class Verdicts(Protocol):
    """What is asked about other objects of the function."""

    def replaced(self, store: int) -> Guard:
        """The condition under which what a STORE wrote is overwritten."""

    def survives(self, source: Source, busy: set[Source]) -> Guard:
        """The condition under which an owner lives on; `busy`: whose verdicts are being made."""

    def flow_of(self, source: Source) -> Flow:
        """Where an object goes."""


class Holders:
    """The fresh objects of one function at a time, by what they are."""

    def __init__(
        self,
        lists: GraphLists,
        book: GuardBook,
        config: LeakConfig,
        confined: Confined,
        verdicts: Verdicts,
    ) -> None:
        self.lists, self.book, self.config = lists, book, config
        self.space = book.space
        self.limits_hit: Counter[str] = Counter()
        self.rounded = ""  # a limit because of which somebody seems to hold the object asked for
        self._unsure: set[Source] = set()  # may end here, beyond a limit
        self.by_object: dict[ObjectId, list[Source]] = {}
        self.selves: dict[Source, set[Source]] = {}  # a batch's whole -> its members
        self.confined = confined
        self._ending: dict[Source, bool] = {}
        self.gone: set[ObjectId] = set()  # objects that some function, so far, let out of our hands
        self._verdicts = verdicts

    def begin(self, sources: list[Source]) -> None:
        """Another function, with these sources."""
        self.by_object.clear()
        self.selves.clear()
        self._ending.clear()
        self._unsure.clear()
        for source in sources:
            for obj in source.objects:
                self.by_object.setdefault(obj, []).append(source)

    def owners(self, source: Source, flow: Flow) -> list[Source]:
        """Fresh objects of this function in which the object may lie."""
        found: dict[Source, None] = {}
        for held in sorted(_places(source, flow)):
            for obj in self.lists.objects_at(held):
                for owner in self.by_object.get(obj, ()):
                    if not self._is_itself(owner, source):
                        found[owner] = None
        return sorted(found, key=lambda owner: (owner.site, owner.chain))

    def at_the_end(self, source: Source, flow: Flow, busy: set[Source]) -> Guard:
        """The condition under which somebody holds the object when the function is done."""
        if self._is_in_its_kind(source, flow) and self._ends_here(source):
            return self.space.false
        survives = flow.returned | flow.escaped
        # By place, store and by whom it is held:
        kept: dict[tuple[LocationSetId, NodeId, bool], list[Guard]] = {}
        in_itself: dict[State, bool] = {}
        for state, guard in flow.reached.items():
            node, held = state
            if held >= 0:
                own = self._is_in_itself(source, flow, state, in_itself)
                kept.setdefault((held, self.lists.only_from[node], own), []).append(guard)
        for (held, store, own), conditions in kept.items():
            if self.space.is_true(survives):
                break
            lives = self.owner_lives(source, held, busy, own)
            if not self.space.is_false(lives):
                here = self._round_up(
                    self.space.any_of(conditions) & ~self._verdicts.replaced(store)
                )
                survives = self._joined(survives, here & lives)
        for held, guard in [*source.unread, *flow.unread.items()]:
            survives = self._joined(survives, guard & self.owner_lives(source, held, busy))
        return survives

    def _is_in_its_kind(self, source: Source, flow: Flow) -> bool:
        places = {held for _, held in flow.reached if held >= 0}
        return any(not source.objects.isdisjoint(self.lists.objects_at(held)) for held in places)

    def _ends_here(self, owner: Source) -> bool:
        """Whether an object that leads to itself ends with the function, and all that leads to it.

        Points-to sets tell what ever does. They leave out blocks without pointers in them, but what
        leads to itself has some.
        """
        known = self._ending.get(owner)
        if known is None:
            before = self.confined.limits_hit.total()
            found = self.confined.around(
                owner.objects, owner.func, self.by_object, self.config.most_holders
            )
            made = [one for obj in sorted(found) for one in self.by_object.get(obj, ())]
            known = bool(made) and self.gone.isdisjoint(found)
            known = known and all(self._is_kept(one, found) for one in made)
            self._ending[owner] = known
            if self.confined.limits_hit.total() != before:
                self._unsure.add(owner)
        if owner in self._unsure:
            self.rounded = self.rounded or "leaks.most-holders"
        return known

    def _is_kept(self, source: Source, around: frozenset[int]) -> bool:
        """Whether the function keeps a source to itself: in its variables and in `around`."""
        flow, is_false = self._verdicts.flow_of(source), self.space.is_false
        if not (flow.decided and is_false(flow.returned) and is_false(flow.escaped)):
            return False
        places = _places(source, flow) | {held for _, held in flow.outs if held >= 0}
        objects = {obj for held in places for obj in self.lists.objects_at(held)} - around
        owners = {self.lists.stack_owner.get(obj) for obj in objects}
        return None not in owners and owners.isdisjoint(self.confined.calls.above(source.func))

    def _is_in_itself(
        self, source: Source, flow: Flow, state: State, known: dict[State, bool]
    ) -> bool:
        """Whether the object was stored through a pointer to itself.

        Elements of a list or tree are one object to us; an element that an older one links to is
        stored through a pointer that does not carry the new one. `known` is filled along the way.
        """
        lists = self.lists
        way: dict[State, None] = {}
        found = False
        while state not in way:
            if state in known:
                found = known[state]
                break
            way[state] = None
            kind = lists.kind[state[0]]
            if kind in (_STORE, _ACTUAL_OUT):
                found = kind == _STORE and self._stores_into_itself(source, flow, state[0])
                break
            state = flow.came_from.get(state, state)
        for passed in way:
            known[passed] = found
        return found

    def _stores_into_itself(self, source: Source, flow: Flow, store: int) -> bool:
        operands = self.book.context.code.operands(self.lists.instr[store])
        pointer, _ = address_of(self.book, operands[0])
        if self._is_from_earlier_turn(source, pointer):
            return False
        return (int(self.lists.svfg.node_of_value[pointer]), -1) in flow.reached

    def _is_from_earlier_turn(self, source: Source, pointer: ValueId) -> bool:
        """Whether a pointer is what an earlier turn of the loop that makes the object left."""
        code = self.book.context.code
        instr = code.instr_of(pointer)
        if instr < 0 or code.op[instr] != OP_PHI:
            return False
        loop = self.book.guards(source.func).loop_at.get(code.instr_block[instr])
        return loop is not None and code.instr_block[source.site] in loop.blocks

    def owner_lives(
        self, source: Source, held: LocationSetId, busy: set[Source], in_itself: bool = False
    ) -> Guard:
        """The condition under which an object that holds `source` outlives the function."""
        if held < 0:
            return self.space.true
        found, existing = self.space.false, self.space.false
        objects = self.lists.objects_at(held)
        if not objects <= source.objects:
            objects = objects - source.objects  # a chain of its kind hangs on something else
        for obj in sorted(objects):
            owners = self.by_object.get(obj, ())
            if not owners:
                if self.lists.stack_owner.get(obj, -1) == source.func:
                    continue  # a local variable: gone with the function
                return self.space.true  # not made here: the caller's
            for owner in owners:
                if self._is_itself(owner, source):
                    if in_itself or source.is_rest:
                        continue  # (elements of the rest hang on the first one in the end)
                    return self.space.true  # an older object of the same kind holds it
                if owner in busy:
                    if self._ends_here(owner):
                        continue
                    return self.space.true  # structures that hold each other
                if len(busy) > self.config.deepest_owners:
                    self.limits_hit["owners within each other"] += 1
                    self.rounded = self.rounded or "leaks.deepest-owners"
                    return self.space.true
                existing = existing | owner.exists
                found = self._round_up(found | self._verdicts.survives(owner, busy))
                if self.space.is_true(found):
                    return found
        if self.space.is_false(existing):
            # The first element, on which the others hang, is none of ours.
            return self.space.true if source.is_rest else found
        # Where no owner was made here, an older object of the same kind holds it.
        return self._round_up(found | ~existing)

    def _joined(self, survives: Guard, more: Guard) -> Guard:
        """What holds an object, and something else that does. Two that are large are hardly ever small
        together, and to find out takes longest of all that is done with conditions."""
        space = self.space
        if space.size(survives) * space.size(more) > self.config.most_joined_nodes:
            return self._rounded_up()
        return self._round_up(survives | more)

    def _round_up(self, guard: Guard) -> Guard:
        if self.space.size(guard) <= self.config.most_holder_nodes:
            return guard
        return self._rounded_up()

    def _rounded_up(self) -> Guard:
        """Holders live longer than we can say: then the object is taken to be held."""
        self.limits_hit["holder condition too large"] += 1
        self.rounded = self.rounded or "leaks.most-holder-nodes"
        return self.space.true

    def _is_itself(self, owner: Source, source: Source) -> bool:
        return owner is source or owner in self.selves.get(source, ())


def _places(source: Source, flow: Flow) -> set[LocationSetId]:
    """Location sets in which the object may lie."""
    found: set[LocationSetId] = {held for _, held in flow.reached if held >= 0}
    return found | {held for held, _ in source.unread} | flow.unread.keys()
