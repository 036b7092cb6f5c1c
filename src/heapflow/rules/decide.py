"""Which rule is broken, and how the last pointer went.

In:    verdicts of stage 1, what execution says of them, state machines.     Out: `Rule`, `LostBy`.
Nothing of this is about words or places: the report asks, and tells.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from heapflow.flow.flow import Source
from heapflow.ir.program import Program
from heapflow.leaks.leaks import Verdict
from heapflow.models.model import Effect
from heapflow.properties.candidates import Doubt, Suspect
from heapflow.properties.machine import Machines
from heapflow.replay.answer import Replayed, Severity
from heapflow.replay.events import LostBy as Dropped
from heapflow.rules.rule import LostBy, Rule

_BY: Final = {
    Dropped.RETURN: LostBy.RETURN,
    Dropped.RESULT: LostBy.RESULT_UNUSED,
    Dropped.STORE: LostBy.OVERWRITTEN,
    Dropped.VARIABLE: LostBy.OVERWRITTEN,
    Dropped.RELEASE: LostBy.OWNER_FREED,
    Dropped.TURN: LostBy.LOOP,
    Dropped.SCOPE: LostBy.END_OF_SCOPE,
    Dropped.USED: LostBy.USED,
    Dropped.PASSED: LostBy.PASSED,
    Dropped.HANDED_OUT: LostBy.HANDED_OUT,
    Dropped.AGAIN: LostBy.RELEASED_AGAIN,
    Dropped.WRONG_FAMILY: LostBy.WRONG_FUNCTION,
    Dropped.INNER: LostBy.INNER_POINTER,
    Dropped.STACK: LostBy.LOCAL_VARIABLE,
    Dropped.STATIC: LostBy.STATIC_VARIABLE,
}
_BROKEN: Final = {
    LostBy.RELEASED_AGAIN: Rule.DOUBLE_FREE,
    LostBy.WRONG_FUNCTION: Rule.MISMATCHED_RELEASE,
    LostBy.INNER_POINTER: Rule.MISMATCHED_RELEASE,
    LostBy.LOCAL_VARIABLE: Rule.INVALID_FREE,
    LostBy.STATIC_VARIABLE: Rule.INVALID_FREE,
}
_AT_ONCE: Final = {
    Severity.ALLOCATION_FAILS: Rule.LEAK_IF_ALLOCATION_FAILS,
    Severity.AT_EXIT: Rule.LEAK_AT_EXIT,
}
_REPLACED: Final = (LostBy.OVERWRITTEN, LostBy.LOOP)


class Decisions:
    """Asked once per finding."""

    def __init__(self, program: Program, effects: Sequence[Effect], machines: Machines) -> None:
        self._program, self._effects, self._machines = program, effects, machines

    def lost_by(self, replayed: Replayed) -> LostBy:
        """How the last pointer went; of what was not executed: its function returns."""
        path = replayed.path
        if path is None:
            return LostBy.RETURN
        by = _BY[path.lost_by]
        if replayed.severity is Severity.AT_EXIT and by is LostBy.RETURN:
            return LostBy.EXIT
        if by is LostBy.OVERWRITTEN and path.failed >= 0:
            failed, lost = self._line(path.failed), self._line(path.lost_at)
            return LostBy.REALLOC if failed == lost and lost[1] > 0 else by
        return by

    def rule_of_loss(self, verdict: Verdict, replayed: Replayed) -> Rule:
        """Of an object that stage 1 followed."""
        if replayed.severity in _AT_ONCE:
            return _AT_ONCE[replayed.severity]
        if self.is_resource(verdict.source):
            return Rule.RESOURCE_LEAK
        if self.lost_by(replayed) in _REPLACED:
            return Rule.OVERWRITTEN
        if not verdict.safe_elsewhere or _is_only_moved(verdict):
            return Rule.NEVER_FREED
        return Rule.CONDITIONAL_LEAK

    def rule_of_client(self, replayed: Replayed, is_released: bool) -> Rule:
        """Of what callers that are not known lose; `is_released`: somebody releases such blocks."""
        if replayed.severity in _AT_ONCE:
            return _AT_ONCE[replayed.severity]
        if self.lost_by(replayed) in _REPLACED:
            return Rule.OVERWRITTEN
        return Rule.CONDITIONAL_LEAK if is_released else Rule.NEVER_FREED

    def rule_of_descriptor(self, replayed: Replayed) -> Rule:
        """Of a resource that is a number."""
        fails = replayed.severity is Severity.ALLOCATION_FAILS
        return Rule.LEAK_IF_ALLOCATION_FAILS if fails else Rule.RESOURCE_LEAK

    def rule_of_misuse(self, replayed: Replayed) -> Rule:
        """Of a suspect that execution confirmed."""
        return _BROKEN.get(self.lost_by(replayed), Rule.USE_AFTER_FREE)

    def is_resource(self, source: Source) -> bool:
        """Whether it is something other than memory: a stream, a mapping, a handle of a library."""
        return self.broken_by_loss(source) == Rule.RESOURCE_LEAK.value

    def broken_by_loss(self, source: Source) -> str:
        """What the machine of its family says of an object that is lost; "": nothing."""
        effect = self._effects[source.effect] if source.effect >= 0 else None
        machine = self._machines.of(getattr(effect, "family", ""))
        return "leak" if machine is None else machine.lost

    def _line(self, instr: int) -> tuple[str, int]:
        """File and line of an instruction; of one without a line, those of its function."""
        program = self._program
        file, line, _ = program.position(instr)
        if line > 0:
            return file, line
        func = program.func_of(instr)
        return program.strings[int(program.functions.file[func])], int(program.functions.line[func])


def _is_only_moved(verdict: Verdict) -> bool:
    """The only release is by the call that allocates, which replaces its own last block."""
    return {instr for instr, _ in verdict.flow.frees} == {verdict.source.site}


def rule_of_suspect(suspect: Suspect) -> tuple[Rule, LostBy]:
    """Of a suspect of which execution had no answer."""
    match suspect.doubt:
        case Doubt.AFTER_RELEASE if suspect.again:
            return Rule.DOUBLE_FREE, LostBy.RELEASED_AGAIN
        case Doubt.AFTER_RELEASE:
            return Rule.USE_AFTER_FREE, LostBy.USED
        case Doubt.WRONG_RELEASE:
            return Rule.MISMATCHED_RELEASE, LostBy.WRONG_FUNCTION
        case Doubt.NOT_ACQUIRED:
            return Rule.INVALID_FREE, LostBy.LOCAL_VARIABLE
