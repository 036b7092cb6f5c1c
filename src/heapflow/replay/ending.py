"""Whether the program ends as soon as a function returns.

In:    Knowledge, a function, what it returns.     Out: yes, or not known.
Every call of the function is known, and after each of them the rest of the caller is executed with
that result, all ways of it: they lead to `exit` or its like, or to the caller's return, where the
question is the same; the end of `main` is the end. Nothing may turn on these ways, and nothing may be
called that could go on for long: only functions of the C library, and those of the program that do no
more than that.
Guarantees: bounded; a bound that is met means "not known".
Not modelled: what a caller gave and knows; all but the result is unknown.
"""

from __future__ import annotations

from heapflow.ir.kinds import CALLS, FuncFlag, ValueKind
from heapflow.models.model import Free
from heapflow.replay.code import Block, Instr
from heapflow.replay.config import ReplayConfig
from heapflow.replay.control import Choice, Cut, Ended, JumpedBack
from heapflow.replay.executor import Executor
from heapflow.replay.externals import give
from heapflow.replay.knowledge import Knowledge
from heapflow.replay.state import End, EventKind, Frame, State
from heapflow.replay.step import constant_expression, step
from heapflow.replay.term import Value
from heapflow.replay.watch import Watch

_LIBC = "libc.toml"
_CALLS = frozenset(int(op) for op in CALLS)
_POSSIBLE = (End.BROKEN, End.POINTLESS, End.MERGED)


class Endings:
    """What is asked about the end of the program; answers are kept."""

    def __init__(self, knowledge: Knowledge, config: ReplayConfig) -> None:
        self.knowledge, self.config = knowledge, config
        self._brief: dict[int, bool] = {}
        self._asked: dict[tuple[int, int | None], bool] = {}

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

    def are_decided_by(self, func: int, value: int) -> bool:
        """Whether the program ends because the function has returned `value`: with any other result it
        would go on."""
        return self.ends(func, value) and not self.ends(func, None)

    def _ends(self, func: int, value: int | None) -> bool:
        known = self.knowledge
        if known.program.func_name(func) == "main":
            return True
        calls = known.callers(func)
        if not calls or len(calls) > self.config.most_ending_callers:
            return False
        return all(self._ends_after(call, value) for call in calls)

    def _ends_after(self, call: int, value: int | None) -> bool:
        known = self.knowledge
        code = known.code(known.func_of(call))
        block = code.blocks[known.instr_block[call]]
        if value is None and code.comes_again(block.id):
            return False
        executor = Executor(known, self.config, constant_expression, _Aftermath(self))
        state = State(known.first_object)
        frame = state.push(code)
        frame.block, frame.index = block.id, [one.id for one in block.instrs].index(call) + 1
        instr = block.instrs[frame.index - 1]
        if value is not None and instr.width and instr.result >= 0:
            frame.regs[instr.result] = value & ((1 << instr.width) - 1)
        else:
            give(executor, state, frame, instr, None, "returned")
        return self._all_end(executor, state)

    def _all_end(self, executor: Executor, first: State) -> bool:
        stack, func = [first], first.frames[0].code.func
        while stack:
            state = stack.pop()
            try:
                while executor.steps <= self.config.most_ending_steps:
                    step(executor, state)
                return False
            except Choice as choice:
                for alternative in choice.alternatives:
                    forked = state.fork()
                    executor.assume(forked, alternative)
                    stack.append(forked)
            except (Cut, JumpedBack):
                return False
            except Ended as ended:
                if ended.end is End.RETURNED:
                    value = state.returned
                    if not self.ends(func, value if isinstance(value, int) else None):
                        return False
                elif ended.end is not End.EXITED and ended.end not in _POSSIBLE:
                    return False
        return True

    # What is short ------------------------------------------------------------------------------

    def nothing_follows(self, state: State) -> bool:
        """Whether a loss happens once, and nothing that may take long can come between it and the
        return of the outermost function: no loop, no call."""
        if self._goes_straight(state):
            return True
        active: list[int] = []
        left: list[int] = []  # the call that came back just before, which is where it was lost
        for event in state.events():
            if event.kind is EventKind.LOST:
                return all(self._is_last(place) for place in (*active, *left, event.instr))
            left = [event.instr] if event.kind is EventKind.LEFT else []
            if event.kind is EventKind.ENTERED:
                active.append(event.instr)
            elif event.kind is EventKind.LEFT and active:
                active.pop()
        return False

    def _goes_straight(self, state: State) -> bool:
        """Whether nothing was left to choose behind the loss, nothing turned, and nothing was called
        that may take long: whoever loses the block so comes to the end."""
        events = state.events()
        lost = next(n for n, event in enumerate(events) if event.kind is EventKind.LOST)
        calls = (EventKind.ENTERED, EventKind.PASSED)
        for event in events[lost + 1 :]:
            if event.kind is EventKind.BRANCH and event.choice >= 0:
                return False
            if event.kind in calls and not (event.detail >= 0 and self.is_brief(event.detail)):
                return False
        return state.after == 0

    def _is_last(self, instr: int) -> bool:
        """Whether a function comes to its end soon after an instruction."""
        known = self.knowledge
        code, block = known.code(known.func_of(instr)), known.instr_block[instr]
        here = [one for one in code.blocks[block].instrs if one.id > instr]
        seen, stack = {block}, [block]
        while stack:
            for edge in code.blocks[stack.pop()].edges:
                if edge.target not in seen:
                    seen.add(edge.target)
                    stack.append(edge.target)
                    here += code.blocks[edge.target].instrs
        if any(source in seen for source, _ in code.back_edges):
            return False
        return all(self._calls_brief(one) for one in here if one.op in _CALLS)

    def is_brief(self, func: int) -> bool:
        """Whether a function is short, turns at most to release something, and calls only what is."""
        found = self._brief.get(func)
        if found is None:
            self._brief[func] = False
            found = self._brief[func] = self._is_brief(func)
        return found

    def _is_brief(self, func: int) -> bool:
        known = self.knowledge
        if known.func_flags[func] & FuncFlag.INTRINSIC:
            return True
        if not known.has_body(func):
            model = known.model(func)
            return model is not None and model.origin == _LIBC
        if known.size(func) > self.config.most_ending_steps:
            return False
        code = known.code(func)
        calls = [i for b in code.blocks.values() for i in b.instrs if i.op in _CALLS]
        if code.back_edges and not all(self._only_releases(call) for call in calls):
            return False
        return all(self._calls_brief(call) for call in calls)

    def _only_releases(self, call: Instr) -> bool:
        """Whether a call in a loop ends something, or only looks: what clears up is soon done."""
        known = self.knowledge
        callee = call.operands[0]
        if known.value_kind[callee] != ValueKind.FUNCTION:
            return False
        func = known.meant(known.value_index[callee])
        if known.has_body(func):
            return self.is_brief(func)
        model = known.model(func)
        if known.func_flags[func] & FuncFlag.INTRINSIC or model is None:
            return bool(known.func_flags[func] & FuncFlag.INTRINSIC)
        return model.pure or any(isinstance(effect, Free) for effect in model.effects)

    def _calls_brief(self, call: Instr) -> bool:
        known = self.knowledge
        callee = call.operands[0]
        if known.value_kind[callee] != ValueKind.FUNCTION:
            return False
        return self.is_brief(known.meant(known.value_index[callee]))


class _Aftermath(Watch):
    """Ends a path that turns, or calls what may take long."""

    def __init__(self, endings: Endings) -> None:
        self.endings = endings

    def wants(
        self, executor: Executor, state: State, func: int, instr: Instr, arguments: list[Value]
    ) -> bool:
        if not self.endings.is_brief(func):
            raise Ended(End.TURNED)
        return not executor.knowledge.touches(func).returns

    def calling(
        self,
        executor: Executor,
        state: State,
        instr: Instr,
        model: object,
        arguments: list[Value],
    ) -> None:
        if model is None or getattr(model, "origin", "") != _LIBC:
            raise Ended(End.TURNED)

    def jumped(
        self, executor: Executor, state: State, frame: Frame, source: int, target: Block
    ) -> None:
        if (source, target.id) in frame.code.back_edges:
            raise Ended(End.TURNED)
