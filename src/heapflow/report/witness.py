"""From a replayed candidate to the finding that a person reads.

In:    `Verdict`s of the leak phase, what replay says of them, source text.     Out: `Finding`s.
The steps are those of the executed path; nothing is computed here but words and places.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path as FilePath

from heapflow.flow.flow import GraphLists, Source
from heapflow.ir.kinds import EdgeKind, FuncFlag, Op, TypeKind, ValueKind
from heapflow.ir.program import Program
from heapflow.leaks.leaks import Verdict
from heapflow.ownership.ownership import Beliefs
from heapflow.replay.answer import Outcome, Replayed
from heapflow.replay.inputs import Inputs, as_text
from heapflow.replay.path import LosingPath, PathKind, PathStep
from heapflow.report.finding import (
    Confidence,
    Finding,
    Place,
    Step,
    StepKind,
    Undecided,
)
from heapflow.report.slice import make_slice
from heapflow.report.source import Sources
from heapflow.report.wording import belief_sentence
from heapflow.rules.decide import Decisions

_MOST_FREES = 8  # that other paths reach


class WitnessMaker:
    """Makes findings; holds the program and the sources."""

    def __init__(
        self,
        program: Program,
        lists: GraphLists,
        sources: Sources,
        root: FilePath,
        beliefs: Beliefs,
        decide: Decisions,
    ) -> None:
        self.program, self.lists, self.sources = program, lists, sources
        self.beliefs, self.decide = beliefs, decide
        self.root = str(root.resolve()) + "/"

    def finding(self, verdict: Verdict, replayed: Replayed) -> Finding:
        """One finding of one candidate, with its path if it was confirmed."""
        source, path = verdict.source, replayed.path
        frees = sorted({self.place(instr) for instr, _ in verdict.flow.frees})
        allocation, allocator, chain = self._allocation(source)
        lost_by = self.decide.lost_by(replayed)
        lost = self.place(path.lost_at if path is not None else self._end(source.func))
        variable = self._variable_name(path.variable) if path is not None else ""
        finding = Finding(
            rule=self.decide.rule_of_loss(verdict, replayed),
            allocation=allocation,
            allocator=allocator,
            lost=lost,
            lost_by=lost_by,
            steps=self._steps(source, path, frees, lost),
            variable=variable,
            frees=tuple(frees),
            elsewhere=self._elsewhere(path, lost),
            call_chain=chain,
            lost_with=tuple(sorted({self._allocation(held)[0] for held in verdict.contents})),
            confidence=_confidence(replayed),
            outcome=replayed.outcome.value,
            bounds=replayed.bounds,
            examples=path.examples if path is not None else (),
            call=self._call(path.inputs if path is not None else None),
            believes=self.believes(path),
            uncalled=self.uncalled(path),
            block=self._block(source),
            owners=path.owners if path is not None else (),
        )
        reached = verdict.flow.reached
        drawn = make_slice(finding, self.lists, reached, self.place, self.sources)
        return replace(finding, slice=drawn)

    def _elsewhere(self, path: LosingPath | None, lost: Place) -> tuple[Place, ...]:
        """Other lines on which it is lost."""
        places = sorted(map(self.place, path.elsewhere)) if path is not None else []
        by_line = {(one.file, one.line): one for one in reversed(places)}
        by_line.pop((lost.file, lost.line), None)
        return tuple(sorted(by_line.values()))

    def believes(self, path: LosingPath | None) -> tuple[str, ...]:
        """What the path takes for granted of functions that are not known."""
        found: dict[str, None] = {}
        for call, argument in path.believed if path is not None else ():
            func = self.program.direct_callee(call)
            if func < 0:
                continue
            for belief in self.beliefs.about(self.program, func, argument):
                found[belief_sentence(belief)] = None
        return tuple(found)

    def uncalled(self, path: LosingPath | None, funcs: tuple[int, ...] = ()) -> str:
        """The function in which a path begins, or the first of others that it takes, if nobody calls
        it; else ""."""
        began = (path.began,) if path is not None and path.began >= 0 else ()
        flags = self.program.functions.flags
        found = (func for func in (*funcs, *began) if flags[func] & FuncFlag.UNCALLED)
        return next(map(self.program.func_name, found), "")

    def is_of_a_copy(self, path: LosingPath | None) -> bool:
        """Whether a path begins in a function that nobody calls while its copy in another program is
        called: what there is to tell is told of that one."""
        if path is None or path.began < 0:
            return False
        return bool(self.program.functions.flags[path.began] & FuncFlag.CALLED_COPY)

    def misuse(self, replayed: Replayed) -> Finding:
        """The finding of a suspect that execution confirmed."""
        path = replayed.path
        assert path is not None
        steps = [self.step(step, -1) for step in path.steps[:-1]]
        variable = self._variable_name(path.variable)
        fault = self.place(path.lost_at)
        # Two calls of a function that frees are two places, though `free` stands in it once.
        told = self.place(path.within) if path.within >= 0 else fault
        made = [one.instr for one in path.steps if one.kind is PathKind.ALLOCATED]
        freed = [one.instr for one in path.steps if one.kind is PathKind.FREED]
        return Finding(
            rule=self.decide.rule_of_misuse(replayed),
            allocation=self.place((*made, *freed, path.lost_at)[0]),
            allocator=self.called(made[0], -1) if made else "",
            lost=told,
            lost_by=self.decide.lost_by(replayed),
            steps=(*steps, Step(StepKind.LOST, fault, variable)),
            variable=variable,
            examples=path.examples,
            uncalled=self.uncalled(path),
            block=(path.within, *freed),
        )

    def dropped(self, chain: tuple[int, ...], replayed: Replayed) -> Finding:
        """The finding of a descriptor that a path loses; the last call of the chain gave it."""
        path = replayed.path
        assert path is not None
        steps = [self.step(step, -1) for step in path.steps[:-1]]
        variable = self._variable_name(path.variable)
        lost = self.place(path.lost_at)
        return Finding(
            rule=self.decide.rule_of_descriptor(replayed),
            allocation=self.place(chain[-1]),
            allocator=self.called(chain[-1], -1),
            lost=lost,
            lost_by=self.decide.lost_by(replayed),
            steps=(*steps, Step(StepKind.LOST, lost, variable)),
            variable=variable,
            examples=path.examples,
            uncalled=self.uncalled(path),
            block=(chain[-1], chain[0]),
        )

    # Places --------------------------------------------------------------------------------------

    def place(self, instr: int) -> Place:
        """Where an instruction stands, files relative to the working directory."""
        file, line, column = self.program.position(instr)
        func = self.program.func_of(instr)
        if line > 0:
            return Place(file.removeprefix(self.root), line, column, self.program.func_name(func))
        start = self.start(func)
        return start if start.line else replace(start, instruction=self.program.number(instr))

    def start(self, func: int) -> Place:
        """Where a function begins."""
        program, functions = self.program, self.program.functions
        file, line = program.strings[int(functions.file[func])], int(functions.line[func])
        if not file:
            file = program.strings[int(program.modules.source[functions.module[func]])]
        first = 0 if not line and not program.is_declaration(func) else -1
        return Place(file.removeprefix(self.root), line, 0, program.func_name(func), first)

    def _end(self, func: int) -> int:
        """The last instruction of a function: its only `return`, as compilers write it."""
        return self.program.instr_range(func)[-1]

    def _allocation(self, source: Source) -> tuple[Place, str, tuple[Place, ...]]:
        """An object that a callee hands over is allocated where that callee is called.

        One that comes inside another object has the place of the call that gave it before it was put
        there.
        """
        chain = tuple(self.place(instr) for instr in source.chain)
        at = source.outside if source.inside else len(chain) - 1
        otherwise = source.callee
        if at > 0:  # through a pointer: who makes the next call is the one that was called
            otherwise = int(
                self.program.blocks.func[self.program.instrs.block[source.chain[at - 1]]]
            )
        return chain[at], self.called(source.chain[at], otherwise), chain[at + 1 :]

    def _block(self, source: Source) -> tuple[int, ...]:
        """The call at which it is told, the one that makes it, and which of its results it is."""
        at = source.outside if source.inside else len(source.chain) - 1
        return source.chain[at], source.chain[0], source.effect

    def called(self, instr: int, otherwise: int = -1) -> str:
        """The function that a call names; "" if it names none and nothing else is known."""
        callee = self.program.direct_callee(instr)
        callee = callee if callee >= 0 else otherwise
        return self.program.func_name(callee) if callee >= 0 else ""

    def _variable_name(self, variable: int) -> str:
        if variable < 0:
            return ""
        return self.program.strings[int(self.program.variables.name[variable])]

    def _call(self, inputs: Inputs | None) -> str:
        if inputs is None:
            return ""
        arguments = ["NULL" if one is None else _literal(one) for one in inputs.arguments]
        return f"{self.program.func_name(inputs.func)}({', '.join(arguments)})"

    def undecided(self, source: Source, limit: str) -> Undecided:
        """An allocation without a verdict, where it is asked for."""
        return Undecided(self.place(source.site), self.called(source.site, source.callee), limit)

    # Steps ---------------------------------------------------------------------------------------

    def _steps(
        self, source: Source, path: LosingPath | None, frees: list[Place], lost: Place
    ) -> tuple[Step, ...]:
        if path is None:
            place = self.place(source.chain[0])
            return (Step(StepKind.ALLOCATED, place, self._expression(place)),)
        steps = self._with_members([self.step(step, source.callee) for step in path.steps[:-1]])
        steps += [Step(StepKind.FREED_ON_OTHER_PATH, free) for free in frees[:_MOST_FREES]]
        steps.append(Step(StepKind.LOST, lost, self._variable_name(path.variable)))
        return tuple(steps)

    def step(self, step: PathStep, callee: int = -1) -> Step:
        """A step of an executed path; `callee` is the allocator where a call names none."""
        place = self.place(step.instr)
        match step.kind:
            case PathKind.CALL:
                return Step(StepKind.CALL, place, self.program.func_name(step.detail))
            case PathKind.RETURNED:
                back = self._handed_back(step.instr, place)
                return Step(StepKind.RETURNED, place, self.program.func_name(step.detail), back)
            case PathKind.BRANCH:
                return self._branch(step)
            case PathKind.FAILED:
                return Step(StepKind.FAILED, place, self._expression(place))
            case PathKind.FREED:
                return Step(StepKind.RELEASED, place, self._expression(place))
            case _:
                text = self._expression(place) or self.called(step.instr, callee)
                return Step(StepKind.ALLOCATED, place, text)

    def _handed_back(self, call: int, place: Place) -> str | None:
        """Where a call leaves a block that it does not return; None if its result is a pointer."""
        type_of = int(self.program.instrs.type[call])
        if type_of < 0 or self.program.types.kind[type_of] == TypeKind.POINTER:
            return None
        text = self._expression(place)
        given = re.findall(r"[(,]\s*&\s*([A-Za-z_][\w.\->\[\]]*)\s*(?=[,)])", text)
        return given[0] if len(given) == 1 else ""

    def _with_members(self, steps: list[Step]) -> list[Step]:
        """`parse(&details)` with `d->info = strdup(s)` in it: it comes back in `details.info`."""
        made = next((one.place for one in steps if one.kind is StepKind.ALLOCATED), None)
        told = []
        for one in steps:
            if made and one.kind is StepKind.RETURNED and one.taken and made.function == one.text:
                position = self._position(self._expression(one.place), one.taken)
                member = self.sources.member_set(
                    made.file, made.line, made.column, one.text, position
                )
                told.append(replace(one, taken=f"{one.taken}.{member}" if member else one.taken))
            else:
                told.append(one)
        return told

    def _position(self, call: str, given: str) -> int:
        """Which argument of a call gives the address of a variable; -1 if that is not plain."""
        arguments = re.split(r",", call.partition("(")[2].rstrip(") "))
        words = [re.sub(r"\s+", "", one) for one in arguments]
        return words.index(f"&{given}") if f"&{given}" in words else -1

    def _expression(self, place: Place) -> str:
        return self.sources.expression_at(place.file, place.line, place.column)

    def _branch(self, step: PathStep) -> Step:
        place, blocks = self.place(step.instr), self.program.blocks
        tested = self._tested(step.instr)
        condition = self.sources.condition_at(place.file, place.line, place.column, tested)
        kind = blocks.edge_kind[step.detail]
        if kind == EdgeKind.CASE:
            number = int(blocks.edge_number[step.detail])
            taken: str | None = self.sources.case_label(*_point(place), number)
        elif kind == EdgeKind.DEFAULT:
            taken = self.sources.case_label(*_point(place), None)
        else:
            taken = condition.taken(bool(kind == EdgeKind.IF_TRUE))
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


def _point(place: Place) -> tuple[str, int, int]:
    return place.file, place.line, place.column


def _literal(given: int | bytes) -> str:
    return as_text(given) if isinstance(given, bytes) else str(given)


def _confidence(replayed: Replayed) -> Confidence:
    if replayed.outcome is Outcome.CONFIRMED:
        return Confidence.HIGH
    return Confidence.LOW
