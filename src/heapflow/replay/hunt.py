"""What a search looks for: blocks of one allocation, and the moment at which nothing leads to them.

In:    a candidate.     Out: `Hunt`, which watches every step of a state.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from heapflow.ownership.ownership import Laid
from heapflow.replay.client import ClientCall, begin_call, take_result
from heapflow.replay.code import Block, Code
from heapflow.replay.control import Postponed
from heapflow.replay.descriptors import is_nameless, result_of
from heapflow.replay.events import End, EventKind, Loss, LostBy
from heapflow.replay.executor import Ended, Executor, Watch
from heapflow.replay.externals import call_in
from heapflow.replay.frame import Frame
from heapflow.replay.held import at_the_end, is_held, owners_of
from heapflow.replay.instr import Instr
from heapflow.replay.knowledge import Knowledge
from heapflow.replay.lostat import place_of_loss, variable_before
from heapflow.replay.memory import Kind, Object
from heapflow.replay.merge import Followed
from heapflow.replay.proposal import Proposal
from heapflow.replay.skipping import leading_to_blocks, pass_loop
from heapflow.replay.state import State
from heapflow.replay.terms import Value
from heapflow.replay.turns import end_scopes, turn_waits

_BRANCH: Final = EventKind.BRANCH


@dataclass(frozen=True, slots=True)
class Candidate:
    """A block that stage 1 takes for lost."""

    func: int  # in which it is lost
    chain: tuple[int, ...]  # calls from the allocating one up to the one in `func`
    deferred: frozenset[int] = frozenset()  # edges that stage 1's condition does not take
    outwards: tuple[int, ...] = ()  # calls from the function at which to start down to `func`
    script: tuple[ClientCall, ...] = ()  # calls of a client, if it takes several to lose it
    stage: int = 0  # the one of them that makes the block
    # Functions that make what the script's first call gets as an argument, and which one that is.
    makers: tuple[int, ...] = ()
    shared: int = -1
    builders: frozenset[int] = frozenset()  # functions that make or fill something
    drops: tuple[int, ...] = ()  # blocks of the last function that can lose it
    laid: Laid | None = None  # what lies in memory before the script begins

    def hunt(self, enter: frozenset[int], on_route: frozenset[int]) -> Hunt:
        """What looks for it; calls in `enter` are entered, functions `on_route` lead there."""
        return Hunt(self, enter, on_route)

    @property
    def is_loss(self) -> bool:
        """Whether it is about a loss: one at the end of the program is another matter."""
        return True

    @property
    def is_sure(self) -> bool:
        """Whether it is a misuse of one pointer under all its names, not of two that may be one."""
        return False

    def made_up(self, state: State, names: list[str]) -> bool:
        """Whether decisions about these unknowns say too little of real executions."""
        return False


class Hunt(Watch):
    """Follows the blocks of a candidate."""

    def __init__(
        self, candidate: Candidate, enter: frozenset[int], on_route: frozenset[int]
    ) -> None:
        self.candidate, self.enter = candidate, enter
        self.route = (*candidate.outwards, *reversed(candidate.chain[1:]))
        self.site = candidate.chain[0]
        self.followed = Followed()
        self.merges = False
        self.skips = False  # loops that do nothing with the block
        self.postpones = False  # paths that look less promising than others
        self.latest = 0  # turns of loops beyond their bound, for all of them
        self.proposal = Proposal()
        self.stops_at_loss = False  # what comes after it is not asked about
        self.aside = -1  # a call that is passed, to see whether the path needs it
        self.known: frozenset[int] = (
            frozenset()
        )  # where it is known to be lost: others are asked for
        # What became of the blocks on some path.
        self.was_handed = self.was_released = self.was_misused = False
        # Passed calls without whose results nothing would lead to the block in the end.
        self.holding: set[int] = set()
        # Unknown memory that the result of a call speaks of which releases the block: the program knows
        # what that says of the release, and a path that does not begin where it was written does not.
        self.told: set[str] = set()
        self.on_route = on_route  # functions in which the calls of the route stand

    # Where it is made ----------------------------------------------------------------------------

    def progress(self, state: State) -> int:
        """How many calls of the route are active, if there are no others; -1: there are. A function
        that calls itself may be active more often than the route says."""
        if state.stage != self.candidate.stage:
            return -1
        done = 0
        for frame in state.frames[1:]:
            if done < len(self.route) and frame.call == self.route[done]:
                done += 1
            elif done == 0 or frame.code.func not in self.on_route:
                return -1
        return done

    def is_site(self, executor: Executor, state: State, instr: Instr) -> bool:
        return instr.id == self.site and self.progress(state) == len(self.route)

    def wants(
        self, executor: Executor, state: State, func: int, instr: Instr, arguments: list[Value]
    ) -> bool:
        if instr.id in self.enter:
            return True
        if state.loss is not None:
            return False
        if self.candidate.script and not state.tracked and self._builds(executor, func):
            return True
        done = self.progress(state)
        if done < 0:
            return False
        if done < len(self.route) and instr.id == self.route[done]:
            return True
        # Of a recursion, one turn is followed also with a block: its result may hang on the first.
        is_first = not state.tracked or done == len(state.frames) - 1
        return done > 0 and is_first and func in self.on_route

    def _builds(self, executor: Executor, func: int) -> bool:
        """Whether a callee may make or link what a later call of the script looks at."""
        small = executor.knowledge.size(func) <= executor.config.largest_builder
        return func in self.candidate.builders and small

    def is_under_way(self, state: State) -> bool:
        """Of a misuse: whether the call that releases has begun."""
        return False

    def may_enter(self, state: State, instr: Instr) -> bool:
        return state.loss is None and instr.id != self.aside

    def allocated(self, executor: Executor, state: State, obj: Object, instr: Instr) -> None:
        if state.loss is None and self.is_site(executor, state, instr):
            state.tracked = state.tracked | {obj.id}

    # Where it is lost ----------------------------------------------------------------------------

    def check(self, executor: Executor, state: State, instr: int, by: LostBy) -> None:
        """After a step that may have dropped a reference."""
        if not state.tracked or state.loss is not None:
            return
        for block in sorted(state.tracked) if len(state.tracked) > 1 else state.tracked:
            if not is_held(executor, state, block):
                self._lose(executor, state, block, instr, by)
                return

    def _lose(
        self,
        executor: Executor,
        state: State,
        block: int,
        instr: int,
        by: LostBy,
        in_unread: bool = False,
    ) -> None:
        if self.candidate.script and state.stage <= self.candidate.stage:
            raise Ended(End.POINTLESS)  # one call alone loses it: another candidate
        if state.objects[block].number and self._fills_a_place(executor, state, block):
            raise Ended(End.POINTLESS)
        frame = state.frames[-1]
        depth, func = len(state.frames), frame.code.func
        if by is LostBy.VARIABLE and state.objects[block].by == instr:
            # It was made just now, or by the same call before.
            by = LostBy.RESULT if block == state.next_object - 1 else LostBy.TURN
        holder = state.holder if state.holder >= 0 else variable_before(executor, state, block)
        owners = tuple(sorted({state.objects[one].by for one in owners_of(executor, state, block)}))
        state.loss = Loss(
            block,
            instr,
            depth,
            func,
            by,
            holder,
            frame.previous,
            owners=owners,
            in_unread=in_unread,
        )
        state.note(EventKind.LOST, instr, block)
        state.tracked = frozenset()
        if self.stops_at_loss:
            raise Ended(End.TURNED)
        self._end_if_known(executor, state.loss)

    def _end_if_known(self, executor: Executor, loss: Loss) -> None:
        if self.known and place_of_loss(executor.knowledge, loss) in self.known:
            raise Ended(End.POINTLESS)

    def _fills_a_place(self, executor: Executor, state: State, block: int) -> bool:
        """Whether a descriptor is made for its number: what the call returns gets no name. Without
        debug information nothing has one, and that says nothing."""
        func, call = self.candidate.func, self.candidate.chain[-1]
        if executor.knowledge.program.position(call)[1] <= 0:
            return False
        code = executor.knowledge.code(func)
        number = state.objects[block].number
        results = [
            frame.regs.get(result_of(code, call))
            for frame in state.frames
            if frame.code.func == func
        ]
        return number in results and is_nameless(code, call)

    def bound(self, executor: Executor, state: State, frame: Frame, instr: Instr) -> None:
        """Source variables have new values."""
        for (variable, _), name in instr.bindings:
            value = frame.regs.get(name)
            if isinstance(value, int) and value >> 32 in state.tracked:
                state.holder = variable
        where = instr.id
        if frame.index > 0:
            # The instruction before has the variable's new value as its result.
            before = frame.code.blocks[frame.block].instrs[frame.index - 1]
            if before.result in dict(instr.bindings).values():
                where = before.id
        self.check(executor, state, where, LostBy.VARIABLE)

    def stored(self, executor: Executor, state: State, instr: Instr, value: Value) -> None:
        if state.tracked:
            # The store itself is done: what it used is not needed for it any more.
            state.frames[-1].index += 1
            self.check(executor, state, instr.id, LostBy.STORE)
            state.frames[-1].index -= 1

    def changed(self, executor: Executor, state: State, instr: Instr) -> None:
        if state.tracked:
            state.frames[-1].index += 1
            newest = state.objects.get(state.next_object - 1)
            makes = newest is not None and newest.by == instr.id
            self.check(executor, state, instr.id, LostBy.VARIABLE if makes else LostBy.RELEASE)
            state.frames[-1].index -= 1

    def returned(self, executor: Executor, state: State, instr: Instr) -> None:
        """A callee is done: its variables are gone, and its result may have no use."""
        if not state.tracked:
            return
        frame = state.frames[-1]
        call = frame.code.blocks[frame.block].instrs[frame.index - 1]
        result = frame.regs.get(call.result)
        dropped = isinstance(result, int) and result >> 32 in state.tracked
        where = call.id if dropped else instr.id
        self.check(executor, state, where, LostBy.RESULT if dropped else LostBy.RETURN)
        if state.loss is not None and not dropped:
            state.loss.came_from = executor.left_from
            state.loss.func = executor.knowledge.func_of(instr.id)
            state.loss.depth += 1
            self._end_if_known(executor, state.loss)

    def goes_on(
        self, executor: Executor, state: State, frame: Frame, instr: Instr, value: Value | None
    ) -> bool:
        script, number = self.candidate.script, state.stage + 1
        if number >= len(script) or state.loss is not None:
            return False
        if state.stage >= self.candidate.stage and not state.tracked:
            raise Ended(End.POINTLESS)
        self.finishing(executor, state, frame, instr, value)
        if state.loss is not None:
            return False
        take_result(executor, state, value)
        begin_call(executor, state, number, script[number])
        return True

    def finishing(
        self, executor: Executor, state: State, frame: Frame, instr: Instr, value: Value | None
    ) -> None:
        if state.loss is not None:
            return
        unread = frozenset[int]()
        if state.tracked and not self.candidate.script:
            unread = executor.knowledge.unread_after(frame.code.func)
        for block in sorted(state.tracked):
            if not at_the_end(executor, state, block, value, unread):
                in_unread = bool(unread) and at_the_end(executor, state, block, value, frozenset())
                self._lose(executor, state, block, instr.id, LostBy.RETURN, in_unread)
                return
            self.was_handed = True
            self._note_holding(executor, state, block, value, unread)

    def _note_holding(
        self,
        executor: Executor,
        state: State,
        block: int,
        value: Value | None,
        unread: frozenset[int],
    ) -> None:
        """What a passed call gave may be a new block that nobody else knows."""
        given: dict[int, int] = {}
        for one in state.objects.values():
            call = call_in(executor, one.name) if one.kind is Kind.WORLD else None
            if call is not None:
                given[one.id] = call
        without = unread.union(given)
        if given and not at_the_end(executor, state, block, value, without):
            self.holding |= set(given.values())

    def calls_holding(self, knowledge: Knowledge) -> frozenset[int]:
        """Those of them that can be entered instead."""
        return frozenset(call for call in self.holding if knowledge.has_known_callee(call))

    def misused(self, executor: Executor, state: State, obj: Object, again: bool) -> None:
        is_about = bool(state.tracked) or state.loss is not None
        self.was_misused = self.was_misused or (is_about and not again)

    def released(self, executor: Executor, state: State, obj: Object, instr: int) -> None:
        self.was_released = self.was_released or obj.by == self.site

    # Where to stop -------------------------------------------------------------------------------

    def jumped(
        self, executor: Executor, state: State, frame: Frame, source: int, target: Block
    ) -> None:
        if state.tracked:
            last = frame.code.blocks[source].instrs[-1].id
            ended = end_scopes(executor, frame, source, target)
            turns = (source, target.id) in frame.code.back_edges and not ended
            self.check(executor, state, last, LostBy.TURN if turns else LostBy.SCOPE)
        waits = False
        is_again = (source, target.id) in frame.code.back_edges
        if (is_again or target.joins) and self._skip(executor, state, frame, target, is_again):
            frame.turns.pop(target.id, None)
            frame.marks[target.id] = state.chosen
        elif is_again:
            waits = turn_waits(executor, state, frame, target, self.latest)
        else:
            frame.turns.pop(target.id, None)
            frame.marks[target.id] = state.chosen
        if not state.tracked and state.loss is None:
            self._give_up(executor, state, frame, target)
        elif self.is_last(state) and state.loss is None:
            self._give_up_dropping(state, frame, source, target)
        if target.joins and self.merges:
            self.followed.merge(executor, state)
        if state.loss is None and self._goes_astray(state, frame, source, target):
            state.astray += 1
            waits = True
        if waits and self.postpones:
            raise Postponed

    def _goes_astray(self, state: State, frame: Frame, source: int, target: Block) -> bool:
        """Whether a jump goes against what was proposed. What becomes of the block where another
        allocation failed is followed at once: proposals are about the ordinary case."""
        if state.failed and state.tracked:
            return False
        return self.proposal.is_against(frame, source, target.id)

    def _skip(
        self, executor: Executor, state: State, frame: Frame, target: Block, is_again: bool
    ) -> bool:
        """Pass the turns of a loop, if one begins here in which nothing can be lost."""
        before = frame.skipped.get(target.id)
        if before is not None and not is_again:
            frame.skipped = {at: one for at, one in frame.skipped.items() if at != target.id}
        if not self.skips or state.loss is not None:
            return False
        loop = executor.knowledge.loop(frame.code, target.id)
        if loop is None or loop.key.id in self.enter:
            return False
        kept = leading_to_blocks(executor, state, frame, loop) if state.tracked else {}
        if kept is None:
            return False
        if is_again and before is not None and before == frozenset(kept.items()):
            raise Ended(End.MERGED)  # whatever comes from here comes from there
        pass_loop(executor, state, frame, loop, kept)
        return True

    def _give_up(self, executor: Executor, state: State, frame: Frame, target: Block) -> None:
        """Nothing is tracked, and the allocation cannot be reached from here any more."""
        done = self.progress(state)
        if (
            done < 0
            or len(state.frames) - 1 > len(self.candidate.outwards)
            or done != len(state.frames) - 1
        ):
            return
        goal = executor.knowledge.instr_block[self.next_call(done)]
        if target.id not in frame.code.distance((goal,)):
            raise Ended(End.POINTLESS)

    def is_last(self, state: State) -> bool:
        """Whether the last call of a script is active, and only some blocks in it can lose it."""
        last = len(self.candidate.script) - 1
        return 0 < last == state.stage and len(state.frames) == 1 and bool(self.candidate.drops)

    def _give_up_dropping(self, state: State, frame: Frame, source: int, target: Block) -> None:
        """What can lose the block was not met, and cannot be reached any more."""
        drops = self.candidate.drops
        if source in drops:
            state.dropped = True
        elif not state.dropped and target.id not in frame.code.distance(drops):
            raise Ended(End.POINTLESS)

    def next_call(self, done: int) -> int:
        """The call that leads on to the allocation, or the allocation itself."""
        return self.route[done] if done < len(self.route) else self.site

    def goal(self, executor: Executor, state: State, code: Code) -> tuple[int, ...]:
        """Blocks of the active function that a search tries to reach first."""
        done = self.progress(state)
        if not state.tracked and state.loss is None and done >= 0:
            wanted = executor.knowledge.instr_block[self.next_call(done)]
            if wanted in code.blocks:
                return (wanted,)
        if self.is_last(state) and state.loss is None and not state.dropped:
            return self.candidate.drops
        return code.exits()
