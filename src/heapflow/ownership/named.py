"""Pairs of unknown functions that are named as `malloc` and `free` are: they stand for them.

In:    the ledger: names, declarations, evidence.     Out: who releases goes into the ledger; makers.
Example: `my_calloc` gives a `void *`, `my_free` gets one, and nobody touches it afterwards. A `free`
does not know what it gets: what hangs on a struct is not released with it.
"""

from __future__ import annotations

import re

from heapflow.ir.kinds import CTypeKind
from heapflow.ownership.belief import Kind
from heapflow.ownership.declared import Const
from heapflow.ownership.evidence import parameter_count
from heapflow.ownership.ledger import Ledger
from heapflow.ownership.roles import MALLOC
from heapflow.policies.inforce import Policies
from heapflow.policies.named_pairs import are_made, stand_for

# `xfree`, `lib_free`, `__lib_free_dbg`, `hooks.free`, and who goes with them: `xmalloc`, `lib_calloc`.
_FREE = re.compile(r"([\w.]+?)free(?:_dbg|_debug|_impl)?$")
_ALLOC = re.compile(r"(?:[mckz]|re)?alloc(?:ate|0|_array|_n|_dbg|_debug|_impl)?$")
_ENDS_ALLOC = re.compile(r"(\w*?)" + _ALLOC.pattern)
_ENDS_FREE = re.compile(r"(\w*?)free(?:_dbg|_debug|_impl)?$")


class NamedPairs:
    """The pairs among the unknown functions."""

    def __init__(self, ledger: Ledger, policies: Policies) -> None:
        self.ledger, self.program = ledger, ledger.program
        is_asked = are_made(policies)
        pairs = self._pairs() if is_asked else {}
        # Of who is named as `free` is.
        self.makers = {func: made for func, made in pairs.items() if stand_for(policies, func)}
        found = {one for found in self.makers.values() for one in found}
        members = self._of_interfaces() if is_asked else set()
        found |= {func for func in sorted(members) if stand_for(policies, func)}
        self.allocating = frozenset(found)

    def _pairs(self) -> dict[int, list[int]]:
        names = {func: self.program.func_name(func) for func in sorted(self.ledger.unknown)}
        found: dict[int, list[int]] = {}
        for func, name in names.items():
            ending = _FREE.match(name)
            stem = ending[1] if ending else ""
            makers = [
                one
                for one, other in names.items()
                if stem
                and other.startswith(stem)
                and _ALLOC.fullmatch(other[len(stem) :])
                and self.ledger.declared.gives_untyped(one)
            ]
            if makers:
                found[func] = makers
        return found

    def _of_interfaces(self) -> set[int]:
        """Members that are named as `malloc` is, of a struct whose other members include one that is
        named as `free` is: a caller of the first one need not call the second."""
        functions, found = self.program.functions, set[int]()
        for func in sorted(self.ledger.unknown):
            _, dot, member = self.program.func_name(func).rpartition(".")
            made = _ENDS_ALLOC.fullmatch(member) if dot else None
            if made and self.ledger.declared.gives_untyped(func):
                ends = self._members_beside(member, int(functions.prototype[func]))
                if any((one := _ENDS_FREE.fullmatch(name)) and one[1] == made[1] for name in ends):
                    found.add(func)
        return found

    def _members_beside(self, member: str, prototype: int) -> set[str]:
        """The names of function pointers in structs that have such a one, too."""
        ctypes, strings = self.program.ctypes, self.program.strings
        found: set[str] = set()
        for struct in range(len(ctypes.kind)):
            rows = range(int(ctypes.member_start[struct]), int(ctypes.member_start[struct + 1]))
            held = {
                strings[ctypes.member_name[row]]: int(ctypes.elem[ctypes.member_type[row]])
                for row in rows
                if ctypes.member_type[row] >= 0
                and ctypes.kind[ctypes.member_type[row]] == CTypeKind.POINTER
            }
            if held.get(member, -1) == prototype:
                found |= {
                    name
                    for name, target in held.items()
                    if target >= 0 and ctypes.kind[target] == CTypeKind.FUNC
                }
        return found

    def enter(self) -> None:
        """Who releases what it gets, as callers show."""
        ledger = self.ledger
        for func, at in sorted(ledger.evidence.arguments):
            if (
                func not in self.makers
                or (func, at) in ledger.enders
                or not self._is_free(func, at)
            ):
                continue
            evidence = ledger.evidence.arguments[func, at]
            ledger.enders[func, at] = MALLOC
            maker = self.program.func_name(self.makers[func][0])
            reason = f"nobody uses its argument afterwards, and it is named as `{maker}` is"
            sites = evidence.last + evidence.dropped
            ledger.enter(func, Kind.DEALLOCATOR, at + 1, sites, 0, MALLOC, reason)

    def _is_free(self, func: int, at: int) -> bool:
        declared, evidence = self.ledger.declared, self.ledger.evidence.arguments[func, at]
        if at >= parameter_count(self.ledger.facts, func) or evidence.spared:
            return False
        if not declared.is_untyped(func, at) or declared.const(func, at) is not Const.NO:
            return False
        ending = evidence.last + evidence.dropped
        agreed = ending > 0 and self.ledger.agree(func, evidence.sites, ending)
        return agreed and self.ledger.only_pointer(func, at)
