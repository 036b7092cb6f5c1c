"""Follow pointers through one function: what was released, and what happens to it afterwards.

In:    Facts, summaries of callees.     Out: `Summary` of the function, `Pair`s for candidates.
Paper: SMOKE §III-A: the uses of one object in the order of control flow.
A forward pass over the blocks. A state says which values and places hold a pointer that was released
(acquired by some family, the address of a variable). A store over a place ends what was said of it.
Guarantees: more pairs than can happen, never a verdict: replay executes each.
Not modelled: names that are equal for reasons outside of the function; elements of arrays are one.
"""

from __future__ import annotations

from heapflow.ir.codes import (
    CMP_EQ,
    CMP_NE,
    EDGE_IF_FALSE,
    EDGE_IF_TRUE,
    OP_GEP,
    OP_ICMP,
    OP_LOAD,
    OP_RET,
    OP_SELECT,
    OP_STORE,
    VALUE_INSTR,
    VALUE_NULL,
    VALUE_PARAM,
)
from heapflow.ir.ids import BlockId, InstrId, ValueId
from heapflow.properties.atcalls import AtCalls
from heapflow.properties.facts import CALL_OPS, SAME
from heapflow.properties.flow import RESIZED, Name
from heapflow.properties.marks import RELEASES, State
from heapflow.properties.place import Of, Place, base, is_exact, owners, root
from heapflow.properties.summary import DESCRIPTOR, RESULT, Mark


class Follower(AtCalls):
    """One function."""

    def run(self) -> None:
        """Fill `summary` and `pairs`."""
        flow = self.flow
        self.summary.found = self.reached.found()
        if not any(map(self._call_matters, flow.calls)):
            for block in flow.order:
                for instr in flow.acts[block]:
                    self._only_uses(instr)
            return
        before: dict[BlockId, State] = {flow.first: {}}
        last_used, matters_from = flow.last_used(), flow.matters_from()
        changed, rounds = {flow.first}, 0
        while changed:
            rounds += 1
            if rounds > self.config.most_rounds:
                self.limits.add("rounds over the blocks of a function")
                break
            for block in flow.order:
                if block not in changed:
                    continue
                changed.discard(block)
                state = dict(before[block])
                for instr in flow.acts[block]:
                    self._instr(instr, state)
                # What nothing reads any more is not passed on.
                least = matters_from[block]
                state = {
                    name: tags
                    for name, tags in state.items()
                    if not isinstance(name, int) or last_used.get(name, -1) >= least
                }
                failed = self._failed(block)
                for target in flow.successors[block]:
                    coming = state
                    if failed is not None and target == failed[1]:
                        coming = self._without(state, failed[0])
                    if self._join(before, target, block, coming):
                        changed.add(target)

    def _failed(self, block: BlockId) -> tuple[InstrId, BlockId] | None:
        """A realloc whose result is tested at the end of a block, and where NULL leads to."""
        if not self.moved_by:
            return None
        facts = self.facts
        operands = facts.operands(self.flow.instrs[block][-1])
        if not operands or facts.value_kind[operands[0]] != VALUE_INSTR:
            return None
        test = facts.value_index[operands[0]]
        if facts.op[test] != OP_ICMP or facts.aux[test] not in (CMP_EQ, CMP_NE):
            return None
        value, other = facts.operands(test)
        if facts.value_kind[other] != VALUE_NULL or value not in self.moved_by:
            return None
        wanted = EDGE_IF_TRUE if facts.aux[test] == CMP_EQ else EDGE_IF_FALSE
        for edge in range(facts.edge_start[block], facts.edge_start[block + 1]):
            if facts.edge_kind[edge] == wanted:
                return self.moved_by[value], facts.edge_target[edge]
        return None

    def _without(self, state: State, call: InstrId) -> State:
        """What is known where a call that would have released something failed."""
        gone = 0
        for number, tag in enumerate(self.tags):
            if tag.instr == call and tag.mark in RELEASES:
                gone |= 1 << number
        return {name: tags & ~gone for name, tags in state.items() if tags & ~gone}

    def _join(
        self, before: dict[BlockId, State], target: BlockId, source: BlockId, state: State
    ) -> bool:
        """Add what comes along an edge; whether that is news."""
        facts = self.facts
        moved: State = {}
        phis: set[ValueId] = set()
        for instr in self.flow.phis.get(target, ()):
            result = facts.result[instr]
            phis.add(result)
            origins = facts.operand_block[
                facts.operand_start[instr] : facts.operand_start[instr + 1]
            ]
            for value, origin in zip(facts.operands(instr), origins, strict=True):
                if origin == source:
                    tags = self._tags(value, state)
                    if tags:
                        moved[result] = tags
        gone = set(self._changed(state, phis)) if phis else set[Name]()
        known = before.get(target)
        if known is None:
            known = before[target] = dict(state)
            for name in gone:
                del known[name]
            known.update(moved)
            return True
        is_new = False
        if len(known) > self.config.most_names:
            self.limits.add("names that one block passes on")
            return is_new
        for names, left_out in ((state, gone), (moved, ())):
            for name, tags in names.items():
                if left_out and name in left_out:
                    continue
                old = known.get(name, 0)
                if tags & ~old:
                    known[name] = old | tags
                    is_new = True
        return is_new

    def _only_uses(self, instr: InstrId) -> None:
        facts = self.facts
        op = facts.op[instr]
        if op in (OP_LOAD, OP_STORE):
            self._deed(base(facts.place(facts.operands(instr)[0])), "")
        elif op in CALL_OPS:
            self._call(instr, {})

    def _instr(self, instr: InstrId, state: State) -> None:
        facts = self.facts
        op, result = facts.op[instr], facts.result[instr]
        if op == OP_LOAD:
            address = facts.operands(instr)[0]
            self._use(instr, address, state)
            self._put(state, result, state.get(facts.place(result), 0))
        elif op == OP_STORE:
            address, value = facts.operands(instr)
            self._use(instr, address, state)
            kept = (Of.CONTENT, facts.place(address))
            self._put(state, kept, self._tags(value, state), is_exact(kept))
        elif op in SAME or op in RESIZED:
            self._put(state, result, self._tags(facts.operands(instr)[0], state))
        elif op == OP_GEP:
            self._put(state, result, self._moved(instr, state))
        elif op == OP_SELECT:
            _, yes, no = facts.operands(instr)
            self._put(state, result, self._tags(yes, state) | self._tags(no, state))
        elif op in CALL_OPS:
            self._call(instr, state)
        elif op == OP_RET:
            self._leave(instr, state)

    def _moved(self, instr: InstrId, state: State) -> int:
        """Tags of an address computed from another."""
        tags = self._tags(self.facts.operands(instr)[0], state)
        if tags and self.facts.place(self.facts.result[instr])[0] == Of.BEHIND:
            for tag in self._listed(tags):
                if tag.mark is Mark.ACQUIRED:
                    tags |= self._tag(Mark.INNER, tag.family, tag.instr)
        return tags

    def _leave(self, instr: InstrId, state: State) -> None:
        """What is left behind for the caller."""
        facts = self.facts
        operands = facts.operands(instr)
        if operands:
            tags = self._tags(operands[0], state)
            self._exit(RESULT, tags)
            self._note(tags, instr, "")
        left: dict[Place, int] = {}
        for name, tags in state.items():
            if isinstance(name, int):
                if facts.value_kind[name] == VALUE_PARAM:
                    left[facts.place(name)] = tags
            elif name[0] == Of.CONTENT and facts.is_told(name) and is_exact(name):
                left[name] = tags
        gone = {place for place, tags in left.items() if self._is_released(tags)}
        for place, tags in left.items():
            if gone.isdisjoint(owners(place)):  # what was in a released object is gone with it
                self._exit(place, tags)

    def _is_released(self, tags: int) -> bool:
        return any(tag.mark in RELEASES for tag in self._listed(tags))

    def _exit(self, place: Place, tags: int) -> None:
        for tag in self._listed(tags):
            if tag.mark in (Mark.STACK, Mark.INNER, Mark.REACHED):
                continue
            if tag.family == DESCRIPTOR:
                if tag.mark is Mark.ACQUIRED and root(place)[0] != Of.GLOBAL:
                    self.summary.handed |= {(place, chain) for chain in self.chains.get(tag, ())}
                continue
            if len(self.summary.exits) >= self.config.most_exits:
                self.limits.add("places that a function leaves behind")
                return
            mark = Mark.PERHAPS if tag.mark is Mark.COUNTED else tag.mark
            self.summary.exits.add((place, mark, tag.family))
