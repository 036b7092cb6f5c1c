"""Check a model against its own signature and against the families that exist.

In: FunctionModel, families.     Out: nothing, or a ModelError that says what does not fit.
Example: `free arg2` of `void free(void *)` names an argument that the function does not have.
Not checked without a prototype: anything about arguments.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import assert_never

from heapflow.models.effect_text import format_effect
from heapflow.models.model import (
    AccessPath,
    Alloc,
    Arg,
    Args,
    Assign,
    Borrowed,
    Call,
    CopyMemory,
    Drop,
    Effect,
    Ensures,
    Expose,
    Family,
    FillMemory,
    Free,
    FunctionModel,
    Give,
    Global,
    Hold,
    Inside,
    Keep,
    ModelError,
    NoReturn,
    Null,
    Parameter,
    Pure,
    Realloc,
    Ref,
    ResourceKind,
    Ret,
    ReturnsTwice,
    Signature,
    Size,
    Take,
    Unref,
    Value,
    Write,
)
from heapflow.models.tokens import did_you_mean, format_path

# Families whose handle is a plain integer: their places need not be pointers.
_INTEGER_KINDS = (ResourceKind.DESCRIPTOR, ResourceKind.LOCK, ResourceKind.THREAD)


def check_model(model: FunctionModel, families: Mapping[str, Family]) -> None:
    """Raise ModelError if an effect cannot be meant."""
    for effect in model.effects:
        try:
            _check_family(effect, families)
            if model.signature is not None:
                _check_places(effect, model.signature, families)
        except ModelError as error:
            raise ModelError(f"effect `{format_effect(effect)}`: {error}") from None
    if model.operation is not None and model.signature is not None:
        for path in model.operation.args:
            _check_exists(path, model.signature)
    if model.operation is not None and model.operation.layout.nodes not in {"", *families}:
        raise ModelError(f"no family `{model.operation.layout.nodes}`")


def family_of(effect: Effect) -> str | None:
    """The family that an effect names, if it has one."""
    match effect:
        case Alloc() | Free() | Realloc() | Ref() | Unref() | Give() | Hold() | Drop():
            return effect.family
        case _:
            return None


def _check_family(effect: Effect, families: Mapping[str, Family]) -> None:
    name = family_of(effect)
    if name is not None and name not in families:
        raise ModelError(f"no family `{name}`; {did_you_mean(name, families)}")


def _check_places(effect: Effect, signature: Signature, families: Mapping[str, Family]) -> None:
    for path in paths_of(effect):
        _check_exists(path, signature)
    family = family_of(effect)
    if family is not None and families[family].kind in _INTEGER_KINDS:
        return
    _check_filled(effect)
    for path in _pointer_places(effect):
        declared = _declared(path, signature)
        if declared is not None and not declared.pointer:
            raise ModelError(
                f"`{format_path(path)}` is `{declared.text}`, not a pointer "
                "(list a typedef of a pointer in `pointer_types`)"
            )


def _check_filled(effect: Effect) -> None:
    """What a function makes goes to its result or behind an argument: the argument itself is a copy."""
    match effect:
        case Alloc(target=AccessPath(Arg(index), ())):
            raise ModelError(
                f"`arg{index}` is passed by value, nothing can be put there; "
                f"did you mean `*arg{index}`?"
            )
        case _:
            pass


def _declared(path: AccessPath, signature: Signature) -> Parameter | None:
    match path.root:
        case Ret():
            return signature.result
        case Arg(index) if index <= len(signature.params):
            return signature.params[index - 1]
        case _:
            return None


def _check_exists(path: AccessPath, signature: Signature) -> None:
    arity = len(signature.params)
    match path.root:
        case Ret():
            if signature.result.text == "void":
                raise ModelError("`ret`, but the function returns nothing")
        case Arg(index):
            if index > arity and not signature.variadic:
                raise ModelError(f"`arg{index}`, but the function has {_arguments(arity)}")
        case Args(first):
            if not signature.variadic:
                raise ModelError(f"`args{first}+`, but the function is not variadic")
            if first > arity + 1:
                raise ModelError(f"`args{first}+`: variable arguments begin at `args{arity + 1}+`")
        case Global():
            pass


def _arguments(count: int) -> str:
    return "one argument" if count == 1 else f"{count or 'no'} arguments"


def _pointer_places(effect: Effect) -> Iterator[AccessPath]:
    """Places that only make sense if they hold, or lead through, a pointer."""
    for path in paths_of(effect):
        if path.steps:
            yield path
    match effect:
        case NoReturn() | ReturnsTwice() | Pure() | Ensures():
            return
        case Take(owner=owner):  # what is taken may be a file descriptor
            if owner is not None:
                yield owner
            return
        case _:
            when = {comparison.left for comparison in effect.when}
    sizes = _size_places(effect)
    for path in paths_of(effect):
        if path not in when and path not in sizes:
            yield path


def _size_places(effect: Effect) -> set[AccessPath]:
    places: set[AccessPath] = set()
    size: Size | None = None
    match effect:
        case Alloc() | Realloc() | CopyMemory():
            size = effect.size
        case FillMemory():
            size = effect.size
            if isinstance(effect.value, Arg):
                places.add(AccessPath(effect.value))
        case _:
            pass
    if size is not None:
        places.update(AccessPath(Arg(index)) for index in size.factors)
    return places


def paths_of(effect: Effect) -> Iterator[AccessPath]:
    """Every place that an effect mentions, conditions and sizes included."""
    yield from places_of(effect)
    yield from _size_places(effect)


def places_of(effect: Effect) -> Iterator[AccessPath]:
    """Every place that an effect mentions other than as a size."""
    match effect:
        case Alloc(target=target, arena=arena):
            yield target
            if arena is not None:
                yield arena
        case Free() | Ref() | Unref() | Give() | Keep() | Expose() | Write() | FillMemory():
            yield effect.target
        case Hold() | Drop():
            yield effect.target
        case Take(target=target, owner=owner):
            yield target
            if owner is not None:
                yield owner
        case Realloc() | CopyMemory():
            yield effect.source
            yield effect.target
        case Assign(target=target, value=value):
            yield target
            yield from _paths_of_value(value)
        case Call(callee=callee, args=args):
            yield callee
            for arg in args:
                yield from _paths_of_value(arg)
        case Ensures(holds=holds):
            yield holds.left
        case NoReturn():
            pass
        case ReturnsTwice() | Pure():
            return
        case _:
            assert_never(effect)
    for comparison in effect.when:
        yield comparison.left


def _paths_of_value(value: Value | None) -> Iterator[AccessPath]:
    match value:
        case AccessPath():
            yield value
        case Inside(path):
            yield path
        case Borrowed(owner):
            if owner is not None:
                yield owner
        case Null() | None:
            pass
