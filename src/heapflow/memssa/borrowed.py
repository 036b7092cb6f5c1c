"""Global pointers that serve as a local variable of one function.

In:    Facts, calls with a known callee.     Out: global variable -> the function it belongs to.
Example: `void f(void) { buf = malloc(9); g(); }  static void g(void) { use(buf); }`, and nobody else
         touches `buf`: whenever f ends, what it left in `buf` is never read again, since f sets it
         anew before anyone reads it. Then `buf` holds nothing after f, as little as a local would.
Differs from the paper: TSE'14 Assumption 1 takes every global to hold its value for ever.
Method: a global *belongs* to f if
       - its address is used for nothing but loads and stores, both of which there are;
       - it brings something from one function to another: what a single function keeps in a global
         is meant to stay there;
       - no load in f, or in what f calls, can come before every store of the same activation (backward
         liveness over the call graph, callees first; a branch on a result that the callee does not
         return is not taken, and one on a result that it returns after storing comes after the store);
       - every call that leads to an access passes through f;
       - no file that is not given touches it: it is static, or no header declares it, or there is a
         `main`, so that the program is complete;
       - f may run more than once: what a program makes once and keeps until it ends is no loss.
Not modelled: threads that run f at the same time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from heapflow.ir.kinds import FuncFlag, GlobalFlag, Linkage, Op, TypeKind, ValueKind
from heapflow.ir.program import Program
from heapflow.memssa.config import MemorySsaConfig
from heapflow.memssa.returned import codes_over_edges, returning_blocks
from heapflow.pointsto.facts import Facts
from heapflow.support.dominators import find_dominators
from heapflow.support.scc import components_of

_POINTERS = (TypeKind.POINTER,)
_NOT_OURS = GlobalFlag.DECLARATION | GlobalFlag.ALIAS | GlobalFlag.DISCARDED


def find_borrowed(
    facts: Facts,
    callees: Mapping[int, tuple[int, ...]],
    config: MemorySsaConfig,
    limits_hit: Counter[str],
    numbers: bool = False,
) -> dict[int, int]:
    """The functions that global variables belong to; globals that belong to none are missing. With
    `numbers`, also variables that can hold a descriptor."""
    candidates = _candidates(facts, (TypeKind.POINTER, TypeKind.INT) if numbers else _POINTERS)
    if not candidates:
        return {}
    return _Search(facts, callees, candidates, config, limits_hit).run()


def borrowed_variables(
    program: Program,
    callees: Mapping[int, tuple[int, ...]],
    config: MemorySsaConfig,
    limits_hit: Counter[str],
) -> dict[int, int]:
    """The same of a whole program, variables that can hold a descriptor included."""
    facts = Facts(program)
    defined = {
        call: inside
        for call, funcs in callees.items()
        if (inside := tuple(func for func in funcs if facts.has_body(func)))
    }
    return find_borrowed(facts, defined, config, limits_hit, numbers=True)


def _candidates(facts: Facts, kinds: tuple[TypeKind, ...]) -> dict[int, list[int]]:
    """Global variables of some kinds that are only loaded and stored, and the instructions."""
    table = facts.program.globals
    whole = bool(_mains(facts))
    initial = set(table.init_value.tolist())
    renamed = {*table.alternative.tolist(), *table.aliasee.tolist()}
    flags, types, linkage = table.flags.tolist(), table.type.tolist(), table.linkage.tolist()
    users: dict[int, list[int]] = {}
    excluded: set[int] = set()
    for value, kind in enumerate(facts.value_kind):  # each file has its own value
        if kind != ValueKind.GLOBAL:
            continue
        variable = facts.value_index[value]
        if facts.type_kind[types[variable]] not in kinds:
            continue
        seen = linkage[variable] != Linkage.INTERNAL
        if (
            value in initial
            or variable in renamed
            or flags[variable] & _NOT_OURS
            or (seen and not whole and not flags[variable] & GlobalFlag.UNANNOUNCED)
            or not all(_is_plain(facts, row, value) for row in facts.users(value))
        ):
            excluded.add(variable)
        users.setdefault(variable, []).extend(facts.users(value))
    return {
        variable: rows
        for variable, rows in users.items()
        if variable not in excluded and any(facts.op[row] == Op.LOAD for row in rows)
    }


def _mains(facts: Facts) -> frozenset[int]:
    """Where complete programs begin."""
    program = facts.program
    return frozenset(
        func
        for func in range(len(program.functions))
        if facts.has_body(func) and program.func_name(func) == "main"
    )


def _is_plain(facts: Facts, row: int, value: int) -> bool:
    if row >= facts.instr_count:
        return False
    operands = facts.operands(row)
    if facts.op[row] == Op.LOAD:
        return True
    return facts.op[row] == Op.STORE and operands[0] == value and operands[1] != value


class _Search:
    def __init__(
        self,
        facts: Facts,
        callees: Mapping[int, tuple[int, ...]],
        candidates: dict[int, list[int]],
        config: MemorySsaConfig,
        limits_hit: Counter[str],
    ) -> None:
        self.config, self.limits_hit = config, limits_hit
        self.facts, self.callees, self.candidates = facts, callees, candidates
        self.program = facts.program
        self.mains = _mains(facts)
        count = len(self.program.functions)
        self.accessors: list[set[int]] = [set() for _ in candidates]
        self.access: dict[int, int] = {}  # instruction -> bit
        for number, rows in enumerate(candidates.values()):
            for row in rows:
                self.accessors[number].add(facts.func_of_instr[row])
                self.access[row] = number
        graph: list[set[int]] = [set() for _ in range(count)]
        self.calls_of: dict[int, list[int]] = {}
        for call in sorted(callees):
            for func in callees[call]:
                graph[facts.func_of_instr[call]].add(func)
                self.calls_of.setdefault(func, []).append(call)
        self.successors = [sorted(targets) for targets in graph]
        self.components = components_of(self.successors)
        self.recursive = {
            func
            for component in self.components
            for func in component
            if len(component) > 1 or func in graph[func]
        }
        self.early = [0] * count  # read before it is written
        self.certain = [0] * count  # written on every way to the end
        self.codes: dict[int, dict[int, int]] = {}  # returned constant -> written before that
        self.events: dict[int, list[int]] = {}  # function -> its accesses and calls
        self._once: dict[int, bool] = {}

    def run(self) -> dict[int, int]:
        possible = self._possible_owners()
        if not possible:
            return {}
        # Conditions on control flow are asked only of globals for which the call graph leaves a chance.
        self.access = {row: number for row, number in self.access.items() if number in possible}
        self._summarise(possible)
        found: dict[int, int] = {}
        for number, variable in enumerate(self.candidates):
            for func in possible.get(number, ()):
                if not self.early[func] >> number & 1:
                    found[variable] = func
                    break
        return found

    # Who reads before writing ----------------------------------------------------------------------

    def _summarise(self, possible: Mapping[int, list[int]]) -> None:
        touching = self._ancestors({func for number in possible for func in self.accessors[number]})
        touching &= self._called_by({func for owners in possible.values() for func in owners})
        self._collect_events(touching)
        for component in self.components:
            todo = [func for func in component if func in touching]
            if component[0] in self.recursive:
                self._summarise_together(todo)
                continue
            for func in todo:
                liveness = _Liveness(self, func)
                self.early[func], self.certain[func] = liveness.run()
                self.codes[func] = liveness.codes()

    def _summarise_together(self, funcs: list[int]) -> None:
        """Functions that call each other: no write of theirs is taken for certain."""
        pending, queued = list(reversed(funcs)), set(funcs)
        inside = frozenset(funcs)
        while pending:
            func = pending.pop()
            queued.discard(func)
            early = _Liveness(self, func).read_early()
            if early == self.early[func]:
                continue
            self.early[func] = early
            for call in self.calls_of.get(func, ()):
                caller = self.facts.func_of_instr[call]
                if caller in inside and caller not in queued:
                    queued.add(caller)
                    pending.append(caller)

    def _collect_events(self, funcs: set[int]) -> None:
        """Accesses and calls of the functions that matter, in order."""
        for row in sorted({*self.access, *self.callees}):
            func = self.facts.func_of_instr[row]
            if func in funcs:
                self.events.setdefault(func, []).append(row)

    def _ancestors(self, funcs: set[int]) -> set[int]:
        """The functions, and all that lead to them by calls."""
        seen, pending = set(funcs), list(funcs)
        while pending:
            func = pending.pop()
            for call in self.calls_of.get(func, ()):
                caller = self.facts.func_of_instr[call]
                if caller not in seen:
                    seen.add(caller)
                    pending.append(caller)
        return seen

    def _called_by(self, funcs: set[int]) -> set[int]:
        """The functions, and all that they lead to by calls."""
        seen, pending = set(funcs), list(funcs)
        while pending:
            for func in self.successors[pending.pop()]:
                if func not in seen:
                    seen.add(func)
                    pending.append(func)
        return seen

    # Whose it is -----------------------------------------------------------------------------------

    def _possible_owners(self) -> dict[int, list[int]]:
        """Functions through which every call to an accessor passes, innermost first, by candidate.

        They dominate the accessors in the call graph, if everything that may run first follows an
        imagined first function.
        """
        found: dict[int, list[int]] = {}
        above: dict[int, list[int]] = {}
        idom = self._dominators()
        for number, accessors in enumerate(self.accessors):
            if len(accessors) < 2:
                continue
            chains = []
            for func in accessors:
                if func not in above:
                    above[func] = _chain(idom, func)
                chains.append(above[func])
            common = set(chains[0]).intersection(*chains[1:])
            owners = [
                func
                for func in chains[0]
                if func in common and func not in self.recursive and not self._is_once(func)
            ]
            if owners:
                most = self.config.most_owner_tries
                self.limits_hit["functions that a global may belong to"] += len(owners) > most
                found[number] = owners[:most]
        return found

    def _dominators(self) -> list[int]:
        """Immediate dominators of functions in the call graph; -1: none."""
        first = [func + 1 for func in range(len(self.successors)) if self._may_be_first(func)]
        forward = [first] + [[func + 1 for func in targets] for targets in self.successors]
        backward: list[list[int]] = [[] for _ in forward]
        for source, targets in enumerate(forward):
            for target in targets:
                backward[target].append(source)
        return [max(one - 1, -1) for one in find_dominators(forward, backward).idom[1:]]

    def _may_be_first(self, func: int) -> bool:
        """Whether somebody else than the program's own calls may run a function."""
        flags = self.facts.func_flags[func]
        if not self.calls_of.get(func) or func in self.mains or flags & FuncFlag.ADDRESS_TAKEN:
            return True
        if self.mains or flags & FuncFlag.UNANNOUNCED:
            return False
        return int(self.program.functions.linkage[func]) != Linkage.INTERNAL

    def _is_once(self, func: int) -> bool:
        """Whether a function runs at most once: `main`, or called once from such a one."""
        known = self._once.get(func)
        if known is None:
            self._once[func] = False
            calls = self.calls_of.get(func, ())
            known = func in self.mains or (
                len(calls) == 1
                and not self.facts.func_flags[func] & FuncFlag.ADDRESS_TAKEN
                and self._is_once(self.facts.func_of_instr[calls[0]])
                and not self._in_loop(calls[0])
            )
            self._once[func] = known
        return known

    def _in_loop(self, call: int) -> bool:
        successors, first = successors_of(self.facts, self.facts.func_of_instr[call])
        block = int(self.program.instrs.block[call]) - first
        component = next(c for c in components_of(successors) if block in c)
        return len(component) > 1 or block in successors[block]


def _chain(idom: list[int], func: int) -> list[int]:
    """A function and all that dominate it, innermost first."""
    found = [func]
    while idom[found[-1]] >= 0:
        found.append(idom[found[-1]])
    return found


class _Liveness:
    """Backward liveness of all candidates in one function whose callees are done."""

    def __init__(self, search: _Search, func: int) -> None:
        self.search, self.func = search, func
        facts = search.facts
        self.successors, self.first = successors_of(facts, func)
        starts = facts.program.blocks.instr_start
        self.reads = [0] * len(self.successors)  # before the block writes it
        self.writes = [0] * len(self.successors)
        self.returns = [False] * len(self.successors)
        self.everything = (1 << len(search.candidates)) - 1
        self.codes_of: dict[int, tuple[int, ...]] = {}  # call -> what it may return
        for block in range(len(self.successors)):
            row, last = int(starts[self.first + block]), int(starts[self.first + block + 1])
            self.returns[block] = last > row and facts.op[last - 1] == Op.RET
        blocks = facts.program.instrs.block
        for instr in search.events.get(func, ()):
            read, written = self._effect(instr)
            block = int(blocks[instr]) - self.first
            self.reads[block] |= read & ~self.writes[block]
            self.writes[block] |= written
        self.on_edge = [self._written_on_edges(block) for block in range(len(self.successors))]

    def _effect(self, instr: int) -> tuple[int, int]:
        search, facts = self.search, self.search.facts
        number = search.access.get(instr)
        if number is not None:
            return (1 << number, 0) if facts.op[instr] == Op.LOAD else (0, 1 << number)
        targets = search.callees.get(instr)
        if targets is None:
            return 0, 0
        read = 0
        for target in targets:
            read |= search.early[target]
        if targets != (facts.callee(instr),):
            return read, 0
        if codes := search.codes.get(targets[0]):
            self.codes_of[instr] = tuple(codes)
        return read, search.certain[targets[0]]

    def _written_on_edges(self, block: int) -> list[int]:
        """What a result that was asked for says is written; everything, if it cannot be returned."""
        facts = self.search.facts
        asked = None
        if self.codes_of:
            asked = codes_over_edges(facts, self.first + block, self.codes_of)
        if asked is None:
            return [0] * len(self.successors[block])
        found = []
        for call, codes in asked:
            written = self.everything
            for code in codes:
                written &= self.search.codes[facts.callee(call)][code]
            found.append(written)
        return found

    def run(self) -> tuple[int, int]:
        """(read before written, written on every way to a return)."""
        ends = [block for block, returns in enumerate(self.returns) if returns]
        return self.read_early(), self._certain(ends)

    def read_early(self) -> int:
        """Read before it is written."""
        return self._solve(self.reads, [])

    def codes(self) -> dict[int, int]:
        """Constants that the function returns, and no others: what is written before each."""
        search = self.search
        ends = returning_blocks(search.facts, self.func, search.config, search.limits_hit)
        return {
            code: self._certain([block - self.first for block in blocks])
            for code, blocks in sorted((ends or {}).items())
        }

    def _certain(self, ends: list[int]) -> int:
        """Written on every way to the end of one of these blocks."""
        return self.everything & ~self._solve([0] * len(self.reads), ends)

    def _solve(self, reads: list[int], ends: list[int]) -> int:
        """What is live at the entry, if all is live at the ends."""
        final = set(ends)
        live = [0] * len(self.successors)
        before: list[list[int]] = [[] for _ in self.successors]
        for block, targets in enumerate(self.successors):
            for target in targets:
                before[target].append(block)
        pending = list(range(len(self.successors)))
        while pending:
            block = pending.pop()
            after = self.everything if block in final else 0
            for target, written in zip(self.successors[block], self.on_edge[block], strict=True):
                after |= live[target] & ~written
            new = reads[block] | (after & ~self.writes[block])
            if new != live[block]:
                live[block] = new
                pending += before[block]
        return live[0]


def successors_of(facts: Facts, func: int) -> tuple[list[list[int]], int]:
    """The blocks that follow each block of a function, numbered from its first; and that block."""
    program = facts.program
    first, last = (int(program.functions.block_start[func + i]) for i in (0, 1))
    bounds = program.blocks.edge_start[first : last + 1].tolist()
    targets = np.asarray(program.blocks.edge_target)
    return [(targets[a:b] - first).tolist() for a, b in pairwise(bounds)], first
