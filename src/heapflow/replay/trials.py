"""Clients of the program's own functions, executed.

In:    Knowledge, bounds.     Out: `Trials`: the clients, and what execution says of each.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from heapflow.ownership.config import OwnershipConfig
from heapflow.ownership.ownership import Client, FieldTable, builders, find_clients, find_fields
from heapflow.pointsto.callgraph import CallGraph
from heapflow.policies.inforce import Policies
from heapflow.replay.answer import Replayed
from heapflow.replay.campaign import Asked, Round, replay_in_rounds
from heapflow.replay.client import ClientCall, Given
from heapflow.replay.config import ReplayConfig
from heapflow.replay.hunt import Candidate
from heapflow.replay.knowledge import Knowledge
from heapflow.support.run import Run


@dataclass(frozen=True, slots=True)
class Trials:
    """Clients, and what execution says of them."""

    table: FieldTable
    clients: list[Client]
    replayed: list[Replayed]


def try_clients(
    knowledge: Knowledge,
    calls: CallGraph,
    bounds: OwnershipConfig,
    config: ReplayConfig,
    policies: Policies,
    jobs: int,
    run: Run,
) -> Trials:
    """Calls that callers which are not known may make one after the other."""
    table = find_fields(knowledge.program, calls, knowledge.models, bounds)
    clients, left_out = find_clients(table, policies)
    making = builders(table)
    asked = [
        Asked(partial(as_candidate, client, making, table), client.first) for client in clients
    ]
    rounds = _rounds(knowledge, bounds, config)
    replayed = replay_in_rounds(knowledge, asked, rounds, jobs, run, "clients")
    run.count("clients executed", len(clients))
    run.count("clients that lose a block", sum(one.path is not None for one in replayed))
    run.count("instructions executed for clients", sum(one.steps for one in replayed))
    if left_out:
        run.hit_limit("ownership: clients", left_out)
    for what, count in sorted(table.whole.limits_hit.items()):
        if count:
            run.hit_limit(f"ownership: {what}", count)
    return Trials(table, clients, replayed)


def _rounds(
    knowledge: Knowledge, bounds: OwnershipConfig, config: ReplayConfig
) -> tuple[Round, ...]:
    """Brief searches for all, longer ones within a budget; then, where a path was seen, and what it
    rests on was not seen to its end, what any candidate may take."""
    most = min(config.most_steps, bounds.most_steps)
    limits = replace(config, most_steps=most, most_path_steps=most)
    first = min(config.most_search_steps, bounds.brief_search_steps)
    brief = replace(limits, most_search_steps=first, most_fail_steps=0)
    size = len(knowledge.instr_block)
    longer = max(size // max(bounds.instructions_per_step, 1), bounds.least_longer)
    return (
        Round(brief, max(size * bounds.brief_per_instruction, bounds.least_brief), ""),
        Round(limits, longer, "second searches", patience=longer // max(config.patient_part, 1)),
        Round(config, longer, "long searches", glimpsed=True),
    )


def as_candidate(client: Client, making: frozenset[int], table: FieldTable) -> Candidate:
    """The calls as a script; a function that loses the block alone is an ordinary candidate."""
    if client.is_set:
        return _while_set(client)
    script: list[ClientCall] = []
    if client.then:
        script.append(ClientCall(client.first))
    for func, position in client.then:
        shared = ((position, Given(0, client.given)),) if position >= 0 else ()
        script.append(ClientCall(func, shared))
    return Candidate(
        client.first,
        client.chain,
        script=tuple(script),
        makers=client.makers,
        shared=client.given,
        drops=client.drops,
        builders=making,
    )


def _while_set(client: Client) -> Candidate:
    """The last call alone; the block lies in the field when it begins."""
    ((func, position),) = client.then
    return Candidate(
        func,
        client.chain,
        script=(ClientCall(func),),
        stage=-1,
        shared=position,
        laid=client.laid or None,
    )
