"""What became of every object, as text (`heapflow dump flow`, `heapflow dump verdicts`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from heapflow.flow.flow import Source
from heapflow.guards.guards import GuardContext
from heapflow.guards.text import GuardText
from heapflow.leaks.verdict import Verdict
from heapflow.logic.space import Guard
from heapflow.svfg.names import Names


def dump_flow(verdicts: Iterable[Verdict], context: GuardContext, names: Names) -> str:
    """Where each object goes in its function, under which conditions, and what is left in the end."""
    text = GuardText(context)
    lines = [line for verdict in verdicts for line in _flow(verdict, context, text, names)]
    return "".join(f"{line}\n" for line in lines)


def _flow(verdict: Verdict, context: GuardContext, text: GuardText, names: Names) -> Iterator[str]:
    source, flow, space = verdict.source, verdict.flow, context.space
    yield source_text(source, context)
    yield f"  exists: {text.guard(source.exists)}"
    reached = [(names.node(node), guard) for (node, _), guard in flow.reached.items()]
    for name, guard in sorted(_joined(reached).items(), key=lambda one: one[0]):
        yield f"  reaches {name}: {text.guard(guard)}"
    for instr, guard in sorted(flow.frees, key=lambda one: one[0]):
        yield f"  freed by the call in line {names.line(instr)}: {text.guard(guard)}"
    ends = ("freed", flow.freed), ("given away", flow.escaped), ("returned", flow.returned)
    for word, guard in ends:
        if not space.is_false(guard):
            yield f"  {word}: {text.guard(guard)}"
    if not flow.decided:
        yield f"  not decided: {flow.limit or 'a limit was hit'}"
    yield f"  held at the end: {text.guard(verdict.survives)}"
    yield f"  lost: {text.guard(verdict.leaks)}"


def _joined(reached: list[tuple[str, Guard]]) -> dict[str, Guard]:
    """Nodes of one name (other places that hold the object there) once, under any condition."""
    found: dict[str, Guard] = {}
    for name, guard in reached:
        found[name] = found[name] | guard if name in found else guard
    return found


def source_text(source: Source, context: GuardContext) -> str:
    """An object: its function, the allocator, and the calls that hand it up."""
    program = context.program
    lines = [str(program.position(call)[1]) for call in source.chain]
    callee = program.func_name(source.callee) if source.callee >= 0 else "a call"
    inside = ", inside another object" if source.inside else ""
    where = " <- line ".join(reversed(lines))
    return f"{program.func_name(source.func)}: block of {callee}, line {where}{inside}"
