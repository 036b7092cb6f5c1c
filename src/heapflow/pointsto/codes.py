"""The enumerations of the program's tables with plain integers as members.

An enum's member costs about 150 ns each time it is named (CPython 3.11), and this phase names several
for every instruction. Here `Op.STORE` is an attribute of an ordinary object and an `int`.
"""

from __future__ import annotations

from enum import Enum
from types import SimpleNamespace
from typing import Any, TypeVar

from heapflow.ir import kinds

E = TypeVar("E", bound=Enum)


def plain(enum: type[E]) -> type[E]:
    """The members of an enum as integers under the same names."""
    members: Any = SimpleNamespace(**{member.name: int(member.value) for member in enum})
    found: type[E] = members
    return found


BindingKind = plain(kinds.BindingKind)
CallFlag = plain(kinds.CallFlag)
FuncFlag = plain(kinds.FuncFlag)
GlobalFlag = plain(kinds.GlobalFlag)
Op = plain(kinds.Op)
ParamFlag = plain(kinds.ParamFlag)
TypeKind = plain(kinds.TypeKind)
ValueKind = plain(kinds.ValueKind)
