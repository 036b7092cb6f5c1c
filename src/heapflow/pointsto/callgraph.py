"""The call graph: which functions each call may reach.

In:    direct calls, the solver's targets.     Out: CallGraph.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from heapflow.ir.ids import FuncId, InstrId
from heapflow.ir.program import Program
from heapflow.ir.table import I32, I64, U8
from heapflow.pointsto.facts import Facts
from heapflow.pointsto.system import ragged
from heapflow.support.errors import InternalError
from heapflow.support.scc import components_of


@dataclass(frozen=True)
class CallGraph:
    """Calls (but not of intrinsics) with their targets, both ways, and functions bottom-up."""

    program: Program
    call: I32  # call instructions, ascending
    indirect: U8  # 1: by value
    callee_start: I64
    callee: I32
    caller_start: I64  # by function
    caller: I32  # rows of `call` that may reach the function
    scc: I32  # component of each function; a callee's component is not above its caller's
    recursive: U8  # 1: the function is on a cycle
    callback_start: I64  # functions that external code may call during an external call, by call
    callback: I32

    def row(self, instr: int) -> int:
        """The row of a call instruction, -1 if it is none (an intrinsic, assembler)."""
        row = int(np.searchsorted(self.call, instr))
        return row if row < len(self.call) and self.call[row] == instr else -1

    def callees(self, instr: int) -> list[FuncId]:
        row = self.row(instr)
        if row < 0:
            return []
        found: list[FuncId] = self.callee[
            self.callee_start[row] : self.callee_start[row + 1]
        ].tolist()
        return found

    def callers(self, func: int) -> list[InstrId]:
        """Call instructions that may reach a function."""
        rows = self.caller[self.caller_start[func] : self.caller_start[func + 1]]
        found: list[InstrId] = self.call[rows].tolist()
        return found

    def unresolved(self) -> list[int]:
        """Calls by value without a target."""
        empty = self.callee_start[1:] == self.callee_start[:-1]
        found: list[int] = self.call[empty].tolist()
        return found

    def bottom_up(self) -> list[int]:
        """Functions, callees before callers as far as there is no recursion."""
        order: list[int] = np.argsort(self.scc, kind="stable").tolist()
        return order

    def dump(self) -> str:
        """One line per call by value and per caller, sorted."""
        program = self.program
        lines = set()
        for row, instr in enumerate(self.call.tolist()):
            func = program.func_name(int(program.blocks.func[program.instrs.block[instr]]))
            names = sorted(program.func_name(f) for f in self.callees(instr))
            how = "=>" if self.indirect[row] else "->"
            line = program.position(instr)[1]
            lines.add((func, line, f"{func}:{line} {how} {', '.join(names) or '?'}"))
        return "".join(text + "\n" for _, _, text in sorted(lines))


def build_call_graph(
    facts: Facts,
    direct: dict[int, list[int]],
    by_value: dict[int, list[int]],
    callbacks: dict[int, list[int]],
) -> CallGraph:
    """Join the direct calls and what the solver found."""
    targets = {**direct, **by_value}
    calls = sorted(targets)
    callee_start, callee = ragged([sorted(set(targets[call])) for call in calls])
    count = len(facts.func_flags)
    callers: list[list[int]] = [[] for _ in range(count)]
    edges: list[set[int]] = [set() for _ in range(count)]
    for row, call in enumerate(calls):
        for func in set(targets[call]):
            callers[func].append(row)
            edges[facts.func_of_instr[call]].add(func)
        edges[facts.func_of_instr[call]].update(callbacks.get(call, ()))
    scc = np.zeros(count, dtype=np.int32)
    recursive = np.zeros(count, dtype=np.uint8)
    for number, component in enumerate(components_of([sorted(e) for e in edges])):
        scc[component] = number
        recursive[component] = len(component) > 1 or component[0] in edges[component[0]]
    caller_start, caller = ragged(callers)
    callback_start, callback = ragged([sorted(set(callbacks.get(c, []))) for c in calls])
    return CallGraph(
        program=facts.program,
        call=np.array(calls, dtype=np.int32),
        indirect=np.array([call in by_value for call in calls], dtype=np.uint8),
        callee_start=callee_start,
        callee=callee,
        caller_start=caller_start,
        caller=caller,
        scc=scc,
        recursive=recursive,
        callback_start=callback_start,
        callback=callback,
    )


def check_call_graph(graph: CallGraph) -> None:
    """Ids in range, callers the inverse of callees, components in callee-first order."""
    pairs = set()
    for row in range(len(graph.call)):
        for func in graph.callee[graph.callee_start[row] : graph.callee_start[row + 1]].tolist():
            pairs.add((row, func))
    inverse = set()
    for func in range(len(graph.scc)):
        for row in graph.caller[graph.caller_start[func] : graph.caller_start[func + 1]].tolist():
            inverse.add((row, func))
    if pairs != inverse:
        raise InternalError("call graph: callers are not the inverse of callees")
    owner = graph.program.blocks.func[graph.program.instrs.block]
    for row, func in pairs:
        if graph.scc[owner[graph.call[row]]] < graph.scc[func]:
            raise InternalError("call graph: a callee comes after its caller")
