"""Properties as state machines: data, not code.

In:    `machines.toml`, or `[machines.NAME]` of a user's model file (docs/properties.md).
Out:   `Machine`: states, how events move an object between them, which event in which state is a fault.
Paper: SMOKE §III-A: a finite-state machine per property over the uses of one object, in order.
Guarantees: every state named is listed, every fault is a rule that exists, no event of a state has two
            outcomes.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from importlib import resources
from typing import Any

from heapflow.models.model import Family, ModelError, ResourceKind


class Event(Enum):
    """What can happen to an object."""

    ACQUIRED = "acquired"  # made, opened, locked
    USED = "used"  # read, written, given to a function that does
    RELEASED = "released"
    KEPT = "kept"  # somebody else has it from now on
    ENDS = "ends"  # nothing leads to it any more, or the function that has it is left


FAULTS = ("leak", "resource-leak", "double-free", "use-after-free")
_MOVE = re.compile(r"(\w+): (\w+) -> (\w+)")
_FAULT = re.compile(r"(\w+) in (\w+): ([\w-]+)")
_KEYS = ("states", "start", "moves", "faults", "kinds")


@dataclass(frozen=True, slots=True)
class Machine:
    """One property. An event without a move leaves the state as it is."""

    name: str
    states: tuple[str, ...]
    start: str  # of an object that somebody else acquired
    moves: Mapping[tuple[str, Event], str]
    faults: Mapping[tuple[str, Event], str]
    kinds: tuple[ResourceKind, ...] = ()  # of resources whose families have this property

    def after(self, state: str, event: Event) -> str:
        return self.moves.get((state, event), state)

    def fault(self, state: str, event: Event) -> str:
        """The rule that an event breaks; "" if none."""
        return self.faults.get((state, event), "")

    @property
    def held(self) -> str:
        """The state of an object that was just acquired."""
        return self.after(self.start, Event.ACQUIRED)

    @property
    def gone(self) -> str:
        """The state of one that was released then."""
        return self.after(self.held, Event.RELEASED)

    @property
    def lost(self) -> str:
        """The rule that is broken when nothing leads to an acquired object any more; "" if none."""
        return self.fault(self.held, Event.ENDS)

    def run(self, *events: Event) -> tuple[str, str]:
        """The state after some events of one object, and the first rule that they break."""
        state, broken = self.start, ""
        for event in events:
            broken = broken or self.fault(state, event)
            state = self.after(state, event)
        return state, broken


def read_machine(name: str, table: Any, where: str) -> Machine:
    """A machine from its TOML table; an error says what would be right."""
    where = f"{where}: machine `{name}`"
    if not isinstance(table, dict):
        raise ModelError(f"{where}: must be a table")
    for key in table:
        if key not in _KEYS:
            raise ModelError(f"{where}: unknown key `{key}`; it can be: {', '.join(_KEYS)}")
    states = tuple(_strings(table, "states", where))
    start = table.get("start", states[0] if states else "")
    if not states or start not in states:
        raise ModelError(f"{where}: `start` has to be one of `states`")
    moves: dict[tuple[str, Event], str] = {}
    for text in _strings(table, "moves", where):
        event, before, after = _parts(_MOVE, text, where, "released: held -> released")
        _put(moves, (_state(before, states, where), event), _state(after, states, where), where)
    faults: dict[tuple[str, Event], str] = {}
    for text in _strings(table, "faults", where):
        event, state, rule = _parts(_FAULT, text, where, "used in released: use-after-free")
        if rule not in FAULTS:
            raise ModelError(f"{where}: no rule `{rule}`; it can be: {', '.join(FAULTS)}")
        _put(faults, (_state(state, states, where), event), rule, where)
    try:
        kinds = tuple(ResourceKind(kind) for kind in _strings(table, "kinds", where))
    except ValueError as error:
        raise ModelError(f"{where}: {error}") from None
    return Machine(name, states, start, moves, faults, kinds)


def _parts(pattern: re.Pattern[str], text: str, where: str, example: str) -> tuple[Event, str, str]:
    found = pattern.fullmatch(text.strip())
    if found is None:
        raise ModelError(f"{where}: `{text}` is not understood; write it like `{example}`")
    try:
        return Event(found[1]), found[2], found[3]
    except ValueError:
        known = ", ".join(event.value for event in Event)
        raise ModelError(f"{where}: no event `{found[1]}`; it can be: {known}") from None


def _put(
    table: dict[tuple[str, Event], str], key: tuple[str, Event], value: str, where: str
) -> None:
    if table.setdefault(key, value) != value:
        raise ModelError(f"{where}: `{key[1].value}` in `{key[0]}` has two outcomes")


def _state(name: str, states: tuple[str, ...], where: str) -> str:
    if name not in states:
        raise ModelError(f"{where}: no state `{name}`; it can be: {', '.join(states)}")
    return name


def _strings(table: dict[str, Any], key: str, where: str) -> list[str]:
    value = table.get(key, [])
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise ModelError(f"{where}: `{key}` must be a list of strings")
    return value


@cache
def packaged_machines() -> Mapping[str, Machine]:
    """Those that every run has, by name."""
    text = resources.files("heapflow.properties").joinpath("machines.toml").read_text("utf-8")
    tables = tomllib.loads(text)
    return {name: read_machine(name, table, "machines.toml") for name, table in tables.items()}


class Machines:
    """The properties of families: the user's own, then those of their kinds."""

    def __init__(self, families: Mapping[str, Family], own: Mapping[str, tuple[str, Any]]) -> None:
        self._families = families
        self._own = {name: read_machine(name, table, where) for name, (where, table) in own.items()}
        for family in families.values():
            if family.machine and family.machine not in {*self._own, *packaged_machines()}:
                raise ModelError(f"family `{family.name}`: no machine `{family.machine}`")

    def of(self, family: str) -> Machine | None:
        """The property that members of a family have; None: none is checked."""
        known = self._families.get(family)
        if known is None:
            return None
        if known.machine:
            return self._own.get(known.machine) or packaged_machines()[known.machine]
        for machine in (*self._own.values(), *packaged_machines().values()):
            if known.kind in machine.kinds:
                return machine
        return None
