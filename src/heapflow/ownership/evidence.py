"""What callers show about functions that are not known, counted by call site.

Paper: Engler et al., Bugs as Deviant Behavior (SOSP'01): what most callers do is taken for the rule.
Example: after `log_it(p)` callers release `p`: it was lent. After `if (put(q, p) < 0) free(p);` nobody
       touches `p` where `put` worked: it was given away then.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from heapflow.models.model import Comparison
from heapflow.ownership.ending import Addressed
from heapflow.pointsto.facts import Facts


@dataclass
class ArgumentEvidence:
    """How many call sites show what about one argument."""

    sites: int = 0
    local: int = 0  # it is the address of a local variable: nobody may release or keep that
    static: int = 0  # … of a global variable, or a constant: nobody may release that
    released: int = 0  # the caller releases it later
    used: int = 0  # … reads it, passes it on or returns it later
    dropped: int = 0  # a fresh block that nobody touches later
    read: int = 0  # … but for reading it: the callee did not release it, at least
    last: int = 0  # not fresh for sure, and nobody touches it later
    held: int = 0  # read from a field that still leads to it, by who asks what came of it
    ended: int = 0  # … and it comes from a call: the caller had it for itself
    on_failure: int = 0  # the caller releases it where the result says so, and only there
    emptied: int = 0  # … and where it was read from is cleared, or its owner goes the same way
    inner_kept: int = 0  # pointers in it are still good later
    inner_gone: int = 0  # it is released without a look at them
    members: set[int] = field(default_factory=set)  # C types, where it is a member; -1: not known
    taken_when: Counter[Comparison] = field(default_factory=Counter)

    @property
    def spared(self) -> int:
        """Nobody may release it."""
        return self.local + self.static


@dataclass
class Ways:
    """At how many call sites somebody ends a pointer's life."""

    all_ways: int = 0  # on every way on which it is not kept
    early: int = 0  # on all but some `return`s before the last of these calls
    late: int = 0  # only on some ways
    repeated: int = 0  # by several calls: on several ways out

    @property
    def sites(self) -> int:
        return self.all_ways + self.early + self.late


@dataclass
class ResultEvidence:
    """How many call sites show what about a result (or what is left in an out-parameter)."""

    sites: int = 0
    released: Ways = field(default_factory=Ways)
    never: int = 0  # read, tested, and nothing else
    kept: int = 0  # stored or returned
    families: Counter[str] = field(default_factory=Counter)
    ends_in: dict[tuple[int, int], Ways] = field(default_factory=dict)  # in unknown functions
    when: Counter[Comparison | None] = field(default_factory=Counter)
    shared: int = 0  # released, but what it was asked of is asked for more: found, then removed?
    unlent: int = 0  # released, and no local variable was given that it might be
    in_fields: Counter[str] = field(default_factory=Counter)  # kept in fields that are released
    in_held: int = 0  # kept in fields that nobody releases
    ignored: int = 0  # nobody looks at it
    ends_by_field: Counter[tuple[int, int]] = field(default_factory=Counter)  # … by unknown ones
    again: int = 0  # the same variable is given again, before anybody releases what is in it


@dataclass
class Evidence:
    """By function, and 0-based argument."""

    arguments: dict[tuple[int, int], ArgumentEvidence] = field(default_factory=dict)
    results: dict[int, ResultEvidence] = field(default_factory=dict)
    call_back: set[int] = field(default_factory=set)  # functions that are given functions
    untested: set[int] = field(default_factory=set)  # calls whose result decides nothing
    outs: dict[tuple[int, int], ResultEvidence] = field(default_factory=dict)
    addressed: dict[tuple[int, int], Addressed] = field(default_factory=dict)
    asked: set[int] = field(default_factory=set)  # functions whose result somebody uses
    owners: frozenset[int] = frozenset()  # structs (C types) whose fields the program itself ends


def parameter_count(facts: Facts, func: int) -> int:
    """Parameters of a function as LLVM sees it; variable arguments come after them."""
    program = facts.program
    type_id = int(program.functions.type[func])
    start = program.types.field_start
    return int(start[type_id + 1] - start[type_id])
