"""What later phases computed in one run, as text (`heapflow dump guards|flow|verdicts`).

In:    which phase is asked for; the pipeline tells what it has.     Out: the text.
The texts are made as the run goes on: what they are about is given up again to save memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from heapflow.guards.dump import dump_guards
from heapflow.guards.guards import GuardBook
from heapflow.guards.text import GuardText
from heapflow.leaks.dump import dump_flow, source_text
from heapflow.leaks.leaks import Verdict
from heapflow.memssa.ssa import MemorySsa
from heapflow.replay.answer import Outcome, Replayed
from heapflow.svfg.graph import Svfg
from heapflow.svfg.names import Names


class Shown(StrEnum):
    """Phases that can be looked into."""

    GUARDS = "guards"
    FLOW = "flow"
    VERDICTS = "verdicts"


class Inside:
    """Listens to one run."""

    def __init__(self, shown: Shown) -> None:
        self.shown, self.text = shown, ""
        self.verdicts: list[Verdict] = []  # on all objects, in the order in which they were made

    def followed(self, ssa: MemorySsa, svfg: Svfg, book: GuardBook) -> None:
        """All objects were followed."""
        if self.shown is Shown.GUARDS:
            self.text = dump_guards(book)
        elif self.shown is Shown.FLOW:
            self.text = dump_flow(self.verdicts, book.context, Names(ssa, svfg))

    def answered(
        self, candidates: Sequence[Verdict], answers: Sequence[Replayed], book: GuardBook
    ) -> None:
        """All candidates were executed."""
        if self.shown is Shown.VERDICTS:
            context = book.context
            asked = dict(zip(candidates, answers, strict=True))
            known = set(self.verdicts)
            more = [one for one in candidates if one not in known]
            owners = {held: one.source for one in candidates for held in one.contents}
            lines: list[str] = []
            for verdict in (*self.verdicts, *more):
                lines.append(source_text(verdict.source, context))
                lines.append(f"  value flow: {_stage1(verdict, GuardText(context))}")
                if verdict.source in owners:
                    owner = source_text(owners[verdict.source], context)
                    lines.append(f"  told with what holds it: {owner}")
                if verdict in asked:
                    lines += _execution(asked[verdict], book)
            self.text = "".join(f"{line}\n" for line in lines)


def _stage1(verdict: Verdict, text: GuardText) -> str:
    if not verdict.flow.decided:
        return f"not decided ({verdict.flow.limit or 'a limit'})"
    if text.context.space.is_false(verdict.leaks):
        return f"safe, beyond {verdict.rounded}" if verdict.rounded else "safe"
    return f"lost if {text.guard(verdict.leaks)}"


def _execution(answer: Replayed, book: GuardBook) -> list[str]:
    lines = [f"  execution: {answer.outcome.value}"]
    if answer.bounds:
        lines[0] += f" ({', '.join(answer.bounds)})"
    if answer.outcome is Outcome.CONFIRMED:
        lines[0] += f", {answer.severity.value}"
    if answer.path is not None:
        program = book.context.program
        for step in answer.path.steps:
            line = program.position(step.instr)[1]
            lines.append(f"    {step.kind.name.lower()}, line {line}")
        lines.append(f"    told as lost in line {program.position(answer.path.lost_at)[1]}")
    return lines
