"""What is said of the pointers of one function: marks on names, pairs of events, deeds for callers.

In:    Flow.     Out: `Marks`, the part of a follower that keeps the books.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from heapflow.ir.codes import VALUE_CONST_EXPR, VALUE_GLOBAL, VALUE_INSTR
from heapflow.ir.ids import NO_INSTR, FuncId, InstrId, ValueId
from heapflow.properties.config import PropertiesConfig
from heapflow.properties.counted import is_counted
from heapflow.properties.facts import Facts
from heapflow.properties.flow import Flow, Name
from heapflow.properties.place import Of, Place, base, is_given, values_in
from heapflow.properties.reached import Reached
from heapflow.properties.summary import Deed, Mark, Pair, Summary, Tag

_MANY_DEEDS: Final = "deeds of one function"
RELEASES: Final = (Mark.RELEASED, Mark.COUNTED)
_GONE: Final = (*RELEASES, Mark.REACHED)
State: TypeAlias = dict[Name, int]  # name -> bits of its tags


class Marks:
    """Of one function."""

    def __init__(
        self, facts: Facts, config: PropertiesConfig, summaries: dict[FuncId, Summary], func: FuncId
    ) -> None:
        self.facts, self.config, self.summaries, self.func = facts, config, summaries, func
        self.flow = Flow(facts, func)
        self.summary = Summary()
        self.pairs: set[Pair] = set()
        self.tags: list[Tag] = []
        self.number: dict[Tag, int] = {}
        self.limits: set[str] = set()
        self.moved_by: dict[ValueId, InstrId] = {}  # result of a realloc -> that call
        self.asked: set[FuncId] = set()  # functions whose summaries were used, or were not there
        self.unheard = False  # whether one was not there: it is followed later
        self._counted: dict[tuple[InstrId, Place], bool] = {}
        self._spoken: set[ValueId] = set()  # values by which places in states are told
        self._places_put: set[Place] = set()  # those places
        self.reached = Reached(facts, self.flow, summaries)
        self.chains: dict[Tag, set[tuple[InstrId, ...]]] = {}  # of descriptors

    # Tags ----------------------------------------------------------------------------------------

    def _tag(self, mark: Mark, family: str, instr: InstrId) -> int:
        tag = Tag(mark, family, instr)
        number = self.number.get(tag)
        if number is None:
            number = self.number[tag] = len(self.tags)
            self.tags.append(tag)
        return 1 << number

    def _tags(self, value: ValueId, state: State) -> int:
        """What is known of a value, also of the address of a variable."""
        found = state.get(value, 0)
        kind = self.facts.value_kind[value]
        if kind in (VALUE_GLOBAL, VALUE_CONST_EXPR):
            if base(self.facts.place(value))[0] == Of.GLOBAL:
                found |= self._tag(Mark.STATIC, "", NO_INSTR)
        elif kind == VALUE_INSTR and self.facts.is_local(self.facts.place(value)):
            found |= self._tag(Mark.STACK, "", NO_INSTR)
        return found

    def _listed(self, tags: int) -> list[Tag]:
        found = []
        while tags:
            low = tags & -tags
            found.append(self.tags[low.bit_length() - 1])
            tags ^= low
        return found

    def _put(self, state: State, name: Name, tags: int, is_sure: bool = True) -> None:
        if tags:
            if type(name) is tuple:
                self._note_place(name)
            state[name] = tags if is_sure else state.get(name, 0) | tags
        elif is_sure:
            state.pop(name, None)

    def _note_place(self, place: Place) -> None:
        if place not in self._places_put:
            self._places_put.add(place)
            self._spoken |= values_in(place)

    def _changed(self, state: State, values: set[ValueId]) -> list[Name]:
        """Names that speak of values that have just got another meaning."""
        found: list[Name] = [value for value in values if value in state]
        if not self._spoken.isdisjoint(values):  # few values tell a place
            for name in state:
                if type(name) is tuple and not values.isdisjoint(values_in(name)):
                    found.append(name)
        return found

    def _equal(self, value: ValueId, instr: InstrId) -> frozenset[Name]:
        """Names that hold the same pointer as a value when an instruction is executed."""
        return self.flow.equal(value, instr, self.config.most_equal)

    # Events --------------------------------------------------------------------------------------

    def _deed(self, place: Place, family: str) -> None:
        is_full = len(self.summary.deeds) >= self.config.most_events
        if is_full and _MANY_DEEDS in self.limits:
            return
        if not self.facts.is_told(place):
            return
        if is_full:
            self.limits.add(_MANY_DEEDS)
            return
        self.summary.deeds.add(Deed(place, family))

    def _use(self, instr: InstrId, address: ValueId, state: State) -> None:
        """Memory behind an address is read or written."""
        self._deed(base(self.facts.place(address)), "")
        tags = state.get(address, 0)
        if tags:
            self._note(tags, instr, "")

    def _note(self, tags: int, event: InstrId, family: str, is_sure: bool = True) -> None:
        listed = self._listed(tags)
        made_here = any(tag.mark is Mark.ACQUIRED for tag in listed)
        for tag in listed:
            is_meant = made_here if tag.mark is Mark.PERHAPS else tag.mark in _GONE
            if is_meant or (family and tag.mark is not Mark.PERHAPS):
                sure = is_sure and tag.mark is not Mark.REACHED
                self.pairs.add(Pair(self.func, tag, event, family, made_here, sure))

    def _release(self, instr: InstrId, value: ValueId, state: State, family: str) -> None:
        """The block that a value points to is released."""
        self._note(self._tags(value, state), instr, family)
        counted = self._counts(instr, self.facts.place(value))
        mark = Mark.COUNTED if counted else Mark.RELEASED
        released = self._tag(mark, family, instr)
        for name in self._equal(value, instr):
            self._put(state, name, released, is_sure=False)
            self._deed(self.facts.place(name) if isinstance(name, int) else name, family)
            if not isinstance(name, int):
                self._gone(name, mark, family, instr)
        self._reach(self.facts.place(value), family)

    def _reach(self, place: Place, family: str) -> None:
        """Something is released that callers have no name for, but for where it is reached from."""
        if not self.reached.is_by_way(place):
            return
        for start in self.reached.starts(place):
            if not is_given(start):
                continue
            if len(self.summary.reached) >= self.config.most_exits:
                self.limits.add("places behind which a function releases something")
                return
            self.summary.reached.add((start, family))

    def _gone(self, place: Place, mark: Mark, family: str, instr: InstrId) -> None:
        """What lay in a place when the function was called is released."""
        if not self.facts.is_told(place) or not self.flow.is_first(place, instr):
            return
        if len(self.summary.gone) >= self.config.most_exits:
            self.limits.add("places whose contents a function releases")
            return
        self.summary.gone.add((place, Mark.PERHAPS if mark is Mark.COUNTED else mark, family))

    def _release_place(self, instr: InstrId, place: Place, state: State, family: str) -> None:
        """The same for what lies in memory, in a callee."""
        self._note(state.get(place, 0), instr, family)
        self._deed(place, family)

    def _counts(self, instr: InstrId, place: Place) -> bool:
        """Whether something is released only if what lies in it says so."""
        key = (instr, place)
        found = self._counted.get(key)
        if found is None:
            found = self._counted[key] = is_counted(self.flow, instr, place)
        return found
