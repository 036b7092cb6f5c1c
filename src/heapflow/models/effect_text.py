"""Effects as text: `alloc ret size=arg1`, `free arg1`, `ret = inside arg1 when ret != NULL`.

In: one effect as text, the family to use when it names none.     Out: Effect (and back).
Grammar and meaning of every form: docs/models.md.
Guarantee: `parse_effect(format_effect(e), e.family) == e` for every effect e.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from heapflow.models.model import (
    AccessPath,
    Alloc,
    Arg,
    Assign,
    Borrowed,
    Call,
    CopyMemory,
    Drop,
    Effect,
    Ensures,
    Exit,
    Expose,
    FillMemory,
    Free,
    Give,
    Hold,
    Inside,
    Keep,
    ModelError,
    NoReturn,
    Null,
    Pure,
    Realloc,
    Ref,
    ReturnsTwice,
    Size,
    Take,
    Unref,
    Value,
    When,
    Write,
)
from heapflow.models.tokens import (
    Cursor,
    did_you_mean,
    format_comparison,
    format_path,
    format_size,
    split_words,
)


class _Options:
    """What may follow the places of an effect: `size=`, `family=`, `in PATH`, flags."""

    def __init__(
        self, cursor: Cursor, default_family: str | None, flags: str = "", *, size: bool = False
    ):
        """`default_family` is None if the effect has no family at all."""
        self.family = ""
        self.size: Size | None = None
        self.arena: AccessPath | None = None
        self.flags: set[str] = set()
        allowed = set(flags.split())
        while (word := cursor.peek()) not in ("", "when"):
            cursor.position += 1
            if word == "family" and default_family is not None:
                cursor.require("=")
                self.family = cursor.next("a family")
            elif word == "size" and size:
                cursor.require("=")
                self.size = cursor.size()
            elif word == "in" and "in" in allowed:
                self.arena = cursor.path()
            elif word in allowed and word not in self.flags:
                self.flags.add(word)
            else:
                known = allowed | {"when"} | ({"size="} if size else set())
                known |= set() if default_family is None else {"family="}
                raise ModelError(f"`{word}` is not expected here; {did_you_mean(word, known)}")
        self.family = self.family or default_family or ""

    def owned_family(self) -> str:
        """The family, which this effect cannot do without."""
        if not self.family:
            raise ModelError("no family: add `family=NAME`, or a `family` key to the model")
        return self.family


def parse_effect(text: str, default_family: str = "") -> Effect:
    """Read one effect."""
    cursor = Cursor(split_words(text))
    verb = cursor.peek()
    if verb in _VERBS:
        cursor.position += 1
        effect = _VERBS[verb](cursor, default_family)
    elif "=" in cursor.words:
        effect = _parse_assign(cursor)
    else:
        raise ModelError(f"`{verb}` is not an effect; {did_you_mean(verb, _VERBS)}")
    if cursor.peek():
        raise ModelError(f"`{cursor.peek()}` is not expected here")
    return effect


def _parse_when(cursor: Cursor) -> When:
    if not cursor.accept("when"):
        return ()
    conditions = [cursor.comparison()]
    while cursor.accept("and"):
        conditions.append(cursor.comparison())
    return tuple(conditions)


def _parse_alloc(cursor: Cursor, family: str) -> Effect:
    target = cursor.path()
    options = _Options(cursor, family, "zeroed deep in", size=True)
    return Alloc(
        target,
        options.owned_family(),
        options.size,
        "zeroed" in options.flags,
        "deep" in options.flags,
        options.arena,
        _parse_when(cursor),
    )


def _parse_free(cursor: Cursor, family: str) -> Effect:
    target = cursor.path()
    options = _Options(cursor, family, "deep")
    return Free(target, options.owned_family(), "deep" in options.flags, _parse_when(cursor))


def _parse_realloc(cursor: Cursor, family: str) -> Effect:
    source = cursor.path()
    target = cursor.path() if cursor.accept("into") else source
    options = _Options(cursor, family, size=True)
    return Realloc(source, target, options.owned_family(), options.size, _parse_when(cursor))


def _parse_counted(make: Callable[[AccessPath, str, When], Effect]) -> _Verb:
    def parse(cursor: Cursor, family: str) -> Effect:
        target = cursor.path()
        options = _Options(cursor, family)
        return make(target, options.owned_family(), _parse_when(cursor))

    return parse


def _parse_take(cursor: Cursor, _family: str) -> Effect:
    target = cursor.path()
    owner = cursor.path() if cursor.accept("into") else None
    return Take(target, owner, _parse_when(cursor))


def _parse_keep(cursor: Cursor, _family: str) -> Effect:
    return Keep(cursor.path(), _parse_when(cursor))


def _parse_expose(cursor: Cursor, _family: str) -> Effect:
    return Expose(cursor.path(), when=_parse_when(cursor))


def _parse_write(cursor: Cursor, _family: str) -> Effect:
    return Write(cursor.path(), _parse_when(cursor))


def _parse_copy(cursor: Cursor, _family: str) -> Effect:
    source = cursor.path()
    cursor.require("to")
    target = cursor.path()
    size = _Options(cursor, None, size=True).size
    return CopyMemory(source, target, size, _parse_when(cursor))


def _parse_fill(cursor: Cursor, _family: str) -> Effect:
    target = cursor.path()
    cursor.require("with")
    value: Arg | int
    if cursor.peek().startswith("arg"):
        path = cursor.path()
        if not isinstance(path.root, Arg) or path.steps:
            raise ModelError("`fill … with` takes a number or an argument")
        value = path.root
    else:
        value = cursor.integer()
    size = _Options(cursor, None, size=True).size
    return FillMemory(target, value, size, _parse_when(cursor))


def _parse_call(cursor: Cursor, _family: str) -> Effect:
    later = cursor.accept("later")
    callee = cursor.path()
    cursor.require("(")
    args: list[Value | None] = []
    while not cursor.accept(")"):
        if args:
            cursor.require(",")
        args.append(None if cursor.accept("_") else _parse_value(cursor))
    return Call(callee, tuple(args), later, _parse_when(cursor))


def _parse_noreturn(cursor: Cursor, _family: str) -> Effect:
    kind = Exit.PROCESS
    if cursor.peek() not in ("", "when"):
        word = cursor.next("how it ends")
        if word not in (Exit.UNWIND, Exit.MAYBE):
            raise ModelError(f"`noreturn {word}`: use `noreturn`, `noreturn unwind` or `… maybe`")
        kind = Exit(word)
    return NoReturn(kind, _parse_when(cursor))


def _parse_twice(_cursor: Cursor, _family: str) -> Effect:
    return ReturnsTwice()


def _parse_pure(_cursor: Cursor, _family: str) -> Effect:
    return Pure()


def _parse_ensures(cursor: Cursor, _family: str) -> Effect:
    return Ensures(cursor.comparison(), _parse_when(cursor))


def _parse_assign(cursor: Cursor) -> Effect:
    target = cursor.path()
    cursor.require("=")
    value = _parse_value(cursor)
    return Assign(target, value, _parse_when(cursor))


def _parse_value(cursor: Cursor) -> Value:
    if cursor.accept("inside"):
        return Inside(cursor.path())
    if cursor.accept("borrowed"):
        return Borrowed(cursor.path() if cursor.accept("from") else None)
    if cursor.accept("null") or cursor.accept("NULL"):
        return Null()
    return cursor.path()


_Verb = Callable[[Cursor, str], Effect]
_VERBS: dict[str, _Verb] = {
    "alloc": _parse_alloc,
    "free": _parse_free,
    "realloc": _parse_realloc,
    "ref": _parse_counted(Ref),
    "unref": _parse_counted(Unref),
    "hold": _parse_counted(Hold),
    "drop": _parse_counted(Drop),
    "take": _parse_take,
    "give": _parse_counted(Give),
    "keep": _parse_keep,
    "expose": _parse_expose,
    "write": _parse_write,
    "copy": _parse_copy,
    "fill": _parse_fill,
    "call": _parse_call,
    "noreturn": _parse_noreturn,
    "returns-twice": _parse_twice,
    "pure": _parse_pure,
    "ensures": _parse_ensures,
}


def format_effect(effect: Effect, default_family: str = "") -> str:
    """The text of an effect; its family is left out if it is the default one."""
    words = _format_body(effect, default_family)
    if not isinstance(effect, ReturnsTwice | Pure) and effect.when:
        words += " when " + " and ".join(map(format_comparison, effect.when))
    return words


def _format_body(effect: Effect, default: str) -> str:
    match effect:
        case Alloc(target, family, size, zeroed, deep, arena):
            flags = f"{' zeroed' if zeroed else ''}{' deep' if deep else ''}"
            where = f" in {format_path(arena)}" if arena else ""
            tail = _size(size) + flags + where + _family(family, default)
            return f"alloc {format_path(target)}{tail}"
        case Free(target, family, deep):
            return f"free {format_path(target)}{' deep' * deep}{_family(family, default)}"
        case Realloc(source, target, family, size):
            into = "" if source == target else f" into {format_path(target)}"
            return f"realloc {format_path(source)}{into}{_size(size)}{_family(family, default)}"
        case Ref(target, family):
            return f"ref {format_path(target)}{_family(family, default)}"
        case Unref(target, family):
            return f"unref {format_path(target)}{_family(family, default)}"
        case Hold(target, family):
            return f"hold {format_path(target)}{_family(family, default)}"
        case Drop(target, family):
            return f"drop {format_path(target)}{_family(family, default)}"
        case Give(target, family):
            return f"give {format_path(target)}{_family(family, default)}"
        case Take(target, owner):
            return f"take {format_path(target)}" + (f" into {format_path(owner)}" if owner else "")
        case Keep(target):
            return f"keep {format_path(target)}"
        case Expose(target):
            return f"expose {format_path(target)}"
        case Write(target):
            return f"write {format_path(target)}"
        case Assign(target, value):
            return f"{format_path(target)} = {_format_value(value)}"
        case CopyMemory(source, target, size):
            return f"copy {format_path(source)} to {format_path(target)}{_size(size)}"
        case FillMemory(target, value, size):
            byte = f"arg{value.index}" if isinstance(value, Arg) else str(value)
            return f"fill {format_path(target)} with {byte}{_size(size)}"
        case Call(callee, args, later):
            passed = ", ".join("_" if arg is None else _format_value(arg) for arg in args)
            return f"call {'later ' if later else ''}{format_path(callee)}({passed})"
        case NoReturn(how):
            return "noreturn" if how is Exit.PROCESS else f"noreturn {how}"
        case ReturnsTwice():
            return "returns-twice"
        case Pure():
            return "pure"
        case Ensures(holds):
            return f"ensures {format_comparison(holds)}"
        case _:
            assert_never(effect)


def _format_value(value: Value) -> str:
    match value:
        case AccessPath():
            return format_path(value)
        case Inside(path):
            return f"inside {format_path(path)}"
        case Borrowed(owner):
            return f"borrowed from {format_path(owner)}" if owner else "borrowed"
        case Null():
            return "null"


def _size(size: Size | None) -> str:
    return f" size={format_size(size)}" if size else ""


def _family(family: str, default: str) -> str:
    return "" if family == default else f" family={family}"
