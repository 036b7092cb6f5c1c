"""The sparse value-flow graph (SVFG): its result type.

In:    nothing; `svfg.build` fills it.     Out: `Svfg`.
Paper: TSE'14 §4.3, Fig. 6; docs/paper-map.md rows "V-…".
A node is a definition: of a top-level SSA value, or of a version of a memory region, plus the pseudo
formal μ̂(R) at calls. An edge says that the value of one definition may become the value of another.
Every edge names its rule, the call site it enters or leaves by, and what a guard needs beyond the
blocks of its two nodes. Only what a tracked allocation can reach is present.
Guarantees (`check_svfg`): ids in range, both CSR directions agree, every edge's rule fits the kinds of
       its ends, call and return edges name a call site whose callees include the function at the end.
Not modelled: see docs/unsoundness.md, "value-flow graph".

Two facts are part of the graph's shape rather than of its labels:
- A store that certainly replaces its only location has no edge from the version before it (strong
  update). Where a second store through the same SSA pointer replaces what a first one stored, the
  first one has two nodes: a shared version through which everybody else's values pass, and a private
  one (`only_from` names itself) that its own value enters. From there on that value runs through
  private copies of the versions, which end at the second store.
- Regions are sets of locations. A value stored through `p` is read back through `q` only if both
  address a common location, even where both use the same region: `locations` of a STORE, and of the
  VALUE of a load, are the sets to intersect; see `may_meet`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from heapflow.ir.table import I32, I64, U8
from heapflow.models.model import Effect


class NodeKind(IntEnum):
    """What is defined."""

    VALUE = 0  # a top-level SSA value: instruction result or parameter
    STORE = 1  # R_t of R_t = χ(R_s) at a store
    REGION_PHI = 2  # R_t = φ(…)
    ENTRY = 3  # R_0 of a nonlocal region: formal-in
    EXIT = 4  # μ(R_t) at a return: formal-out
    ACTUAL_IN = 5  # μ̂(R_t) at a call, also of an external function that reads memory
    ACTUAL_OUT = 6  # R_t of R_t = χ(R_s) at a call
    TRANSFER = 7  # R_t of R_t = χ(R_s) where memory is copied: memcpy, realloc's contents


class VRule(IntEnum):
    """Why there is an edge; the names of TSE'14 Fig. 6, where it has one."""

    COPY = 0  # V-COPY: copy, cast, address arithmetic, part of an aggregate
    PHI = 1  # V-PHI on values; `block` is the predecessor
    SELECT = 2  # two V-COPYs under a condition; `condition`, `side`
    MU = 3  # V-MU: R̂_t → p̂ at a load
    CHI_VALUE = 4  # V-CHI: q̂ → R̂_t at a store
    CHI_OLD = 5  # V-CHI: R̂_s → R̂_t, the weak part
    REGION_PHI = 6  # V-PHI on regions; `block` is the predecessor
    CSPAR = 7  # V-CSPAR: actual → formal, (k
    CSRET = 8  # V-CSPAR: returned value → result, )k; `block` is that of the return
    CSMU_IN = 9  # V-CSMU: R̂_t → μ̂(R_t), also R̂_t → μ at a return
    CSMU = 10  # V-CSMU: μ̂(R_t) → entry region of the callee, (k
    CSCHI = 11  # V-CSCHI: exit region of the callee → R̂_t, )k
    CSCHI_OLD = 12  # V-CSCHI: R̂_s → R̂_t, the weak part
    TRANSFER = 13  # contents copied from one region to another: V-MU and V-CHI in one step
    MODEL = 14  # a modelled external function passes a value on (`ret = arg1`, `*arg1 = arg2`)


class Direction(IntEnum):
    """Which parenthesis an edge carries."""

    INTRA = 0
    CALL = 1  # (k
    RETURN = 2  # )k


class AddressChange(IntEnum):
    """What happens to an address on its way along an edge."""

    EXACT = 0  # the same address
    INTERIOR = 1  # moved by a constant: a member of the same object
    COMPUTED = 2  # moved by a computed distance, or integer arithmetic


class SourceKind(IntEnum):
    """How an allocation comes about."""

    ALLOC = 0
    REALLOC = 1  # also a free of its source: the entry in `Frees` has the same call and effect
    GIVE = 2  # the model hands over something that existed


class FreeKind(IntEnum):
    """How a release comes about."""

    FREE = 0
    REALLOC = 1
    UNREF = 2


class EscapeKind(IntEnum):
    """Why somebody we do not follow may hold the value from here on."""

    GLOBAL = 0  # stored in a global variable
    GLOBAL_MEMORY = 1  # stored in memory that was reached through global variables only
    UNKNOWN_MEMORY = 2  # stored through a pointer of which nothing is known
    UNKNOWN_CALL = 3  # argument of an external function without a model, or what it points to
    KEPT = 4  # the model says that the library remembers it
    TAKEN = 5  # the model says that the library owns it now
    MODEL_STORE = 6  # the model stores it into hidden or global state
    ASSEMBLER = 7
    DEFERRED_CALL = 8  # passed to a callback that runs later
    MAYBE_GLOBAL = 9  # stored where a global variable is one possibility: there is a STORE as well


@dataclass(frozen=True)
class Nodes:
    """Columns by node."""

    kind: U8  # NodeKind
    func: I32
    block: I32  # where it is defined; the entry block for parameters and ENTRY
    instr: I32  # -1: parameter, ENTRY, REGION_PHI
    value: I32  # VALUE: the value; else -1
    region: I32  # not VALUE: region id (`MemorySsa.regions`); VALUE: -1
    version: I32  # version of the region; for EXIT and ACTUAL_IN the version that is used
    only_from: I32  # private version: the STORE node whose value alone it carries (of that node:
    # itself); -1: shared
    # Index into `Svfg.location_sets`: what a STORE, TRANSFER or external ACTUAL_OUT writes, what a load
    # (VALUE) reads, the whole region otherwise; -1 for values that no load defines.
    locations: I32

    def __len__(self) -> int:
        return len(self.kind)


@dataclass(frozen=True)
class Edges:
    """Columns by edge, sorted by source node (CSR: `start`); `backward` lists edges by target."""

    start: I64  # per node, plus one
    source: I32
    target: I32
    rule: U8  # VRule
    direction: U8  # Direction
    site: I32  # call instruction of CALL and RETURN edges and of MODEL edges; else -1
    block: I32  # PHI, REGION_PHI: predecessor; CSRET: block of the return; else -1
    condition: I32  # SELECT: the value tested; else -1
    side: U8  # SELECT: 1 if taken when the condition is true
    change: U8  # AddressChange
    # TRANSFER and MODEL by a library function, under its model's condition (`ret = arg1 when ret !=
    # NULL`): it happens where this effect does. CSCHI_OLD at a call that replaces a single place only
    # under such a condition (`alloc *arg1 when ret >= 0`): old content passes where it does not.
    # Else -1.
    effect: I32
    # TRANSFER, MODEL: location sets of the step that makes the edge. A value that lies in memory takes
    # the edge only if its locations meet `sees`, and lies at `lands` afterwards; -1: the nodes' sets.
    sees: I32
    lands: I32
    backward_start: I64
    backward: I32  # edge ids

    def __len__(self) -> int:
        return len(self.target)


@dataclass(frozen=True)
class Sources:
    """Allocations, one row per external allocating call and way in which it hands the block out."""

    node: I32  # VALUE of the result, or the ACTUAL_OUT of the cell behind an argument
    instr: I32  # the call
    kind: U8  # SourceKind
    effect: I32  # index into `Svfg.effects`: family, size, `when`
    callee: I32  # the external function
    obj_start: I64  # heap objects (several if the caller is an allocator with clones)
    obj: I32

    def __len__(self) -> int:
        return len(self.node)


@dataclass(frozen=True)
class Frees:
    """Places where the value of a node is released."""

    node: I32  # VALUE of the argument, or ACTUAL_IN for a path like `*arg1`
    instr: I32
    kind: U8  # FreeKind
    effect: I32
    callee: I32

    def __len__(self) -> int:
        return len(self.node)


@dataclass(frozen=True)
class Escapes:
    """Places where the value of a node becomes somebody else's."""

    node: I32
    instr: I32
    kind: U8  # EscapeKind
    effect: I32  # -1 if no model is involved
    callee: I32  # the external function; -1

    def __len__(self) -> int:
        return len(self.node)


@dataclass(frozen=True)
class Svfg:
    """The graph with its sources and sinks."""

    nodes: Nodes
    edges: Edges
    sources: Sources
    frees: Frees
    escapes: Escapes
    node_of_value: I32  # per program value; -1: cannot carry a tracked allocation
    location_sets: tuple[int, ...]  # bitsets over locations (the points-to phase's cells)
    location_obj: I32  # object of each location
    effects: tuple[Effect, ...]

    def out_edges(self, node: int) -> range:
        return range(int(self.edges.start[node]), int(self.edges.start[node + 1]))

    def in_edges(self, node: int) -> list[int]:
        start = self.edges.backward_start
        found: list[int] = self.edges.backward[start[node] : start[node + 1]].tolist()
        return found

    def may_meet(self, store: int, reader: int) -> bool:
        """Whether what a STORE, TRANSFER or ACTUAL_OUT put into memory can be seen at a node.

        `reader`: where the value leaves the versions of a region: the VALUE of a load, ACTUAL_IN, EXIT,
        ENTRY. (The set of a STORE on the way is what that store writes, not what passes through.)
        """
        first, second = int(self.nodes.locations[store]), int(self.nodes.locations[reader])
        if first < 0 or second < 0:
            return True
        return bool(self.location_sets[first] & self.location_sets[second])
