"""Variables of a loop that change together.

    first = last = NULL; while (…) { if (!first) first = item; if (last) …; last = item; }
    n = 0, p = NULL;     while (…) if (…) { p = xrealloc(p, ++n); … }

Inside the loop each is opaque, but `first == NULL` holds exactly when `last == NULL` does. For the
comparisons of one loop's header φs with constants that a condition of interest contains, all clauses of
one or two of them are guessed; those that do not hold on entry, or that a turn can break while the
others hold, are dropped until none is (Flanagan, Leino: Houdini).
"""

from __future__ import annotations

from itertools import combinations, product
from typing import Final

from heapflow.guards.bdd import Guard
from heapflow.guards.cfg import Loop
from heapflow.guards.function import FunctionGuards
from heapflow.guards.terms import Case, Term, constant_of
from heapflow.ir.kinds import CmpPredicate, Op

_MOST_TESTS: Final = 6  # of one loop's variables
_MOST_NODES: Final = 300
Test = tuple[int, CmpPredicate, Term]  # a header's φ, compared with a constant
Clause = tuple[tuple[Test, bool], ...]  # one of them holds, or does not


def lockstep_facts(guards: FunctionGuards, guard: Guard) -> Guard:
    """What holds of the loop variables that a condition compares with constants."""
    space, found = guards.context.space, guards.context.space.true
    by_loop: dict[int, dict[Test, None]] = {}
    turns: dict[int, set[int]] = {}
    for variable in sorted(space.support(guard)):
        atom = guards.context.atoms[variable]
        term: Term = atom.left
        turn = 0
        match term:
            case ("turn", int(number), tuple(inner)):  # the same in an earlier turn
                term, turn = inner, number
        header = header_of(guards, term)
        if header >= 0 and atom.predicate is not None and constant_of(atom.right) is not None:
            value = term[1]
            assert isinstance(value, int)
            by_loop.setdefault(header, {})[value, atom.predicate, atom.right] = None
            turns.setdefault(header, set()).add(turn)
    for header, tests in by_loop.items():
        if len(tests) <= _MOST_TESTS:
            clauses = _Invariants(guards, guards.loop_at[header], list(tests)).find()
            for turn in sorted(turns[header]):
                for clause in clauses:
                    found = found & _is_kept(guards, clause, turn)
    return found if space.size(found) <= _MOST_NODES else space.true


def header_of(guards: FunctionGuards, term: Term) -> int:
    """The header of the loop whose variable a term is, or -1."""
    context = guards.context
    value = term[1] if term[0] == "val" else None
    instr = context.instr_of(value) if isinstance(value, int) else -1
    if instr < 0 or context.op[instr] != Op.PHI:
        return -1
    return context.instr_block[instr] if context.instr_block[instr] in guards.loop_at else -1


def _is_kept(guards: FunctionGuards, clause: Clause, turn: int) -> Guard:
    """A clause about the variables of the current turn (0), or of an earlier one."""
    context, found = guards.context, guards.context.space.false
    for (phi, predicate, right), sign in clause:
        term: Term = ("turn", turn, ("val", phi)) if turn else ("val", phi)
        holds = context.comparison(predicate, term, right)
        found = found | (holds if sign else ~holds)
    return found


class _Invariants:
    def __init__(self, guards: FunctionGuards, loop: Loop, tests: list[Test]) -> None:
        self.guards, self.loop, self.tests = guards, loop, tests
        self.context, self.space = guards.context, guards.context.space
        self.turn = guards.turn_guard[guards.after.index[loop.header]]

    def find(self) -> list[Clause]:
        first: dict[Test, Guard] = {}
        later: dict[Test, Guard] = {}
        for test in self.tests:
            before = self.guards.after.before(test[0], self.loop)
            passed_on = self.guards.after.passed_on(test[0], self.loop)
            if before is None or passed_on is None:
                continue
            first[test] = self._holds(test, [(self.space.true, before)])
            later[test] = self._holds(test, passed_on)
            if self.space.size(later[test]) > _MOST_NODES:
                return []
        entered = self.guards.reach.get(self.loop.header, self.space.true)
        clauses = [c for c in _all_clauses(list(first)) if self._never(c, first, entered)]
        while clauses:
            known = self.turn
            for clause in clauses:
                known = known & _is_kept(self.guards, clause, 0)
            kept = [clause for clause in clauses if self._never(clause, later, known)]
            if len(kept) == len(clauses):
                break
            clauses = kept
        return clauses

    def _holds(self, test: Test, split: list[Case]) -> Guard:
        """A test of the φ, were it one of these terms."""
        _, predicate, right = test
        found = self.space.false
        for guard, term in split:
            found = found | (guard & self.context.comparison(predicate, term, right))
        return found

    def _never(self, clause: Clause, truth: dict[Test, Guard], when: Guard) -> bool:
        """Whether a clause cannot be broken."""
        for test, sign in clause:
            when = when & (~truth[test] if sign else truth[test])
        return self.space.is_false(when)


def _all_clauses(tests: list[Test]) -> list[Clause]:
    signs = (True, False)
    found: list[Clause] = [((test, sign),) for test in tests for sign in signs]
    for one, other in combinations(tests, 2):
        found += [((one, a), (other, b)) for a, b in product(signs, signs)]
    return found
