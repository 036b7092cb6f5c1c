"""Whether the program ends soon after a block was lost.

In:    Knowledge, the path that loses it.     Out: yes, or not known.
Of every function that was active then, innermost first: what is left of it is soon done, and so is all
that follows its return, up to the end of `main`, `exit` or the like. Every call of it is known,
and after each of them the rest of the caller is executed with that result, all ways of it: they lead
to `exit`, or to the caller's return, where the question is the same.
It says something only of a program that would otherwise go on: with another result, or by taking input
in a loop, which is over then (`brief`). A small example loses what it loses.
Guarantees: bounded; a bound that is met means "not known".
Not modelled: what a caller gave and knows; all but the result is unknown.
"""

from __future__ import annotations

from heapflow.replay.aggregates import Aggregate
from heapflow.replay.brief import Pace
from heapflow.replay.code import Block, Code
from heapflow.replay.config import ReplayConfig
from heapflow.replay.control import Choice, Cut, Ended, JumpedBack
from heapflow.replay.decisions import assume
from heapflow.replay.evaluate import evaluate
from heapflow.replay.events import End, EventKind
from heapflow.replay.executor import Executor
from heapflow.replay.externals import give
from heapflow.replay.frame import Frame
from heapflow.replay.instr import Instr
from heapflow.replay.knowledge import Knowledge
from heapflow.replay.state import State
from heapflow.replay.step import constant_expression, step
from heapflow.replay.term import Value
from heapflow.replay.watch import Watch

_POSSIBLE = (End.BROKEN, End.POINTLESS, End.MERGED)


class Endings:
    """What is asked about the end of the program; answers are kept."""

    def __init__(self, knowledge: Knowledge, config: ReplayConfig) -> None:
        self.knowledge, self.config, self.brevity = knowledge, config, knowledge.brevity
        self.cut_off: set[str] = set()  # bounds that were met
        self._asked: dict[tuple[int, int | None], bool] = {}

    def come_after(self, start: int, state: State) -> bool:
        """Whether the program ends soon after the loss, on a path that returned from `start`."""
        goes_straight = self._goes_straight(state)
        results = {depth: value for depth, _, value in state.results}
        results[1] = state.returned
        for depth, place in self._places(state):
            if not (goes_straight or self._is_last(place)):
                return False
            func = start if depth == 1 else self.knowledge.func_of(place)
            value = results.get(depth)
            if value is None or isinstance(value, Aggregate):
                number = None
            else:
                number = evaluate(value, state.current_model)
            if self.ends(func, number) and self._goes_on_without(func, number):
                return True
        return False

    def _goes_on_without(self, func: int, value: int | None) -> bool:
        """Whether the program would go on otherwise: with another result, or because it takes input."""
        return self.brevity.works() or (value is not None and not self.ends(func, None))

    def _places(self, state: State) -> list[tuple[int, int]]:
        """Where the functions that were active at the loss stood, innermost first, with their depth."""
        active: list[int] = []
        left: list[int] = []  # the call that came back just before, which is where it was lost
        for event in state.events():
            if event.kind is EventKind.LOST:
                places = [*active, *left, event.instr]
                return list(enumerate(places, start=1))[::-1]
            left = [event.instr] if event.kind is EventKind.LEFT else []
            if event.kind is EventKind.ENTERED:
                active.append(event.instr)
            elif event.kind is EventKind.LEFT and active:
                active.pop()
        return []

    def ends(self, func: int, value: int | None) -> bool:
        """Whether the program ends whenever the function has returned `value` (None: anything)."""
        key = (func, value)
        found = self._asked.get(key)
        if found is None:
            # A function that hands the same up to itself ends as its other callers do.
            self._asked[key] = value is not None
            found = self._ends(func, value)
            if not found:
                self._asked.clear()  # what was said on that condition
            self._asked[key] = found
        return found

    def _ends(self, func: int, value: int | None) -> bool:
        known = self.knowledge
        if known.program.func_name(func) == "main":
            return True
        calls = known.callers(func) or known.callers_by_table(func)
        if len(calls) > self.config.most_ending_callers:
            self.cut_off.add("callers of what may end the program")
        if not calls or len(calls) > self.config.most_ending_callers:
            return False
        return all(self._ends_after(call, value) for call in calls)

    def _ends_after(self, call: int, value: int | None) -> bool:
        known = self.knowledge
        code = known.code(known.func_of(call))
        block = code.blocks[known.instr_block[call]]
        if value is None and code.comes_again(block.id):
            return False
        aftermath = _Aftermath(self)
        executor = Executor(known, self.config, constant_expression, aftermath)
        state = State(known.first_object)
        frame = state.push(code)
        frame.block, frame.index = block.id, [one.id for one in block.instrs].index(call) + 1
        instr = block.instrs[frame.index - 1]
        if value is not None and instr.width and instr.result >= 0:
            frame.regs[instr.result] = value & ((1 << instr.width) - 1)
        else:
            give(executor, state, frame, instr, None, "returned")
        return self._all_end(executor, aftermath, state)

    def _all_end(self, executor: Executor, aftermath: _Aftermath, first: State) -> bool:
        stack, code = [first], first.frames[0].code
        while stack:
            state = stack.pop()
            try:
                while executor.steps <= self.config.most_ending_steps:
                    step(executor, state)
                self.cut_off.add("steps behind a loss")
                return False
            except Choice as choice:
                for alternative in choice.alternatives:
                    forked = state.fork()
                    assume(executor, forked, alternative)
                    stack.append(forked)
            except (Cut, JumpedBack):
                return False
            except Ended as ended:
                if ended.end is End.RETURNED:
                    value = state.returned
                    if not self.ends(code.func, value if isinstance(value, int) else None):
                        return False
                elif ended.end is End.TURNED:
                    if not self._ends_behind(code, aftermath.header):
                        return False
                elif ended.end is not End.EXITED and ended.end not in _POSSIBLE:
                    return False
        return True

    def _ends_behind(self, code: Code, header: int | None) -> bool:
        """Whether the program ends soon wherever a loop that clears up is left."""
        if header is None or not self.brevity.is_last(code, header):
            return False
        return self.ends(code.func, None)

    # What follows in functions that were active ----------------------------------------------------

    def nothing_follows(self, state: State) -> bool:
        """Whether nothing that may take long can come between a loss and the return of the outermost
        function."""
        places = self._places(state)
        return self._goes_straight(state) or all(self._is_last(place) for _, place in places)

    def _goes_straight(self, state: State) -> bool:
        """Whether nothing was left to choose behind the loss, nothing turned, and nothing was called
        that may take long: whoever loses the block so comes to the end."""
        events = state.events()
        lost = next(n for n, event in enumerate(events) if event.kind is EventKind.LOST)
        calls = (EventKind.ENTERED, EventKind.PASSED)
        for event in events[lost + 1 :]:
            if event.kind is EventKind.BRANCH and event.choice >= 0:
                return False
            if event.kind in calls and not self._is_brief(event.detail):
                return False
        return state.after == 0

    def _is_brief(self, func: int) -> bool:
        return func >= 0 and self.brevity.pace(func) is not Pace.LONG

    def _is_last(self, instr: int) -> bool:
        known = self.knowledge
        code = known.code(known.func_of(instr))
        return self.brevity.is_last(code, known.instr_block[instr], instr)


class _Aftermath(Watch):
    """Ends a path that turns, or calls what may take long."""

    def __init__(self, endings: Endings) -> None:
        self.endings = endings
        self.header: int | None = (
            None  # of the loop that a path of the outermost function turned in
        )

    def wants(
        self, executor: Executor, state: State, func: int, instr: Instr, arguments: list[Value]
    ) -> bool:
        self._require_brief(instr)
        return not executor.knowledge.touches(func).returns

    def calling(
        self,
        executor: Executor,
        state: State,
        instr: Instr,
        model: object,
        arguments: list[Value],
    ) -> None:
        self._require_brief(instr)

    def _require_brief(self, instr: Instr) -> None:
        if self.endings.brevity.pace_of_call(instr) is Pace.LONG:
            self.header = None
            raise Ended(End.TURNED)

    def jumped(
        self, executor: Executor, state: State, frame: Frame, source: int, target: Block
    ) -> None:
        if (source, target.id) in frame.code.back_edges:
            self.header = target.id if len(state.frames) == 1 else None
            raise Ended(End.TURNED)
