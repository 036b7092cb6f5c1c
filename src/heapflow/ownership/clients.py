"""Clients: sequences of calls after which nothing may lead to a block that a field held.

In:    FieldTable.     Out: `Client`s, the most promising first, within bounds.
Rules (for a field, and the same for globals and elements):
- forgotten: one call stores a block, another releases the struct, and nobody releases the field;
- forgotten here: somebody does, but not this way of releasing the struct, or not always;
- overwritten: one call stores a block, another stores something else over it, and there is evidence
  that it can come when the field is set: it looks at the field, another function releases the
  field before it stores, or it is named as the field's setter, and the field is released elsewhere;
- in a loop: a function stores a block into the same field in every turn;
- forgotten while set: see `forgetting.py`;
- a list whose nodes are taken out and not released: see `dismantling.py`.
A client is a question, no finding: replay executes it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import IntEnum

from heapflow.ir.kinds import FuncFlag, TypeKind
from heapflow.ownership.dismantling import Dismantling
from heapflow.ownership.effects import Done
from heapflow.ownership.fields import FieldFacts, FieldTable, Storer
from heapflow.ownership.forgetting import Forgetting
from heapflow.ownership.laid import Cell, Laid, Target
from heapflow.ownership.places import CELL, Field, OriginKind, Root, RootKind
from heapflow.ownership.reach import Reach
from heapflow.policies.inforce import Policies
from heapflow.policies.named_setters import may_be_called_twice

_NO_FIELD = Field(-1, 0)


class Reason(IntEnum):
    """Why a client is tried; the smaller, the sooner."""

    FORGOTTEN = 0
    OVERWRITTEN = 1
    FORGOTTEN_HERE = 2
    REOPENED = 3  # made, ended but for the field, made again
    IN_LOOP = 4
    NOT_ALWAYS = 5  # the second call releases the field, perhaps not on every path


@dataclass(frozen=True, slots=True, order=True)
class Client:
    """Calls one after the other; one function whose loop does it alone has nothing in `then`."""

    reason: Reason
    first: int
    chain: tuple[int, ...]  # from the allocation out to the call in `first`
    given: int = -1  # the argument of `first` that the others get, too; -1: its result
    # Further calls: the function, and which argument it is there; -1: nothing is shared (a global).
    then: tuple[tuple[int, int], ...] = ()
    field: Field = _NO_FIELD
    makers: tuple[int, ...] = ()
    drops: tuple[int, ...] = ()  # blocks of the last function in which the field may be dropped
    is_set: bool = False  # the first call is not executed: it has set the field, that is all
    laid: Laid | tuple[()] = ()  # what lies behind the argument then


class _Clients:
    """The rules, applied to one program."""

    def __init__(self, table: FieldTable, policies: Policies) -> None:
        self.table, self.config, self.policies = table, table.whole.config, policies
        self.found: list[Client] = []
        self._reach = Reach(table.whole)
        self._forgetting = Forgetting(table, self._reach.reached)
        self._dismantling = Dismantling(table)
        self._dismantled_by: set[tuple[int, Root, int]] = set()
        self._roots_of: dict[int, list[Root]] = {}  # of functions

    def run(self) -> list[Client]:
        for place, facts in sorted(self.table.fields.items()):
            if not (facts.storers or facts.looped):
                continue
            here = list(self._forgotten(place, facts))
            if self._is_link(place):
                here += self._dismantled(place, facts)
            else:
                here += self._forgotten_while_set(place, facts)
                here += self._overwritten(place, facts)
                here += self._reopened(place, facts)
                here += self._in_loops(place, facts)
            small = {one for one in here if self._size(one) <= self.config.most_size}
            hits, most = self.table.whole.limits_hit, self.config.most_per_field
            hits["size of what a client calls"] += len(set(here)) - len(small)
            hits["clients for one field"] += max(len(small) - most, 0)
            self.found += sorted(small, key=self._order)[:most]
        return sorted(self.found, key=self._order)

    def _order(self, client: Client) -> tuple[int, Client]:
        """What costs little comes first, then what is likely."""
        return self._size(client) // max(self.config.alike, 1), client

    def _is_link(self, place: Field) -> bool:
        """A field that leads to a list or tree: these are relinked all the time."""
        layouts = self.table.layouts
        if place.owner == CELL:
            return True
        struct = layouts.held_struct(place)
        return layouts.is_chained(struct) if struct >= 0 else layouts.points_to_pointer(place)

    def _size(self, client: Client) -> int:
        funcs = [func for func, _ in client.then]
        funcs += [] if client.is_set else [client.first]
        return sum(self.table.size(func) for func in funcs)

    # Forgotten -----------------------------------------------------------------------------------

    def _forgotten(self, place: Field, facts: FieldFacts) -> Iterable[Client]:
        enders = self.table.enders.get(place.owner, []) if place.owner >= 0 else []
        for second, root in enders:
            if not self.table.is_entry(second):
                continue
            reason = self._ends_without(place, facts, second, root)
            if reason is None:
                continue
            outer = self._calls_another(second, place.owner)
            for storer in self._storers(place, facts):
                if storer.func == second or not self._same_kind(storer.func, second):
                    continue
                if outer and storer.root.kind is RootKind.PARAM:
                    continue  # the inner one gets the same struct
                for client in self._joined(reason, storer, second, root, place):
                    yield replace(client, drops=self._ends(second, root, place.owner))

    def _forgotten_while_set(self, place: Field, facts: FieldFacts) -> Iterable[Client]:
        storers = self._forgetting.storers(place, facts)
        for ender, root in self._forgetting.enders(place, facts) if storers else ():
            reason = Reason.FORGOTTEN_HERE if facts.releasers else Reason.FORGOTTEN
            for storer in [one for one in storers if self._same_kind(one.func, ender)][:1]:
                then = ((ender, root.number),)
                drops = self._ends(ender, root, place.owner)
                size = self.table.layouts.size[place.owner]
                laid = Laid(root.number, size, (Cell(False, place.offset, Target.BLOCK),))
                first = Client(reason, storer.func, storer.chain, 0, then, place, drops=drops)
                yield replace(first, is_set=True, laid=laid)

    def _dismantled(self, place: Field, facts: FieldFacts) -> Iterable[Client]:
        """Lists whose nodes are taken out, and not released."""
        node = self._dismantling.node(place)
        for storer, func, root in self._dismantling.found(place, facts):
            if (func, root, node) in self._dismantled_by:
                continue
            self._dismantled_by.add((func, root, node))
            then = ((func, root.number),)
            client = Client(Reason.FORGOTTEN, storer.func, storer.chain, 0, then, place)
            if root.kind is RootKind.GLOBAL:
                if storer.root == root and self.table.is_entry(func):
                    yield replace(client, given=-1, then=((func, -1),))
                continue
            for struct in sorted(self.table.structs(func, root)):
                for cells in self._dismantling.laid(struct, node):
                    laid = Laid(root.number, self.table.layouts.size[struct], cells)
                    yield replace(client, is_set=True, laid=laid)

    def _same_kind(self, first: int, ender: int) -> bool:
        """A destructor that is called by pointer ends structs of its own kind: those of its file."""
        functions = self.table.program.functions
        if not functions.flags[ender] & FuncFlag.ADDRESS_TAKEN:
            return True
        return bool(functions.module[first] == functions.module[ender])

    def _passes_by(self, func: int, place: Field, root: Root, goals: tuple[int, ...]) -> bool:
        """Whether a way leads to some blocks on which nobody looks at the field or releases it."""
        looks = self._blocks(func, [(Done.LOAD, (place, root)), (Done.RELEASE, (place, root))])
        program = self.table.program
        edges, targets = program.blocks.edge_start, program.blocks.edge_target
        stack = [int(program.functions.block_start[func])]
        seen = set(looks) | set(stack)
        if stack[0] in looks:
            return False
        while stack:
            block = stack.pop()
            if block in goals:
                return True
            after = set(targets[edges[block] : edges[block + 1]].tolist()) - seen
            seen |= after
            stack += sorted(after)
        return False

    def _is_single(self, root: Root) -> bool:
        """A global that is no array: of an array's elements nobody knows which one is meant."""
        if root.kind is not RootKind.GLOBAL:
            return False
        tables = self.table.whole.tables
        return tables.layouts.kind[tables.global_type[root.number]] != TypeKind.ARRAY

    def _calls_another(self, func: int, struct: int) -> bool:
        """Whether it leaves the release to another function that a client could call as well."""
        others = {one for one, _ in self.table.enders[struct] if self.table.is_entry(one)}
        return any(callee in others for callee in self._reach.callees(func) if callee != func)

    def _ends_without(
        self, place: Field, facts: FieldFacts, ender: int, root: Root
    ) -> Reason | None:
        if not facts.releasers and not facts.handed:
            return Reason.FORGOTTEN
        if ender in facts.releasers:
            ends = self._ends(ender, root, place.owner)
            return Reason.NOT_ALWAYS if self._passes_by(ender, place, root, ends) else None
        others = {one for one, _ in self.table.enders[place.owner]}
        if any(ender in self._reach.reached(one) for one in facts.releasers):
            return None  # whoever calls it may have released the field before
        if any(one in others or self._sets(one, place) for one in facts.releasers):
            return Reason.FORGOTTEN_HERE
        return None

    def _sets(self, func: int, place: Field) -> bool:
        return any(found == place for found, _ in self.table.effects(func).stores)

    # Overwritten ---------------------------------------------------------------------------------

    def _overwritten(self, place: Field, facts: FieldFacts) -> Iterable[Client]:
        far = self.config.own_depth
        for second, root in facts.writers:
            is_place = root.kind is RootKind.PARAM or self._is_single(root)
            if not is_place or not self.table.is_entry(second):
                continue
            if self.table.effects(second).depth.get((place, root), far) >= far:
                continue
            if not self._may_be_set(place, facts, second, root):
                continue
            reason = Reason.OVERWRITTEN
            if (place, root) in self.table.effects(second).releases:
                reason = Reason.NOT_ALWAYS
                if not self._passes_by(second, place, root, self._writes(second, root, place)):
                    continue
            storers = self._storers(place, facts)
            own = [one for one in facts.storers if one.func == second]
            if not own and (place, root) not in self.table.effects(second).resets:
                continue  # it stores what it was given: a state that is restored
            for storer in own or storers[:2]:
                for client in self._joined(reason, storer, second, root, place):
                    yield replace(client, drops=self._writes(second, root, place))

    def _may_be_set(self, place: Field, facts: FieldFacts, func: int, root: Root) -> bool:
        """Whether the code itself shows that the field can be set when the function is called."""
        effects = self.table.effects(func)
        rows = effects.rows
        loads, stores = rows.get((Done.LOAD, (place, root))), rows.get((Done.STORE, (place, root)))
        if self._is_single(root):
            tables = self.table.whole.tables
            # A global is mostly set once, by a function that prepares everything: only if that function
            # itself looks at it, and no callee for its own ends, does it expect it to be set.
            own = [row for row in loads or () if not tables.is_call(row)]
            return own != [] and stores is not None and min(own) < min(stores)
        if loads and stores and min(loads) < min(stores):
            return True
        if self._initialises(func, root, place.owner):
            return False
        if any(effects.stores.get((place, root), ())):
            if (place, root) in effects.resets:
                return False  # NULL first, then a block: it was not set before
            others = [one for one in facts.releasers if one != func]
            is_named = bool(others) and self._is_named_setter(func, place)
            if is_named and may_be_called_twice(self.policies, func):
                return True
            return any(self._replaces(one, place) for one in others)
        return any(
            other.owner == place.owner >= 0 and other != place and at == root
            for other, at in effects.releases
        )

    def _is_named_setter(self, func: int, place: Field) -> bool:
        """Whether a function is named as what sets the member (`reply_set_method`): whoever uses the
        struct may call it twice."""
        name = self.table.program.func_name(func).lower().replace("_", "")
        member = self.table.layouts.member_name(place.owner, place.offset)
        return member != "" and name.endswith("set" + member.lower().replace("_", ""))

    def _replaces(self, func: int, place: Field) -> bool:
        """Whether a function releases the field and then, not far away, stores a fresh block there."""
        effects, far = self.table.effects(func), self.config.own_depth
        for here, _ in effects.fresh_stores():
            if here[0] != place or here[1].kind is RootKind.FRESH:
                continue
            near = max(effects.releases.get(here, far), effects.depth.get(here, far)) < far
            rows = effects.rows
            if near and min(rows[Done.RELEASE, here]) <= max(rows[Done.STORE, here]):
                return True
        return False

    def _initialises(self, func: int, root: Root, struct: int) -> bool:
        effects = self.table.effects(func)
        if root in effects.clears:
            return True
        here = (effects.sets | effects.stores.keys(), effects.reads | effects.loads.keys())
        stored, read = (
            sum(one.owner == struct and at == root for one, at in part) for part in here
        )
        return stored >= self.config.fields_of_initialiser and not read

    def _reopened(self, place: Field, facts: FieldFacts) -> Iterable[Client]:
        """What an initialiser stores, a counterpart should release: it may be initialised again."""
        for storer in self._storers(place, facts):
            if storer.root.kind is not RootKind.PARAM:
                continue
            if (place, storer.root) in self.table.effects(storer.func).loads:
                continue
            for func, root in self._closers(place, facts):
                if func == storer.func or not self.table.is_entry(func):
                    continue
                for client in self._joined(Reason.REOPENED, storer, func, root, place):
                    again = (storer.func, storer.root.number)
                    drops = self._writes(storer.func, storer.root, place)
                    yield replace(client, then=(*client.then, again), drops=drops)

    def _closers(self, place: Field, facts: FieldFacts) -> Iterable[tuple[int, Root]]:
        """Functions that release the field, perhaps not always; or, if nobody does, other fields of
        the same struct."""
        if not facts.releasers and facts.handed:
            return
        for func in sorted(facts.releasers or self._releasers_of(place.owner)):
            effects = self.table.effects(func)
            roots = {
                root
                for found, root in effects.releases
                if root.kind is RootKind.PARAM
                and (found == place or (not facts.releasers and found.owner == place.owner))
            }
            stores = {found.owner for (found, _), _ in effects.fresh_stores()}
            if place.owner not in stores:
                still = [root for root in sorted(roots) if root.number not in effects.frees]
                yield from ((func, root) for root in still)

    _by_struct: dict[int, set[int]] | None = None

    def _releasers_of(self, struct: int) -> set[int]:
        if self._by_struct is None:
            self._by_struct = {}
            for place, facts in self.table.fields.items():
                self._by_struct.setdefault(place.owner, set()).update(facts.releasers)
        return self._by_struct.get(struct, set())

    # In loops ------------------------------------------------------------------------------------

    def _in_loops(self, place: Field, facts: FieldFacts) -> Iterable[Client]:
        for func in sorted(facts.looped):
            for found, chain in sorted(self.table.effects(func).looped):
                if found == place and len(chain) <= self.config.near_loop:
                    yield Client(Reason.IN_LOOP, func, chain, field=place)

    # Scripts -------------------------------------------------------------------------------------

    def _storers(self, place: Field, facts: FieldFacts) -> list[Storer]:
        """Entries that store a block: of those that call one another the inner ones."""
        entries = [
            one
            for one in facts.storers
            if self.table.is_entry(one.func)
            and (place, one.chain) not in self.table.effects(one.func).indexed
        ]
        funcs = {one.func for one in entries}
        func_of = self.table.whole.tables.func_of
        inner = [one for one in entries if not any(func_of(row) in funcs for row in one.chain[:-1])]
        return sorted(inner, key=lambda one: (len(one.chain), one))

    def _joined(
        self, reason: Reason, storer: Storer, second: int, root: Root, place: Field
    ) -> Iterable[Client]:
        """The two calls with what they share."""
        if root.kind is RootKind.GLOBAL:
            if root in self._roots(storer):
                yield Client(reason, storer.func, storer.chain, then=((second, -1),), field=place)
            return
        wanted = self.table.structs(second, root)
        if not wanted:
            return
        func, then = storer.func, ((second, root.number),)
        for given in self._roots(storer):
            if given.kind is RootKind.PARAM and wanted & self.table.structs(func, given):
                makers = self._makers(wanted, (func, second))
                yield Client(reason, func, storer.chain, given.number, then, place, makers)
        if storer.root.kind is RootKind.FRESH and self.table.result_struct(func) in wanted:
            returned = self.table.effects(func).returned
            if any(one.kind is OriginKind.FRESH for one in returned):
                yield Client(reason, func, storer.chain, -1, then, place)

    def _roots(self, storer: Storer) -> list[Root]:
        """Through what a client can get at the struct: what it gave, or a global."""
        if storer.root.kind is not RootKind.FRESH:
            return [storer.root]
        found = self._roots_of.get(storer.func)
        if found is None:
            stores = self.table.effects(storer.func).fresh_stores()
            kept = (root for (_, root), _ in stores if root.kind != RootKind.FRESH)
            found = self._roots_of[storer.func] = list(dict.fromkeys(kept))
        return found

    def _makers(self, structs: frozenset[int], but: tuple[int, int]) -> tuple[int, ...]:
        found = {maker for struct in structs for maker in self.table.makers.get(struct, ())} - set(
            but
        )
        ordered = sorted(found, key=lambda one: (self.table.size(one), one))
        return tuple(ordered[: self.config.most_makers])

    # Where it may be dropped ---------------------------------------------------------------------

    def _writes(self, func: int, root: Root, place: Field) -> tuple[int, ...]:
        return self._blocks(func, [(Done.STORE, (place, root)), (Done.CLEAR, root)])

    def _ends(self, func: int, root: Root, struct: int) -> tuple[int, ...]:
        what: list[tuple[Done, object]] = [(Done.FREE, root.number)]
        for found, at in self.table.effects(func).releases:
            if at == root and self.table.layouts.held_struct(found) == struct:
                what.append((Done.RELEASE, (found, at)))
        return self._blocks(func, what)

    def _blocks(self, func: int, what: list[tuple[Done, object]]) -> tuple[int, ...]:
        rows = self.table.effects(func).rows
        block = self.table.whole.tables.instr_block
        return tuple(sorted({block[row] for one in what for row in rows.get(one, ())}))


def builders(table: FieldTable) -> frozenset[int]:
    """Functions that make something, or put something new into what they get."""
    return frozenset(
        func
        for func, effects in table.whole.effects.items()
        if any(one.kind is OriginKind.FRESH for one in effects.returned)
        or any(any(chains) for chains in effects.stores.values())
    )


def find_clients(table: FieldTable, policies: Policies) -> tuple[list[Client], int]:
    """Clients in the order in which to try them, and how many were left out."""
    found = _Clients(table, policies).run()
    most = table.whole.config.most_clients
    return found[:most], max(0, len(found) - most)
