"""How long functions and loops may take.

In:    Knowledge.     Out: the `Pace` of a function, whether a loop is short, whether the program works.
A program that takes input in a loop works until that is over. What neither takes input nor waits, and
turns only to release something, is soon done: that is how programs clear up before they end.
Guarantees: what is not known takes long.
Not modelled: how often a loop turns that only releases, or only looks at memory.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import TYPE_CHECKING

from heapflow.ir.kinds import CALLS, FuncFlag, ValueKind
from heapflow.models.model import Alloc, Call, Drop, Free, FunctionModel, Realloc, Unref
from heapflow.replay.code import Code
from heapflow.replay.instr import Instr

if TYPE_CHECKING:
    from heapflow.replay.knowledge import Knowledge

_LIBC = "libc.toml"
_CALLS = frozenset(int(op) for op in CALLS)
_MAKES = (Alloc, Realloc)
_ENDS = (Free, Unref, Drop)


class Pace(IntEnum):
    """How long a call may take."""

    LONG = 0  # it takes input, waits, turns, or is not known
    BRIEF = 1  # soon done, if it is not called again and again
    CLEARS = 2  # makes nothing new: soon done also in a loop that releases something


class Brevity:
    """Asked about functions and loops; answers are kept."""

    def __init__(self, knowledge: Knowledge, largest: int) -> None:
        self.known, self.largest = knowledge, largest
        self._pace: dict[int, Pace] = {}
        self._releases: dict[int, bool] = {}
        self._works: bool | None = None

    # Functions -----------------------------------------------------------------------------------

    def pace(self, func: int) -> Pace:
        """Of a function with all that it calls. One that calls itself is a loop: it has to release
        something, as who frees a tree does."""
        found = self._pace.get(func)
        if found is None:
            self._pace[func] = Pace.CLEARS  # on the way: asked again by a function that it calls
            found = self._own_pace(func)
            circle = self._circle(func)
            if circle and (found is not Pace.CLEARS or not self.releases(func)):
                found = Pace.LONG
                self._pace.update(dict.fromkeys(circle, found))
            self._pace[func] = found
        return found

    def _circle(self, func: int) -> list[int]:
        """Functions that call each other, this one among them; none if it does not call itself."""
        calls = self.known.calls
        if calls is None or not calls.recursive[func]:
            return []
        found: list[int] = (calls.scc == calls.scc[func]).nonzero()[0].tolist()
        return found

    def _own_pace(self, func: int) -> Pace:
        known = self.known
        if known.func_flags[func] & FuncFlag.INTRINSIC:
            return Pace.CLEARS
        if not known.has_body(func):
            return _pace_of(known.model(func))
        if known.size(func) > self.largest:
            return Pace.LONG
        code = known.code(func)
        if not all(self.is_short(code, header) for _, header in code.back_edges):
            return Pace.LONG
        return min(map(self.pace_of_call, self._calls(code, code.blocks)), default=Pace.CLEARS)

    def pace_of_call(self, call: Instr) -> Pace:
        """That of the slowest function that a call may reach."""
        return min(map(self.pace, self._targets(call)), default=Pace.LONG)

    def _targets(self, call: Instr) -> list[int]:
        known, callee = self.known, call.operands[0]
        if known.value_kind[callee] == ValueKind.FUNCTION:
            return [known.meant(known.value_index[callee])]
        return [known.meant(func) for func in known.callees(call.id)]

    def _calls(self, code: Code, blocks: Iterable[int]) -> list[Instr]:
        return [one for block in blocks for one in code.blocks[block].instrs if one.op in _CALLS]

    def releases(self, func: int) -> bool:
        """Whether a function releases something, on some way."""
        found = self._releases.get(func)
        if found is None:
            self._releases[func] = False
            if self.known.has_body(func):
                code = self.known.code(func)
                found = any(map(self._call_releases, self._calls(code, code.blocks)))
            else:
                model = self.known.model(func)
                found = model is not None and any(isinstance(e, _ENDS) for e in model.effects)
            self._releases[func] = found
        return found

    def _call_releases(self, call: Instr) -> bool:
        return any(map(self.releases, self._targets(call)))

    # Loops and what follows ----------------------------------------------------------------------

    def is_short(self, code: Code, header: int) -> bool:
        """Whether a loop only clears up: something is released in it and nothing made, or it goes
        through memory once and calls nothing but what looks."""
        inside = code.inside(header)
        calls = self._calls(code, inside)
        if any(self.pace_of_call(call) is not Pace.CLEARS for call in calls):
            return False
        if any(map(self._call_releases, calls)):
            return True
        has_inner = any(other in inside and other != header for _, other in code.back_edges)
        return not has_inner and all(map(self._looks, calls))

    def _looks(self, call: Instr) -> bool:
        known = self.known
        for func in self._targets(call):
            model = None if known.has_body(func) else known.model(func)
            if not known.func_flags[func] & FuncFlag.INTRINSIC and (
                model is None or not model.pure
            ):
                return False
        return True

    def is_last(self, code: Code, block: int, after: int = -1) -> bool:
        """Whether a function comes to its end soon after an instruction of a block, whatever it does;
        without one: after the block was entered."""
        here = [one for one in code.blocks[block].instrs if one.id > after]
        seen, stack = {block}, [block]
        while stack:
            for edge in code.blocks[stack.pop()].edges:
                if edge.target not in seen:
                    seen.add(edge.target)
                    stack.append(edge.target)
                    here += code.blocks[edge.target].instrs
        headers = {header for source, header in code.back_edges if source in seen}
        if after >= 0 and any(block in code.inside(header) for header in headers):
            return False
        calls = [one for one in here if one.op in _CALLS]
        if Pace.LONG in map(self.pace_of_call, calls):
            return False
        return all(self.is_short(code, header) for header in headers)

    # The program ---------------------------------------------------------------------------------

    def works(self) -> bool:
        """Whether the program takes input, or waits for it, in a loop: what it does before and after
        that are two things."""
        if self._works is None:
            self._works = self._takes_input()
        return self._works

    def _takes_input(self) -> bool:
        known = self.known
        if known.calls is None:
            return False
        queue = [f for f in range(len(known.func_flags)) if self._waits(f)]
        seen = set(queue)
        for func in queue:
            for call in known.calls.callers(func):
                caller = known.func_of(call)
                if known.code(caller).comes_again(known.instr_block[call]):
                    return True
                if caller not in seen:
                    seen.add(caller)
                    queue.append(caller)
        return False

    def _waits(self, func: int) -> bool:
        model = None if self.known.has_body(func) else self.known.model(func)
        return model is not None and model.waits


def _pace_of(model: FunctionModel | None) -> Pace:
    if model is None or model.waits or any(isinstance(e, Call) for e in model.effects):
        return Pace.LONG
    if model.pure or any(isinstance(effect, _ENDS) for effect in model.effects):
        return Pace.CLEARS
    if model.origin != _LIBC:
        return Pace.LONG
    makes = any(isinstance(effect, _MAKES) for effect in model.effects)
    return Pace.BRIEF if makes else Pace.CLEARS
