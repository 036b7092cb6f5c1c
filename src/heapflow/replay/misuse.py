"""What a search looks for other than a loss: a block that is used, or released, in the wrong state.

In:    a suspect (`properties.candidates`).     Out: `Misuse`, which watches every step of a state.
The machine of the block's family says which event in which state is a fault (`properties.machine`).
Guarantees: a fault is an access or a call that was executed, on a block that was released (made) on the
            same path.
Not modelled: what other threads do; blocks of which only library code knows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from heapflow.ir.ids import BlockId, FuncId, InstrId
from heapflow.models.model import AccessPath, Arg, Free, FunctionModel, Realloc
from heapflow.properties.candidates import Doubt, Suspect, Suspects, do_not_fit
from heapflow.properties.machine import Event, Machines
from heapflow.replay.addresses import resolve
from heapflow.replay.code import Block, Code
from heapflow.replay.events import End, EventKind, Loss, LostBy
from heapflow.replay.executor import Ended, Executor
from heapflow.replay.formatted import texts_in
from heapflow.replay.frame import Frame
from heapflow.replay.hunt import Candidate, Hunt
from heapflow.replay.instr import Instr
from heapflow.replay.memory import Kind, Object
from heapflow.replay.path import made_within
from heapflow.replay.state import State
from heapflow.replay.term import Term, Value, signed
from heapflow.replay.turns import turn_waits

_POINTER = 8  # bytes
_AGAIN = "~"  # in the name of an unknown that was forgotten


@dataclass(frozen=True, slots=True)
class Misused(Candidate):
    """A suspect as a candidate of replay."""

    doubt: Doubt = Doubt.AFTER_RELEASE
    first: int = -1
    then: frozenset[int] = frozenset()
    again: bool = False  # whether all of `then` release it
    sure: bool = False  # see `Suspect.is_sure`
    maker: int = -1  # the call that made the block, itself or further in; -1: any
    involved: frozenset[int] = frozenset()  # functions that release or acquire something
    releasing: Mapping[FuncId, tuple[BlockId, ...]] = field(default_factory=dict)  # see `Suspects`
    putting: frozenset[InstrId] = frozenset()  # see `Suspects`
    machines: Machines = field(default_factory=lambda: Machines({}, {}))

    def hunt(self, enter: frozenset[int], on_route: frozenset[int]) -> Hunt:
        return Misuse(self, enter, on_route)

    @property
    def is_loss(self) -> bool:
        return False

    @property
    def is_sure(self) -> bool:
        return self.sure

    def made_up(self, state: State, names: list[str]) -> bool:
        """Whether what decides lies in the block itself, and nobody knows who wrote it: a counter of
        references that happens to be 1. Where the function itself releases the block and goes on with
        it, it does so whenever it comes there."""
        assert state.loss is not None
        block = state.objects.get(state.loss.obj)
        if block is None or block.kind is not Kind.WORLD or block.freed == self.first:
            return False
        return any(name.startswith(f"{block.name}[") for name in names)


def candidate_of(suspect: Suspect, suspects: Suspects) -> Misused:
    """The candidate of a suspect."""
    site = suspect.first if suspect.first >= 0 else min(suspect.then)
    return Misused(
        func=suspect.func,
        chain=(site,),
        doubt=suspect.doubt,
        first=suspect.first,
        then=suspect.then,
        again=suspect.again,
        maker=suspect.maker,
        sure=suspect.is_sure and suspect.doubt is Doubt.AFTER_RELEASE,
        involved=suspects.involved,
        releasing=suspects.releasing,
        putting=suspects.putting,
        machines=suspects.machines,
    )


class Misuse(Hunt):
    """Follows what one instruction released or acquired, up to others."""

    def __init__(self, candidate: Misused, enter: frozenset[int], on_route: frozenset[int]) -> None:
        super().__init__(candidate, enter, on_route)
        self.suspect = candidate
        self.raised: set[str] = set()  # numbers in memory that were counted up

    # Where the execution is ----------------------------------------------------------------------

    def _at(self, state: State) -> int:
        """The instruction of the suspect's function that is being executed; -1: none."""
        depth = len(self.route)
        if len(state.frames) <= depth:
            return -1
        if not self._leads_there(state):
            return -1
        frame = state.frames[depth]
        return frame.code.blocks[frame.block].instrs[frame.index].id

    def _leads_there(self, state: State) -> bool:
        """Whether the active functions are those of the route, as far as they go."""
        frames = state.frames
        if len(frames) == 1:
            return True
        return all(frame.call == call for frame, call in zip(frames[1:], self.route, strict=False))

    def wants(
        self, executor: Executor, state: State, func: int, instr: Instr, arguments: list[Value]
    ) -> bool:
        if instr.id in self.enter:
            return True
        depth = len(state.frames) - 1
        if depth < len(self.route) and instr.id == self.route[depth]:
            return True
        puts = instr.id in self.suspect.putting and not state.tracked
        if puts and any(_is_block(state, one) for one in arguments):
            return True
        at = self._at(state)
        # Before something was released, what comes after that is passed like other calls.
        is_due = at in self.suspect.then and (bool(state.tracked) or self.suspect.first < 0)
        makes = at >= 0 and at == self.suspect.maker
        is_meant = at == self.suspect.first or is_due or makes
        return is_meant and func in self.suspect.involved

    def is_under_way(self, state: State) -> bool:
        return bool(state.tracked) or self._at(state) == self.suspect.first

    def goal(self, executor: Executor, state: State, code: Code) -> tuple[int, ...]:
        depth = len(state.frames) - 1
        blocks = executor.knowledge.instr_block
        if depth > len(self.route) or not self._leads_there(state):
            return self._goal_of_callee(state, code)
        if depth < len(self.route):
            return (blocks[self.route[depth]],)
        if state.tracked or self.suspect.first < 0:
            return tuple(sorted({blocks[one] for one in self.suspect.then}))
        return (blocks[self.suspect.first],)

    def _goal_of_callee(self, state: State, code: Code) -> tuple[int, ...]:
        """Where it releases something, if that is what it was entered for; then out of it."""
        at, is_released = self._at(state), bool(state.tracked)
        is_due = at == self.suspect.first if not is_released else at != self.suspect.first
        if is_due and (not is_released or self.suspect.again):
            blocks = self.suspect.releasing.get(FuncId(code.func), ())
            if blocks and state.frames[-1].block in code.distance(blocks):
                return blocks
        return code.exits()

    # What happens to the block -------------------------------------------------------------------

    def allocated(self, executor: Executor, state: State, obj: Object, instr: Instr) -> None:
        is_asked = self.suspect.doubt is Doubt.WRONG_RELEASE
        if is_asked and self._at(state) == self.suspect.first:
            state.tracked = state.tracked | {obj.id}

    def released(self, executor: Executor, state: State, obj: Object, instr: int) -> None:
        is_asked = self.suspect.doubt is Doubt.AFTER_RELEASE
        if is_asked and self._at(state) == self.suspect.first and self._is_meant(state, obj):
            state.tracked = state.tracked | {obj.id}
            state.note(EventKind.FREED, instr, obj.id)

    def _is_meant(self, state: State, obj: Object) -> bool:
        """Whether the call that is asked for made a block."""
        maker = self.suspect.maker
        return maker in (-1, obj.by) or maker in made_within(state.events(), obj.id)

    def misused(self, executor: Executor, state: State, obj: Object, again: bool) -> None:
        if obj.id in state.tracked and self.suspect.doubt is Doubt.AFTER_RELEASE:
            event = Event.RELEASED if again else Event.USED
            if self._breaks(executor, obj, event):
                self._fault(state, obj.id, LostBy.AGAIN if again else LostBy.USED)

    def _breaks(self, executor: Executor, obj: Object, event: Event) -> bool:
        """Whether an event is a fault of a released block: by its family, or the one by which it was
        released."""
        found = self.suspect.machines.of(obj.family or released_family(executor, obj.freed))
        return found is not None and bool(found.fault(found.gone, event))

    def _fault(self, state: State, block: int, by: LostBy, instr: int = -1) -> None:
        frame = state.frames[-1]
        if instr < 0:
            instr = frame.code.blocks[frame.block].instrs[frame.index].id
        depth, func = len(state.frames), frame.code.func
        held, within = state.holder, self._at(state)
        within = instr if by is LostBy.HANDED_OUT else within
        state.loss = Loss(block, instr, depth, func, by, held, frame.previous, within)
        state.note(EventKind.LOST, instr, block)
        raise Ended(End.MISUSED)

    def calling(
        self,
        executor: Executor,
        state: State,
        instr: Instr,
        model: FunctionModel | None,
        arguments: list[Value],
    ) -> None:
        at = self._at(state)
        if at != self.suspect.first and at not in self.suspect.then:
            return
        releases = _released_arguments(model)
        if at == self.suspect.first and self.suspect.doubt is Doubt.AFTER_RELEASE:
            for path, _ in releases:
                self._bind(executor, state, path, arguments)
        if at in self.suspect.then:
            if self.suspect.doubt is not Doubt.AFTER_RELEASE:
                for path, family in releases:
                    self._check_release(executor, state, path, family, arguments)
            elif state.tracked:
                taken = {path.root.index - 1 for path, _ in releases if isinstance(path.root, Arg)}
                self._check_passed(executor, state, instr, model, arguments, taken)

    def _bind(
        self, executor: Executor, state: State, path: AccessPath, arguments: list[Value]
    ) -> None:
        """A pointer that is released leads to a block: what comes from outside is not NULL here."""
        value = _pointer(executor, state, path, arguments)
        if value is not None and not isinstance(value, int):
            resolve(executor, state, value)

    def _check_release(
        self,
        executor: Executor,
        state: State,
        path: AccessPath,
        family: str,
        arguments: list[Value],
    ) -> None:
        value = _pointer(executor, state, path, arguments)
        if value is None:
            return
        value = executor.settled(state, value)
        if not isinstance(value, int) or not value >> 32:
            return
        obj = executor.object(state, value >> 32)
        if obj.kind is Kind.STACK:
            self._fault(state, obj.id, LostBy.STACK)
        elif obj.kind is Kind.GLOBAL:
            self._fault(state, obj.id, LostBy.STATIC)
        elif obj.id in state.tracked and obj.freed < 0:
            if do_not_fit(executor.knowledge.models.families, obj.family, family):
                self._fault(state, obj.id, LostBy.WRONG_FAMILY)
            elif value != obj.base:
                self._fault(state, obj.id, LostBy.INNER)

    def _check_passed(
        self,
        executor: Executor,
        state: State,
        instr: Instr,
        model: FunctionModel | None,
        arguments: list[Value],
        released: set[int],
    ) -> None:
        """A pointer to what was released is given to a function that is not known, or that looks at
        what it points to."""
        count = len(arguments)
        if model is not None and model.signature is not None:
            params = model.signature.params
            looks = {i for i, param in enumerate(params) if param.pointer}
            if model.signature.variadic:
                looks |= texts_in(executor, state, len(params), arguments)
        else:
            looks = set(range(count))
        for position in sorted(looks - released):
            value = executor.settled(state, arguments[position]) if position < count else 0
            block = _start_of(executor, value) >> 32
            if block in state.tracked:
                obj = state.objects[block]
                if self._breaks(executor, obj, Event.USED if model else Event.KEPT):
                    self._fault(state, obj.id, LostBy.USED if model else LostBy.PASSED)

    def finishing(
        self, executor: Executor, state: State, frame: Frame, instr: Instr, value: Value | None
    ) -> None:
        """Returned: whoever called gets what is no more."""
        self._check_returned(executor, state, instr, value)

    def _check_returned(
        self, executor: Executor, state: State, instr: Instr, value: Value | None
    ) -> None:
        if instr.id not in self.suspect.then or self.suspect.doubt is not Doubt.AFTER_RELEASE:
            return
        calls = executor.knowledge.calls
        if calls is not None and calls.callers(self.candidate.func):
            return  # what they do with it is told there
        if isinstance(value, int) and value >> 32 in state.tracked:
            obj = state.objects[value >> 32]
            if self._breaks(executor, obj, Event.KEPT):
                self._fault(state, obj.id, LostBy.HANDED_OUT, instr.id)

    # Where to stop -------------------------------------------------------------------------------

    def jumped(
        self, executor: Executor, state: State, frame: Frame, source: int, target: Block
    ) -> None:
        if (source, target.id) in frame.code.back_edges:
            turn_waits(executor, state, frame, target, self.latest)
        else:
            frame.turns.pop(target.id, None)
            frame.marks[target.id] = state.chosen
        if len(state.frames) - 1 <= len(self.route) and self._leads_there(state):
            goal = self.goal(executor, state, frame.code)
            if target.id not in frame.code.distance(goal):
                raise Ended(End.POINTLESS)
        if target.joins and self.merges:
            self.followed.merge(executor, state)

    def _note_told(self, executor: Executor, frame: Frame) -> None:
        """Of the call that releases: unknown memory that its result speaks of."""
        call = frame.code.blocks[frame.block].instrs[frame.index - 1]
        result = frame.regs.get(call.result)
        if call.id == self.suspect.first and isinstance(result, Term):
            names = (str(executor.terms.by_number[atom].args[0]) for atom in result.atoms)
            self.told.update(name for name in names if name.startswith("*"))

    def returned(self, executor: Executor, state: State, instr: Instr) -> None:
        """The suspect's function is left: what comes is another suspect's matter."""
        frame = state.frames[-1]
        self._note_told(executor, frame)
        call = frame.code.blocks[frame.block].instrs[frame.index - 1]
        if self.route and len(state.frames) == len(self.route) and call.id == self.route[-1]:
            self._check_returned(executor, state, instr, frame.regs.get(call.result))
            raise Ended(End.POINTLESS)

    def bound(self, executor: Executor, state: State, frame: Frame, instr: Instr) -> None:
        for (variable, _), name in instr.bindings:
            value = frame.regs.get(name)
            if isinstance(value, int) and value >> 32 in state.tracked:
                state.holder = variable

    def smeared(self, executor: Executor, state: State, obj: Object, size: int) -> None:
        """NULL, perhaps, over a pointer: none of those that lie there is sure any more."""
        if size == _POINTER:
            name = f"smeared{state.steps}:pointers"
            executor.forget(state, obj.id, name, pointers=True)

    def overwriting(self, executor: Executor, state: State, obj: Object, size: int) -> None:
        """A pointer is written through one that came from memory: `*e->previous = e->next`. Where that
        leads was made up; it may be any place that holds a pointer and was not written here."""
        if size != _POINTER or "[" not in obj.name:
            return
        for other in list(state.objects.values()):
            if other.id == obj.id or other.kind not in (Kind.WORLD, Kind.GLOBAL):
                continue
            for offset, (width, value) in list(other.cells.items()):
                if width == _POINTER and isinstance(value, Term) and value.op == "var":
                    # It is as much, and as little, known of as before, and says where it is from.
                    name = f"{str(value.args[0]).split(_AGAIN)[0]}{_AGAIN}{state.steps}"
                    new = executor.unknown(f"{name}.{value.number}", 64, True)
                    state.own(other.id).cells[offset] = (width, new)

    def stored(self, executor: Executor, state: State, instr: Instr, value: Value) -> None:
        """A counter of references in what the path did not make, which the releasing call counts down:
        who else holds a reference, the path does not know."""
        if state.tracked or not isinstance(value, Term) or self._at(state) != self.suspect.first:
            return
        if len(value.atoms) != 1 or value.number in executor.pointers:
            return
        frame = state.frames[-1]
        if len(state.frames) - 1 <= len(self.route):
            return  # the function's own decision: whenever it takes it, it goes on like this
        name, change = _change(
            executor, state, executor.value(state, frame, instr.operands[0]), value
        )
        if change > 0:
            self.raised.add(name)
        elif change < 0 or name in self.raised:
            self.told.add(name)

    def changed(self, executor: Executor, state: State, instr: Instr) -> None:
        return None


def _change(executor: Executor, state: State, address: Value, value: Term) -> tuple[str, int]:
    """By how much a number in memory is more than what lay there at first, and the name of that; 0 also
    if it is something else."""
    address = executor.settled(state, address)
    if not isinstance(address, int) or address >> 32 not in state.objects:
        return "", 0
    obj = state.objects[address >> 32]
    constant, parts = executor.terms.linear(value, value.width)
    name = f"{obj.name}[{address - obj.base}:{value.width // 8}]"
    first = executor.terms.by_number[next(iter(value.atoms))]
    if str(first.args[0]) != name or parts != ((first, 1),):
        return "", 0
    return name, signed(constant, value.width)


def _start_of(executor: Executor, value: Value) -> int:
    """The address that a pointer is told from; what is added may not be known (`strchr`)."""
    return value if isinstance(value, int) else executor.terms.linear(value, value.width)[0]


def _is_block(state: State, value: Value) -> bool:
    """Whether a value leads to a block that the path made."""
    obj = state.objects.get(value >> 32) if isinstance(value, int) else None
    return obj is not None and obj.kind is Kind.HEAP


def _released_arguments(model: FunctionModel | None) -> list[tuple[AccessPath, str]]:
    """Places that a function releases, and by which family."""
    found = []
    for effect in model.effects if model is not None else ():
        if isinstance(effect, Free) and isinstance(effect.target.root, Arg):
            found.append((effect.target, effect.family))
        elif isinstance(effect, Realloc) and isinstance(effect.source.root, Arg):
            found.append((effect.source, effect.family))
    return found


def _pointer(
    executor: Executor, state: State, path: AccessPath, arguments: list[Value]
) -> Value | None:
    assert isinstance(path.root, Arg)
    if path.root.index > len(arguments) or path.steps:
        return None
    return executor.settled(state, arguments[path.root.index - 1])


def released_family(executor: Executor, instr: int) -> str:
    """The family by which a call releases its argument."""
    knowledge = executor.knowledge
    func = knowledge.program.direct_callee(instr) if instr >= 0 else -1
    model = knowledge.model(knowledge.meant(func)) if func >= 0 else None
    found = _released_arguments(model)
    return found[0][1] if found else ""
