"""Does a definition have the prototype that a model is for?

In:    Program, a function, Signature.     Out: yes or no.
Example: `void free(void *)` fits the model of `free`; `void free(struct node *)` is something else.
`void *` is also `char *`, as allocators before ANSI C had it. Integers may have any width.
"""

from __future__ import annotations

from heapflow.ir.kinds import CTypeKind, Linkage, TypeKind
from heapflow.ir.program import Program
from heapflow.models.model import Parameter, Signature

_NUMBERS = (TypeKind.INT, TypeKind.FLOAT)


def fits(program: Program, func: int, signature: Signature) -> bool:
    """Whether a function that other files can call has this prototype.

    `func` has a body, or is a second name of one that has.
    """
    functions, types = program.functions, program.types
    if functions.linkage[func] == Linkage.INTERNAL:
        return False
    type_id = int(functions.type[func])
    span = slice(int(types.field_start[type_id]), int(types.field_start[type_id + 1]))
    params = types.field_type[span].tolist()
    if len(params) != len(signature.params) or bool(types.count[type_id]) != signature.variadic:
        return False
    if not _is_kind(program, int(types.elem[type_id]), signature.result):
        return False
    if not all(map(_is_kind, [program] * len(params), params, signature.params)):
        return False
    return _means_the_same(program, func, signature)


def _is_kind(program: Program, type_id: int, expected: Parameter) -> bool:
    kind = int(program.types.kind[type_id])
    if expected.pointer:
        return kind == TypeKind.POINTER
    return kind == TypeKind.VOID if expected.text == "void" else kind in _NUMBERS


def _means_the_same(program: Program, func: int, signature: Signature) -> bool:
    """Whether what is untyped in the prototype is so in the definition, by its C types."""
    functions = program.functions
    ctype = int(functions.ctype[func])
    if ctype >= 0 and not _is_untyped(program, int(program.ctypes.elem[ctype]), signature.result):
        return False
    body = int(functions.aliasee[func]) if functions.aliasee[func] >= 0 else func
    span = slice(int(functions.param_start[body]), int(functions.param_start[body + 1]))
    ctypes = program.params.ctype[span].tolist()
    return all(map(_is_untyped, [program] * len(ctypes), ctypes, signature.params))


def _is_untyped(program: Program, ctype: int, expected: Parameter) -> bool:
    if expected.text.removeprefix("const ") != "void *" or ctype < 0:
        return True
    ctypes = program.ctypes
    target = int(ctypes.elem[ctype]) if ctypes.kind[ctype] == CTypeKind.POINTER else -1
    if target < 0 or ctypes.kind[target] == CTypeKind.VOID:
        return True
    return bool(ctypes.kind[target] == CTypeKind.BASE and ctypes.size[target] == 1)
