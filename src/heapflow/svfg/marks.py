"""Sources, frees and escapes, and the edges that external functions make.

In:    MemorySsa (its Acts), NodeTable.     Out: Marks, edges.
Paper: TSE'14 §4.3 (an allocation site is a source, a free site a sink), Assumption 1 (globals); the
       effects of external functions are the models' (docs/models.md).
Example: `asprintf(&s, …)`: the source is the ACTUAL_OUT of s's region. `getline(&l, &n, f)`: the μ̂ of
         l's region is freed and its ACTUAL_OUT is a source, with the same effect.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from heapflow.ir.kinds import Op
from heapflow.memssa.act import Act, ActKind, Escaping
from heapflow.memssa.facts import LocationKind
from heapflow.memssa.ssa import MemorySsa
from heapflow.models.model import Give, Realloc, Unref
from heapflow.svfg.contexts import find_deposits
from heapflow.svfg.edges import EdgeList
from heapflow.svfg.graph import (
    AddressChange,
    Direction,
    EscapeKind,
    FreeKind,
    SourceKind,
    VRule,
)
from heapflow.svfg.held import find_global_held
from heapflow.svfg.nodes import NodeTable
from heapflow.svfg.nowhere import Nowhere

_ESCAPES = {
    Escaping.UNKNOWN_CALL: EscapeKind.UNKNOWN_CALL,
    Escaping.KEPT: EscapeKind.KEPT,
    Escaping.TAKEN: EscapeKind.TAKEN,
    Escaping.STORED: EscapeKind.MODEL_STORE,
    Escaping.ASSEMBLER: EscapeKind.ASSEMBLER,
    Escaping.DEFERRED: EscapeKind.DEFERRED_CALL,
}
_WRITERS = frozenset({Op.STORE, Op.CMPXCHG, Op.ATOMIC_RMW})

Row = tuple[int, int, int, int, int]  # node, instr, kind, effect, callee


@dataclass
class Marks:
    """Rows of the three tables."""

    sources: list[Row] = field(default_factory=list)
    frees: list[Row] = field(default_factory=list)
    escapes: list[Row] = field(default_factory=list)


def mark_nodes(ssa: MemorySsa, nodes: NodeTable, edges: EdgeList) -> Marks:
    """Apply all acts; then look at what stores do to globals."""
    marker = _Marker(ssa, nodes, edges)
    for found in ssa.acts.by_instr.values():
        for act in found:
            marker.act(act)
    marker.stores()
    marks = marker.marks
    for table in (marks.sources, marks.frees, marks.escapes):
        table[:] = sorted(set(table), key=lambda row: (row[1], row[0], *row[2:]))
    return marks


class _Marker:
    def __init__(self, ssa: MemorySsa, nodes: NodeTable, edges: EdgeList) -> None:
        self.ssa, self.nodes, self.edges = ssa, nodes, edges
        self.facts, self.node_of = ssa.facts, nodes.value_node
        self.marks = Marks()
        self.held = find_global_held(ssa)
        self.global_mask = ssa.memory.mask(LocationKind.GLOBAL)
        self.function_mask = ssa.memory.mask(LocationKind.FUNCTION)

    def _translate(self, places: int) -> int:
        return self.ssa.classes.translate(places & self.ssa.carriers.held)

    def act(self, act: Act) -> None:
        value = self.node_of[act.value] if act.value >= 0 else -1
        match act.kind:
            case ActKind.PASS | ActKind.INSIDE:
                self._pass(act, value)
            case ActKind.READ:
                result = self._result(act)
                sets = self._set(act.places), -1
                for node in self._ins(act.instr, act.places) if result >= 0 else ():
                    self._model_edge(node, result, act, sets=sets)
            case ActKind.WRITE:
                self._write(act, value)
            case ActKind.TRANSFER:
                self._transfer(act)
            case ActKind.FRESH | ActKind.FRESH_AT:
                self._source(act)
            case ActKind.FREE | ActKind.FREE_AT:
                found = [value] if act.kind == ActKind.FREE else self._ins(act.instr, act.places)
                self._free(act, found)
            case ActKind.ESCAPE | ActKind.ESCAPE_AT:
                found = [value] if act.kind == ActKind.ESCAPE else self._ins(act.instr, act.places)
                for node in found:
                    self._escape(node, act.instr, _ESCAPES[act.why], act.effect, act.callee)

    def _ins(self, instr: int, places: int) -> list[int]:
        return self.nodes.in_nodes(instr, self._translate(places))

    def _outs(self, instr: int, places: int) -> list[int]:
        return self.nodes.out_nodes(instr, self._translate(places))

    def _result(self, act: Act) -> int:
        result = self.facts.result[act.instr]
        return self.node_of[result] if result >= 0 else -1

    def _model_edge(
        self,
        source: int,
        target: int,
        act: Act,
        change: AddressChange = AddressChange.EXACT,
        sets: tuple[int, int] = (-1, -1),
    ) -> None:
        rule, intra, effect = VRule.MODEL, Direction.INTRA, self._condition(act)
        self.edges.add(
            source, target, rule, intra, act.instr, change=change, sets=sets, effect=effect
        )

    def _condition(self, act: Act) -> int:
        """The effect, if the model says when it happens; else -1."""
        effects = self.ssa.acts.effects
        is_conditional = act.effect >= 0 and bool(getattr(effects[act.effect], "when", ()))
        return act.effect if is_conditional else -1

    def _pass(self, act: Act, value: int) -> None:
        result = self._result(act)
        if value >= 0 and result >= 0:
            inside = act.kind == ActKind.INSIDE
            change = AddressChange.COMPUTED if inside else AddressChange.EXACT
            self._model_edge(value, result, act, change)

    def _write(self, act: Act, value: int) -> None:
        if value < 0:
            return
        sets = -1, self._set(act.places)
        for node in self._outs(act.instr, act.places):
            self._model_edge(value, node, act, sets=sets)
        self._escape_to(act.places, value, act.instr, act.effect, act.callee)

    def _transfer(self, act: Act) -> None:
        """Contents of `sources` go to `places`; what goes to globals escapes."""
        sets = self._set(act.sources), self._set(act.places)
        effect = self._condition(act)
        for source in self._ins(act.instr, act.sources):
            for target in self._outs(act.instr, act.places):
                self.edges.add(
                    source, target, VRule.TRANSFER, site=act.instr, sets=sets, effect=effect
                )
            if self._escape_to(act.places, source, act.instr, act.effect, act.callee):
                continue
            if act.effect < 0 and self.held[self.facts.operands(act.instr)[1]]:
                self._escape(source, act.instr, EscapeKind.GLOBAL_MEMORY, -1, act.callee)

    def _set(self, places: int) -> int:
        return self.nodes.sets.number(self._translate(places))

    def _source(self, act: Act) -> None:
        effect = self.ssa.acts.effects[act.effect]
        kind = SourceKind.ALLOC
        if isinstance(effect, Realloc):
            kind = SourceKind.REALLOC
        elif isinstance(effect, Give):
            kind = SourceKind.GIVE
        in_result = act.kind == ActKind.FRESH
        found = [self._result(act)] if in_result else self._outs(act.instr, act.places)
        for node in found:
            if node >= 0:
                self.marks.sources.append((node, act.instr, kind, act.effect, act.callee))

    def _free(self, act: Act, found: list[int]) -> None:
        effect = self.ssa.acts.effects[act.effect]
        kind = FreeKind.FREE
        if isinstance(effect, Realloc):
            kind = FreeKind.REALLOC
        elif isinstance(effect, Unref):
            kind = FreeKind.UNREF
        for node in found:
            if node >= 0:
                self.marks.frees.append((node, act.instr, kind, act.effect, act.callee))

    def _escape(self, node: int, instr: int, kind: EscapeKind, effect: int, callee: int) -> None:
        if node >= 0:
            self.marks.escapes.append((node, instr, kind, effect, callee))

    # -- stores -------------------------------------------------------------------------------

    def stores(self) -> None:
        """[Assumption 1] Values stored in globals, or in memory that was reached through them."""
        facts, sets = self.facts, self.ssa.memory.value_set
        held, nowhere = self.held, Nowhere(self.ssa)
        deposits = find_deposits(self.ssa, held)
        for value, call, kind in deposits.escapes:
            self._escape(self.node_of[value], call, kind, -1, -1)
        for row in range(facts.instr_count):
            if facts.op[row] not in _WRITERS:
                continue
            operands = facts.operands(row)
            node = self.node_of[operands[-1]]
            places = sets[operands[0]]
            if node < 0 or (row in deposits.decided and places & ~self.global_mask):
                continue
            if not places and nowhere.leads_nowhere(operands[0]):
                continue
            if self._escape_to(places, node, row, -1, -1):
                continue
            if held[operands[0]]:
                self._escape(node, row, EscapeKind.GLOBAL_MEMORY, -1, -1)

    def _escape_to(self, places: int, node: int, instr: int, effect: int, callee: int) -> bool:
        """Whether a store to these places is an escape all by itself."""
        globals_ = places & self.global_mask
        rest = places & ~self.global_mask & ~self.function_mask
        if rest and not globals_:
            return False
        kind = EscapeKind.UNKNOWN_MEMORY
        if globals_:
            kind = EscapeKind.MAYBE_GLOBAL if rest else EscapeKind.GLOBAL
        self._escape(node, instr, kind, effect, callee)
        return not rest
