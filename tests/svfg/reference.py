"""The rules of TSE'14 Figs. 3, 4 and 6, written down directly, slowly, on sets of locations.

No classes, no bitsets, no φs, no dominators: mod-ref is a naive fixed point, a version is the place
that defines it, and which definitions reach a use is found by iterating over the flow graph. The result
is compared with the fast graph after its φs have been bypassed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from heapflow.ir.kinds import Op
from heapflow.memssa.accesses import Event, EventKind, address_of
from heapflow.memssa.act import ActKind
from heapflow.memssa.facts import LocationKind
from heapflow.memssa.ssa import MemorySsa
from heapflow.support.bitset import members
from heapflow.svfg.graph import NodeKind, Svfg

Locations = frozenset[int]


class Key(NamedTuple):
    """What a node is, whatever its number; `number` is a function, or the value of a "value"."""

    word: str
    number: int
    region: Locations = frozenset()
    instr: int = -1


Edge = tuple[Key, Key, str, int]  # from, to, rule, call site


def places(bits: int) -> Locations:
    return frozenset(members(bits))


@dataclass
class Reference:
    """Edges between keys, and the keys of sources, frees and escapes at calls."""

    edges: set[Edge] = field(default_factory=set)
    sources: set[Key] = field(default_factory=set)
    marks: set[Key] = field(default_factory=set)


class Rules:
    """State of one transcription; `run` is the entry point."""

    def __init__(self, ssa: MemorySsa) -> None:
        self.ssa, self.facts, self.memory = ssa, ssa.facts, ssa.memory
        self.program = ssa.program
        self.held = places(ssa.carriers.held)
        self.funcs = [f for f in range(len(self.program.functions)) if self.facts.has_body(f)]
        self.callees = ssa.accesses.callees
        self.out = Reference()
        self.calls_in: dict[int, set[int]] = {f: set() for f in self.funcs}
        for call, targets in self.callees.items():
            self.calls_in[self.facts.func_of_instr[call]].update(targets)
        self.below = {f: self._closure(f) for f in self.funcs}

    def _closure(self, func: int) -> set[int]:
        found: set[int] = set()
        pending = list(self.calls_in[func])
        while pending:
            callee = pending.pop()
            if callee not in found:
                found.add(callee)
                pending += self.calls_in[callee]
        return found

    # -- Definition 3 and Fig. 3 ------------------------------------------------------------------

    def local(self, func: int) -> Locations:
        if func in self.below[func]:
            return frozenset()
        kind, owner = self.memory.kind, self.memory.owner
        return frozenset(v for v in self.held if kind[v] == LocationKind.STACK and owner[v] == func)

    def visible(self, func: int) -> Locations:
        kind, owner = self.memory.kind, self.memory.owner
        return frozenset(
            v
            for v in self.held
            if kind[v] == LocationKind.HEAP or owner[v] == func or func in self.below[owner[v]]
        )

    def modref(self) -> None:
        """Per function sets of (location, parameter it was reached through directly or -1)."""
        loaded = places(self.ssa.accesses.loaded)
        self.uses: dict[int, frozenset[tuple[int, int]]] = dict.fromkeys(self.funcs, frozenset())
        self.defs: dict[int, frozenset[tuple[int, int]]] = dict.fromkeys(self.funcs, frozenset())
        self.locals = {f: self.local(f) for f in self.funcs}
        self.sight = {f: self.visible(f) for f in self.funcs}
        changed = True
        while changed:
            changed = False
            for func in self.funcs:
                kept = self.sight[func] - self.locals[func]
                reads: set[tuple[int, int]] = set()
                writes: set[tuple[int, int]] = set()
                for event in self.ssa.accesses.by_func.get(func, ()):
                    at = self.parameter(func, event)
                    for bits in event.reads:
                        reads |= {(v, at) for v in places(bits)}
                    for bits in event.writes:
                        writes |= {(v, at) for v in places(bits) & loaded}
                    if event.kind == EventKind.CALL:
                        reads |= self.passed(func, event, self.uses)
                        writes |= self.passed(func, event, self.defs)
                new = (
                    frozenset((v, at) for v, at in reads if v in kept),
                    frozenset((v, at) for v, at in writes if v in kept),
                )
                if new != (self.uses[func], self.defs[func]):
                    self.uses[func], self.defs[func] = new
                    changed = True

    def parameter(self, func: int, event: Event) -> int:
        """The parameter that an access goes through directly; none inside recursion."""
        if event.kind not in (EventKind.LOAD, EventKind.STORE) or func in self.below[func]:
            return -1
        return self.position(func, self.facts.operands(event.instr)[0])

    def position(self, func: int, pointer: int) -> int:
        params = self.facts.params(func)
        base = address_of(self.facts, pointer)[0]
        return params.index(base) if base in params else -1

    def passed(
        self, func: int, event: Event, touched: dict[int, frozenset[tuple[int, int]]]
    ) -> set[tuple[int, int]]:
        """What a call touches: behind an argument only what the argument's objects hold."""
        found: set[tuple[int, int]] = set()
        args = self.facts.operands(event.instr)[1:]
        for callee in self.callees[event.instr]:
            for location, at in touched[callee]:
                if at < 0 or at >= len(args):
                    found.add((location, -1))
                    continue
                objects = {self.memory.obj[v] for v in places(self.memory.value_set[args[at]])}
                on_heap = self.memory.kind[location] == LocationKind.HEAP
                if objects and not on_heap and self.memory.obj[location] not in objects:
                    continue
                inside = func in self.below[func]
                found.add((location, -1 if inside else self.position(func, args[at])))
        return found

    # -- §4.2.2 -------------------------------------------------------------------------------------

    def call_sets(self, func: int, event: Event) -> tuple[Locations, Locations]:
        """[I-CALL]"""
        if event.kind != EventKind.CALL:
            return frozenset(), frozenset()
        used = {v for v, _ in self.passed(func, event, self.uses)}
        defined = {v for v, _ in self.passed(func, event, self.defs)}
        return frozenset(used & self.sight[func]), frozenset(defined & self.sight[func])

    def regions(self, func: int) -> list[Locations]:
        own = self.locals[func]
        accessed: set[Locations] = set()
        called: list[Locations] = []
        for event in self.ssa.accesses.by_func.get(func, ()):
            accessed |= {places(bits) for bits in event.reads + event.writes}
            called += self.call_sets(func, event)
        touched = frozenset().union(*accessed, *called)
        shared = {s - own for s in accessed} - {frozenset()}
        shared = {s for s in shared if not any(s < other for other in shared)}
        rest = (touched - own).difference(*shared)
        groups: dict[tuple[bool, ...], set[int]] = {}
        for v in rest:
            groups.setdefault(tuple(v in s for s in called), set()).add(v)
        result = [frozenset({v}) for v in touched & own]
        return result + list(shared) + [frozenset(group) for group in groups.values()]

    # -- reaching definitions ---------------------------------------------------------------------

    def reaching(
        self, func: int, region: Locations, chis: dict[int, bool], incoming: bool
    ) -> dict[int, set[Key]]:
        """Per instruction of the function the definitions of a region that reach it."""
        blocks, functions = self.program.blocks, self.program.functions
        first, last = int(functions.block_start[func]), int(functions.block_start[func + 1])
        arriving: dict[int, set[Key]] = {b: set() for b in range(first, last)}
        if incoming:
            arriving[first].add(Key("entry", func, region))
        before: dict[int, set[Key]] = {}
        pending, seen = [first], set()
        while pending:
            block = pending.pop()
            current = set(arriving[block])
            for instr in range(int(blocks.instr_start[block]), int(blocks.instr_start[block + 1])):
                before[instr] = set(current)
                if instr in chis:
                    current = {Key("def", func, region, instr)}
            seen.add(block)
            for edge in range(int(blocks.edge_start[block]), int(blocks.edge_start[block + 1])):
                target = int(blocks.edge_target[edge])
                if target not in seen or not current <= arriving[target]:
                    arriving[target] |= current
                    pending.append(target)
        return before

    # -- Figs. 4 and 6 ------------------------------------------------------------------------------

    def run(self) -> Reference:
        self.modref()
        self.entries: dict[int, list[Key]] = {}
        self.exits: dict[int, list[Key]] = {}
        for func in self.funcs:
            for region in self.regions(func):
                self.region(func, region)
        self.values()
        self.between()
        self.models()
        return self.out

    def add(self, source: Key, target: Key, rule: str, site: int = -1) -> None:
        self.out.edges.add((source, target, rule, site))

    def region(self, func: int, region: Locations) -> None:
        """[S-*] and the intraprocedural [V-*] of one region."""
        events = self.ssa.accesses.by_func[func]
        nonlocal_ = not region <= self.locals[func]
        mus: dict[int, Event] = {}
        chis: dict[int, bool] = {}
        for event in events:
            used, defined = self.call_sets(func, event)
            reads = used.union(*(places(bits) for bits in event.reads))
            writes = defined.union(*(places(bits) for bits in event.writes))
            if region & reads:
                mus[event.instr] = event
            if region & writes:
                chis[event.instr] = event.strong and len(region) == 1
            if (
                event.kind == EventKind.RETURN
                and nonlocal_
                and region & {v for v, _ in self.defs[func]}
            ):
                mus[event.instr] = event
        before = self.reaching(func, region, chis, nonlocal_)
        if nonlocal_:
            self.entries.setdefault(func, []).append(Key("entry", func, region))
        for instr, event in mus.items():
            for definition in before.get(instr, ()):
                self.use(func, region, event, definition)
        for instr, strong in chis.items():
            if instr not in before:
                continue  # unreachable code
            target = Key("def", func, region, instr)
            for definition in before[instr] if not strong else ():
                self.add(definition, target, "OLD")
            if self.facts.op[instr] in (Op.STORE, Op.CMPXCHG, Op.ATOMIC_RMW):
                stored = self.facts.operands(instr)[-1]
                if self.ssa.carriers.values[stored]:
                    self.add(Key("value", stored), target, "CHI_VALUE")

    def use(self, func: int, region: Locations, event: Event, definition: Key) -> None:
        if event.kind in (EventKind.LOAD, EventKind.STORE):
            result = self.facts.result[event.instr]
            if self.ssa.carriers.values[result]:
                self.add(definition, Key("value", result), "MU")
            return
        word = "exit" if event.kind == EventKind.RETURN else "in"
        node = Key(word, func, region, event.instr)
        self.add(definition, node, "CSMU_IN")
        if word == "exit" and node not in self.exits.setdefault(func, []):
            self.exits[func].append(node)

    def values(self) -> None:
        """[V-COPY], [V-PHI]"""
        moves = {Op.PHI: "PHI", Op.SELECT: "SELECT"}
        from heapflow.memssa.carriers import moved_operands

        for row in range(self.facts.instr_count):
            result = self.facts.result[row]
            if result < 0 or not self.ssa.carriers.values[result]:
                continue
            for operand in moved_operands(self.facts, row):
                if self.ssa.carriers.values[operand]:
                    rule = moves.get(Op(self.facts.op[row]), "COPY")
                    self.add(Key("value", operand), Key("value", result), rule)

    def between(self) -> None:
        """[V-CSPAR], [V-CSMU], [V-CSCHI]"""
        carries = self.ssa.carriers.values
        ins = {e[1] for e in self.out.edges if e[1].word == "in"}
        outs = {k for e in self.out.edges for k in e[:2] if k.word == "def"}
        for func in self.funcs:  # definitions that nothing flows into yet
            for region in self.regions(func):
                for event in self.ssa.accesses.by_func.get(func, ()):
                    _, defined = self.call_sets(func, event)
                    if region & defined.union(*(places(bits) for bits in event.writes)):
                        outs.add(Key("def", func, region, event.instr))
        for node in ins:
            _, _, region, call = node
            for callee in self.callees.get(call, ()):
                for entry in self.entries.get(callee, ()):
                    if entry.region & region:
                        self.add(node, entry, "CSMU", call)
        for node in outs:
            _, _, region, call = node
            for callee in self.callees.get(call, ()):
                for leaving in self.exits.get(callee, ()):
                    if leaving.region & region:
                        self.add(leaving, node, "CSCHI", call)
        for call, callees in self.memory.callees.items():
            args, result = self.facts.operands(call)[1:], self.facts.result[call]
            for callee in callees:
                if not self.facts.has_body(callee):
                    continue
                for param, arg in zip(self.facts.params(callee), args, strict=False):
                    if carries[arg] and carries[param]:
                        self.add(Key("value", arg), Key("value", param), "CSPAR", call)
                for row in self.program.instr_range(callee):
                    if self.facts.op[row] == Op.RET and self.facts.operands(row):
                        value = self.facts.operands(row)[0]
                        if result >= 0 and carries[value] and carries[result]:
                            self.add(Key("value", value), Key("value", result), "CSRET", call)

    def models(self) -> None:
        """Acts of external calls; the tests' programs use no callbacks and no variable arguments."""
        carries = self.ssa.carriers.values
        keys = {k for e in self.out.edges for k in e[:2]}
        at: dict[tuple[str, int], list[Key]] = {}
        for key in keys:
            if key.word in ("in", "def"):
                at.setdefault((key.word, key.instr), []).append(key)
        for call, acts in self.ssa.acts.by_instr.items():
            result = self.facts.result[call]
            for act in acts:
                ins = [k for k in at.get(("in", call), ()) if k.region & places(act.places)]
                outs = [k for k in at.get(("def", call), ()) if k.region & places(act.places)]
                if act.kind == ActKind.FRESH:
                    self.out.sources.add(Key("value", result))
                elif act.kind == ActKind.FRESH_AT:
                    self.out.sources.update(outs)
                elif act.kind in (ActKind.PASS, ActKind.INSIDE) and result >= 0:
                    if carries[act.value] and carries[result]:
                        self.add(Key("value", act.value), Key("value", result), "MODEL", call)
                elif act.kind == ActKind.READ:
                    for node in ins:
                        self.add(node, Key("value", result), "MODEL", call)
                elif act.kind == ActKind.WRITE and carries[act.value]:
                    for node in outs:
                        self.add(Key("value", act.value), node, "MODEL", call)
                elif act.kind == ActKind.TRANSFER:
                    for k in at.get(("in", call), ()):
                        for node in outs if k.region & places(act.sources) else ():
                            self.add(k, node, "TRANSFER", call)
                elif act.kind in (ActKind.FREE_AT, ActKind.ESCAPE_AT):
                    self.out.marks.update(ins)


def reference_graph(ssa: MemorySsa) -> set[Edge]:
    """Edges that a source reaches and from which a value or a sink can be reached."""
    found = Rules(ssa).run()
    return prune(found.edges, found.sources, found.marks)


def prune(edges: Iterable[Edge], sources: set[Key], marks: set[Key]) -> set[Edge]:
    edges = list(edges)
    forward: dict[Key, list[Edge]] = {}
    backward: dict[Key, list[Edge]] = {}
    for edge in edges:
        forward.setdefault(edge[0], []).append(edge)
        backward.setdefault(edge[1], []).append(edge)
    reached, pending = set(sources), list(sources)
    while pending:
        for edge in forward.get(pending.pop(), ()):
            if edge[1] not in reached:
                reached.add(edge[1])
                pending.append(edge[1])
    useful = {k for e in edges for k in e[:2] if k.word == "value"} | marks
    pending = list(useful)
    while pending:
        for edge in backward.get(pending.pop(), ()):
            if edge[0] not in useful:
                useful.add(edge[0])
                pending.append(edge[0])
    return {e for e in edges if e[0] in reached and e[1] in useful}


# -- the fast graph in the same terms ---------------------------------------------------------------

_RULES = {
    "CHI_OLD": "OLD",
    "CSCHI_OLD": "OLD",
}


def fast_graph(ssa: MemorySsa, svfg: Svfg) -> set[Edge]:
    """The built graph with φs of regions bypassed, as edges between keys."""
    from heapflow.svfg.graph import VRule

    inside: dict[int, list[int]] = {}
    for location, number in enumerate(ssa.classes.of_location):
        inside.setdefault(number, []).append(location)
    region_sets = [
        frozenset(v for number in members(bits) for v in inside[number])
        for bits in ssa.regions.classes
    ]
    nodes, table = svfg.nodes, svfg.edges

    def key(node: int) -> Key:
        kind, func = NodeKind(nodes.kind[node]), int(nodes.func[node])
        if kind == NodeKind.VALUE:
            return Key("value", int(nodes.value[node]))
        region, instr = region_sets[int(nodes.region[node])], int(nodes.instr[node])
        match kind:
            case NodeKind.ENTRY:
                return Key("entry", func, region)
            case NodeKind.EXIT:
                return Key("exit", func, region, instr)
            case NodeKind.ACTUAL_IN:
                return Key("in", func, region, instr)
            case NodeKind.REGION_PHI:
                return Key("phi", node)
            case _:
                return Key("def", func, region, instr)

    def origins(node: int) -> set[int]:
        """Definitions other than φs that a node stands for."""
        found: set[int] = set()
        seen, pending = {node}, [node]
        while pending:
            current = pending.pop()
            if nodes.kind[current] != NodeKind.REGION_PHI:
                found.add(current)
                continue
            for edge in svfg.in_edges(current):
                source = int(table.source[edge])
                if source not in seen:
                    seen.add(source)
                    pending.append(source)
        return found

    edges: set[Edge] = set()
    for edge in range(len(table)):
        target = int(table.target[edge])
        if nodes.kind[target] == NodeKind.REGION_PHI:
            continue
        name = VRule(table.rule[edge]).name
        for source in origins(int(table.source[edge])):
            edges.add((key(source), key(target), _RULES.get(name, name), int(table.site[edge])))
    sources = {key(node) for node in svfg.sources.node.tolist()}
    marks = {key(n) for n in svfg.frees.node.tolist() + svfg.escapes.node.tolist()}
    marks = {k for k in marks if k.word == "in"}
    return prune(edges, sources, marks)
