"""From a leak's condition to the path that a person reads.

In:    `Verdict`s of the leak phase, guards, source text.     Out: `Finding`s.
`path` finds one losing path and the decisions on it that matter, `overwrite` where on it the last
pointer goes.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path as FilePath

from heapflow.guards.book import GuardBook
from heapflow.guards.function import FunctionGuards
from heapflow.ir.kinds import EdgeKind, Op, ValueKind
from heapflow.ir.program import Program
from heapflow.leaks.lists import GraphLists
from heapflow.leaks.overwrites import Overwrites
from heapflow.leaks.sources import Source
from heapflow.leaks.verdict import Verdict
from heapflow.report.element import lost_element
from heapflow.report.finding import Finding, LostBy, Place, Rule, Step, StepKind
from heapflow.report.overwrite import Loss, find_loss, variable_of
from heapflow.report.path import Path, find_path
from heapflow.report.slice import make_slice
from heapflow.report.source import Sources


class WitnessMaker:
    """Makes findings; holds the program and the sources."""

    def __init__(
        self, program: Program, lists: GraphLists, book: GuardBook, sources: Sources, root: FilePath
    ) -> None:
        self.program, self.lists, self.book, self.sources = program, lists, book, sources
        self.root = str(root.resolve()) + "/"
        self.overwrites = Overwrites(lists, book)

    def finding(self, verdict: Verdict, with_path: bool = True) -> Finding:
        """One finding of one leak; without a path, the way from the entry is not told."""
        source = verdict.source
        guards = self.book.guards(source.func)
        path = find_path(guards, verdict) if with_path else Path(list(guards.cfg.order), [])
        loss = self._loss(guards, verdict, path, with_path)
        lost, lost_by = self.place(loss.instr), loss.by
        rule = self._rule(verdict, lost_by)
        frees = sorted({self.place(instr) for instr, _ in verdict.flow.frees})
        allocation, allocator, chain = self._allocation(source)
        finding = Finding(
            rule=rule,
            allocation=allocation,
            allocator=allocator,
            lost=lost,
            lost_by=lost_by,
            steps=self._steps(guards, source, path, frees, (lost, self._name(loss))),
            variable=self._name(loss) or self._variable(verdict),
            frees=tuple(frees),
            call_chain=chain,
            lost_with=tuple(sorted({self._allocation(held)[0] for held in verdict.contents})),
            element=lost_element(self.book.context, verdict.leaks),
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

        One that comes inside another object has the place of the call that gave it before it was put
        there.
        """
        chain = tuple(self.place(instr) for instr in source.chain)
        at = source.outside if source.inside else len(chain) - 1
        return chain[at], self._called(source.chain[at], source), chain[at + 1 :]

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

    # The loss ------------------------------------------------------------------------------------

    def _loss(self, guards: FunctionGuards, verdict: Verdict, path: Path, with_path: bool) -> Loss:
        source = verdict.source
        found = None
        if with_path:
            found = find_loss(
                self.program, self.lists, self.book, self.overwrites, verdict, path.blocks
            )
        if verdict.in_loop and found is None:
            return Loss(source.site, LostBy.LOOP, None)
        if verdict.in_loop and found is not None and found.by == LostBy.OVERWRITTEN:
            return replace(found, by=LostBy.LOOP)
        if found is not None:
            return found
        ends = self.program.func_name(source.func) == "main"
        return Loss(self._last_line(guards, path), LostBy.EXIT if ends else LostBy.RETURN, None)

    def _name(self, loss: Loss) -> str:
        """The source name of what held the last pointer."""
        if loss.holder is None or loss.holder[2] != 0:
            return ""
        variable = variable_of(self.program, loss.holder)
        if variable < 0:
            return ""
        return self.program.strings[int(self.program.variables.name[variable])]

    def _last_line(self, guards: FunctionGuards, path: Path) -> int:
        """The `return` statement: clang jumps from it to one common return instruction."""
        context = guards.context
        for block in reversed(path.blocks):
            last = context.instr_start[block + 1] - 1
            if context.op[last] == Op.RET:
                if len(path.blocks) > 1 and block == path.blocks[-1]:
                    before = path.blocks[-2]
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
        if not verdict.safe_elsewhere or self._is_only_moved(verdict):
            return Rule.NEVER_FREED
        return Rule.CONDITIONAL_LEAK

    def _is_only_moved(self, verdict: Verdict) -> bool:
        """The only release is by the call that allocates, which replaces its own last block."""
        kept = verdict.flow.escaped | verdict.flow.returned | verdict.survives
        freed = {instr for instr, _ in verdict.flow.frees}
        return self.book.space.is_false(kept) and freed == {verdict.source.site}

    # Steps ---------------------------------------------------------------------------------------

    def _steps(
        self,
        guards: FunctionGuards,
        source: Source,
        path: Path,
        frees: list[Place],
        lost: tuple[Place, str],
    ) -> tuple[Step, ...]:
        first = source.chain[0]
        place = self.place(first)
        text = self.sources.expression_at(place.file, place.line, place.column)
        through = [(self.place(instr), self._called(instr, source)) for instr in source.chain[1:]]
        allocated = [Step(StepKind.CALL, *call) for call in reversed(through)]
        allocated.append(Step(StepKind.ALLOCATED, place, text or self._called(first, source)))
        allocated += [Step(StepKind.RETURNED, *call) for call in through]
        site_block = guards.context.instr_block[source.site]
        steps: list[Step] = []
        placed = False
        for edge, position in path.decisions:
            if not placed and site_block in path.blocks[: position + 1]:
                steps += allocated
                placed = True
            steps.append(self._branch(guards, edge, path.blocks[position]))
        if not placed:
            steps += allocated
        steps += [Step(StepKind.FREED_ON_OTHER_PATH, free) for free in frees[:8]]
        steps.append(Step(StepKind.LOST, *lost))
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
