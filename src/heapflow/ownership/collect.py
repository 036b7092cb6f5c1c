"""Evidence about functions that are not known, from all their call sites.

In:    Facts, Roles, the functions in question.     Out: `Evidence` per argument and per result.
"""

from __future__ import annotations

from heapflow.ir.kinds import ValueKind
from heapflow.ownership.arguments import Arguments
from heapflow.ownership.carried import Carried
from heapflow.ownership.ending import Endings
from heapflow.ownership.evidence import Evidence
from heapflow.ownership.returned import Returned
from heapflow.ownership.roles import Roles
from heapflow.ownership.uses import Uses


def collect_evidence(carried: Carried, roles: Roles, unknown: frozenset[int]) -> Evidence:
    """Look at every call site of the functions in question."""
    facts, found = carried.facts, Evidence()
    uses, endings = Uses(carried.walk, roles), Endings(carried, roles, unknown)
    returned = Returned(carried, uses, endings, unknown, found)
    arguments = Arguments(carried, uses, endings, returned, found)
    found.owners = endings.owners()
    for row in range(facts.instr_count):
        if not facts.is_call(row):
            continue
        func = facts.callee(row)
        if func not in unknown:
            continue
        if not uses.decides(row):
            found.untested.add(row)
        for at, value in enumerate(facts.operands(row)[1:]):
            if facts.value_kind[value] == ValueKind.FUNCTION:
                found.call_back.add(func)
            if facts.is_pointer(value):
                arguments.look_at(row, func, uses.position(func, at), value)
        if facts.result[row] >= 0 and facts.users(facts.result[row]):
            found.asked.add(func)
        if facts.result[row] >= 0 and facts.is_pointer(facts.result[row]):
            returned.look_at(row, func)
    return found
