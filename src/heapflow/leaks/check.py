"""Check what verdicts promise (`--check-phases`, tests).

- A source is followed in the function that its outermost call is in, and its calls follow each other.
- A leak can happen; it happens where the object exists, is not freed and is held by nobody.
- Nothing is both a leak and undecided, but for what callers do with it.
"""

from __future__ import annotations

from heapflow.flow.flow import Source
from heapflow.guards.guards import GuardContext
from heapflow.leaks.detect import Detection
from heapflow.leaks.dump import source_text
from heapflow.leaks.verdict import Verdict
from heapflow.support.errors import InternalError


def check_verdicts(detection: Detection, context: GuardContext) -> None:
    """Raises InternalError for the first guarantee that does not hold."""
    for source, _ in detection.undecided:
        _raise_if(_broken_source(source, context), source, context)
    open_sources = {source for source, _ in detection.undecided} - detection.open_above
    for verdict in detection.leaks:
        source = verdict.source
        _raise_if(_broken_source(source, context), source, context)
        _raise_if(_broken_leak(verdict, context), source, context)
        if source in open_sources:
            _raise_if("a leak, and undecided", source, context)


def _raise_if(broken: str, source: Source, context: GuardContext) -> None:
    if broken:
        raise InternalError(f"verdict on {source_text(source, context)}: {broken}")


def _broken_source(source: Source, context: GuardContext) -> str:
    if not source.chain or source.chain[-1] != source.site:
        return "the last call of its chain does not give it"
    if any(context.code.op[call] not in context.code.call_ops for call in source.chain):
        return "its chain has something else than calls"
    if context.code.block_func[context.code.instr_block[source.site]] != source.func:
        return "it is followed in another function than that of its call"
    return ""


def _broken_leak(verdict: Verdict, context: GuardContext) -> str:
    space, leaks = context.space, verdict.leaks
    if space.is_false(leaks):
        return "a leak that never happens"
    return ""
