"""What ends the life of what fields and variables hold, as far as callers show it.

In:    Carried, Roles, the functions in question.     Out: `Endings`, `Addressed` per argument.
Example: `pfree(x->name); x->name = NULL;` and `pfree(x->name); pfree(x);`: nobody does this with a
       function that only looks. `ch_free(&p);` as the last that is done with `p`, where it was set:
       the variable is emptied.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from heapflow.ir.kinds import TypeKind, ValueKind
from heapflow.ownership.carried import Carried
from heapflow.ownership.places import Field
from heapflow.ownership.roles import Roles
from heapflow.ownership.walk import Place
from heapflow.pointsto.codes import Op

_RELEASING = frozenset(
    ("free", "destroy", "delete", "release", "dispose", "unref", "decref", "deref", "del", "dtor")
)
_MAKING = frozenset(
    ("new", "create", "dup", "strdup", "make", "clone", "copy", "build", "init", "read", "parse")
)
_KEEPING = frozenset(
    (
        *("add", "append", "attach", "enqueue", "insert", "install", "link", "list", "own", "post"),
        *(
            "publish",
            "push",
            "put",
            "queue",
            "register",
            "save",
            "schedule",
            "send",
            "set",
            "start",
        ),
        *("store", "submit", "take", "track", "watch"),
    )
)
_EMPTYING = frozenset(
    (
        *(
            "clean",
            "cleanup",
            "clear",
            "close",
            "consume",
            "detach",
            "done",
            "drain",
            "empty",
            "end",
        ),
        *("exit", "fini", "finish", "flush", "move", "pop", "remove", "reset", "shutdown", "steal"),
        *("stop", "swap", "term", "unload", "update"),
    )
)
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


@dataclass
class Addressed:
    """At how many call sites a pointer variable's address is given, and what that shows."""

    sites: int = 0
    emptied: int = 0  # nobody reads it afterwards
    static: int = 0  # … it is a global variable
    filled: int = 0  # … and somebody had put a pointer there


def says_release(name: str) -> bool:
    """Whether a name says that the function ends something: worth as much as a few call sites."""
    words = {word.lower() for word in _WORDS.findall(name)}
    return "free" in name.lower() or bool(words & _RELEASING)


def says_fresh(name: str) -> bool:
    """Whether a name says that the function makes something."""
    words = {word.lower() for word in _WORDS.findall(name)}
    begun = any(word.startswith(("clone", "create", "dup")) for word in words)  # `dupinfo`
    return begun or "alloc" in name.lower() or bool(words & _MAKING)


def says_keep(name: str) -> bool:
    """Whether a name says that the function keeps something, or hands it on."""
    return bool({word.lower() for word in _WORDS.findall(name)} & _KEEPING)


def says_emptied(name: str) -> bool:
    """Whether a name says that the function may take or replace what it finds in an object."""
    words = {word.lower() for word in _WORDS.findall(name)}
    return says_release(name) or bool(words & (_KEEPING | _EMPTYING))


class Endings:
    """Which fields are released, and by whom."""

    def __init__(self, carried: Carried, roles: Roles, unknown: frozenset[int]) -> None:
        self.carried, self.facts, self.walk = carried, carried.facts, carried.walk
        self.roles, self.unknown = roles, unknown
        self.released: dict[Field, Counter[str]] = {}  # -> families
        self.ended: dict[Field, set[tuple[int, int]]] = {}  # -> unknown functions that get it
        for field, values in carried.loads.items():
            for value in values:
                for name in self.facts.flows_on(value):
                    self._users(field, name, roles.releases)
        for field, values in carried.given.items():
            for value in values:
                self._users(field, value, roles.releases_at)

    def _users(self, field: Field, value: int, releasers: dict[tuple[int, int], str]) -> None:
        facts = self.facts
        for row in facts.users(value):
            if row >= facts.instr_count or not facts.is_call(row) or facts.callee(row) < 0:
                continue
            for at, operand in enumerate(facts.operands(row)[1:]):
                if operand != value:
                    continue
                for func in facts.definitions(facts.callee(row)):
                    if (func, at) in releasers:
                        self.released.setdefault(field, Counter())[releasers[func, at]] += 1
                    elif func in self.unknown and releasers is self.roles.releases:
                        self.ended.setdefault(field, set()).add((func, at))

    def owners(self) -> frozenset[int]:
        """Structs (C types) of which fields are released here, and all that are given blocks."""
        layouts, found = self.carried.layouts, {one.owner for one in self.released}
        found -= {
            one.owner
            for one in self.carried.stores
            if one not in self.released and self.carried.is_made(one)
        }
        return frozenset(layouts.ctype[one] for one in found) - {-1}

    # Marks of functions that release --------------------------------------------------------------

    def is_emptied(self, call: int, value: int) -> bool:
        """Whether the place that an argument was read from is set to NULL after the call, or what the
        place belongs to goes the same way."""
        facts, walk = self.facts, self.walk
        place = self._read_from(value)
        if place is None:
            return False
        if self.is_cleared(call, value):
            return True
        if place.inner >= 0 or facts.value_kind[place.base] == ValueKind.GLOBAL:
            return False
        names = walk.names(place.base, call)
        return any(self._goes_too(row, name, call) for name in names for row in facts.users(name))

    def _read_from(self, value: int) -> Place | None:
        facts = self.facts
        load = facts.row_of_value[value]
        if not 0 <= load < facts.instr_count or facts.op[load] != Op.LOAD:
            return None
        return self.walk.place(facts.operands(load)[0])

    def is_cleared(self, call: int, value: int) -> bool:
        """Whether the place that an argument was read from is set to NULL after the call."""
        facts, walk = self.facts, self.walk
        place = self._read_from(value)
        if place is None:
            return False
        after = walk.after(call, value)
        return any(
            facts.value_kind[facts.operands(store)[1]] == ValueKind.NULL
            and walk.follows(store, call, after)
            for store in walk.stores_to(facts.func_of_instr[call], place)
        )

    def _goes_too(self, row: int, name: int, call: int) -> bool:
        """Whether a later call ends the struct that an argument was read from."""
        facts = self.facts
        if row >= facts.instr_count or not facts.is_call(row) or row == call:
            return False
        func, operands = facts.callee(row), facts.operands(row)[1:]
        if name not in operands or func < 0:
            return False
        same = func == facts.callee(call)
        ends = any(
            (one, operands.index(name)) in self.roles.releases for one in facts.definitions(func)
        )
        after = self.walk.after(call, name)
        return (same or ends) and self.walk.follows(row, call, after)

    def look_at_address(self, call: int, value: int, found: Addressed) -> None:
        """An argument that is the address of a pointer variable, or of a field that holds one."""
        facts, carried = self.facts, self.carried
        if carried.is_variable(value):
            found.sites += 1
            loads = [row for row in carried.users_of(value) if facts.op[row] == Op.LOAD]
            reached = carried.reached(call, loads, carried.stored(value))
            read = [row for row in reached if not self._is_test(row)]
            found.emptied += not read
            found.filled += not read and carried.is_filled(value)
        elif carried.field(value) is not None:
            found.sites += 1
            place, func = self.walk.place(value), facts.func_of_instr[call]
            loads = self.walk.loads_of(func, place) if place else []
            rows = [facts.row_of_value[name] for name in loads]
            stores = self.walk.stores_to(func, place) if place else []
            reached = carried.reached(call, rows, stores)
            is_emptied = not [row for row in reached if not self._is_test(row)]
            found.emptied += is_emptied
            found.filled += is_emptied and carried.field(value) in carried.stores
        elif facts.value_kind[value] == ValueKind.GLOBAL and self._is_pointer(value):
            found.sites += 1
            found.emptied += 1  # who reads it, and when, is not known
            found.static += 1

    def _is_pointer(self, variable: int) -> bool:
        """Whether a global variable is a pointer."""
        facts = self.facts
        type_id = int(facts.program.globals.type[facts.value_index[variable]])
        return facts.type_kind[type_id] == TypeKind.POINTER

    def _is_test(self, load: int) -> bool:
        """Whether what is read is only compared."""
        facts = self.facts
        rows = facts.users(facts.result[load])
        return all(row < facts.instr_count and facts.op[row] == Op.ICMP for row in rows)

    def emptied_at(self, variable: int) -> list[tuple[int, str]]:
        """Calls that release what a variable holds, by its address; their families."""
        facts, found = self.facts, []
        for row in self.carried.users_of(variable):
            if not facts.is_call(row) or facts.callee(row) < 0:
                continue
            for at, operand in enumerate(facts.operands(row)[1:]):
                for func in facts.definitions(facts.callee(row)):
                    if operand == variable and (func, at) in self.roles.releases_at:
                        found.append((row, self.roles.releases_at[func, at]))
        return found
