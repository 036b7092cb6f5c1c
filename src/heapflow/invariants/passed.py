"""What tests on the way to a block say of a value.

In:    control flow, comparisons with constants.     Out: `Passed`.
A block that can be reached only by one edge, and all that it dominates, is behind the test there.
"""

from __future__ import annotations

from heapflow.invariants.abstract import Abstract, mirrored, narrowed, negated
from heapflow.ir.kinds import CmpPredicate, EdgeKind, Op, TypeKind, ValueKind
from heapflow.pointsto.facts import Facts
from heapflow.support.dominators import NONE, Dominators, find_dominators

_Tests = dict[int, list[tuple[int, int]]]  # by block: predicates and constants
_ICMP, _EQ = int(Op.ICMP), int(CmpPredicate.EQ)
_INT, _NULL = int(ValueKind.INT), int(ValueKind.NULL)


class Passed:
    """Asked for uses of values."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        program = facts.program
        self._edges: list[int] = program.blocks.edge_start.tolist()
        self._target: list[int] = program.blocks.edge_target.tolist()
        self._kind: list[int] = program.blocks.edge_kind.tolist()
        self._condition: list[int] = program.blocks.edge_condition.tolist()
        self._number: list[int] = program.blocks.edge_number.tolist()
        self._block_func: list[int] = program.blocks.func.tolist()
        self._block_start: list[int] = program.functions.block_start.tolist()
        self._value_number: list[int] = program.values.number.tolist()
        self._bits: list[int] = program.types.bits.tolist()
        self._tests: dict[int, dict[int, _Tests]] = {}
        self._trees: dict[int, Dominators] = {}
        # By value: by block, the nearest one around it that is behind a test. By value and what is
        # known of it: what is left behind such tests. Each of thousands in a chain is asked about.
        self._nearest: dict[int, dict[int, int]] = {}
        self._narrowed: dict[tuple[int, Abstract], dict[int, Abstract]] = {}

    def narrow(self, number: int, found: Abstract, block: int) -> Abstract:
        """What is left of a value in a block."""
        func = self._block_func[block]
        tests = self._tests_of(func).get(number)
        if tests is None:
            return found
        # From the block outwards, as far as the answer is not known; then inwards again.
        answers, inner = self._narrowed.setdefault((number, found), {}), []
        at = self._tested_at(number, tests, block)
        while at >= 0 and at not in answers:
            inner.append(at)
            at = self._tested_at(number, tests, at, beyond=True)
        found, width = answers[at] if at >= 0 else found, self.width(number)
        for at in reversed(inner):
            for predicate, constant in tests[at]:
                found = narrowed(found, predicate, constant, width)
            answers[at] = found
        return found

    def _tested_at(self, number: int, tests: _Tests, block: int, beyond: bool = False) -> int:
        """The nearest block around one that is behind a test of a value; -1: there is none."""
        func = self._block_func[block]
        first, idom = self._block_start[func], self._trees[func].idom
        known, passed = self._nearest.setdefault(number, {}), []
        at = _outer(idom, block, first) if beyond else block
        while at >= 0 and at not in known and at not in tests:
            passed.append(at)
            at = _outer(idom, at, first)
        if at >= 0 and at not in tests:
            at = known[at]
        known.update(dict.fromkeys(passed, at))
        return at

    def width(self, number: int) -> int:
        type_id = self.facts.value_type[number]
        return 64 if self.facts.type_kind[type_id] == TypeKind.POINTER else self._bits[type_id]

    def _tests_of(self, func: int) -> dict[int, _Tests]:
        """Per value: blocks that are reached only by an edge on which a comparison holds."""
        found = self._tests.get(func)
        if found is not None:
            return found
        found = self._tests[func] = {}
        first, last = self._block_start[func], self._block_start[func + 1]
        before: list[list[int]] = [[] for _ in range(first, last)]
        after: list[list[int]] = [[] for _ in range(first, last)]
        edges: list[list[int]] = [[] for _ in range(first, last)]
        for block in range(first, last):
            for edge in range(self._edges[block], self._edges[block + 1]):
                target = self._target[edge] - first
                edges[target].append(edge)
                before[target].append(block - first)
                after[block - first].append(target)
        for position, incoming in enumerate(edges):
            if len(incoming) == 1:
                for value, predicate, constant in self.said(incoming[0]):
                    tests = found.setdefault(value, {})
                    tests.setdefault(position + first, []).append((predicate, constant))
        if found:
            self._trees[func] = find_dominators(after, before)
        return found

    def on_way(self, source: int, target: int) -> list[tuple[int, int, int]]:
        """What holds on the way from one block to the next: values, predicates, constants."""
        func = self._block_func[source]
        tests, first = self._tests_of(func), self._block_start[func]
        found = [
            (value, predicate, constant)
            for value, one in tests.items()
            for place, said in one.items()
            if self._trees[func].dominates(place - first, source - first)
            for predicate, constant in said
        ]
        ways = [
            edge
            for edge in range(self._edges[source], self._edges[source + 1])
            if self._target[edge] == target
        ]
        return found + (self.said(ways[0]) if len(ways) == 1 else [])

    def said(self, edge: int) -> list[tuple[int, int, int]]:
        """What holds on an edge: a value, a predicate, a constant."""
        facts, kind, condition = self.facts, self._kind[edge], self._condition[edge]
        if kind == EdgeKind.CASE:
            return [(condition, _EQ, self._number[edge])]
        if kind not in (EdgeKind.IF_TRUE, EdgeKind.IF_FALSE):
            return []
        row = facts.row_of_value[condition]
        if not 0 <= row < facts.instr_count or facts.op[row] != _ICMP:
            return []
        one, other = facts.operands(row)[:2]
        predicate = facts.aux[row]
        constant = self._constant(other)
        if constant is None:
            one, constant, predicate = other, self._constant(one), mirrored(predicate)
        if constant is None:
            return []
        predicate = predicate if kind == EdgeKind.IF_TRUE else negated(predicate)
        return [(one, predicate, constant)]

    def _constant(self, value: int) -> int | None:
        kind = self.facts.value_kind[value]
        if kind == _INT:
            return self._value_number[value]
        return 0 if kind == _NULL and self.width(value) == 64 else None


def _outer(idom: list[int], block: int, first: int) -> int:
    """The block that immediately dominates one, both as numbers of the program; -1: none does."""
    found = idom[block - first]
    return found + first if found != NONE else -1
