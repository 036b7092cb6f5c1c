"""From a leak's condition to the path that a person reads.

In:    `Verdict`s of the leak phase, guards, source text.     Out: `Finding`s.
The condition is satisfiable; a walk from the function's entry takes, at each branch, a successor under
which it still is, so that the blocks visited are one losing path. A branch is a step of the report only
if the other way does not lose the object.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from heapflow.guards.bdd import Guard
from heapflow.guards.book import GuardBook
from heapflow.guards.function import FunctionGuards
from heapflow.ir.kinds import EdgeKind, Op, ValueKind
from heapflow.ir.program import Program
from heapflow.leaks.detect import Verdict
from heapflow.leaks.lists import GraphLists
from heapflow.leaks.sources import Source
from heapflow.report.finding import Finding, LostBy, Place, Rule, Step, StepKind
from heapflow.report.overwrite import Overwrite, find_overwrite
from heapflow.report.slice import make_slice
from heapflow.report.source import Sources

_MOST_NODES = 300  # BDD nodes of a condition that the walk keeps whole
_MOST_BLOCKS = 4000
_MOST_BRANCHES = 40


@dataclass(frozen=True, slots=True)
class Walk:
    """Blocks of a losing path in order, and its deciding branches as (edge, position)."""

    blocks: list[int]
    decisions: list[tuple[int, int]]


class WitnessMaker:
    """Makes findings; holds the program and the sources."""

    def __init__(
        self, program: Program, lists: GraphLists, book: GuardBook, sources: Sources, root: Path
    ) -> None:
        self.program, self.lists, self.book, self.sources = program, lists, book, sources
        self.root = str(root.resolve()) + "/"

    def finding(self, verdict: Verdict) -> Finding:
        """One finding of one leak."""
        source = verdict.source
        guards = self.book.guards(source.func)
        walk = self._walk(guards, self._readable(verdict.leaks), source)
        overwrite = None
        if not verdict.in_loop:
            overwrite = find_overwrite(self.program, self.lists, verdict, walk.blocks)
        lost, lost_by = self._lost(guards, verdict, walk, overwrite)
        rule = self._rule(verdict, lost_by)
        frees = sorted({self.place(instr) for instr, _ in verdict.flow.frees})
        allocation, allocator, chain = self._allocation(source)
        finding = Finding(
            rule=rule,
            allocation=allocation,
            allocator=allocator,
            lost=lost,
            lost_by=lost_by,
            steps=self._steps(guards, source, walk, frees, lost),
            variable=self._variable(verdict),
            frees=tuple(frees),
            call_chain=chain,
            lost_with=tuple(sorted({self._allocation(held)[0] for held in verdict.contents})),
        )
        reached = verdict.flow.reached
        drawn = make_slice(finding, self.lists, reached, self.place, self.sources)
        return replace(finding, slice=drawn)

    # Places --------------------------------------------------------------------------------------

    def place(self, instr: int) -> Place:
        """Where an instruction stands, files relative to the working directory."""
        file, line, column = self.program.position(instr)
        func = int(self.program.blocks.func[self.program.instrs.block[instr]])
        if not file:
            functions = self.program.functions
            file = self.program.strings[int(functions.file[func])]
            line = int(functions.line[func])
        return Place(file.removeprefix(self.root), line, column, self.program.func_name(func))

    def _allocation(self, source: Source) -> tuple[Place, str, tuple[Place, ...]]:
        """An object that a callee hands over is allocated where that callee is called.

        One that comes inside another object has the place where its own allocator is called.
        """
        chain = tuple(self.place(instr) for instr in source.chain)
        if source.inside:
            return chain[0], self._called(source.chain[0], source), chain[1:]
        return chain[-1], self._called(source.chain[-1], source), ()

    def _called(self, instr: int, source: Source) -> str:
        callee = self.program.direct_callee(instr)
        return self.program.func_name(callee if callee >= 0 else source.callee)

    def _variable(self, verdict: Verdict) -> str:
        """The source name of a value that carries the object, the first one."""
        values = self.program.values
        for node, held in verdict.flow.reached:
            if held < 0 and self.lists.func[node] == verdict.source.func:
                name = self.program.strings[int(values.name[self.lists.value[node]])]
                if name:
                    return name
        return ""

    # The path ------------------------------------------------------------------------------------

    def _readable(self, leaks: Guard) -> Guard:
        """One way to lose the object, if all of them together are too much to walk with."""
        space = self.book.space
        if space.size(leaks) <= _MOST_NODES:
            return leaks
        return space.cube(space.one_solution(leaks) or {})

    def _walk(self, guards: FunctionGuards, leaks: Guard, source: Source) -> Walk:
        context, space = guards.context, guards.context.space
        block, condition = guards.cfg.entry, leaks
        blocks, decisions = [block], []
        visits: dict[int, int] = {}
        while len(blocks) < _MOST_BLOCKS:
            edges = guards.cfg.out_edges[block]
            possible: list[tuple[int, Guard]] = []
            for edge in edges:
                below = condition & guards.edge_condition(edge)
                again = edge in guards.cfg.back_edges or visits.get(context.edge_target[edge], 0)
                if not space.is_false(below) and not (again and visits.get(block, 0) > 1):
                    possible.append((edge, below))
            if not possible and edges:
                # A turn of a loop was cut: leave it by any edge that has not been taken.
                possible = [
                    (edge, condition)
                    for edge in edges
                    if not visits.get(context.edge_target[edge], 0)
                ]
            if not possible:
                break
            edge, below = self._choose(guards, possible, visits, source)
            if (len(possible) < len(edges) and context.edge_kind[edge] != EdgeKind.ALWAYS) or (
                len(edges) > 1 and below != condition and self._matters(guards, leaks, edge)
            ):
                decisions.append((edge, len(blocks) - 1))
            visits[block] = visits.get(block, 0) + 1
            condition = below
            block = context.edge_target[edge]
            blocks.append(block)
        return Walk(blocks, decisions)

    def _matters(self, guards: FunctionGuards, leaks: Guard, edge: int) -> bool:
        space = guards.context.space
        return bool(space.support(leaks) & space.support(guards.edge_condition(edge)))

    def _choose(
        self,
        guards: FunctionGuards,
        possible: list[tuple[int, Guard]],
        visits: dict[int, int],
        source: Source,
    ) -> tuple[int, Guard]:
        """Prefer the way that still passes the allocation, then fresh blocks, then the first."""
        context = guards.context
        site = context.instr_block[source.site]
        if site not in visits:
            for edge, below in possible:
                reach = guards.reach.get(site, context.space.false)
                if not context.space.is_false(below & reach) and self._leads_to(
                    guards, context.edge_target[edge], site
                ):
                    return edge, below
        for edge, below in possible:
            if context.edge_target[edge] not in visits:
                return edge, below
        return possible[0]

    def _leads_to(self, guards: FunctionGuards, start: int, goal: int) -> bool:
        seen, stack = {start}, [start]
        while stack:
            block = stack.pop()
            if block == goal:
                return True
            for edge in guards.cfg.out_edges[block]:
                target = guards.context.edge_target[edge]
                if target not in seen and edge not in guards.cfg.back_edges:
                    seen.add(target)
                    stack.append(target)
        return False

    def _lost(
        self, guards: FunctionGuards, verdict: Verdict, walk: Walk, overwrite: Overwrite | None
    ) -> tuple[Place, LostBy]:
        source = verdict.source
        if verdict.in_loop:
            return self.place(source.site), LostBy.LOOP
        if overwrite is not None:
            return self.place(overwrite.instr), LostBy.OVERWRITTEN
        place = self.place(self._last_line(guards, walk))
        if self.program.func_name(source.func) == "main":
            return place, LostBy.EXIT
        return place, LostBy.RETURN

    def _last_line(self, guards: FunctionGuards, walk: Walk) -> int:
        """The `return` statement: clang jumps from it to one common return instruction."""
        context = guards.context
        for block in reversed(walk.blocks):
            last = context.instr_start[block + 1] - 1
            if context.op[last] == Op.RET:
                if len(walk.blocks) > 1 and block == walk.blocks[-1]:
                    before = walk.blocks[-2]
                    jump = context.instr_start[before + 1] - 1
                    first = context.instr_start[block]
                    alone = all(context.op[i] in (Op.PHI, Op.RET) for i in range(first, last + 1))
                    if alone and self.program.position(jump)[1]:
                        return jump
                return last
            if self.program.position(last)[1]:
                return last
        return context.instr_start[guards.cfg.entry]

    def _rule(self, verdict: Verdict, lost_by: LostBy) -> Rule:
        if lost_by in (LostBy.OVERWRITTEN, LostBy.LOOP):
            return Rule.OVERWRITTEN
        if lost_by == LostBy.EXIT:
            return Rule.LEAK_AT_EXIT
        return Rule.CONDITIONAL_LEAK if verdict.safe_elsewhere else Rule.NEVER_FREED

    # Steps ---------------------------------------------------------------------------------------

    def _steps(
        self,
        guards: FunctionGuards,
        source: Source,
        walk: Walk,
        frees: list[Place],
        lost: Place,
    ) -> tuple[Step, ...]:
        first = source.chain[0]
        place = self.place(first)
        text = self.sources.expression_at(place.file, place.line, place.column)
        allocated = [Step(StepKind.ALLOCATED, place, text or self._called(first, source))]
        for instr in source.chain[1:]:
            allocated.append(
                Step(StepKind.RETURNED, self.place(instr), self._called(instr, source))
            )
        site_block = guards.context.instr_block[source.site]
        steps: list[Step] = []
        placed = False
        for edge, position in walk.decisions[:_MOST_BRANCHES]:
            if not placed and site_block in walk.blocks[: position + 1]:
                steps += allocated
                placed = True
            steps.append(self._branch(guards, edge, walk.blocks[position]))
        if not placed:
            steps += allocated
        steps += [Step(StepKind.FREED_ON_OTHER_PATH, free) for free in frees[:8]]
        steps.append(Step(StepKind.LOST, lost, ""))
        return tuple(steps)

    def _branch(self, guards: FunctionGuards, edge: int, block: int) -> Step:
        context = guards.context
        branch = context.instr_start[block + 1] - 1
        place = self.place(branch)
        tested = self._tested(branch)
        condition = self.sources.condition_at(place.file, place.line, place.column, tested)
        kind = context.edge_kind[edge]
        if kind == EdgeKind.CASE:
            taken: str | None = f"case {context.edge_number[edge]}"
        elif kind == EdgeKind.DEFAULT:
            taken = "default"
        else:
            taken = condition.taken(kind == EdgeKind.IF_TRUE)
        if condition.text:
            line, column = condition.start
            place = replace(place, line=line, column=column)
        return Step(StepKind.BRANCH, place, condition.text, taken)

    def _tested(self, branch: int) -> tuple[int, int] | None:
        """Where the value that a branch tests is computed; None if it merges several."""
        operands = self.program.operands(branch)
        values = self.program.values
        if not operands or values.kind[operands[0]] != ValueKind.INSTR:
            return None
        instr = int(values.index[operands[0]])
        file, line, column = self.program.position(instr)
        same_file = file == self.program.position(branch)[0]
        merges = self.program.instrs.op[instr] == Op.PHI
        return (line, column) if same_file and not merges else None
