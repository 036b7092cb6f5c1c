"""A call of a function that has a model.

In:    a call, its arguments, the model.     Out: the state after the call.
The result and the conditions of effects are decided before anything changes (here), so that a choice
can start the call again; then the effects happen (`effects`).
"""

from __future__ import annotations

from typing import Final

from heapflow.models.conditions import PREDICATES, conditions_of
from heapflow.models.model import (
    AccessPath,
    Alloc,
    Arg,
    Assign,
    Borrowed,
    Comparison,
    Effect,
    Ensures,
    Exit,
    Expose,
    Free,
    FunctionModel,
    Inside,
    Keep,
    NoReturn,
    Null,
    Offset,
    Realloc,
    ResourceKind,
    Ret,
    ReturnsTwice,
    Take,
)
from heapflow.replay.aggregates import Aggregate
from heapflow.replay.answers import answer_name, change_world, follow_texts, say
from heapflow.replay.compute import compare
from heapflow.replay.containers import operate
from heapflow.replay.control import JumpedBack
from heapflow.replay.decisions import decide, model_with, possible, require, settle
from heapflow.replay.descriptors import (
    descriptors_in,
    failed_number,
    is_descriptor,
    next_number,
)
from heapflow.replay.effects import apply_effects
from heapflow.replay.events import End, EventKind
from heapflow.replay.executor import Alternative, Choice, Ended, Executor
from heapflow.replay.externals import give, reachable, result_name
from heapflow.replay.frame import Frame
from heapflow.replay.instr import Instr
from heapflow.replay.places import ModelledCall
from heapflow.replay.state import State
from heapflow.replay.term import Term, Value

_RESULT: Final = AccessPath(Ret())
_OWNING: Final = (Alloc, Free, Realloc, Take, Keep)
_ENDING: Final = (Free, Keep, Take)
_MAKING: Final = (Alloc, Realloc)
_GIVING: Final = (Alloc, Realloc, Assign)
_PASSED: Final = EventKind.PASSED


class _Decided:
    """Decides what one call does, then lets it happen."""

    def __init__(self, call: ModelledCall) -> None:
        self.call, self.executor, self.state = call, call.executor, call.state
        self.instr, self.model, self.arguments = call.instr, call.model, call.arguments

    def run(self) -> None:
        executor, state = self.executor, self.state
        if self.model.operation is not None and operate(self.call, self.model.operation):
            result_name(executor, state, self.instr)
            state.writes += 1
            change_world(self.call, self._answered)
            give(executor, state, self.call.frame, self.instr, self.call.result, self.call.name)
            return
        self._name_answer()
        self.call.result = self._result()
        effects = self._one_each([one for one in self.model.effects if self._holds(one)])
        self._settle_numbers(effects)
        self._check_end(effects)
        # From here on the state changes: nothing may be chosen any more.
        result_name(executor, state, self.instr)
        if self.model.written_args or not all(_only_makes(effect) for effect in effects):
            state.writes += 1
        if self.call.rare:
            state.failed += 1
            state.note(EventKind.FAILED, self.instr.id)
        if self.model.is_belief:
            self._note_belief()
        apply_effects(self.call, effects)
        change_world(self.call, self._answered)
        say(self.call, self._answered)
        if self._is_only_borrowing(effects):
            state.note(_PASSED, self.instr.id, -1)
        give(executor, state, self.call.frame, self.instr, self.call.result, self.call.name)

    def _name_answer(self) -> None:
        """Calls that agree share the names of what they make unknown."""
        name = answer_name(self.call)
        if name is not None:
            self.call.name, self.call.agrees = name, True
        elif self.model.says:
            follow_texts(self.call)

    def _answered(self, one: Comparison) -> Value:
        return self._compared(one, self.call.result)

    def _settle_numbers(self, effects: list[Effect]) -> None:
        """A descriptor that is closed is one of those whose numbers the argument may be
        (`close(ends[!side])`): which one is chosen here."""
        for effect in effects:
            if isinstance(effect, Free) and is_descriptor(self.executor, effect.family):
                number = self.executor.settled(self.state, self.call.read(effect.target))
                if not isinstance(number, int) and descriptors_in(self.state, [number]):
                    settle(self.executor, self.state, number)

    def _one_each(self, effects: list[Effect]) -> list[Effect]:
        """Several values that a model gives one place are possibilities: one of them is chosen."""
        kept: dict[object, Effect] = {}
        for number, effect in enumerate(effects):
            is_assigned = isinstance(effect, Assign) and _is_one_place(effect.target)
            key = effect.target if isinstance(effect, Assign) and is_assigned else number
            if key in kept:
                flag = self.executor.terms.var(f"other{number}:{self.call.name}", 1)
                if not decide(self.executor, self.state, flag):
                    continue
            kept[key] = effect
        return list(kept.values())

    def _note_belief(self) -> None:
        """The path rests on it if the call makes the block, or gets at it."""
        executor, state = self.executor, self.state
        if executor.watch.is_site(executor, state, self.instr):
            state.note(EventKind.BELIEVED, self.instr.id, 0)
        elif state.tracked:
            for number, value in enumerate(self.arguments, start=1):
                roots = list(value.parts.values()) if isinstance(value, Aggregate) else [value]
                if not state.tracked.isdisjoint(reachable(executor, state, roots)):
                    state.note(EventKind.BELIEVED, self.instr.id, number)

    def _is_only_borrowing(self, effects: list[Effect]) -> bool:
        return not any(isinstance(e, _OWNING) for e in effects)

    # The result comes first: conditions speak of it.

    def _result(self) -> Value | None:
        if self.instr.result < 0:
            return None
        for effect in self.model.effects:
            if isinstance(effect, ReturnsTwice):
                return 0  # the first time
            target = getattr(effect, "target", None)
            if target != _RESULT or not self._arguments_hold(effect):
                continue
            if isinstance(effect, _MAKING):
                return self._allocated(effect)
            if isinstance(effect, Assign):
                return self._assigned(effect)
        value = self.executor.unknown(
            self.call.name, self.call.width or 64, self.executor.types.is_pointer(self.instr.type)
        )
        self._ensure(value)
        if self.model.memory_only:
            self._succeed(value)
        return value

    def _succeed(self, value: Value) -> None:
        """The result says whether memory was there: it was, unless allocations may fail here."""
        executor, state = self.executor, self.state
        holds: Value = 1
        for effect in self.model.effects:
            for one in getattr(effect, "when", ()):
                if isinstance(effect, _MAKING) and one.left == _RESULT:
                    holds = executor.terms.binary("and", 1, holds, self._compared(one, value))
        if isinstance(holds, int):
            return
        fails = executor.terms.negate(holds)
        assert isinstance(fails, Term)
        is_known = holds.number in state.known or fails.number in state.known
        if self.model.is_belief:  # it may fail for any reason
            if not is_known:
                raise Choice(possible(executor, state, [holds, fails]))
            return
        if not is_known and not self._may_fail():
            require(executor, state, holds)
        elif not is_known:
            works, *other = possible(executor, state, [holds, fails])
            raise Choice([works, *(one._replace(later=True, fails=True) for one in other)])
        self.call.rare = state.known.get(fails.number) == 1 or state.known.get(holds.number) == 0

    def _ensure(self, value: Value) -> None:
        for effect in self.model.effects:
            if isinstance(effect, Ensures) and effect.holds.left == _RESULT:
                holds = self._compared(effect.holds, value)
                require(self.executor, self.state, holds)

    def _arguments_hold(self, effect: Effect) -> bool:
        when: tuple[Comparison, ...] = getattr(effect, "when", ())
        return all(
            decide(self.executor, self.state, self._compared(one, None))
            for one in when
            if one.left != _RESULT
        )

    def _allocated(self, effect: Alloc | Realloc) -> Value:
        """Address of the new block, which is made later; 0 if the allocation fails."""
        ensured = any(
            isinstance(one, Ensures) and one.holds.left == _RESULT for one in self.model.effects
        )
        if not ensured and self._fails(effect):
            self.call.failing = True
            return failed_number(self.call.width) if self._is_number(effect) else 0
        if self._is_number(effect):
            return next_number(self.state)
        return self.executor.next_address(self.state)

    def _is_number(self, effect: Alloc | Realloc) -> bool:
        return is_descriptor(self.executor, effect.family)

    def _fails(self, effect: Alloc | Realloc) -> bool:
        """Whether this allocation fails: an ordinary outcome of opening a file, a rare one of
        asking for memory."""
        executor, state = self.executor, self.state
        family = executor.knowledge.models.families.get(effect.family)
        is_memory = family is None or family.kind is ResourceKind.MEMORY or self.model.memory_only
        rare = is_memory and not self.model.is_belief  # which may fail for any reason
        flag = executor.terms.var(f"fails:{self.call.name}", 1)
        known = state.known.get(flag.number)
        if known is None:
            if rare and not self._may_fail(isinstance(effect, Alloc)):
                return False
            other = executor.terms.negate(flag)
            assert isinstance(other, Term)
            fails = model_with(executor, state, flag)
            works = model_with(executor, state, other)
            assert fails is not None and works is not None
            raise Choice([Alternative(other, works), Alternative(flag, fails, rare, rare)])
        self.call.rare = bool(known) and rare
        return bool(known)

    def _may_fail(self, makes: bool = True) -> bool:
        """Whether memory may be wanting here: once on a path, and not for the block that is asked
        about."""
        executor, state = self.executor, self.state
        site = executor.watch.is_site(executor, state, self.instr)
        wanted = site and makes and not state.tracked
        return executor.may_fail and not state.failed and not wanted

    def _assigned(self, effect: Assign) -> Value | None:
        """What the function returns, by its model."""
        executor, state = self.executor, self.state
        match effect.value:
            case AccessPath():
                if self._may_be_null(effect):
                    return 0
                return self.call.read(effect.value)
            case Inside(path):
                start = self.call.read(path)
                if self._may_be_null(effect):
                    return 0
                distance = executor.terms.var(f"{self.call.name}.distance", 64)
                require(executor, state, executor.terms.ult(64, distance, 1 << 16))
                return executor.terms.add(64, start, distance)
            case Borrowed():
                return executor.unknown(self.call.name, 64, True)
            case Null():
                return 0
        return None

    def _may_be_null(self, effect: Assign) -> bool:
        """Decided by a flag where the model leaves it open (`when ret != NULL`)."""
        if not any(one.left == _RESULT for one in effect.when):
            return False
        flag = self.executor.terms.var(f"null:{self.call.name}", 1)
        return decide(self.executor, self.state, flag)

    # Conditions

    def _holds(self, effect: Effect) -> bool:
        if isinstance(effect, Ensures):
            return False
        when = conditions_of(effect)
        if isinstance(effect, Take) and self._is_untested():
            return True
        if isinstance(effect, Alloc) and self._leaves_nothing(effect):
            return False
        if isinstance(effect, Expose) and effect.spares and self._leaves_alone(effect):
            return False
        return all(
            decide(self.executor, self.state, self._compared(one, self.call.result)) for one in when
        )

    def _leaves_nothing(self, effect: Alloc) -> bool:
        """Whether a function that is believed to leave a block in a variable leaves it alone."""
        if not self.model.is_belief or effect.target == _RESULT:
            return False
        flag = self.executor.terms.var(f"nothing:{self.call.name}", 1)
        return decide(self.executor, self.state, flag)

    def _leaves_alone(self, effect: Expose) -> bool:
        """Whether a function that gets an owner of a block changes nothing there: then it keeps nothing
        either. That both can be is asked of blocks that are followed only."""
        executor, state, root = self.executor, self.state, effect.target.root
        if not isinstance(root, Arg) or root.index > len(self.arguments):
            return False
        given = [self.arguments[root.index - 1]]
        # What was released, and a pointer to it still lies there, is not what the function spares.
        blocks = {one for one in state.tracked if state.objects[one].freed < 0}
        if blocks.isdisjoint(reachable(executor, state, given)):
            return False
        flag = executor.terms.var(f"spares:{self.call.name}", 1)
        return decide(executor, state, flag)

    def _is_untested(self) -> bool:
        """Whether nobody asks if a function worked that is believed to take an argument then."""
        models = self.executor.knowledge.models
        untested: frozenset[int] = getattr(models, "untested", frozenset())
        return self.model.is_belief and self.instr.id in untested

    def _compared(self, one: Comparison, result: Value | None) -> Value:
        if one.left == _RESULT:
            value, width = (result if result is not None else 0), self.call.width or 64
            if result is None:
                value = self.executor.unknown(self.call.name, width, False)
        else:
            value, width = self.call.read(one.left), self.call.argument_width(one.left)
        right = one.right & ((1 << width) - 1)
        predicate = PREDICATES[one.op]
        return compare(self.executor, self.state, predicate, width, value, right)

    def _check_end(self, effects: list[Effect]) -> None:
        for effect in effects:
            if isinstance(effect, NoReturn) and effect.exit is not Exit.MAYBE:
                if effect.exit is Exit.UNWIND and self.arguments:
                    self._jump_back()
                raise Ended(End.EXITED)
            if isinstance(effect, ReturnsTwice) and self.arguments:
                buffer = self.arguments[0]
                if isinstance(buffer, int):
                    frame = self.call.frame
                    self.state.jumps[buffer] = (frame.number, frame.block, frame.index)

    def _jump_back(self) -> None:
        """longjmp: back to the frame that called setjmp, if it is still active."""
        state, buffer = self.state, self.arguments[0]
        target = state.jumps.get(buffer) if isinstance(buffer, int) else None
        numbers = [frame.number for frame in state.frames]
        if target is None or target[0] not in numbers:
            raise Ended(End.UNWOUND)
        raise JumpedBack(numbers.index(target[0]), target[1], target[2], self.arguments[-1])


def _only_makes(effect: Effect) -> bool:
    """Whether it writes to no memory that was there before."""
    is_result = getattr(effect, "target", None) == _RESULT
    return isinstance(effect, _ENDING) or (is_result and isinstance(effect, _GIVING))


def call_model(
    executor: Executor,
    state: State,
    frame: Frame,
    instr: Instr,
    model: FunctionModel,
    arguments: list[Value],
) -> None:
    """A call of a modelled function."""
    _Decided(ModelledCall(executor, state, frame, instr, model, arguments)).run()


def _is_one_place(target: AccessPath) -> bool:
    """Whether a path means the same place each time: not somewhere in a container."""
    return bool(target.steps) and all(isinstance(step, Offset) for step in target.steps)
