"""`[[resource]]` of the settings: a family of functions, as a model file that the models' loader reads.

In:    a TOML table: name, acquire, release, and optionally kind, argument, result.
Out:   `Resource`; text of a model file (docs/models.md).
Example: `name = "object"`, `acquire = ["pool_get"]`, `release = ["pool_put"]`, `argument = 2`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from heapflow.support.errors import UserError

_KEYS = ("name", "acquire", "release", "kind", "argument", "result")
_KINDS = ("handle", "memory", "descriptor", "file", "directory", "mapping", "library", "lock")


@dataclass(frozen=True, slots=True)
class Resource:
    """What some functions give and others take back; functions as names or as C prototypes."""

    name: str
    acquire: tuple[str, ...]
    release: tuple[str, ...]
    kind: str = "handle"
    argument: int = 1  # of the releasing functions, counted from 1; of locks, of the others, too
    result: str = "ret"  # where the acquiring functions put it: `ret`, `*arg1`, …

    def __str__(self) -> str:
        return f"{self.name}: {', '.join(self.acquire)} / {', '.join(self.release)}"


def check_resource(entry: object, where: str) -> Resource:
    """The table in its normal form, or an error that says what would work."""
    if not isinstance(entry, dict):
        raise UserError(f"{where}: write resources as tables: [[resource]]")
    for key in entry:
        if key not in _KEYS:
            close = get_close_matches(key, _KEYS, 1) or [", ".join(_KEYS)]
            raise UserError(
                f"{where}: unknown key `{key}` in [[resource]]; did you mean {close[0]}?"
            )
    name, kind = entry.get("name", ""), entry.get("kind", "handle")
    if not isinstance(name, str) or not name.isidentifier():
        raise UserError(f"{where}: [[resource]] needs `name`, a word for messages")
    if kind not in _KINDS:
        raise UserError(f"{where}: [[resource]] `{name}`: kind can be {', '.join(_KINDS)}")
    argument, result = entry.get("argument", 1), entry.get("result", "ret")
    if not isinstance(argument, int) or isinstance(argument, bool) or argument < 1:
        raise UserError(f"{where}: [[resource]] `{name}`: argument has to be a number from 1 on")
    if not isinstance(result, str):
        raise UserError(
            f'{where}: [[resource]] `{name}`: result has to be a place, such as "*arg1"'
        )
    acquire, release = (_functions(entry, key, name, where) for key in ("acquire", "release"))
    return Resource(name, acquire, release, kind, argument, result)


def _functions(entry: dict[str, Any], key: str, name: str, where: str) -> tuple[str, ...]:
    value = entry.get(key)
    value = [value] if isinstance(value, str) else value
    if not isinstance(value, list) or not value or not all(isinstance(v, str) for v in value):
        raise UserError(f"{where}: [[resource]] `{name}` needs `{key}`, a list of functions")
    return tuple(value)


def resource_models(resources: Iterable[Resource]) -> str:
    """A model file in which each resource is a family of its own.

    A function given by its prototype is modelled also where the program defines it.
    """
    lines = ["format = 1", 'source = "settings"']
    for one in resources:
        family = f"resource_{one.name}"
        release = ", ".join(f"'{_bare(text)}'" for text in one.release)
        lines += [f"[families.{family}]", f"kind = '{one.kind}'", f"release = [{release}]"]
        if one.kind == "lock":
            lines += _locks(one, family)
            continue
        when = " when ret >= 0" if one.kind == "descriptor" and one.result == "ret" else ""
        is_number = one.kind == "descriptor" or not one.result.startswith("ret")
        result = "int" if is_number else "void *"
        for text in one.acquire:
            lines += _model(text, f"{result} {text}(...)", family, f"alloc {one.result}{when}")
        taken = "int" if one.kind == "descriptor" else "void *"
        before = "void *, " * (one.argument - 1)
        for text in one.release:
            plain = f"void {text}({before}{taken}, ...)"
            lines += _model(text, plain, family, f"free arg{one.argument}")
    return "\n".join(lines) + "\n"


def _locks(one: Resource, family: str) -> list[str]:
    """Functions that are given what they lock: all of them in the same place."""
    lines = ["machine = 'lock'"]
    before = "void *, " * (one.argument - 1)
    for verb, functions in (("hold", one.acquire), ("drop", one.release)):
        for text in functions:
            plain = f"void {text}({before}void *, ...)"
            lines += _model(text, plain, family, f"{verb} arg{one.argument}")
    return lines


def _model(text: str, plain: str, family: str, effect: str) -> list[str]:
    is_prototype = "(" in text
    declared = text if is_prototype else plain
    lines = ["[[model]]", f"functions = ['''{declared}''']", f"family = '{family}'"]
    lines += [f"effects = ['{effect}']"]
    if is_prototype:
        lines.append("over_definitions = true")
    return lines


def _bare(text: str) -> str:
    """The name of a function that is given by its prototype."""
    return text.partition("(")[0].replace("*", " ").split()[-1]
