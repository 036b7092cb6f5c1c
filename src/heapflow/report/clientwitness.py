"""From clients that lose a block to the findings that a person reads.

In:    `Client`s, what replay says of them.     Out: `Finding`s that say what they assume.
"""

from __future__ import annotations

from heapflow.ownership.ownership import Client, FieldTable, OriginKind
from heapflow.replay.answer import Outcome, Replayed
from heapflow.replay.path import LosingPath, PathKind, PathStep
from heapflow.replay.trials import Trials
from heapflow.report.finding import Confidence, Finding, Place, Step, StepKind
from heapflow.report.witness import WitnessMaker


def client_findings(maker: WitnessMaker, trials: Trials, losses: list[Finding]) -> list[Finding]:
    """One for each block and field: the first client that loses it, or, if none does, the first on
    which execution met a bound. Blocks that are told without a client are not told again."""
    known = {one.allocation for one in losses if one.is_confirmed}
    found: dict[tuple[object, ...], Finding] = {}
    for client, answer in zip(trials.clients, trials.replayed, strict=True):
        key = (client.field, client.chain[0])
        if answer.outcome is Outcome.CONFIRMED and key not in found:
            found[key] = _finding(maker, trials.table, client, answer)
    lost = [one for one in found.values() if known.isdisjoint((one.allocation, *one.call_chain))]
    told = {one.allocation for one in (*losses, *lost)}
    undecided: dict[object, Finding] = {}
    for client, answer in zip(trials.clients, trials.replayed, strict=True):
        if answer.outcome is Outcome.NOT_CONFIRMED and (client.field, client.chain[0]) not in found:
            finding = _finding(maker, trials.table, client, answer)
            if told.isdisjoint((finding.allocation, *finding.call_chain)):
                undecided.setdefault(finding.allocation, finding)
    return [*lost, *undecided.values()]


def _finding(maker: WitnessMaker, table: FieldTable, client: Client, replayed: Replayed) -> Finding:
    """One finding of one client, with its path if it was confirmed."""
    path = replayed.path
    at = _given_at(table, client.chain)
    chain = [maker.place(row) for row in client.chain]
    lost_by = maker.decide.lost_by(replayed)
    held = _field_text(table, client)
    lost = maker.place(path.lost_at) if path is not None else _end(maker, client)
    names = (client.first, *(func for func, _ in client.then))
    confirmed = Confidence.MEDIUM if client.then else Confidence.HIGH
    return Finding(
        rule=maker.decide.rule_of_client(replayed, bool(table.fields[client.field].releasers)),
        allocation=chain[at],
        allocator=maker.called(client.chain[at]),
        lost=lost,
        lost_by=lost_by,
        steps=_steps(maker, path, client, Step(StepKind.LOST, lost, held)),
        variable=held,
        call_chain=tuple(chain[at + 1 :]),
        confidence=confirmed if path is not None else Confidence.LOW,
        outcome=replayed.outcome.value,
        bounds=replayed.bounds,
        examples=path.examples if path is not None else (),
        believes=maker.believes(path),
        uncalled=maker.uncalled(path, names),
        client=tuple(map(maker.program.func_name, names)) if client.then else (),
        block=(client.chain[at], client.chain[0], -1),
    )


def _end(maker: WitnessMaker, client: Client) -> Place:
    """Where the last call may drop the block, if no execution shows it."""
    blocks = maker.program.blocks
    if client.drops:
        return maker.place(int(blocks.instr_start[client.drops[0] + 1]) - 1)
    return maker.start(client.then[-1][0] if client.then else client.first)


def _given_at(table: FieldTable, chain: tuple[int, ...]) -> int:
    """The outermost call that returned the block as itself, before it was put anywhere."""
    found = 0
    for number in range(1, len(chain)):
        returned = [
            origin.chain
            for func in table.whole.targets(chain[number])
            if func in table.whole.effects
            for origin in table.effects(func).returned
            if origin.kind is OriginKind.FRESH
        ]
        if chain[:number] not in returned:
            break
        found = number
    return found


def _field_text(table: FieldTable, client: Client) -> str:
    """The field as the last function would name it; "" if it has no name."""
    name = table.layouts.name(client.field)
    if not name or client.field.owner < 0:
        return name
    func, position = client.then[-1] if client.then else (client.first, -1)
    variables = table.program.variables
    rows = ((variables.func == func) & (variables.arg == position + 1)).nonzero()[0].tolist()
    if position < 0 or not rows:
        return name
    return f"{table.program.strings[int(variables.name[rows[0]])]}->{name}"


def _steps(
    maker: WitnessMaker, path: LosingPath | None, client: Client, last: Step
) -> tuple[Step, ...]:
    if path is None:
        return (maker.step(PathStep(PathKind.ALLOCATED, client.chain[0])),)
    found: list[Step] = []
    steps = path.steps[:-1]
    if client.is_set:
        made = [one for one in steps if one.kind is PathKind.ALLOCATED]
        steps = (*made, *(one for one in steps if one not in made))
        name = maker.program.func_name(client.first)
        found.append(Step(StepKind.CLIENT, maker.start(client.first), name))
    for step in steps:
        if step.kind is PathKind.STARTED:
            place = maker.start(step.detail)
            found.append(Step(StepKind.CLIENT, place, maker.program.func_name(step.detail)))
        else:
            found.append(maker.step(step))
    return (*found, last)
