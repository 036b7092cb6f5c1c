"""The eight summary categories of SPARROW, read off a model's effects.

In: Effect.     Out: the categories that it stands for.
Paper: SPARROW §4.3 (procedural summaries); docs/models.md, "SPARROW's categories".
Example: `*arg1 = arg2` is Arg2Arg; `ret = borrowed` is Glob2Ret.
"""

from __future__ import annotations

from enum import StrEnum

from heapflow.models.model import (
    AccessPath,
    Alloc,
    Arg,
    Args,
    Assign,
    Borrowed,
    CopyMemory,
    Effect,
    Free,
    FunctionModel,
    Global,
    Inside,
    Keep,
    Null,
    Realloc,
    Ret,
    Root,
    Take,
    Unref,
    Value,
)


class Category(StrEnum):
    """Where a value that matters to leaks comes from, and where it goes."""

    ALLOC_TO_ARG = "Alloc2Arg"
    ALLOC_TO_RET = "Alloc2Ret"
    GLOBAL_TO_ARG = "Glob2Arg"
    GLOBAL_TO_RET = "Glob2Ret"
    ARG_TO_FREE = "Arg2Free"
    ARG_TO_GLOBAL = "Arg2Glob"
    ARG_TO_ARG = "Arg2Arg"
    ARG_TO_RET = "Arg2Ret"


_ALLOC = "Alloc"
_NAMES = {category.value: category for category in Category}


def categories(model: FunctionModel) -> frozenset[Category]:
    """All categories of a model."""
    return frozenset(c for effect in model.effects for c in effect_categories(effect))


def effect_categories(effect: Effect) -> tuple[Category, ...]:
    """The categories of one effect; none for effects that SPARROW does not know."""
    match effect:
        case Alloc(target=target):
            return _flow(_ALLOC, _side(target.root))
        case Realloc(source=source, target=target):
            released = _flow(_side(source.root), "Free")
            return released + _flow(_ALLOC, _side(target.root))
        case Free(target=target) | Unref(target=target):
            return _flow(_side(target.root), "Free")
        case Keep(target=target):
            return _flow(_side(target.root), "Glob")
        case Take(target=target, owner=owner):
            return _flow(_side(target.root), _side(owner.root) if owner else "Glob")
        case Assign(target=target, value=value):
            return _flow(_value_side(value), _side(target.root))
        case CopyMemory(source=source, target=target):
            return _flow(_side(source.root), _side(target.root))
        case _:
            return ()


def _flow(origin: str, destination: str) -> tuple[Category, ...]:
    category = _NAMES.get(f"{origin}2{destination}")
    return () if category is None else (category,)


def _side(root: Root) -> str:
    match root:
        case Ret():
            return "Ret"
        case Arg() | Args():
            return "Arg"
        case Global():
            return "Glob"


def _value_side(value: Value) -> str:
    match value:
        case AccessPath(root=root):
            return _side(root)
        case Inside(path):
            return _side(path.root)
        case Borrowed(owner):
            return _side(owner.root) if owner else "Glob"
        case Null():
            return ""
