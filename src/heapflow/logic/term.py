"""What a condition talks about: the closed union `Term`.

Equal terms have equal values on any one run through a function (loops bounded), so equal comparisons
share one Boolean variable. Terms are values: compared by what they are, never changed. Their hash and
depth are found when they are made, since most of what is done with terms is looking them up. No
dataclasses: there are many terms, and a frozen one takes several times as long to make.

A new kind of term: a class here, a member of `Term`, and mypy names every `match` that lacks it.
"""

from __future__ import annotations

from typing import Final, final

from heapflow.ir.ids import BlockId, FuncId, GlobalId, InstrId, ValueId
from heapflow.ir.kinds import Op


class _Made:
    """What all terms have."""

    __slots__ = ("_hash", "_key", "depth")

    def __init__(self, key: tuple[object, ...], depth: int) -> None:
        self._key = key  # a number for the kind, then the fields
        self._hash = hash(key)
        self.depth = depth  # terms within each other

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, _Made) or self._hash != other._hash:
            return False
        return self._key == other._key

    def __repr__(self) -> str:
        return f"{type(self).__name__}{self._key[1:]}"


@final
class Int(_Made):
    """A number."""

    __slots__ = ("number",)
    __match_args__: Final = ("number",)

    def __init__(self, number: int) -> None:
        super().__init__((1, number), 1)
        self.number = number


@final
class Null(_Made):
    """The null pointer; as a number it is 0."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__((2, 0), 1)


@final
class Val(_Made):
    """An SSA value of which nothing else is known."""

    __slots__ = ("value",)
    __match_args__: Final = ("value",)

    def __init__(self, value: ValueId) -> None:
        super().__init__((3, value), 1)
        self.value = value


@final
class Global(_Made):
    """The address of a global variable."""

    __slots__ = ("index",)
    __match_args__: Final = ("index",)

    def __init__(self, index: GlobalId) -> None:
        super().__init__((4, index), 1)
        self.index = index


@final
class Function(_Made):
    """The address of a function."""

    __slots__ = ("func",)
    __match_args__: Final = ("func",)

    def __init__(self, func: FuncId) -> None:
        super().__init__((5, func), 1)
        self.func = func


@final
class Local(_Made):
    """The address of a local variable; `value` is the alloca's."""

    __slots__ = ("value",)
    __match_args__: Final = ("value",)

    def __init__(self, value: ValueId) -> None:
        super().__init__((6, value), 1)
        self.value = value


Object = Global | Function | Local


@final
class Inside(_Made):
    """Some bytes into a variable."""

    __slots__ = ("base", "offset")
    __match_args__: Final = ("base", "offset")

    def __init__(self, base: Object, offset: int) -> None:
        super().__init__((7, base, offset), 1)
        self.base: Object = base
        self.offset = offset


@final
class Moved(_Made):
    """Some bytes from where a pointer points."""

    __slots__ = ("base", "offset")
    __match_args__: Final = ("base", "offset")

    def __init__(self, base: Term, offset: int) -> None:
        super().__init__((8, base, offset), base.depth + 1)
        self.base: Term = base
        self.offset = offset


@final
class Indexed(_Made):
    """An element: `base + offset`, and for each index so many bytes."""

    __slots__ = ("base", "indices", "offset")
    __match_args__: Final = ("base", "offset", "indices")

    def __init__(self, base: Term, offset: int, indices: tuple[tuple[Term, int], ...]) -> None:
        deepest = max(base.depth, *(index.depth for index, _ in indices))
        super().__init__((9, base, offset, indices), deepest + 1)
        self.base: Term = base
        self.offset = offset
        self.indices = indices  # with their strides


@final
class Load(_Made):
    """What memory held when the function was entered. Size 0: a text of any length."""

    __slots__ = ("address", "size")
    __match_args__: Final = ("address", "size")

    def __init__(self, address: Term, size: int) -> None:
        super().__init__((10, address, size), address.depth + 1)
        self.address: Term = address
        self.size = size


@final
class Later(_Made):
    """What memory holds after an instruction that may have written there."""

    __slots__ = ("address", "instr", "size")
    __match_args__: Final = ("address", "size", "instr")

    def __init__(self, address: Term, size: int, instr: InstrId) -> None:
        super().__init__((11, address, size, instr), address.depth + 1)
        self.address: Term = address
        self.size = size
        self.instr = instr


@final
class Met(_Made):
    """What memory holds where a block begins in which writes meet."""

    __slots__ = ("address", "block", "size")
    __match_args__: Final = ("address", "size", "block")

    def __init__(self, address: Term, size: int, block: BlockId) -> None:
        super().__init__((12, address, size, block), address.depth + 1)
        self.address: Term = address
        self.size = size
        self.block = block


@final
class Operation(_Made):
    """Arithmetic."""

    __slots__ = ("left", "op", "right")
    __match_args__: Final = ("op", "left", "right")

    def __init__(self, op: Op, left: Term, right: Term) -> None:
        super().__init__((13, op, left, right), max(left.depth, right.depth) + 1)
        self.op = op
        self.left: Term = left
        self.right: Term = right


@final
class Pure(_Made):
    """The result of an external function that depends on its arguments and what they point to."""

    __slots__ = ("func", "parts")
    __match_args__: Final = ("func", "parts")

    def __init__(self, func: FuncId, parts: tuple[Term, ...]) -> None:
        deepest = max([part.depth for part in parts], default=0)
        super().__init__((14, func, parts), deepest + 1)
        self.func = func
        self.parts = parts  # arguments; after each pointer, the contents behind it


@final
class At(_Made):
    """What a callee calls so, at one of its calls."""

    __slots__ = ("inner", "site")
    __match_args__: Final = ("site", "inner")

    def __init__(self, site: InstrId, inner: Term) -> None:
        super().__init__((15, site, inner), inner.depth + 1)
        self.site = site
        self.inner: Term = inner


@final
class Callee(_Made):
    """The function that a call through this pointer enters."""

    __slots__ = ("inner",)
    __match_args__: Final = ("inner",)

    def __init__(self, inner: Term) -> None:
        super().__init__((16, inner), inner.depth + 1)
        self.inner: Term = inner


@final
class Turn(_Made):
    """What a value was in an earlier turn of a loop; `number` tells several of these apart."""

    __slots__ = ("inner", "number")
    __match_args__: Final = ("number", "inner")

    def __init__(self, number: int, inner: Term) -> None:
        super().__init__((17, number, inner), inner.depth + 1)
        self.number = number
        self.inner: Term = inner


@final
class Undefined(_Made):
    """A variable that nobody sets and that only one block tests."""

    __slots__ = ("block",)
    __match_args__: Final = ("block",)

    def __init__(self, block: BlockId) -> None:
        super().__init__((18, block), 1)
        self.block = block


@final
class Contents(_Made):
    """What lies behind a pointer just before an instruction, where that is not one thing."""

    __slots__ = ("instr",)
    __match_args__: Final = ("instr",)

    def __init__(self, instr: InstrId) -> None:
        super().__init__((19, instr), 1)
        self.instr = instr


Term = (
    Int
    | Null
    | Val
    | Global
    | Function
    | Local
    | Inside
    | Moved
    | Indexed
    | Load
    | Later
    | Met
    | Operation
    | Pure
    | At
    | Callee
    | Turn
    | Undefined
    | Contents
)
NULL: Final = Null()
TRUE: Final = Int(1)
FALSE: Final = Int(0)
