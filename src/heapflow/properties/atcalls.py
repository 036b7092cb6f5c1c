"""What calls do to the pointers of one function: by a callee's summary, or by a model.

In:    `Marks`, summaries.     Out: `AtCalls`, the part of a follower that knows calls.
"""

from __future__ import annotations

from typing import TypeAlias

from heapflow.ir.codes import FUNC_INTRINSIC
from heapflow.ir.ids import FuncId, InstrId, ValueId
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
from heapflow.properties.facts import Facts
from heapflow.properties.flow import Name
from heapflow.properties.marks import Marks, State
from heapflow.properties.place import Of, Place, is_exact
from heapflow.properties.summary import DESCRIPTOR, RESULT, Mark, Summary, Tag

_Deeds: TypeAlias = tuple[list[tuple[ValueId, str]], dict[Name, list[str]]]


class AtCalls(Marks):
    """Of one function."""

    def __init__(
        self, facts: Facts, config: PropertiesConfig, summaries: dict[FuncId, Summary], func: FuncId
    ) -> None:
        super().__init__(facts, config, summaries, func)
        self._deeds: dict[tuple[InstrId, FuncId], _Deeds] = {}  # by call and callee

    def _call_matters(self, instr: InstrId) -> bool:
        count = len(self.facts.operands(instr)) - 1
        for func in self.facts.targets(instr):
            if self.facts.has_body(func):
                summary = self.summaries.get(func)
                if summary is None:
                    self.unheard = True
                elif summary.exits or summary.releases or summary.handed or summary.reached:
                    return True
            else:
                model = self.facts.model(func, count)
                if model is not None and any(
                    isinstance(effect, Alloc | Free | Realloc) for effect in model.effects
                ):
                    return True
        return False

    def _call(self, instr: InstrId, state: State) -> None:
        facts = self.facts
        arguments = facts.operands(instr)[1:]
        result = facts.result[instr]
        given = 0
        for func in facts.targets(instr):
            if facts.func_flags[func] & FUNC_INTRINSIC:
                self._intrinsic(instr, func, arguments, state)
            elif facts.has_body(func):
                self.asked.add(func)
                if func in self.summaries:
                    given |= self._callee(instr, func, arguments, state)
                else:
                    self.unheard = True
            else:
                given |= self._external(instr, func, arguments, state)
        if (same := facts.given_back(instr)) >= 0:
            given |= self._tags(same, state)
        for place, value in facts.put_by(instr):
            if tags := self._tags(value, state):
                self._put(state, place, tags, is_sure=False)
        if result >= 0:
            for name in self._changed(state, {result}):
                del state[name]
            self._put(state, result, given)

    def _intrinsic(
        self, instr: InstrId, func: FuncId, arguments: list[ValueId], state: State
    ) -> None:
        if self.facts.program.func_name(func).startswith("llvm.mem"):
            for value in arguments[:2]:
                self._use(instr, value, state)

    def _callee(self, instr: InstrId, func: FuncId, arguments: list[ValueId], state: State) -> int:
        """What a function of the program does; the tags of its result."""
        summary = self.summaries[func]
        places = [self.facts.place(value) for value in arguments]
        for_arguments, for_places = self._deeds_at(instr, func, arguments, places)
        for value, family in for_arguments:
            if tags := self._tags(value, state):
                self._note(tags, instr, family)
        for name in for_places.keys() & state.keys():
            for family in for_places[name]:
                self._note(state[name], instr, family)
        given = 0
        for exit_place, mark, family in summary.in_order.exits:
            if mark is Mark.RELEASED and exit_place != RESULT:
                told = self.facts.at_call(exit_place, places)
                if told is not None:
                    self._reach(told, family)
            if mark is Mark.RELEASED and exit_place != RESULT:
                place = self.facts.at_call(exit_place, places)
                if place is not None and self._counts(instr, place):
                    mark = Mark.COUNTED
            tag = self._tag(mark, family, instr)
            if exit_place == RESULT:
                given |= tag
            elif exit_place[0] == Of.ARGUMENT and exit_place[1] < len(arguments):
                for name in self._equal(arguments[exit_place[1]], instr):
                    self._put(state, name, tag, is_sure=False)
            elif (place := self.facts.at_call(exit_place, places)) is not None:
                for other in (place, *self.flow.by_place.get(place, ())):
                    self._put(state, other, tag, is_sure=False)
        for gone_place, mark, family in summary.in_order.gone:
            if (place := self.facts.at_call(gone_place, places)) is not None:
                self._take_from(instr, place, mark, family, state)
        for start, gone_by in summary.in_order.reached:
            self._release_behind(instr, start, gone_by, places, state)
        for handed_place, chain in summary.in_order.handed:
            given |= self._hand_on(instr, handed_place, chain, places, state)
        return given

    def _release_behind(
        self, instr: InstrId, start: Place, family: str, places: list[Place], state: State
    ) -> None:
        """A callee releases something that it reaches from a place of this function: what was released
        there before, perhaps, or what a pointer of this function leads to."""
        place = self.facts.at_call(start, places)
        if place is None:
            return
        self._reach((Of.CONTENT, place), family)
        behind = self.reached.starts(place)
        for name, tags in list(state.items()):
            if type(name) is not tuple or not self.reached.is_by_way(name):
                continue
            if not behind.isdisjoint(self.reached.starts(name)):
                self._note(tags, instr, family, is_sure=False)
        tag = self._tag(Mark.REACHED, family, instr)
        for value in self.reached.behind(place):
            self._put(state, value, tag, is_sure=False)

    def _take_from(
        self, instr: InstrId, place: Place, mark: Mark, family: str, state: State
    ) -> None:
        """A callee releases what lies in a place, and may put something else there."""
        if mark is Mark.RELEASED and self._counts(instr, place):
            mark = Mark.COUNTED
        tag = self._tag(mark, family, instr)
        for name in self.flow.lying_in(place, instr, self.config.most_equal):
            self._put(state, name, tag, is_sure=False)
        self._gone(place, mark, family, instr)

    def _deeds_at(
        self, instr: InstrId, func: FuncId, arguments: list[ValueId], places: list[Place]
    ) -> _Deeds:
        """What a callee does, to arguments and to places of this function; the same each time."""
        key = (instr, func)
        known = self._deeds.get(key)
        if known is not None:
            return known
        for_arguments: list[tuple[ValueId, str]] = []
        for_places: dict[Name, list[str]] = {}
        for deed in self.summaries[func].in_order.deeds:
            place = self.facts.at_call(deed.place, places)
            if place is None:
                continue
            self._deed(place, deed.family)
            if deed.place[0] == Of.ARGUMENT:
                for_arguments.append((arguments[deed.place[1]], deed.family))
            else:
                for_places.setdefault(place, []).append(deed.family)
        known = self._deeds[key] = (for_arguments, for_places)
        return known

    def _hand_on(
        self,
        instr: InstrId,
        handed: Place,
        chain: tuple[InstrId, ...],
        places: list[Place],
        state: State,
    ) -> int:
        """A callee hands over a descriptor; the tag of its result, if it is that."""
        tag = Tag(Mark.ACQUIRED, DESCRIPTOR, instr)
        bit = self._tag(*tag)
        if len(chain) < self.config.longest_chain:
            self.chains.setdefault(tag, set()).add((*chain, instr))
        else:
            self.facts.limits_hit["calls through which a descriptor is handed up"] += 1
        if handed == RESULT:
            return bit
        place = self.facts.at_call(handed, places)
        if place is not None:
            self._put(state, place, bit, is_exact(place))
        return 0

    def _external(
        self, instr: InstrId, func: FuncId, arguments: list[ValueId], state: State
    ) -> int:
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
                        self._take_from(instr, place, Mark.RELEASED, family, state)
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
        self,
        instr: InstrId,
        target: AccessPath,
        family: str,
        arguments: list[ValueId],
        state: State,
    ) -> int:
        known = self.facts.models.families.get(family)
        if known is not None and known.kind is ResourceKind.DESCRIPTOR:
            machine = self.facts.machines.of(family)
            if machine is None or not machine.lost:
                return 0
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
