"""Objects that a function hands to its callers: a source at each call site.

In:    offers (an object, where it lies when its function ends, a call site).     Out: sources.
Paper: SPARROW's Alloc2Ret and Alloc2Arg; TSE'14 heap cloning carried to its end.
What a callee puts into long-lived memory that the caller did not make is nobody's loss here: such
offers are dropped before any condition is renamed, which is most of the work saved.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from heapflow.flow.flow import Flow, GraphLists, PlacesOf, Source, State, SummaryBook
from heapflow.guards.guards import GuardBook
from heapflow.ir.ids import IN_VALUE, FuncId, InstrId, LocationSetId, NodeId, ObjectId
from heapflow.leaks.touched import Touched
from heapflow.logic.space import BEYOND_BOUNDS, Guard
from heapflow.policies.calls_touch_what_they_get import may_write
from heapflow.policies.long_lived_of_others import is_the_callers


@dataclass(slots=True, eq=False)
class Offer:
    """An object that leaves `source.func` at one call of it. Conditions are the callee's, and small."""

    source: Source
    flow: Flow
    site: InstrId
    caller: FuncId
    handed: Guard
    returned: Guard
    outs: list[tuple[State, Guard]]
    inside: bool
    is_rest: bool
    starts: list[tuple[State, Guard]] = field(default_factory=list)  # in the caller
    unread: list[tuple[LocationSetId, Guard]] = field(default_factory=list)
    # Nobody reads it there, and it is no variable or clone of the caller's.
    elsewhere: list[tuple[LocationSetId, Guard]] = field(default_factory=list)
    places: PlacesOf = field(default_factory=dict)
    objects: frozenset[ObjectId] = frozenset()


class Handovers:
    """Sources by function: those that allocate, and those that callees offer."""

    def __init__(
        self,
        lists: GraphLists,
        book: GuardBook,
        summaries: SummaryBook,
        object_chain: Mapping[ObjectId, tuple[InstrId, ...]],
        direct: dict[FuncId, list[Source]],
        touched: Touched,
    ) -> None:
        self.lists, self.book, self.summaries = lists, book, summaries
        self.space = book.space
        self.object_chain, self.touched = object_chain, touched
        self.derived = 0
        self.too_large: list[Source] = []  # could not be handed on: conditions outgrew all bounds
        self._direct = direct
        self._offers: dict[FuncId, list[Offer]] = {}
        self._own_part: dict[tuple[LocationSetId, InstrId, FuncId], LocationSetId] = {}
        self._here: dict[tuple[frozenset[ObjectId], InstrId], frozenset[ObjectId]] = {}
        self._made_at: dict[InstrId, set[ObjectId]] = {}  # by call: the clones that it makes
        for obj, chain in object_chain.items():
            for call in chain:
                self._made_at.setdefault(call, set()).add(obj)

    def offer(self, offer: Offer) -> None:
        """Note an object for the caller, with where it lies there."""
        self._locate(offer)
        if offer.starts or offer.unread or offer.elsewhere:
            self._offers.setdefault(offer.caller, []).append(offer)

    def not_taken(self) -> list[Source]:
        """Allocations of functions whose sources nobody asked for."""
        return [source for func in sorted(self._direct) for source in self._direct[func]]

    def sources_of(self, func: FuncId) -> list[Source]:
        """All sources of a function whose callees are done."""
        direct = self._direct.pop(func, [])
        made = {obj for source in direct for obj in source.objects}
        offers = self._in_our_hands(self._offers.pop(func, []), made)
        merged: dict[tuple[object, ...], list[Source]] = {}
        for offer in offers:
            try:
                source = self._at_caller(offer, made)
                if source is not None:
                    self._merge(merged, source)
            except BEYOND_BOUNDS:
                self.space.collect()
                self.too_large.append(offer.source)
        found = [source for group in merged.values() for source in group]
        self.derived += len(found)
        return direct + found

    def _merge(self, merged: dict[tuple[object, ...], list[Source]], source: Source) -> None:
        """Objects that arrive together at the same place are one source to the caller.

        Their conditions must not outgrow all bounds: then they are a second one.
        """
        group = merged.setdefault((source.inside, source.is_rest, *source.key), [])
        size = self.space.size
        if (
            group
            and size(group[-1].exists) + size(source.exists)
            <= self.summaries.config.most_merged_nodes
        ):
            _join(group[-1], source)
        else:
            group.append(source)

    # Where it lies in the caller -------------------------------------------------------------------

    def _locate(self, offer: Offer) -> None:
        lists, site = self.lists, offer.site
        offer.objects = self._objects_here(offer.source, site)
        result = self.book.context.code.result[site]
        node = int(lists.svfg.node_of_value[result]) if result >= 0 else -1
        if node >= 0 and not self.space.is_false(offer.returned):
            offer.starts.append(((node, IN_VALUE), offer.returned))
        overwrites = self.summaries.engine.overwrites
        for (exit_node, place), guard in offer.outs:
            held = self._of_this_call(place, offer)
            if not self.lists.objects_at(held):
                continue
            addresses = overwrites.places_in_caller(place, site, offer.flow.places)
            arrived = False
            for target in lists.come_back.get((exit_node, site), ()):
                if lists.meets(held, target):
                    part = self._part(offer, held, target)
                    offer.places[part] = offer.places.get(part, set()) | addresses
                    offer.starts.append(((target, part), guard))
                    arrived = True
            if arrived:
                continue
            if own := self._local_to(offer.caller, held):
                offer.unread.append((lists.within(held, own), guard))
            else:
                offer.elsewhere.append((held, guard))

    def _of_this_call(self, held: LocationSetId, offer: Offer) -> LocationSetId:
        """A location set without what other calls of the callee make or are given.

        All of it is one region to the callee. Nothing of this call lies there.
        """
        key = (held, offer.site, offer.source.func)
        known = self._own_part.get(key)
        if known is None:
            objects = self.lists.objects_at(held)
            own = frozenset(obj for obj in objects if self._may_be_of(obj, offer))
            known = held if own == objects else self.lists.within(held, own)
            self._own_part[key] = known
        return known

    def _may_be_of(self, obj: ObjectId, offer: Offer) -> bool:
        """Whether an object can be one that this call makes or is given."""
        chain, callee = self.object_chain.get(obj, ()), self.book.context.code.callee
        if offer.site in chain:
            return True
        is_made_elsewhere = any(callee(call) == offer.source.func for call in chain)
        if is_made_elsewhere:
            return False
        touches = self.touched.may(offer.site, offer.source.func, obj)
        return may_write(self.book.context.policies, touches)

    def _part(self, offer: Offer, held: LocationSetId, target: NodeId) -> LocationSetId:
        """Where the object lies in a region of the caller's.

        A chain of its kind hangs on something else. If that is the caller's, it stays in view, though
        it need not be in that region (nobody reads it): or the chain would seem to hold itself.
        """
        part = self.lists.narrow(held, target)
        objects = self.lists.objects_at(part)
        if not objects <= offer.objects:
            return part
        owned = self._local_to(offer.caller, held)
        return part if owned <= objects else self.lists.within(held, owned | objects)

    def _local_to(self, func: FuncId, held: LocationSetId) -> frozenset[ObjectId]:
        """The objects at these locations that are variables or blocks of this function."""
        code = self.book.context.code
        found: set[ObjectId] = set()
        for obj in self.lists.objects_at(held):
            chain = self.object_chain.get(obj, ())
            if self.lists.stack_owner.get(obj, -1) == func or any(
                code.block_func[code.instr_block[call]] == func for call in chain
            ):
                found.add(obj)
        return frozenset(found)

    def _objects_here(self, source: Source, site: InstrId) -> frozenset[ObjectId]:
        """The clones that this call site makes, where the points-to phase tells them apart."""
        key = (source.objects, site)
        known = self._here.get(key)
        if known is None:
            own = source.objects & self._made_at.get(site, set())
            known = self._here[key] = own or source.objects
        return known

    # Whose it is -----------------------------------------------------------------------------------

    def _in_our_hands(self, offers: list[Offer], made: set[ObjectId]) -> list[Offer]:
        """Offers of objects that arrive as values, in local variables, or in something made here.

        `made` grows by what they are.
        """
        waiting = offers
        while True:
            ours = [offer for offer in waiting if self._is_ours(offer, made)]
            if not ours:
                break
            taken = set(ours)
            waiting = [offer for offer in waiting if offer not in taken]
            for offer in ours:
                made |= offer.objects
        dropped = set(waiting)
        return [offer for offer in offers if offer not in dropped]

    def _is_ours(self, offer: Offer, made: set[ObjectId]) -> bool:
        places = [held for (_, held), _ in offer.starts] + [held for held, _ in offer.unread]
        arrives = any(
            held < 0 or not self.lists.is_long_lived(held) or self._is_in(held, made)
            for held in places
        ) or any(self._is_in(held, made) for held, _ in offer.elsewhere)
        return is_the_callers(self.book.context.policies, arrives)

    def _is_in(self, held: LocationSetId, made: set[ObjectId]) -> bool:
        return not made.isdisjoint(self.lists.objects_at(held))

    # Its conditions there --------------------------------------------------------------------------

    def _at_caller(self, offer: Offer, made: set[ObjectId]) -> Source | None:
        space, context, source = self.space, self.book.context, offer.source
        guards = self.book.guards(offer.caller)
        reach = guards.reach.get(context.code.instr_block[offer.site], space.false)
        arriving = reach & self._instance(offer.handed, offer)
        if space.is_false(arriving):
            return None
        starts = [(state, arriving & self._instance(g, offer)) for state, g in offer.starts]
        unread = [(held, arriving & self._instance(g, offer)) for held, g in offer.unread]
        unseen = space.false
        for held, guard in offer.elsewhere:
            back = self._instance(guard, offer)
            if self._is_in(held, made):
                unread.append((held, arriving & back))
            else:  # stored where this caller cannot see it: in memory of its own callers, say
                unseen = unseen | back
        # It exists where it arrives; what was stored out of this caller's sight is not ours.
        exists = space.any_of([g for _, g in starts] + [g for _, g in unread]) & ~unseen
        if space.is_false(exists):
            return None
        return Source(
            func=offer.caller,
            site=offer.site,
            chain=(*source.chain, offer.site),
            starts=starts,
            exists=exists,
            objects=offer.objects,
            callee=source.callee,
            inside=offer.inside,
            outside=source.outside if source.inside else len(source.chain) - 1,
            effect=source.effect,
            is_rest=offer.is_rest,
            unread=unread,
            places=offer.places,
            rounded=source.rounded or self._rounded(offer),
        )

    def _rounded(self, offer: Offer) -> str:
        """A limit because of which the conditions of a callee are not all they should be."""
        inexact = self.book.guards(offer.source.func).inexact
        return offer.flow.rounded or ("guards.most-nodes" if inexact else "")

    def _instance(self, guard: Guard, offer: Offer) -> Guard:
        return self.book.instantiate(guard, offer.site, offer.source.func)


def _join(other: Source, source: Source) -> None:
    """One source for two."""
    guards = dict(other.starts)
    for state, guard in source.starts:
        guards[state] = guards[state] | guard if state in guards else guard
    other.starts = list(guards.items())
    unread = dict(other.unread)
    for held, guard in source.unread:
        unread[held] = unread[held] | guard if held in unread else guard
    other.unread = list(unread.items())
    other.exists = other.exists | source.exists
    for held, addresses in source.places.items():
        other.places[held] = other.places.get(held, set()) | addresses
    other.objects = other.objects | source.objects
