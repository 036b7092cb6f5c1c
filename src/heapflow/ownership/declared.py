"""What declarations say of functions that are not known.

In:    Program.     Out: `Declared`: const pointees, what lies behind parameters, what results may be.
A parameter `const T *` is read, not owned: who releases it has to cast. A `const void *` says less:
tables keep keys of any type as that. What follows a `const char *` in variadic functions is printed.
Not there: bitcode has no `nonnull`, `format` or `access` of declarations.
"""

from __future__ import annotations

from collections import Counter
from enum import IntEnum

from heapflow.ir.kinds import CTypeKind, FuncFlag
from heapflow.ir.program import Program
from heapflow.ownership.config import BeliefConfig

_DATA = (CTypeKind.BASE, CTypeKind.ENUM)
_RECORDS = (CTypeKind.STRUCT, CTypeKind.UNION)


class Const(IntEnum):
    """How much a declaration says for a loan."""

    NO = 0
    ANYTHING = 1  # const void *
    TYPED = 2


class Declared:
    """Facts by function and 0-based argument; positions after the last are the variable arguments."""

    def __init__(self, program: Program, config: BeliefConfig, limits_hit: Counter[str]) -> None:
        self.program, self.config, self.limits_hit = program, config, limits_hit

    def const(self, func: int, at: int) -> Const:
        """Whether an argument is declared as a pointer to something const."""
        count = self._count(func)
        if at >= count:
            is_text = count > 0 and self.const(func, count - 1) is Const.TYPED
            return Const.TYPED if is_text and self.is_data(func, count - 1) else Const.NO
        if not self.program.is_const_pointee(func, at):
            return Const.NO
        target = self.pointee(func, at)
        is_void = target < 0 or self.program.ctypes.kind[target] == CTypeKind.VOID
        return Const.ANYTHING if is_void else Const.TYPED

    def is_variable(self, func: int, at: int) -> bool:
        """Whether it is among the arguments that a prototype does not list."""
        return at >= self._count(func)

    def _count(self, func: int) -> int:
        start, type_id = self.program.types.field_start, int(self.program.functions.type[func])
        return int(start[type_id + 1] - start[type_id])

    def parameter(self, func: int, at: int) -> int:
        """The C type of an argument; -1 not known."""
        number = self.program.c_parameter(func, at) if at < self._count(func) else -1
        if number < 0:
            return -1
        ctypes, prototype = self.program.ctypes, int(self.program.functions.prototype[func])
        return int(ctypes.member_type[ctypes.member_start[prototype] + number])

    def pointee(self, func: int, at: int) -> int:
        """The C type that an argument points to; -1 not known, or void."""
        ctype = self.parameter(func, at)
        ctypes = self.program.ctypes
        return (
            int(ctypes.elem[ctype])
            if ctype >= 0 and ctypes.kind[ctype] == CTypeKind.POINTER
            else -1
        )

    def is_data(self, func: int, at: int) -> bool:
        """Whether there are no pointers behind an argument: text, numbers."""
        target = self.pointee(func, at)
        return target >= 0 and self.program.ctypes.kind[target] in _DATA

    def number_size(self, func: int, at: int) -> int:
        """Bytes of an argument that is a number; 0 of others."""
        ctype, ctypes = self.parameter(func, at), self.program.ctypes
        return int(ctypes.size[ctype]) if ctype >= 0 and ctypes.kind[ctype] in _DATA else 0

    def is_untyped(self, func: int, at: int) -> bool:
        """Whether an argument is a `void *`, or its type is not known."""
        target = self.pointee(func, at)
        return target < 0 or self.program.ctypes.kind[target] == CTypeKind.VOID

    def is_address(self, func: int, at: int) -> bool:
        """Whether an argument may be the address of a pointer variable: `T **`, `void *`."""
        target = self.pointee(func, at)
        return self.is_untyped(func, at) or self.program.ctypes.kind[target] == CTypeKind.POINTER

    def is_record(self, func: int, at: int) -> bool:
        """Whether an argument points to a struct: who releases it can release what hangs on it."""
        target = self.pointee(func, at)
        return target >= 0 and self.program.ctypes.kind[target] in _RECORDS

    def may_be_result(self, func: int, at: int) -> bool:
        """Whether the result may be the argument, or point into it: the types allow it."""
        program, ctypes = self.program, self.program.ctypes
        prototype = int(program.functions.prototype[func])
        result = int(ctypes.elem[prototype]) if prototype >= 0 else -1
        if prototype < 0:
            return True
        if result < 0 or ctypes.kind[result] != CTypeKind.POINTER:
            return False
        got, given = int(ctypes.elem[result]), self.pointee(func, at)
        is_typed = self.const(func, at) is Const.TYPED
        if is_typed and (got < 0 or ctypes.kind[got] == CTypeKind.VOID):
            return False  # a key or a name, for which something is found; what that is found in
        if got < 0 or given < 0 or CTypeKind.VOID in (ctypes.kind[got], ctypes.kind[given]):
            return True
        both_data = ctypes.kind[got] in _DATA and ctypes.kind[given] in _DATA
        return got == given or (both_data and ctypes.size[got] == ctypes.size[given])

    def member_size(self, func: int, at: int) -> int:
        """Bytes of what an argument points to, if nothing there can link it to others; else -1."""
        return self.unlinked_size(self.pointee(func, at))

    def unlinked_size(self, ctype: int) -> int:
        """Bytes of a type, if nothing in it can link it to others; else -1."""
        if ctype < 0 or self.program.ctypes.size[ctype] <= 0 or self._has_links(ctype):
            return -1
        return int(self.program.ctypes.size[ctype])

    def _has_links(self, ctype: int) -> bool:
        """Whether a struct can be part of a list, a table, a timer: it has a pointer to functions or
        to its own kind, or to something that has; or its members are not known."""
        own = self._parts(ctype, 0)
        return own is None or self._leads_to(ctype, own, set(), 0)

    def _parts(self, ctype: int, depth: int) -> set[int] | None:
        """A struct and those that lie in it; None: not known."""
        ctypes = self.program.ctypes
        while ctypes.kind[ctype] == CTypeKind.ARRAY:
            ctype = int(ctypes.elem[ctype])
        found = {ctype}
        if ctypes.kind[ctype] not in _RECORDS:
            return found
        first, last = ctypes.member_start[ctype], ctypes.member_start[ctype + 1]
        if first == last or self._is_too_deep(depth):
            return None
        for member in ctypes.member_type[first:last].tolist():
            inner = self._parts(member, depth + 1) if member >= 0 else None
            if inner is None:
                return None
            found |= inner
        return {one for one in found if ctypes.kind[one] in _RECORDS} | {ctype}

    def _is_too_deep(self, depth: int) -> bool:
        if depth <= self.config.deepest_struct:
            return False
        self.limits_hit["structs inside of each other"] += 1
        return True

    def _leads_to(self, ctype: int, own: set[int], seen: set[int], depth: int) -> bool:
        ctypes = self.program.ctypes
        while ctypes.kind[ctype] == CTypeKind.ARRAY:
            ctype = int(ctypes.elem[ctype])
        kind = ctypes.kind[ctype]
        if kind not in _RECORDS or ctype in seen:
            return kind not in (*_DATA, *_RECORDS, CTypeKind.POINTER)
        seen.add(ctype)
        first, last = ctypes.member_start[ctype], ctypes.member_start[ctype + 1]
        if first == last or self._is_too_deep(depth):
            return True
        for member in ctypes.member_type[first:last].tolist():
            if member < 0:
                return True
            target = member
            if ctypes.kind[member] == CTypeKind.POINTER:
                target = int(ctypes.elem[member])
                if target in own or (target >= 0 and ctypes.kind[target] == CTypeKind.FUNC):
                    return True
                if target < 0 or ctypes.kind[target] not in _RECORDS:
                    continue
            if self._leads_to(target, own, seen, depth + 1):
                return True
        return False

    def gives_untyped(self, func: int) -> bool:
        """Whether the result is a `void *`."""
        ctypes, prototype = self.program.ctypes, int(self.program.functions.prototype[func])
        result = int(ctypes.elem[prototype]) if prototype >= 0 else -1
        if result < 0 or ctypes.kind[result] != CTypeKind.POINTER:
            return False
        target = int(ctypes.elem[result])
        return target < 0 or ctypes.kind[target] == CTypeKind.VOID

    def gives_data(self, func: int) -> bool:
        """Whether the result points to text or numbers, not to an element of something."""
        ctypes, prototype = self.program.ctypes, int(self.program.functions.prototype[func])
        result = int(ctypes.elem[prototype]) if prototype >= 0 else -1
        if result < 0 or ctypes.kind[result] != CTypeKind.POINTER:
            return False
        target = int(ctypes.elem[result])
        return target >= 0 and ctypes.kind[target] in _DATA

    def gives_const(self, func: int) -> bool:
        """Whether the result points to something const."""
        return bool(int(self.program.functions.const_pointees[func]) & 1)

    def calls_back(self, func: int) -> bool:
        """Whether a parameter is a pointer to a function."""
        return any(self.is_function(func, at) for at in range(self._count(func)))

    def is_function(self, func: int, at: int) -> bool:
        """Whether an argument is a pointer to a function."""
        target = self.pointee(func, at)
        return target >= 0 and bool(self.program.ctypes.kind[target] == CTypeKind.FUNC)

    def gives_fresh(self, func: int) -> bool:
        """`__attribute__((malloc))`."""
        return bool(self.program.functions.flags[func] & FuncFlag.RESULT_NO_ALIAS)

    def never_null(self, func: int) -> bool:
        """`__attribute__((returns_nonnull))`."""
        return bool(self.program.functions.flags[func] & FuncFlag.RESULT_NOT_NULL)
