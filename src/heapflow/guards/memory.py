"""What a load sees: stored values are forwarded along the control flow, through calls and joins.

In:    a function's guards as far as they exist, what calls may write.     Out: `MemoryReader.read`.
For one address, the blocks that may write it and the joins where such writes meet (their iterated
dominance frontier, as for φs) are visited in the order of execution; elsewhere it is as in the closest
dominating one of these. The state is a list of cases, like that of a value. A store to the same address
sets it, a store that may hit it makes it unknown, a join splits it by the edge taken. A call leaves it
alone, or sets it to what the callee leaves there. What was there on entry is the term
`Load(address, size)`: callers know what they stored.
    s->owned = 1; … if (s->owned) free(p);       the test is 1
Guarantees: equal terms are equal values within one turn of each loop.
Not modelled: overlapping accesses of other sizes, pointers into the middle of structs
(docs/unsoundness.md#flags-in-memory).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from heapflow.guards.relevant import RelevantWrites
from heapflow.guards.writes import Event
from heapflow.ir.codes import OP_STORE
from heapflow.ir.ids import NO_BLOCK, BlockId, EdgeId, InstrId, ValueId
from heapflow.logic.address import moved, place_of
from heapflow.logic.compare import Case, constant_of
from heapflow.logic.term import At, Contents, Global, Int, Later, Load, Met, Term, Val
from heapflow.policies.unwritten_globals import still_there

if TYPE_CHECKING:
    from heapflow.guards.function import FunctionGuards

Cases = list[Case]
_END: Final = 1 << 60


class _Region:
    """The blocks where the state of an address may change: the same for many addresses."""

    __slots__ = ("above", "changing", "order")

    def __init__(self, changing: set[BlockId], position: dict[BlockId, int]) -> None:
        self.changing = changing
        self.order = sorted(changing, key=position.__getitem__)  # as they run
        self.above: dict[
            BlockId, BlockId
        ] = {}  # block -> the closest of them that dominates it, or -1


class _Pass:
    """The states of one address, for a prefix of the blocks."""

    __slots__ = (
        "address",
        "after",
        "at_end",
        "at_start",
        "busy",
        "done",
        "position",
        "region",
        "relevant",
        "size",
        "state",
    )

    def __init__(
        self, address: Term, size: int, relevant: dict[BlockId, list[Event]], region: _Region
    ) -> None:
        self.address, self.size = address, size
        self.relevant = relevant  # block -> events that may write it
        self.region = region
        self.at_start: dict[BlockId, Cases] = {}
        self.at_end: dict[BlockId, Cases] = {}
        self.after: dict[InstrId, Cases] = {}  # by instruction
        self.position = 0  # in the order of blocks
        self.done = 0  # events of that block
        self.state: Cases = []
        self.busy = False


class MemoryReader:
    """Reads memory of one function."""

    def __init__(self, guards: FunctionGuards) -> None:
        self.guards = guards
        self.context = guards.context
        self.space = guards.context.space
        self._passes: dict[tuple[Term, int], _Pass] = {}
        self._regions: dict[frozenset[int], _Region] = {}  # by the blocks with events
        self._writes: RelevantWrites | None = None  # made when first asked for
        self._left = guards.context.limits.most_memory_steps
        # Stores that may or may not write what is read: address, size, what was there before.
        self.in_doubt: dict[InstrId, list[tuple[Term, int, Cases]]] = {}

    def read(self, address: Term, size: int, instr: int) -> Cases:
        """The value just before an instruction."""
        known = self._passes.get((address, size))
        if known is None:
            initial = self._initial(address)
            if initial is not None:
                return initial
            known = self._passes[address, size] = self._new_pass(address, size)
        if not known.relevant:
            return self._on_entry(address, size)
        block = self.context.code.instr_block[instr]
        for event in reversed(known.relevant.get(block, ())):
            if event.instr < instr:
                if event.instr not in known.after:
                    self._advance(known, block, instr)
                return known.after.get(event.instr) or self._unknown(known, event.instr)
        return self._at_start(known, block)

    def _new_pass(self, address: Term, size: int) -> _Pass:
        relevant = self._relevant(address, size)
        blocks = frozenset(relevant)
        region = self._regions.get(blocks)
        if region is None:
            region = self._regions[blocks] = self._new_region(blocks)
        return _Pass(address, size, relevant, region)

    def _new_region(self, blocks: frozenset[BlockId]) -> _Region:
        """With all blocks where what happened in some of these may meet."""
        frontier = self.guards.cfg.frontier
        changing, added = set(blocks), list(blocks)
        while added:
            for join in frontier.get(added.pop(), ()):
                if join not in changing:
                    changing.add(join)
                    added.append(join)
        return _Region(changing, self.guards.position)

    def read_at_end(self, address: Term, size: int, block: BlockId) -> Cases:
        return self.read(address, size, self.context.code.instr_start[block + 1] - 1)

    def version(self, address: Term, instr: InstrId) -> Term:
        """A name for the contents of a whole object: equal names, equal contents."""
        base, _ = place_of(address)
        found = self.read(base, 0, instr)
        return found[0][1] if len(found) == 1 else Contents(instr)

    def calls_that_write(self, base: Term) -> list[InstrId]:
        """The calls that may write somewhere behind a base."""
        events = self._relevant(base, 0).values()
        return [event.instr for found in events for event in found if event.root is None]

    # One address, forwards -----------------------------------------------------------------------

    def _advance(self, at: _Pass, until: int, limit: int) -> None:
        """Visit blocks in order until a block is done up to an instruction, and not further: what
        comes later may be what is asked for now."""
        if at.busy:
            return  # a value on the way leads back here
        at.busy = True
        try:
            self._go_on(at, until, limit)
        finally:
            at.busy = False

    def _go_on(self, at: _Pass, until: int, limit: int) -> None:
        order = at.region.order
        while until not in at.at_end and at.position < len(order):
            block = order[at.position]
            if block not in self.guards.reach or not self._may_go_on():
                break
            events = at.relevant.get(block, [])
            if not at.done:
                at.state = at.at_start[block] = self._meet(at, block)
            for event in events[at.done :]:
                if block == until and event.instr >= limit:
                    return
                at.state = self._after(at, event, at.state)
                at.after[event.instr] = at.state
                at.done += 1
            at.at_end[block] = at.state
            at.position += 1
            at.done = 0

    def _may_go_on(self) -> bool:
        """Whether the function's memory may be followed one block further; beyond, it is unknown."""
        self._left -= 1
        if self._left == 0:
            self.context.limits_hit["steps through the memory of one function"] += 1
        return self._left > 0

    def _at_start(self, at: _Pass, block: BlockId) -> Cases:
        """The state when a block begins."""
        if block in at.region.changing:
            if block not in at.at_start:
                self._advance(at, block, self.context.code.instr_start[block])
            return at.at_start.get(block) or self._meet(at, block)
        above = self._above(at, block)
        if above < 0:
            return self._on_entry(at.address, at.size)
        if above not in at.at_end:
            self._advance(at, above, _END)
        return at.at_end.get(above) or self._unknown_in(at, block)

    def _above(self, at: _Pass, block: BlockId) -> BlockId:
        """The closest block that dominates this one and where the state may change, or -1."""
        passed, above, region = [], self.guards.cfg.above, at.region
        found = block
        while True:
            known = region.above.get(found)
            if known is not None:
                found = known
                break
            passed.append(found)
            found = above.get(found, NO_BLOCK)
            if found < 0 or found in region.changing:
                break
        for one in passed:
            region.above[one] = found
        return found

    def _meet(self, at: _Pass, block: BlockId) -> Cases:
        """The state when a block begins where writes may meet."""
        guards, cfg = self.guards, self.guards.cfg
        if block == cfg.entry:
            return self._on_entry(at.address, at.size)
        loop = guards.loop_at.get(block)
        if loop is not None and not at.relevant.keys().isdisjoint(loop.blocks):
            return self._unknown_in(at, block)
        states: list[tuple[EdgeId, Cases]] = []
        for edge in cfg.in_edges[block]:
            source = guards.edge_source[edge]
            if source in at.region.changing:
                state = at.at_end.get(source)
                if state is None:
                    return self._unknown_in(at, block)
            else:
                state = self._at_start(at, source)
            states.append((edge, state))
        first = states[0][1]
        if all(state is first for _, state in states):
            return first
        return self._join(at, block, states)

    def _join(self, at: _Pass, block: BlockId, states: list[tuple[EdgeId, Cases]]) -> Cases:
        false = self.space.false
        terms = {term for _, state in states for _, term in state}
        if len(terms) == 1:
            return [(self.space.true, terms.pop())]
        if len(terms) > self.context.limits.most_cases:
            return self._unknown_in(at, block)
        split: Cases = []
        for edge, state in states:
            guard = self.guards.edge_guard.get(edge, false)
            if not self.space.is_false(guard):
                split += [(guard & g, term) for g, term in state]
        found = self.guards.values.merge(split)
        if not found or not self.guards.values.is_small(found):
            return self._unknown_in(at, block)
        same = next((state for _, state in states if state == found), None)
        return same or found

    def _on_entry(self, address: Term, size: int) -> Cases:
        return [(self.space.true, Load(address, size))]

    def _unknown(self, at: _Pass, instr: InstrId) -> Cases:
        return [(self.space.true, Later(at.address, at.size, instr))]

    def _unknown_in(self, at: _Pass, block: BlockId) -> Cases:
        return [(self.space.true, Met(at.address, at.size, block))]

    def _initial(self, address: Term) -> Cases | None:
        """What is in a global that nobody writes."""
        base, offset = place_of(address)
        if not isinstance(base, Global) or offset is None:
            return None
        initial = self.context.initial.value_at(base.index, offset)
        value = still_there(self.context.policies, initial)
        if value is None:
            return None
        return [(self.space.true, Int(0))] if value < 0 else self.guards.cases(value)

    # Which instructions matter ---------------------------------------------------------------------

    def _relevant(self, address: Term, size: int) -> dict[BlockId, list[Event]]:
        base, offset = place_of(address)
        base = self._in_this_function(base)
        if self._writes is None:
            self._writes = RelevantWrites(self.guards)
        return self._writes.find(base, offset, size)

    def _in_this_function(self, base: Term) -> Term:
        """A callee's value that a call returned, as that call's result."""
        if isinstance(base, At):
            result = self.context.code.result[base.site]
            if result >= 0 and self.guards.term(result) == base:
                return Val(result)
        return base

    # What one instruction does -----------------------------------------------------------------------

    def _after(self, at: _Pass, event: Event, before: Cases) -> Cases:
        if event.root is None:
            return self._after_call(at, event.instr, before)
        code = self.context.code
        operands = code.operands(event.instr)
        target = self.guards.term(operands[0])
        if target == at.address and event.size == at.size and code.op[event.instr] == OP_STORE:
            return self.guards.cases(operands[1])
        base, offset = place_of(at.address)
        other, start = place_of(target)
        if base == other and None not in (offset, start) and offset != start and at.size:
            return before
        if code.op[event.instr] == OP_STORE:
            self.in_doubt.setdefault(event.instr, []).append((at.address, at.size, before))
        return self._unknown(at, event.instr)

    def _after_call(self, at: _Pass, instr: InstrId, before: Cases) -> Cases:
        context = self.context
        code = context.code
        func = code.callee(instr)
        if func < 0:
            return self._unknown(at, instr)
        if not code.is_declared[func]:
            found = self.guards.callees.callee_memory(instr, func, at.address, at.size, before)
            return found if found is not None else self._unknown(at, instr)
        external = context.externals.of(func)
        base, _ = place_of(at.address)
        if base == Val(code.result[instr]):
            return [(self.space.true, Int(0))] if external.zeroed else self._unknown(at, instr)
        operands = code.operands(instr)
        if external.block is not None and at.size:
            return self._after_block(at, instr, operands, before)
        for position in external.fills(len(operands) - 1):
            if code.is_pointer(operands[position]):
                target, _ = place_of(self.guards.term(operands[position]))
                behind = context.stored.behind(self.guards.func, target)
                if target == base or any(root == base for root, _ in behind):
                    return self._unknown(at, instr)
        return before

    def _after_block(
        self, at: _Pass, instr: InstrId, operands: list[ValueId], before: Cases
    ) -> Cases:
        """memset and memcpy of a known range."""
        context = self.context
        block = context.externals.of(context.code.callee(instr)).block
        assert block is not None
        target = self.guards.term(operands[block.target])
        base, offset = place_of(at.address)
        other, start = place_of(target)
        if base != other:
            return before
        size = constant_of(self.guards.term(operands[block.size])) if block.size else None
        if offset is None or start is None or size is None:
            return self._unknown(at, instr)
        if offset + at.size <= start or offset >= start + size:
            return before
        if offset < start or offset + at.size > start + size:
            return self._unknown(at, instr)
        if block.source:
            source = moved(self.guards.term(operands[block.source]), offset - start)
            return self.read(source, at.size, instr)
        value = block.constant
        if block.value:
            filled = constant_of(self.guards.term(operands[block.value]))
            value = -1 if filled is None else filled
        return [(self.space.true, Int(0))] if value == 0 else self._unknown(at, instr)
