"""Models of the functions that modelled ones hand on to.

In:    a model, Handing.     Out: the callee's FunctionModel.
Example: `malloc` has `alloc ret size=arg1` and hands on to `get_block(zone, size)` with its argument 1
       as argument 2: `alloc ret size=arg2`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from heapflow.ir.kinds import TypeKind
from heapflow.ir.program import Program
from heapflow.modelled.handing import Handing
from heapflow.models.model import (
    AccessPath,
    Alloc,
    Arg,
    Effect,
    FunctionModel,
    Keep,
    Parameter,
    Realloc,
    Signature,
    Size,
)

_RESULTS = {TypeKind.VOID: Parameter("void", False), TypeKind.POINTER: Parameter("void *", True)}
_NUMBER = Parameter("long", False)
_WRITTEN, _READ = Parameter("void *", True), Parameter("const void *", True, True)


def handed_model(program: Program, model: FunctionModel, handing: Handing) -> FunctionModel:
    """What the callee does: the same, to the arguments at their new positions."""
    effects = [_moved(effect, handing) for effect in model.effects]
    effects += [Keep(AccessPath(Arg(at))) for at in sorted(handing.kept)]
    return FunctionModel(
        program.func_name(handing.callee),
        _signature(program, model, handing),
        tuple(effects),
        model.source,
        origin=model.origin,
    )


def joined(one: FunctionModel, other: FunctionModel) -> FunctionModel | None:
    """What two models of one function agree on; None if they contradict each other.

    Whoever knows a size is believed; only what both say is zeroed is.
    """
    if len(one.effects) != len(other.effects) or one.signature != other.signature:
        return None
    effects: list[Effect] = []
    for left, right in zip(one.effects, other.effects, strict=True):
        if _plain(left) != _plain(right):
            return None
        effects.append(_weaker(left, right))
    return replace(one, effects=tuple(effects))


def _plain(effect: Effect) -> Effect:
    match effect:
        case Alloc():
            return replace(effect, size=None, zeroed=False)
        case Realloc():
            return replace(effect, size=None)
        case _:
            return effect


def _weaker(left: Effect, right: Effect) -> Effect:
    match left, right:
        case Alloc(), Alloc():
            zeroed = left.zeroed and right.zeroed
            return replace(left, size=_common(left.size, right.size), zeroed=zeroed)
        case Realloc(), Realloc():
            return replace(left, size=_common(left.size, right.size))
        case _:
            return left


def _common(left: Size | None, right: Size | None) -> Size | None:
    if left is None or right is None:
        return left or right
    return left if left == right else None


def _moved(effect: Effect, handing: Handing) -> Effect:
    if isinstance(effect, Alloc) and not handing.untouched:
        # The zeros may be the work of the function that hands on.
        effect = replace(effect, zeroed=False)
    moved: Effect = _renamed(effect, handing.position)
    return moved


def _renamed(part: Any, position: Mapping[int, int]) -> Any:
    """An effect or a part of one, with the callee's arguments."""
    match part:
        case Arg(index):
            return Arg(position[index])
        case Size(factors, scale):
            if not position.keys() >= set(factors):
                return None
            return Size(tuple(position[index] for index in factors), scale)
        case tuple():
            return tuple(_renamed(item, position) for item in part)
        case _ if is_dataclass(part) and not isinstance(part, type):
            values = {f.name: _renamed(getattr(part, f.name), position) for f in fields(part)}
            return replace(part, **values)
        case _:
            return part


def _signature(program: Program, model: FunctionModel, handing: Handing) -> Signature:
    """The callee's own arity; what it may write to is what the function may, that hands on."""
    assert model.signature is not None
    types, type_id = program.types, int(program.functions.type[handing.callee])
    result = _RESULTS.get(TypeKind(int(types.kind[types.elem[type_id]])), _NUMBER)
    written = {
        handing.position.get(at)
        for at, param in enumerate(model.signature.params, start=1)
        if param.pointer and not param.const_pointee
    }
    span = slice(int(types.field_start[type_id]), int(types.field_start[type_id + 1]))
    params = []
    for at, param_type in enumerate(types.field_type[span].tolist(), start=1):
        if types.kind[param_type] != TypeKind.POINTER:
            params.append(_NUMBER)
        else:
            params.append(_WRITTEN if at in written else _READ)
    return Signature(result, tuple(params))
