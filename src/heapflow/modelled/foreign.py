"""Declared functions that only share their name with one that a model describes.

In:    Program, models.     Out: names of which no library's model holds.
Example: `int error(const char *fmt, ...)` of a program is not the C library's `error(int, int, …)`,
which does not come back.
A declaration contradicts a model if a number stands where the other has a pointer, or if both list
their parameters and one has more. Without a prototype nothing is known. Definitions: `fits.py`.
"""

from __future__ import annotations

from heapflow.ir.kinds import CTypeKind, FuncFlag
from heapflow.ir.program import Program
from heapflow.models.load import Models
from heapflow.models.model import Parameter, Signature

_NUMBERS = (int(CTypeKind.BASE), int(CTypeKind.ENUM))
# A `va_list` is a pointer here and none there; so may be what a library's typedef stands for.
_PLAIN = frozenset(
    "char double float gboolean gint gsize int long off_t short size_t ssize_t unsigned void".split()
)


def foreign_names(program: Program, models: Models) -> frozenset[str]:
    """Names of declarations that contradict their model."""
    functions = program.functions
    found: set[str] = set()
    for func in range(len(functions)):
        flags, prototype = int(functions.flags[func]), int(functions.prototype[func])
        if prototype < 0 or flags & FuncFlag.INTRINSIC or not program.is_declaration(func):
            continue
        model = models.lookup(program.func_name(func))
        if model is None or model.signature is None:
            continue
        if _contradicts(program, func, model.signature):
            found.add(program.func_name(func))
    return frozenset(found)


def _contradicts(program: Program, func: int, signature: Signature) -> bool:
    functions, ctypes = program.functions, program.ctypes
    prototype = int(functions.prototype[func])
    rows = slice(int(ctypes.member_start[prototype]), int(ctypes.member_start[prototype + 1]))
    listed: list[int] = ctypes.member_type[rows].tolist()
    is_variadic = listed[-1:] == [-1]
    listed = listed[: len(listed) - is_variadic]
    if not listed or -1 in listed:
        return False  # `int f();`
    if not is_variadic and not signature.variadic and len(listed) != len(signature.params):
        return True
    pairs = [
        (int(ctypes.elem[prototype]), signature.result),
        *zip(listed, signature.params, strict=False),
    ]
    return any(_differs(program, ctype, expected) for ctype, expected in pairs)


def _differs(program: Program, ctype: int, expected: Parameter) -> bool:
    kind = int(program.ctypes.kind[ctype]) if ctype >= 0 else int(CTypeKind.VOID)
    if expected.pointer:
        return kind in _NUMBERS
    return kind == CTypeKind.POINTER and set(expected.text.split()) <= _PLAIN | {"const"}
