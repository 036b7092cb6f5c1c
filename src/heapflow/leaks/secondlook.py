"""Blocks that stage 1 calls safe for reasons that are not exact: execution looks at them once more.

In:    verdicts without a leak.     Out: those that are doubtful, without their conditions.
Exact is what never lies in memory and escapes nowhere, with conditions that nobody rounded: it is
released or returned on every path. All else rests on who might hold a block, on what callees might do
with it, or on loops that were followed as far as bounds go.
"""

from __future__ import annotations

from dataclasses import replace

from heapflow.flow.flow import Flow, Source
from heapflow.guards.guards import FunctionGuards
from heapflow.ir.ids import FuncId, InstrId
from heapflow.leaks.verdict import Verdict
from heapflow.logic.space import GuardSpace


def is_doubtful(guards: FunctionGuards, flow: Flow) -> bool:
    """Whether a verdict of safety rests on more than exact conditions of values."""
    return bool(guards.inexact or flow.escapes or any(held >= 0 for _, held in flow.reached))


def brief(space: GuardSpace, verdict: Verdict) -> Verdict:
    """The verdict with its places only: conditions would keep their nodes alive."""
    none, always = space.false, space.true
    frees = [(instr, always) for instr, _ in verdict.flow.frees]
    return Verdict(
        source=replace(verdict.source, starts=[], exists=always, unread=[], places={}),
        flow=Flow(none, none, none, frees=frees),
        survives=none,
        leaks=none,
        safe_elsewhere=verdict.safe_elsewhere,
    )


def handed_up(verdict: Verdict, caller: FuncId, call: InstrId) -> Verdict:
    """The same block where a caller gets it."""
    source = verdict.source
    further: Source = replace(source, func=caller, site=call, chain=(*source.chain, call))
    return replace(verdict, source=further, flow=replace(verdict.flow, frees=[]))
