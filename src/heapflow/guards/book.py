"""Guards of all functions, and how a callee's conditions read at a call site.

In:    Program, models and call graph if there are any.     Out: `GuardBook`: `guards(func)`,
       `instantiate(guard, site, func)`.
Paper: SMOKE and SATURN's per-function summaries: callee conditions are renamed per
call site. A condition on a parameter becomes the same condition on the actual argument, one on memory
that the callee found there becomes one on what the caller stored; any other condition of the callee
gets a variable of its own per call site. A call through a pointer enters a function only if the pointer
is that function.
Guarantees: a function's guards are made once, callees first where calls are deep: the stack of Python
does not grow with the program. Recursion is cut: a function that is being computed counts as returning,
with an unknown result.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from heapflow.guards.config import GuardLimits
from heapflow.guards.context import GuardContext
from heapflow.guards.external import ModelSource
from heapflow.guards.function import FunctionGuards
from heapflow.guards.rename import Renamer
from heapflow.guards.returning import Stop
from heapflow.guards.stops import Stops
from heapflow.guards.unwinding import find_unwinding
from heapflow.ir.codes import OP_RET
from heapflow.ir.ids import BlockId, FuncId, InstrId
from heapflow.ir.program import Program
from heapflow.logic.address import is_variable, moved, place_of
from heapflow.logic.atoms import Compared
from heapflow.logic.compare import Case
from heapflow.logic.space import BEYOND_BOUNDS, Guard
from heapflow.logic.term import Global, Int, Later, Load, Met, Null, Pure, Term, Val
from heapflow.policies.inforce import Policies

_MOST_NESTED: Final = 8  # functions that are computed for each other


@dataclass(frozen=True, slots=True)
class InResult:
    """A place some bytes behind what a function returns."""

    offset: int


class _Deeper(Exception):
    """Too many functions are being computed for each other: the innermost has to come first."""

    def __init__(self, func: FuncId) -> None:
        super().__init__()
        self.chain = [func]  # then those that asked for it, from the inside


class GuardBook:
    """Computes guards of functions on demand and remembers them.

    A function asks for its callees while it is computed, and these for theirs. Where that gets deep,
    all of them are put off, and computed callees first.
    """

    def __init__(
        self,
        program: Program,
        limits: GuardLimits | None = None,
        models: ModelSource | None = None,
        callees: Mapping[InstrId, tuple[FuncId, ...]] | None = None,
        policies: Policies | None = None,
    ) -> None:
        self.context = GuardContext(program, limits, models, callees, policies)
        self.space = self.context.space
        self._guards: dict[FuncId, FunctionGuards] = {}
        self._busy: dict[FuncId, FunctionGuards] = {}  # being computed
        self._put_off: list[FuncId] = []  # until their callees are done
        self._nested = 0  # functions that are computed for each other
        self._returned: dict[int, list[Case] | None] = {}
        self._left: dict[tuple[int, Term | InResult, int], list[Case] | None] = {}
        self._globals_set: dict[int, set[Term]] = {}
        self._reading = 0  # nesting of `_left_at`
        self._unwinding: frozenset[int] | None = None
        self._stops = Stops(self.context, self._tells_callers)
        self._renamer = Renamer(self.context, self.caller, self._guards.get)

    def forget_call_sites(self) -> None:
        """Give up what was remembered of callees' conditions at call sites."""
        self._renamer.forget()

    def guards(self, func: FuncId) -> FunctionGuards:
        """Guards of a function with a body."""
        known = self._guards.get(func)
        if known is not None:
            return known
        if self._nested >= _MOST_NESTED:
            raise _Deeper(func)
        if self._nested:
            self._compute(func)
        else:
            self._compute_callees_first(func)
        return self._guards[func]

    def _compute_callees_first(self, func: FuncId) -> None:
        """With what is put off on the way."""
        waiting, before = [func], self._put_off
        while waiting:
            self._put_off = before + waiting[:-1]
            try:
                self._compute(waiting[-1])
                waiting.pop()
            except _Deeper as deeper:
                waiting += reversed(deeper.chain[:-1])
        self._put_off = before

    def _compute(self, func: FuncId) -> None:
        self._nested += 1
        try:
            if func not in self._guards:
                self._compute_conditions(func)
            # Callers will ask; the comparisons it makes must exist before flows look for them.
            self._returned_cases(func)
        except _Deeper as deeper:
            deeper.chain.append(func)
            raise
        finally:
            self._nested -= 1

    def _compute_conditions(self, func: FuncId) -> None:
        guards = self._busy[func] = FunctionGuards(self.context, func, self)
        policies, before = self.context.policies, self.context.policies.at
        policies.at = func
        try:
            guards.compute()
        except BEYOND_BOUNDS:
            self.space.collect()
            self.context.limits_hit["nodes of a function's conditions"] += 1
            guards.give_up()
        except _Deeper:
            del self._busy[func]
            raise
        finally:
            policies.at = before
        self._guards[func] = self._busy.pop(func)

    def known(self) -> list[FuncId]:
        """Functions whose guards were asked for so far."""
        return list(self._guards)

    def guards_of_block(self, block: BlockId) -> FunctionGuards:
        return self.guards(self.context.code.block_func[block])

    def caller(self, site: InstrId) -> FunctionGuards | None:
        """Guards of the function that a call is in, as far as they exist."""
        func = self.context.code.block_func[self.context.code.instr_block[site]]
        return self._guards.get(func) or self._busy.get(func)

    def instantiate(self, guard: Guard, site: InstrId, func: FuncId) -> Guard:
        """A condition of callee `func`, as the caller sees it at call `site`."""
        return self._renamer.instantiate(guard, site, func)

    # What a call gives back ------------------------------------------------------------------------

    def callee_returns(self, instr: InstrId, func: FuncId) -> Guard:
        """The condition under which a call comes back, in terms of the caller."""
        space = self.space
        if self.context.code.is_declared[func]:
            return space.true
        if not self.context.returning.may_return(func):
            return space.false
        if self._is_cut(func) or self.stop_of(func) is Stop.ALWAYS_RETURNS:
            return space.true
        return self._if_small(self.guards(func).returns, instr, func, space.true)

    def stop_of(self, func: FuncId) -> Stop:
        """Whether control comes back from a function with a body."""
        return self._stops.of(func)

    def _tells_callers(self, func: FuncId) -> bool:
        """Whether callers can use the condition under which a function returns."""
        if self._is_cut(func):
            return False
        returns = self.guards(func).returns
        return self.space.is_false(returns) or self._is_worth_carrying(returns)

    def callee_unwinds(self, instr: InstrId, func: FuncId) -> Guard:
        """The condition under which a call jumps over the caller's frame."""
        space = self.space
        if self._is_cut(func) or not self.may_unwind(func):
            return space.false
        return self._if_small(self.guards(func).unwinds, instr, func, space.false)

    def _if_small(self, guard: Guard, instr: InstrId, func: FuncId, otherwise: Guard) -> Guard:
        """A partial condition is worth carrying only if it is small and about the arguments."""
        space = self.space
        if space.is_true(guard) or space.is_false(guard):
            return guard
        if not self._is_worth_carrying(guard):
            return otherwise
        return self.instantiate(guard, instr, func)

    def _is_worth_carrying(self, guard: Guard) -> bool:
        space = self.space
        if space.is_true(guard):
            return False
        if space.size(guard) > self.context.limits.most_partial_nodes:
            self.context.limits_hit["condition of a callee's return too large"] += 1
            return False
        return all(self._is_about_params(v) for v in space.support(guard))

    def may_unwind(self, func: FuncId) -> bool:
        """Whether a function can reach a call that jumps elsewhere (longjmp)."""
        if self._unwinding is None:
            self._unwinding = find_unwinding(self.context)
        return func in self._unwinding

    def _is_cut(self, func: FuncId) -> bool:
        """Whether a function is being computed, so that asking for it is a recursion."""
        return func in self._busy or (func in self._put_off and func not in self._guards)

    def _is_about_params(self, variable: int) -> bool:
        atom = self.context.variables.atoms[variable]
        return isinstance(atom, Compared) and self.context.code.param_of(atom.left) >= 0

    def callee_cases(self, instr: InstrId, func: FuncId) -> list[Case] | None:
        """What a call may return, in terms of the caller."""
        if self._is_cut(func):
            return None
        returned = self._returned_cases(func)
        return None if returned is None else self._at_call(returned, instr, func)

    def _at_call(self, split: list[Case], instr: InstrId, func: FuncId) -> list[Case] | None:
        caller = self.caller(instr)
        found: list[Case] = []
        for guard, term in split:
            here = self.instantiate(guard, instr, func)
            terms = self._renamer.term_cases(term, instr, func, caller)
            found += [(here & g, t) for g, t in terms]
            if len(found) > self.context.limits.most_cases:
                return None
        self.context.known.tell_apart([term for _, term in found])
        return found

    def _returned_cases(self, func: FuncId) -> list[Case] | None:
        """The cases of a function's result, in its own terms; None if there is nothing to know."""
        if func in self._returned:
            return self._returned[func]
        self._returned[func] = None
        try:
            split = [(g, t) for _, g, t in self._results(func)]
        except _Deeper:
            del self._returned[func]
            raise
        known = any(
            isinstance(t, Int | Null | Load | Later | Met | Pure) or self._is_argument(t)
            for _, t in split
        )
        if split and (known or len({t for _, t in split}) == 1):
            self._returned[func] = self._kept(split, "result condition too large")
        return self._returned[func]

    def _results(self, func: FuncId) -> list[tuple[BlockId, Guard, Term]]:
        """(block, condition, term) of what a function returns."""
        context, guards = self.context, self.guards(func)
        code = context.code
        found = []
        for block in guards.cfg.order:
            last = code.instr_start[block + 1] - 1
            if code.op[last] == OP_RET and (operands := code.operands(last)):
                for guard, term in guards.values.cases_in(operands[0], block):
                    found.append((block, guards.leave[block] & guard, term))
        return found

    def _kept(self, split: list[Case], limit: str) -> list[Case] | None:
        """Cases that are few and small enough to be carried into callers."""
        limits = self.context.limits
        small = all(self.space.size(g) <= limits.most_summary_nodes for g, _ in split)
        if small and len(split) <= limits.most_cases:
            return split
        self.context.limits_hit[limit] += 1
        return None

    def _is_argument(self, term: Term) -> bool:
        return self.context.code.param_of(term) >= 0

    # What a call leaves in memory ------------------------------------------------------------------

    def callee_memory(
        self, instr: InstrId, func: FuncId, address: Term, size: int, before: list[Case]
    ) -> list[Case] | None:
        """What is at an address of the caller after a call; None if that is unknown."""
        if self._is_cut(func) or not size:
            return None
        inner = self._inner_address(instr, func, address)
        if inner is None or (not isinstance(inner, InResult) and not self._sets(func, inner)):
            return None
        left = self._left_at(func, inner, size)
        if left is None:
            return None
        found: list[Case] = []
        for guard, term in left:
            here = self.instantiate(guard, instr, func)
            if not isinstance(inner, InResult) and term == Load(inner, size):
                found += [(here & g, t) for g, t in before]
                continue
            split = self._at_call([(self.space.true, term)], instr, func)
            if split is None or len(found) > 2 * self.context.limits.most_cases:
                return None
            found += [(here & g, t) for g, t in split]
        caller = self.caller(instr)
        if caller is None:
            return None
        found = caller.values.merge(found)
        return found if found and caller.values.is_small(found) else None

    def _sets(self, func: FuncId, address: Term) -> bool:
        """Whether a function itself writes a global variable, if the address is one.

        What its callees do to globals is looked up when they are called: through several calls the
        conditions multiply and say nothing in the end.
        """
        base, _ = place_of(address)
        if not is_variable(base):
            return True
        known = self._globals_set.get(func)
        if known is None:
            events = self.context.writes.events(func).values()
            roots = {event.root for found in events for event in found}
            known = {root for root in roots if root is not None}
            self._globals_set[func] = known
        return base in known

    def _inner_address(self, instr: InstrId, func: FuncId, address: Term) -> Term | InResult | None:
        """The caller's address as the callee names it."""
        context, caller = self.context, self.caller(instr)
        code = context.code
        base, offset = place_of(address)
        if caller is None or offset is None:
            return None
        if base == Val(code.result[instr]):
            return InResult(offset)
        if isinstance(base, Global):
            return address
        operands = code.operands(instr)
        params = range(code.param_start[func], code.param_start[func + 1])
        for position, param in enumerate(params, start=1):
            if position >= len(operands) or not code.is_pointer(operands[position]):
                continue
            passed, start = place_of(caller.term(operands[position]))
            if passed == base and start is not None:
                return moved(Val(code.param_value[param]), offset - start)
        return None

    def _left_at(self, func: FuncId, address: Term | InResult, size: int) -> list[Case] | None:
        """What a function leaves at an address, in its own terms."""
        key = (func, address, size)
        if key in self._left:
            return self._left[key]
        if self._reading >= self.context.limits.deepest_reads:
            self.context.limits_hit["depth of memory through calls"] += 1
            return None
        self._left[key] = None
        self._reading += 1
        try:
            self._left[key] = self._read_left(func, address, size)
        except _Deeper:
            del self._left[key]
            raise
        finally:
            self._reading -= 1
        return self._left[key]

    def _read_left(self, func: FuncId, address: Term | InResult, size: int) -> list[Case] | None:
        guards, split = self.guards(func), []
        if isinstance(address, InResult):
            results = [r for r in self._results(func) if not isinstance(r[2], Int | Null)]
            places = [(b, g, moved(t, address.offset)) for b, g, t in results]
        else:
            places = [(b, g, address) for b, g in self._returning(func)]
        for block, guard, place in places:
            for case, term in guards.memory.read_at_end(place, size, block):
                split.append((guard & case, term))
        return self._kept(guards.values.merge(split), "memory condition too large")

    def _returning(self, func: FuncId) -> list[tuple[BlockId, Guard]]:
        context, guards = self.context, self.guards(func)
        code = context.code
        last = {b: code.instr_start[b + 1] - 1 for b in guards.cfg.order}
        return [(b, guards.leave[b]) for b, at in last.items() if code.op[at] == OP_RET]
