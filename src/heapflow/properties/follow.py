"""Follow pointers through one function: what was released, and what happens to it afterwards.

In:    Facts, summaries of callees.     Out: `Summary` of the function, `Pair`s for candidates.
Paper: SMOKE §III-A: the uses of one object in the order of control flow.
A forward pass over the blocks. A state says which values and places hold a pointer that was released
(acquired by some family, the address of a variable). A store over a place ends what was said of it.
Guarantees: more pairs than can happen, never a verdict: replay executes each.
Not modelled: names that are equal for reasons outside of the function; elements of arrays are one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from heapflow.ir.kinds import CALLS, CmpPredicate, EdgeKind, FuncFlag, Op, ValueKind
from heapflow.models.model import (
    AccessPath,
    Alloc,
    Arg,
    Free,
    FunctionModel,
    Realloc,
    ResourceKind,
    Ret,
)
from heapflow.properties.config import PropertiesConfig
from heapflow.properties.counted import is_counted
from heapflow.properties.facts import (
    SAME,
    Facts,
    Place,
    at_call,
    base,
    is_exact,
    is_given,
    owners,
    root,
    values_in,
)
from heapflow.properties.summary import DESCRIPTOR, RESULT, Deed, Mark, Pair, Summary, Tag

Name: TypeAlias = int | Place  # an SSA value, or a place in memory
State: TypeAlias = dict[Name, int]  # name -> bits of its tags
_RESIZED = (Op.TRUNC, Op.ZEXT, Op.SEXT)  # of descriptors, which are numbers


class Follower:
    """One function."""

    def __init__(
        self, facts: Facts, config: PropertiesConfig, summaries: dict[int, Summary], func: int
    ) -> None:
        self.facts, self.config, self.summaries, self.func = facts, config, summaries, func
        self.summary = Summary()
        self.pairs: set[Pair] = set()
        self.tags: list[Tag] = []
        self.number: dict[Tag, int] = {}
        self.limits: set[str] = set()
        blocks = facts.program.blocks
        functions = facts.program.functions
        self.first, self.last = (
            int(functions.block_start[func]),
            int(functions.block_start[func + 1]),
        )
        starts, edges = blocks.instr_start, blocks.edge_start
        self.moved_by: dict[int, int] = {}  # result of a realloc -> that call
        self.instrs = {
            b: range(int(starts[b]), int(starts[b + 1])) for b in range(self.first, self.last)
        }
        self.successors = {
            b: [
                int(blocks.edge_target[e])
                for e in range(int(edges[b]), int(edges[b + 1]))
                if blocks.edge_kind[e] != EdgeKind.UNWIND
            ]
            for b in range(self.first, self.last)
        }
        self.order = self._order()
        self.rank = {block: rank for rank, block in enumerate(self.order)}
        self.by_place: dict[Place, list[int]] = {}  # values that were loaded from a place
        self.kept_in: dict[int, list[tuple[Place, int]]] = {}  # value -> places it is stored in
        self.flows: dict[int, list[int]] = {}  # value -> φs and selects it goes into, forwards
        self.matters = False
        self._counted: dict[tuple[int, Place], bool] = {}
        self.reads: dict[Place, list[int]] | None = None
        self.chains: dict[Tag, set[tuple[int, ...]]] = {}  # of descriptors

    def run(self) -> None:
        """Fill `summary` and `pairs`."""
        self._scan()
        if not self.matters:
            for block in self.order:
                for instr in self.instrs[block]:
                    self._only_uses(instr)
            return
        before: dict[int, State] = {self.first: {}}
        after: dict[int, State] = {}
        changed, rounds = {self.first}, 0
        while changed:
            rounds += 1
            if rounds > self.config.most_rounds:
                self.limits.add("rounds over the blocks of a function")
                break
            for block in self.order:
                if block not in changed:
                    continue
                changed.discard(block)
                state = dict(before[block])
                for instr in self.instrs[block]:
                    self._instr(instr, state)
                after[block] = state
                failed = self._failed(block)
                for target in self.successors[block]:
                    coming = state
                    if failed is not None and target == failed[1]:
                        coming = self._without(state, failed[0])
                    if self._join(before, target, block, coming):
                        changed.add(target)

    def _failed(self, block: int) -> tuple[int, int] | None:
        """A realloc whose result is tested at the end of a block, and where NULL leads to."""
        facts, blocks = self.facts, self.facts.program.blocks
        operands = facts.operands(self.instrs[block][-1])
        if not self.moved_by or not operands or facts.kind[operands[0]] != ValueKind.INSTR:
            return None
        test = facts.index[operands[0]]
        if facts.op[test] != Op.ICMP or facts.aux[test] not in (CmpPredicate.EQ, CmpPredicate.NE):
            return None
        value, other = facts.operands(test)
        if facts.kind[other] != ValueKind.NULL or value not in self.moved_by:
            return None
        wanted = EdgeKind.IF_TRUE if facts.aux[test] == CmpPredicate.EQ else EdgeKind.IF_FALSE
        for edge in range(int(blocks.edge_start[block]), int(blocks.edge_start[block + 1])):
            if blocks.edge_kind[edge] == wanted:
                return self.moved_by[value], int(blocks.edge_target[edge])
        return None

    def _without(self, state: State, call: int) -> State:
        """What is known where a call that would have released something failed."""
        gone = 0
        for number, tag in enumerate(self.tags):
            if tag.instr == call and tag.mark in (Mark.RELEASED, Mark.COUNTED):
                gone |= 1 << number
        return {name: tags & ~gone for name, tags in state.items() if tags & ~gone}

    def _order(self) -> list[int]:
        """Blocks in reverse postorder."""
        seen, found = {self.first}, []
        stack = [(self.first, iter(self.successors[self.first]))]
        while stack:
            block, targets = stack[-1]
            for target in targets:
                if target not in seen:
                    seen.add(target)
                    stack.append((target, iter(self.successors[target])))
                    break
            else:
                found.append(block)
                stack.pop()
        return found[::-1]

    def _scan(self) -> None:
        """What is needed before the blocks are followed: who is equal to whom, whether it matters."""
        facts = self.facts
        for block in self.order:
            for instr in self.instrs[block]:
                op = facts.op[instr]
                if op == Op.LOAD:
                    value = facts.result[instr]
                    self.by_place.setdefault(facts.place(value), []).append(value)
                elif op == Op.STORE:
                    address, value = facts.operands(instr)
                    if facts.kind[value] in (ValueKind.INSTR, ValueKind.PARAM):
                        kept = ("l", facts.place(address))
                        self.kept_in.setdefault(value, []).append((kept, instr))
                elif op == Op.PHI or op == Op.SELECT or op in SAME:
                    for value in self._sources(instr):
                        self.flows.setdefault(value, []).append(facts.result[instr])
                elif op in CALLS and not self.matters:
                    self.matters = self._call_matters(instr)

    def _sources(self, instr: int) -> Iterable[int]:
        """Values that a φ, select or cast may pass on; those of a loop's next turn are left out."""
        facts = self.facts
        operands = facts.operands(instr)
        op = facts.op[instr]
        if op == Op.PHI:
            here = self.rank[facts.block_of[instr]]
            origins = facts.operand_block[facts.start[instr] : facts.start[instr + 1]]
            return [
                value
                for value, origin in zip(operands, origins, strict=True)
                if self.rank.get(origin, here) < here
            ]
        return operands[1:] if op == Op.SELECT else operands[:1]

    def _call_matters(self, instr: int) -> bool:
        count = len(self.facts.operands(instr)) - 1
        for func in self.facts.targets(instr):
            if self.facts.has_body(func):
                summary = self.summaries.get(func)
                if summary is not None and (summary.exits or summary.releases or summary.handed):
                    return True
            else:
                model = self.facts.model(func, count)
                if model is not None and any(
                    isinstance(effect, Alloc | Free | Realloc) for effect in model.effects
                ):
                    return True
        return False

    # States --------------------------------------------------------------------------------------

    def _join(self, before: dict[int, State], target: int, source: int, state: State) -> bool:
        """Add what comes along an edge; whether that is news."""
        facts = self.facts
        moved: State = {}
        phis: set[int] = set()
        for instr in self.instrs[target]:
            if facts.op[instr] != Op.PHI:
                break
            result = facts.result[instr]
            phis.add(result)
            origins = facts.operand_block[facts.start[instr] : facts.start[instr + 1]]
            for value, origin in zip(facts.operands(instr), origins, strict=True):
                if origin == source:
                    tags = self._tags(value, state)
                    if tags:
                        moved[result] = tags
        known = before.get(target)
        is_new = known is None
        if known is None:
            known = before[target] = {}
        if len(known) > self.config.most_names:
            self.limits.add("names that one block passes on")
            return is_new
        for names in (state, moved):
            for name, tags in names.items():
                if names is state and self._is_of(name, phis):
                    continue
                old = known.get(name, 0)
                if tags & ~old:
                    known[name] = old | tags
                    is_new = True
        return is_new

    def _is_of(self, name: Name, values: set[int]) -> bool:
        """Whether a name speaks of values that have just got another meaning."""
        if isinstance(name, int):
            return name in values
        return not values.isdisjoint(values_in(name))

    def _tag(self, mark: Mark, family: str, instr: int) -> int:
        tag = Tag(mark, family, instr)
        number = self.number.get(tag)
        if number is None:
            number = self.number[tag] = len(self.tags)
            self.tags.append(tag)
        return 1 << number

    def _tags(self, value: int, state: State) -> int:
        """What is known of a value, also of the address of a variable."""
        found = state.get(value, 0)
        kind = self.facts.kind[value]
        if kind in (ValueKind.GLOBAL, ValueKind.CONST_EXPR):
            if base(self.facts.place(value))[0] == "g":
                found |= self._tag(Mark.STATIC, "", -1)
        elif kind == ValueKind.INSTR and self.facts.is_local(self.facts.place(value)):
            found |= self._tag(Mark.STACK, "", -1)
        return found

    def _put(self, state: State, name: Name, tags: int, is_sure: bool = True) -> None:
        if tags:
            state[name] = tags if is_sure else state.get(name, 0) | tags
        elif is_sure:
            state.pop(name, None)

    def _equal(self, value: int, instr: int) -> set[Name]:
        """Names that hold the same pointer as a value when an instruction is executed."""
        facts = self.facts
        found: set[Name] = set()
        stack = [value]
        while stack and len(found) < self.config.most_equal:
            one = stack.pop()
            if one in found or facts.kind[one] not in (ValueKind.INSTR, ValueKind.PARAM):
                continue
            found.add(one)
            place = facts.place(one)
            if place[0] == "l" and not self._replaced(place, one, instr):
                found.add(place)
                found.update(self.by_place.get(place, ()))
            for kept, store in self.kept_in.get(one, ()):
                if self.rank[facts.block_of[store]] <= self.rank[facts.block_of[instr]]:
                    found.add(kept)
            stack += self.flows.get(one, ())
            if facts.kind[one] == ValueKind.INSTR:
                maker = facts.index[one]
                if facts.op[maker] in (Op.PHI, Op.SELECT) or facts.op[maker] in SAME:
                    stack += self._sources(maker)
        return found

    def _replaced(self, place: Place, value: int, instr: int) -> bool:
        """Whether something else was put there since, in the same block: taken, then released."""
        facts = self.facts
        loaded = facts.index[value]
        if facts.kind[value] != ValueKind.INSTR or facts.block_of[loaded] != facts.block_of[instr]:
            return False
        for row in range(loaded + 1, instr):
            if facts.op[row] == Op.STORE and ("l", facts.place(facts.operands(row)[0])) == place:
                return True
        return False

    # Instructions --------------------------------------------------------------------------------

    def _only_uses(self, instr: int) -> None:
        facts = self.facts
        op = facts.op[instr]
        if op == Op.LOAD or op == Op.STORE:
            self._deed(base(facts.place(facts.operands(instr)[0])), "")
        elif op in CALLS:
            self._call(instr, {})

    def _instr(self, instr: int, state: State) -> None:
        facts = self.facts
        op, result = facts.op[instr], facts.result[instr]
        if op == Op.LOAD:
            address = facts.operands(instr)[0]
            self._use(instr, address, state)
            self._put(state, result, state.get(facts.place(result), 0))
        elif op == Op.STORE:
            address, value = facts.operands(instr)
            self._use(instr, address, state)
            kept = ("l", facts.place(address))
            self._put(state, kept, self._tags(value, state), is_exact(kept))
        elif op in SAME or op in _RESIZED:
            self._put(state, result, self._tags(facts.operands(instr)[0], state))
        elif op == Op.GEP:
            self._put(state, result, self._moved(instr, state))
        elif op == Op.SELECT:
            _, yes, no = facts.operands(instr)
            self._put(state, result, self._tags(yes, state) | self._tags(no, state))
        elif op in CALLS:
            self._call(instr, state)
        elif op == Op.RET:
            self._leave(instr, state)

    def _moved(self, instr: int, state: State) -> int:
        """Tags of an address computed from another."""
        tags = self._tags(self.facts.operands(instr)[0], state)
        if tags and self.facts.place(self.facts.result[instr])[0] == "a":
            for tag in self._listed(tags):
                if tag.mark is Mark.ACQUIRED:
                    tags |= self._tag(Mark.INNER, tag.family, tag.instr)
        return tags

    def _listed(self, tags: int) -> list[Tag]:
        found = []
        while tags:
            low = tags & -tags
            found.append(self.tags[low.bit_length() - 1])
            tags ^= low
        return found

    def _deed(self, place: Place, family: str) -> None:
        if not is_given(place) or values_in(place):
            return
        if len(self.summary.deeds) >= self.config.most_events:
            self.limits.add("deeds of one function")
            return
        self.summary.deeds.add(Deed(place, family))

    def _use(self, instr: int, address: int, state: State) -> None:
        """Memory behind an address is read or written."""
        self._deed(base(self.facts.place(address)), "")
        tags = state.get(address, 0)
        if tags:
            self._note(tags, instr, "")

    def _note(self, tags: int, event: int, family: str) -> None:
        for tag in self._listed(tags):
            if family or tag.mark in (Mark.RELEASED, Mark.COUNTED):
                self.pairs.add(Pair(self.func, tag, event, family))

    def _release(self, instr: int, value: int, state: State, family: str) -> None:
        """The block that a value points to is released."""
        self._note(self._tags(value, state), instr, family)
        counted = self._counts(instr, self.facts.place(value))
        released = self._tag(Mark.COUNTED if counted else Mark.RELEASED, family, instr)
        for name in self._equal(value, instr):
            state[name] = state.get(name, 0) | released
            self._deed(self.facts.place(name) if isinstance(name, int) else name, family)

    def _release_place(self, instr: int, place: Place, state: State, family: str) -> None:
        """The same for what lies in memory, in a callee."""
        self._note(state.get(place, 0), instr, family)
        self._deed(place, family)

    # Calls ---------------------------------------------------------------------------------------

    def _call(self, instr: int, state: State) -> None:
        facts = self.facts
        arguments = facts.operands(instr)[1:]
        result = facts.result[instr]
        given = 0
        for func in facts.targets(instr):
            if facts.flags[func] & FuncFlag.INTRINSIC:
                self._intrinsic(instr, func, arguments, state)
            elif facts.has_body(func):
                summary = self.summaries.get(func)
                if summary is not None:
                    given |= self._callee(instr, summary, arguments, state)
            else:
                given |= self._external(instr, func, arguments, state)
        if result >= 0:
            for name in [name for name in state if self._is_of(name, {result})]:
                del state[name]
            self._put(state, result, given)

    def _intrinsic(self, instr: int, func: int, arguments: list[int], state: State) -> None:
        if self.facts.program.func_name(func).startswith("llvm.mem"):
            for value in arguments[:2]:
                self._use(instr, value, state)

    def _callee(self, instr: int, summary: Summary, arguments: list[int], state: State) -> int:
        """What a function of the program does; the tags of its result."""
        places = [self.facts.place(value) for value in arguments]
        for deed in sorted(summary.deeds, key=str):
            place = at_call(deed.place, places)
            if place is None:
                continue
            self._deed(place, deed.family)
            if deed.place[0] == "p":
                tags = self._tags(arguments[deed.place[1]], state)
            else:
                tags = state.get(place, 0)
            if tags:
                self._note(tags, instr, deed.family)
        given = 0
        for exit_place, mark, family in sorted(summary.exits, key=str):
            if mark is Mark.RELEASED and exit_place != RESULT:
                place = at_call(exit_place, places)
                if place is not None and self._counts(instr, place):
                    mark = Mark.COUNTED
            tag = self._tag(mark, family, instr)
            if exit_place == RESULT:
                given |= tag
            elif exit_place[0] == "p" and exit_place[1] < len(arguments):
                for name in self._equal(arguments[exit_place[1]], instr):
                    state[name] = state.get(name, 0) | tag
            elif (place := at_call(exit_place, places)) is not None:
                for name in (place, *self.by_place.get(place, ())):
                    state[name] = state.get(name, 0) | tag
        for handed_place, chain in sorted(summary.handed, key=str):
            given |= self._hand_on(instr, handed_place, chain, places, state)
        return given

    def _counts(self, instr: int, place: Place) -> bool:
        """Whether something is released only if what lies in it says so."""
        key = (instr, place)
        found = self._counted.get(key)
        if found is None:
            found = self._counted[key] = is_counted(self, instr, place)
        return found

    def _hand_on(
        self,
        instr: int,
        handed: Place,
        chain: tuple[int, ...],
        places: list[Place],
        state: State,
    ) -> int:
        """A callee hands over a descriptor; the tag of its result, if it is that."""
        tag = Tag(Mark.ACQUIRED, DESCRIPTOR, instr)
        bit = self._tag(*tag)
        if len(chain) < self.config.longest_chain:
            self.chains.setdefault(tag, set()).add((*chain, instr))
        if handed == RESULT:
            return bit
        place = at_call(handed, places)
        if place is not None:
            self._put(state, place, bit, is_exact(place))
        return 0

    def _external(self, instr: int, func: int, arguments: list[int], state: State) -> int:
        """What a function does that is not given; the tags of its result."""
        model = self.facts.model(func, len(arguments))
        released: set[int] = set()
        given = 0
        for effect in model.effects if model is not None else ():
            match effect:
                case Free(target, family) | Realloc(target, _, family):
                    if isinstance(target.root, Arg) and not target.steps:
                        position = target.root.index - 1
                        released.add(position)
                        self._release(instr, arguments[position], state, family)
                    elif (place := self.facts.path(target, arguments)) is not None:
                        self._release_place(instr, place, state, family)
                case _:
                    pass
            if isinstance(effect, Realloc) and effect.target == AccessPath(Ret()):
                self.moved_by[self.facts.result[instr]] = instr
            if isinstance(effect, Alloc | Realloc):
                given |= self._acquire(instr, effect.target, effect.family, arguments, state)
        for position, value in enumerate(arguments):
            if position not in released and state.get(value, 0) and self._looks(model, position):
                self._use(instr, value, state)
            elif position not in released:
                self._deed(self.facts.place(value), "")
        return given

    def _acquire(
        self, instr: int, target: AccessPath, family: str, arguments: list[int], state: State
    ) -> int:
        known = self.facts.models.families.get(family)
        if known is not None and known.kind is ResourceKind.DESCRIPTOR:
            family = DESCRIPTOR
            self.chains.setdefault(Tag(Mark.ACQUIRED, family, instr), set()).add((instr,))
        tag = self._tag(Mark.ACQUIRED, family, instr)
        if target == AccessPath(Ret()):
            return tag
        place = self.facts.path(target, arguments)
        if place is not None:
            self._put(state, place, tag, is_exact(place))
        return 0

    def _looks(self, model: FunctionModel | None, position: int) -> bool:
        """Whether an external function looks at what an argument points to."""
        if model is None or model.signature is None or position >= len(model.signature.params):
            return True
        return model.signature.params[position].pointer

    def _leave(self, instr: int, state: State) -> None:
        """What is left behind for the caller."""
        facts = self.facts
        operands = facts.operands(instr)
        if operands:
            tags = self._tags(operands[0], state)
            self._exit(RESULT, tags)
            self._note(tags, instr, "")
        left: dict[Place, int] = {}
        for name, tags in state.items():
            if isinstance(name, int):
                if facts.kind[name] == ValueKind.PARAM:
                    left[facts.place(name)] = tags
            elif name[0] == "l" and is_given(name) and is_exact(name) and not values_in(name):
                left[name] = tags
        gone = {place for place, tags in left.items() if self._is_released(tags)}
        for place, tags in left.items():
            if gone.isdisjoint(owners(place)):  # what was in a released object is gone with it
                self._exit(place, tags)

    def _is_released(self, tags: int) -> bool:
        return any(tag.mark in (Mark.RELEASED, Mark.COUNTED) for tag in self._listed(tags))

    def _exit(self, place: Place, tags: int) -> None:
        for tag in self._listed(tags):
            if tag.mark in (Mark.STACK, Mark.INNER, Mark.COUNTED):
                continue
            if tag.family == DESCRIPTOR:
                if tag.mark is Mark.ACQUIRED and root(place)[0] != "g":
                    self.summary.handed |= {(place, chain) for chain in self.chains.get(tag, ())}
                continue
            if len(self.summary.exits) >= self.config.most_exits:
                self.limits.add("places that a function leaves behind")
                return
            self.summary.exits.add((place, tag.mark, tag.family))
