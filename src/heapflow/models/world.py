"""The world outside of memory: which functions ask about a part of it, and which change it.

In:    the `[world.NAME]` tables of a model file.     Out: `World` by name of a function.
Equal questions have equal answers as long as nobody changes that part of the world. What an answer
says of a name (`exists`) holds for all functions that say something of the same kind.
Example: `stat` asks about files; if it returned 0, the file is there, and `access(…, F_OK)` is 0 too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from heapflow.models.model import (
    Alloc,
    Change,
    Comparison,
    Family,
    Free,
    FunctionModel,
    ModelError,
    Realloc,
    ResourceKind,
    Says,
    When,
)
from heapflow.models.tokens import (
    Cursor,
    did_you_mean,
    format_comparison,
    split_words,
)

EVERYTHING = "everything"
MEMORY = "memory"  # what arguments lead to: no part of the world, and nobody here changes it
_ALL = Change(EVERYTHING)
_LIBC = "libc.toml"
_KEYS = ("asks", "changes", "says")


@dataclass(slots=True)
class World:
    """What one function has to do with it."""

    asks: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()
    says: tuple[Says, ...] = ()


def read_worlds(tables: Any, where: str) -> dict[str, World]:
    """By the name of a function."""
    found: dict[str, World] = {}
    if not isinstance(tables, Mapping):
        raise ModelError(f"{where}: world: must be a table")
    for world, table in tables.items():
        here = f"{where}: world `{world}`"
        if not isinstance(table, Mapping):
            raise ModelError(f"{here}: must be a table")
        for key in table:
            if key not in _KEYS:
                raise ModelError(f"{here}: unknown key `{key}`; {did_you_mean(key, _KEYS)}")
        for text in _strings(table.get("asks", []), f"{here}: asks"):
            one = found.setdefault(text, World())
            one.asks = (*one.asks, world)
        for text in _strings(table.get("changes", []), f"{here}: changes"):
            name, when, starts = _condition(text, here)
            one = found.setdefault(name, World())
            one.changes = (*one.changes, Change(world, when, starts))
        for fact, texts in table.get("says", {}).items():
            for text in _strings(texts, f"{here}: says `{fact}`"):
                name, when, starts = _condition(text, here)
                one = found.setdefault(name, World())
                one.says = (*one.says, _said(fact, world, when, starts, here))
    return found


def _said(
    fact: str, world: str, when: When, starts: tuple[tuple[int, str], ...], where: str
) -> Says:
    """`exists arg1`, `not has arg1 arg2`."""
    words = fact.split()
    holds = words[:1] != ["not"]
    name, *arguments = (words if holds else words[1:]) or [""]
    numbers = [one.removeprefix("arg") for one in arguments]
    if not numbers or not all(one.isdecimal() and int(one) for one in numbers):
        raise ModelError(f"{where}: says `{fact}`: use `exists arg1` or `not exists arg1`")
    return Says(name, holds, tuple(map(int, numbers)), world, when, starts)


def _condition(text: str, where: str) -> tuple[str, When, tuple[tuple[int, str], ...]]:
    """`open when ret >= 0 and arg2 < 64`, `fopen when arg2 starts w`."""
    try:
        cursor = Cursor(split_words(text))
        name = cursor.next("the name of a function")
        when: list[Comparison] = []
        starts: list[tuple[int, str]] = []
        more = cursor.accept("when")
        while more:
            if cursor.words[cursor.position + 1 : cursor.position + 2] == ["starts"]:
                argument = cursor.next("an argument").removeprefix("arg")
                cursor.require("starts")
                starts.append((int(argument), cursor.next("how a text starts")))
            else:
                when.append(cursor.comparison())
            more = cursor.accept("and")
        if cursor.peek():
            raise ModelError(f"`{cursor.peek()}` is not expected here")
    except (ModelError, ValueError) as error:
        raise ModelError(f"{where}: `{text}`: {error}") from None
    return name, tuple(when), tuple(starts)


def _strings(value: Any, where: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ModelError(f"{where}: must be a list of strings")
    return tuple(value)


def changes_of(families: Mapping[str, Family], model: FunctionModel) -> tuple[Change, ...]:
    """What a modelled function may change. Who only hands out and releases memory changes nothing."""
    if model.changes or model.asks or model.pure:
        return model.changes
    if model.waits or model.is_belief:
        return (_ALL,)
    if model.origin == _LIBC or _is_of_memory(families, model):
        return ()
    return (_ALL,)


def _is_of_memory(families: Mapping[str, Family], model: FunctionModel) -> bool:
    found = [
        families.get(effect.family)
        for effect in model.effects
        if isinstance(effect, Alloc | Free | Realloc)
    ]
    return bool(found) and all(
        family is not None and family.kind is ResourceKind.MEMORY for family in found
    )


def format_worlds(models: Iterable[FunctionModel]) -> list[str]:
    """The tables again."""
    asks: dict[str, list[str]] = {}
    changes: dict[str, list[str]] = {}
    says: dict[str, dict[str, list[str]]] = {}
    for model in models:
        for world in model.asks:
            asks.setdefault(world, []).append(model.name)
        for change in model.changes:
            text = model.name + _format_condition(change.when, change.starts)
            changes.setdefault(change.world, []).append(text)
        for said in model.says:
            fact = " ".join([said.fact, *(f"arg{number}" for number in said.arguments)])
            fact = fact if said.holds else f"not {fact}"
            text = model.name + _format_condition(said.when, said.starts)
            says.setdefault(said.world, {}).setdefault(fact, []).append(text)
    lines: list[str] = []
    for world in sorted(asks.keys() | changes.keys() | says.keys()):
        lines += ["", f"[world.{world}]"]
        lines += [f"asks = {_list(asks[world])}"] if world in asks else []
        lines += [f"changes = {_list(changes[world])}"] if world in changes else []
        if world in says:
            lines.append(f"[world.{world}.says]")
            lines += [f'"{fact}" = {_list(texts)}' for fact, texts in says[world].items()]
    return lines


def _list(texts: list[str]) -> str:
    return "[" + ", ".join(f'"{text}"' for text in texts) + "]"


def _format_condition(when: When, starts: tuple[tuple[int, str], ...]) -> str:
    parts = [format_comparison(one) for one in when]
    parts += [f"arg{argument} starts {text}" for argument, text in starts]
    return " when " + " and ".join(parts) if parts else ""
