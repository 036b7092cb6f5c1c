"""Attribute lists, reduced to the few attributes that change what a call or parameter means."""

from __future__ import annotations

from dataclasses import dataclass

from heapflow.frontend.bitcode.bitstream import Bitstream, BlockRef
from heapflow.frontend.bitcode.codes import Attr
from heapflow.ir.arguments import STRUCT_RETURN_NUMBER, by_value_number
from heapflow.ir.kinds import CallFlag, FuncFlag, ParamFlag

_FUNCTION_INDEX = 0xFFFF_FFFF
_RESULT_INDEX = 0
_DEFAULT_BY_VALUE_ALIGN = 8
# What MEMORY says, without its version in the highest byte.
_ANY_EFFECT, _ANY_WRITE = 0x00FF_FFFF_FFFF_FFFF, 0x00AA_AAAA_AAAA_AAAA
_PARAM_FLAGS = {
    Attr.BY_VAL: int(ParamFlag.BY_VALUE),
    Attr.STRUCT_RET: int(ParamFlag.STRUCT_RETURN),
    Attr.NEST: int(ParamFlag.NEST),
    Attr.NON_NULL: int(ParamFlag.NOT_NULL),
    Attr.RETURNED: int(ParamFlag.RETURNED),
    Attr.READ_NONE: int(ParamFlag.READ_ONLY),  # never with the next one
    Attr.READ_ONLY: int(ParamFlag.READ_ONLY),
}
_KEPT = frozenset(
    {
        Attr.ALIGNMENT,
        Attr.BY_VAL,
        Attr.NEST,
        Attr.NO_ALIAS,
        Attr.NO_RETURN,
        Attr.READ_NONE,
        Attr.READ_ONLY,
        Attr.RETURNED,
        Attr.RETURNS_TWICE,
        Attr.STRUCT_RET,
        Attr.NON_NULL,
        Attr.MEMORY,
        Attr.CAPTURES,
    }
)


@dataclass(frozen=True, slots=True)
class AttributeList:
    """Attributes by where they stand: on the function, the result, or a parameter (1-based)."""

    on: dict[int, dict[int, int]]  # place -> attribute -> type id or number (or 0)

    def function(self, attr: int) -> bool:
        return attr in self.on.get(_FUNCTION_INDEX, ())

    def result(self, attr: int) -> bool:
        return attr in self.on.get(_RESULT_INDEX, ())

    def memory_flags(self) -> int:
        """`FuncFlag`s of what it does to memory: two bits per kind of memory, read and write."""
        effects = self.on.get(_FUNCTION_INDEX, {}).get(Attr.MEMORY, _ANY_EFFECT)
        flags = 0 if effects & _ANY_WRITE else int(FuncFlag.WRITES_NOTHING)
        return flags if effects & _ANY_EFFECT else flags | int(FuncFlag.READS_NOTHING)

    def parameter_flags(self, index: int) -> int:
        """The `ParamFlag`s of a parameter."""
        attrs = self.on.get(index + 1)
        if not attrs:
            return 0
        flags = sum(flag for attr, flag in _PARAM_FLAGS.items() if attr in attrs)
        if attrs.get(Attr.CAPTURES, 1) == 0:
            flags |= int(ParamFlag.NOT_CAPTURED)
        return flags

    def parameter(self, index: int) -> dict[int, int]:
        return self.on.get(index + 1, {})


NO_ATTRIBUTES = AttributeList({})


class AttributeReader:
    """Groups by id, then lists of groups; records name a list by its 1-based number."""

    def __init__(self) -> None:
        self._groups: dict[int, tuple[int, dict[int, int]]] = {}
        self._lists: list[AttributeList] = [NO_ATTRIBUTES]
        self._call_flags: dict[int, int] = {}
        self._passing: dict[int, dict[int, int]] = {}
        self.unread: dict[str, int] = {}

    def read_groups(self, stream: Bitstream, block: BlockRef) -> None:
        for _, ops, _, inner in stream.entries(block):
            if inner is None and len(ops) >= 2:
                self._groups[ops[0]] = (ops[1], self._parse(ops))

    def read_lists(self, stream: Bitstream, block: BlockRef) -> None:
        for _, ops, _, inner in stream.entries(block):
            if inner is not None:
                continue
            places: dict[int, dict[int, int]] = {}
            for group in ops:
                place, attrs = self._groups.get(group, (-1, {}))
                if attrs:
                    places.setdefault(place, {}).update(attrs)
            self._lists.append(AttributeList(places))

    def numbered(self, number: int) -> AttributeList:
        return self._lists[number] if number < len(self._lists) else NO_ATTRIBUTES

    def call_flags(self, number: int) -> int:
        """`CallFlag` bits that a list gives to a call."""
        known = self._call_flags.get(number)
        if known is None:
            found = self.numbered(number)
            known = int(CallFlag.NO_RETURN) if found.function(Attr.NO_RETURN) else 0
            if found.function(Attr.RETURNS_TWICE):
                known |= int(CallFlag.RETURNS_TWICE)
            self._call_flags[number] = known
        return known

    def passing(self, number: int, size: list[int]) -> dict[int, int]:
        """Argument position -> how a call passes it, if not plainly (`Operations`: CALL).

        `size`: the bytes that types take.
        """
        known = self._passing.get(number)
        if known is None:
            known = self._passing[number] = {}
            for place, attrs in sorted(self.numbered(number).on.items()):
                if Attr.BY_VAL in attrs:
                    align = attrs.get(Attr.ALIGNMENT) or _DEFAULT_BY_VALUE_ALIGN
                    known[place - 1] = by_value_number(size[attrs[Attr.BY_VAL]], align)
                elif Attr.STRUCT_RET in attrs:
                    known[place - 1] = STRUCT_RETURN_NUMBER
        return known

    def _parse(self, ops: list[int]) -> dict[int, int]:
        found: dict[int, int] = {}
        at, end = 2, len(ops)
        while at < end:
            kind = ops[at]
            if kind in (0, 1, 5, 6):  # enum; integer; type attribute without / with a type
                key = ops[at + 1]
                if key in _KEPT:
                    found[key] = ops[at + 2] if kind in (1, 6) else 0
                at += 2 if kind in (0, 5) else 3
            elif kind in (3, 4):  # strings, zero-terminated: key, or key and value
                for _ in range(kind - 2):
                    at = ops.index(0, at + 1)
                at += 1
            elif kind == 7 and ops[at + 2] <= 64:  # constant range: key, width, lower, upper
                at += 5
            else:
                key_text = f"attribute encoding {kind}"
                self.unread[key_text] = self.unread.get(key_text, 0) + 1
                break
        return found
