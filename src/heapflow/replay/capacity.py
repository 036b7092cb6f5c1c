"""Guards against sizes that no memory has room for.

In:    the choice at a branch.     Out: the choice without what cannot be, or as one of allocations.
`if (SIZE_MAX / sizeof *p < 2 * set->capacity) return -1;`: what is counted by a number in memory was
allocated before, so it is not as many. Who takes that way wants memory, as one whose `realloc` fails.
Numbers that somebody entered may be as large as they like: only what lay in memory at first counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from heapflow.replay.decisions import require
from heapflow.replay.term import Term, Value

if TYPE_CHECKING:
    from heapflow.replay.control import Choice
    from heapflow.replay.executor import Executor
    from heapflow.replay.state import State

_LEAST: Final = 1 << 40  # as many bytes nobody has
_MOST: Final = 1 << 62  # beyond, an error code may be meant, or a number below zero


def require_room(executor: Executor, state: State, size: Value) -> None:
    """Who makes room for one more than there is does not have fewer than none (`malloc(count + 1)`)."""
    while isinstance(size, Term):
        least = size.args[0] if size.op == "sum" else 0
        if isinstance(least, int) and 0 < least < executor.config.most_beside:
            terms = executor.terms
            require(executor, state, terms.negate(terms.slt(size.width, size, least)))
            return
        if size.op == "sum" and len(size.args[1]) == 1:
            size = size.args[1][0][0]
        elif size.op in ("sext", "zext"):
            size = next(one for one in size.args if isinstance(one, Term))
        else:
            return


def only_for_want_of_memory(executor: Executor, state: State, choice: Choice) -> None:
    """Of a choice between two ways, one that counts more than there can be is a failure, or none."""
    for number, one in enumerate(choice.alternatives):
        if len(choice.alternatives) == 2 and _is_beyond(executor, one.condition):
            if executor.may_fail and not state.failed:
                choice.alternatives[number] = one._replace(later=True, fails=True)
            else:
                del choice.alternatives[number], choice.edges[number]
            return


def note_want(executor: Executor, state: State, condition: Value, holds: bool) -> None:
    """A branch was taken: whether memory was wanting there."""
    if state.failed or not executor.may_fail or not isinstance(condition, Term):
        return
    taken: Value = condition if holds else executor.terms.negate(condition)
    if isinstance(taken, Term) and _is_beyond(executor, taken):
        state.failed += 1


def _is_beyond(executor: Executor, condition: Term) -> bool:
    holds = condition.op != "not"
    compared = condition if holds else condition.args[0]
    if compared.op != "ult":
        return False
    # `least < number`, or not `number < least`.
    least, number = compared.args if holds else compared.args[::-1]
    if not isinstance(least, int) or not isinstance(number, Term) or not _LEAST <= least <= _MOST:
        return False
    by_number = executor.terms.by_number
    return all(str(by_number[atom].args[0])[:1] == "*" for atom in number.atoms)
