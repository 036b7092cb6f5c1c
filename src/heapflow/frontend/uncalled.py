"""Functions that nobody calls in the programs that were built.

In:    the linked `Program`, with the modules that are whole.     Out: it, with FuncFlag.UNCALLED.
Example: a file that two packages share brings twenty functions, and this program calls three of them.
Reached is what `main` or a function that others may name comes to by calls and addresses. Others may
name what is external in a module that is not whole (a library, an archive, a program that exports its
symbols, files without a recorded link), and what another file declares that finds no definition: a
plug-in. Whatever a variable is initialised with is reached: tables, constructors, kept symbols.
A file that several programs share, compiled for each, has its functions once for each: one that nobody
calls here while another of these programs calls its copy is marked CALLED_COPY too.
Guarantees: without a record of the links no function of the program is external and marked.
Not modelled: calls from assembler within functions; what libraries that are not part of the build call
       by name; names that are looked up in a program that was linked without exporting them.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from heapflow.ir.kinds import FuncFlag, Linkage, ValueKind
from heapflow.ir.program import Program
from heapflow.ir.table import I32

_DECLARATION = int(FuncFlag.DECLARATION)


def with_uncalled(program: Program) -> Program:
    """The program with its functions marked that nobody calls."""
    if not program.modules.whole.any():
        return program
    reached = _Reached(program)
    reached.follow()
    functions = program.functions
    marked = [
        not functions.flags[func] & _DECLARATION and func not in reached.functions
        for func in range(len(functions))
    ]
    flags = functions.flags | np.where(marked, int(FuncFlag.UNCALLED), 0).astype(np.uint16)
    called = {_named(program, func) for func in reached.functions}
    for func in np.flatnonzero(marked).tolist():
        if _named(program, func) in called:
            flags[func] |= int(FuncFlag.CALLED_COPY)
    return replace(program, functions=replace(functions, flags=flags))


def _named(program: Program, func: int) -> tuple[str, int]:
    """What the copies of a function have in common: its name and its file."""
    modules = program.modules
    return program.func_name(func), int(modules.source[program.functions.module[func]])


class _Reached:
    """What is reached so far, and what of it is to be looked at."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.functions: set[int] = set()
        self._constants: set[int] = set()  # rows of constant expressions
        self._open: list[int] = []
        self._programs = _programs(program)
        kind = program.values.kind
        self._leads = (kind == ValueKind.FUNCTION) | (kind == ValueKind.CONST_EXPR)

    def follow(self) -> None:
        """From all roots to the end."""
        for func in self._roots():
            self._reach(func)
        self._name_all(self.program.globals.init_value)
        instrs = self.program.instrs
        while self._open:
            rows = self.program.instr_range(self._open.pop())
            first, last = instrs.operand_start[rows.start], instrs.operand_start[rows.stop]
            self._name_all(instrs.operand[first:last])

    def _roots(self) -> list[int]:
        program, functions = self.program, self.program.functions
        wanted = {
            program.func_name(func)
            for func in np.flatnonzero(functions.flags & _DECLARATION).tolist()
            if functions.alternative_start[func] == functions.alternative_start[func + 1]
        }
        return [
            func
            for func in range(len(functions))
            if functions.linkage[func] != Linkage.INTERNAL
            and (
                program.func_name(func) == "main"
                or program.func_name(func) in wanted
                or not self._is_whole(int(functions.module[func]))
            )
        ]

    def _is_whole(self, module: int) -> bool:
        """Whether all that can name the module's functions is there, and everything with it has a
        `main`: a library has none."""
        modules = self.program.modules
        targets = modules.target[modules.target_start[module] : modules.target_start[module + 1]]
        return bool(modules.whole[module]) and self._programs.issuperset(targets.tolist())

    def _reach(self, func: int) -> None:
        functions = self.program.functions
        if func in self.functions:
            return
        self.functions.add(func)
        self._open.append(func)
        if functions.aliasee[func] >= 0:
            self._reach(int(functions.aliasee[func]))
        first, last = functions.alternative_start[func], functions.alternative_start[func + 1]
        for other in functions.alternative[first:last].tolist():
            self._reach(other)

    def _name_all(self, used: I32) -> None:
        """Values are used by what is reached."""
        used = used[used >= 0]
        for value in np.unique(used[self._leads[used]]).tolist():
            self._name(value)

    def _name(self, value: int) -> None:
        values, rows = self.program.values, self.program.const_exprs
        todo = [value]
        while todo:
            one = todo.pop()
            if one < 0:
                continue
            kind, index = values.kind[one], int(values.index[one])
            if kind == ValueKind.FUNCTION:
                self._reach(index)
            elif kind == ValueKind.CONST_EXPR and index not in self._constants:
                self._constants.add(index)
                first, last = rows.operand_start[index], rows.operand_start[index + 1]
                todo += rows.operand[first:last].tolist()


def _programs(program: Program) -> frozenset[int]:
    """Link targets that have a `main`, by their names' numbers."""
    functions, modules = program.functions, program.modules
    found: set[int] = set()
    for func in np.flatnonzero(functions.flags & _DECLARATION == 0).tolist():
        if program.func_name(func) == "main":
            module = functions.module[func]
            first, last = modules.target_start[module], modules.target_start[module + 1]
            found.update(modules.target[first:last].tolist())
    return frozenset(found)
