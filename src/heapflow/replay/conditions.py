"""The conditions of a path, kept in groups that share unknowns.

In:    conditions, one after the other.     Out: those that can have to do with some unknowns.
A question touches one group, mostly a small one; forks of a state share the groups.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from heapflow.replay.term import Term


class Group(NamedTuple):
    """Conditions that are connected by unknowns."""

    members: tuple[Term, ...]
    atoms: frozenset[int]
    numbers: frozenset[int]  # of the members


_tuple: Final = tuple.__new__  # a named tuple's own constructor takes three times as long


class Conditions:
    """All that was assumed on a path."""

    __slots__ = ("_groups", "_members")

    def __init__(self, members: Iterable[Term] = ()) -> None:
        self._members: list[Term] = []
        self._groups: dict[int, Group] = {}  # by each of its unknowns
        for member in members:
            self.append(member)

    def copy(self) -> Conditions:
        made = Conditions()
        made._members, made._groups = self._members.copy(), self._groups.copy()
        return made

    def append(self, condition: Term) -> None:
        touched = self.touched(condition.atoms)
        self._members.append(condition)
        if not touched:
            atoms = condition.atoms
            alone = _tuple(Group, ((condition,), atoms, frozenset((condition.number,))))
            for atom in atoms:
                self._groups[atom] = alone
            return
        members, atoms, numbers = touched[0]
        for group in touched[1:]:
            members += group.members
            atoms |= group.atoms
            numbers |= group.numbers
        atoms |= condition.atoms
        numbers |= {condition.number}
        joined = _tuple(Group, ((*members, condition), atoms, numbers))
        for atom in atoms:
            self._groups[atom] = joined

    def related(self, atoms: Iterable[int]) -> list[Term]:
        """The conditions that share unknowns with some atoms, directly or through others."""
        return [member for group in self.touched(atoms) for member in group.members]

    def touched(self, atoms: Iterable[int]) -> list[Group]:
        """The groups of some unknowns, in the order of these: nothing depends on addresses."""
        groups = self._groups
        known = [atom for atom in atoms if atom in groups]
        if len(known) < 2:
            return [groups[atom] for atom in known]
        known.sort()
        found: dict[frozenset[int], Group] = {}  # no two have an unknown in common
        for atom in known:
            group = groups[atom]
            found[group.atoms] = group
        return list(found.values())

    def __iter__(self) -> Iterator[Term]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)
