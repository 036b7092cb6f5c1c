"""One model file as TOML: check its shape, and cut it into families, declarations and aliases.

In: TOML text.     Out: Table (functions and effects still as text), or a ModelError.
Prototypes and effects are read later, one function at a time (`load.py`).
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from heapflow.models.container import Layout, read_layout
from heapflow.models.model import Family, ModelError, ResourceKind
from heapflow.models.signature import declared_name, split_declarations
from heapflow.models.tokens import did_you_mean
from heapflow.models.world import World, read_worlds

FORMAT = 1
_Keys = Mapping[str, type | tuple[type, ...]]
_FILE_KEYS: _Keys = {
    "format": int,
    "library": str,
    "source": str,
    "default_family": str,
    "pointer_types": list,
    "alias_prefixes": list,
    "families": dict,
    "containers": dict,
    "machines": dict,
    "alias": dict,
    "waits": list,
    "world": dict,
    "model": list,
}
_MODEL_KEYS: _Keys = {
    "functions": (str, list),
    "effects": list,
    "family": str,
    "source": str,
    "note": str,
    "over_definitions": bool,
    "memory_only": bool,
    "does": str,
}
_FAMILY_KEYS: _Keys = {
    "kind": str,
    "release": list,
    "refcounted": bool,
    "arena": bool,
    "machine": str,
}


@dataclass(frozen=True, slots=True)
class Block:
    """What the functions of one `[[model]]` share, still as text."""

    origin: str
    effects: tuple[str, ...]
    family: str
    source: str
    note: str
    pointer_types: Mapping[str, bool]
    over_definitions: bool = False
    memory_only: bool = False
    does: str = ""
    containers: Mapping[str, Layout] = field(default_factory=dict)
    waits: frozenset[str] = frozenset()  # names, all of the file's
    worlds: Mapping[str, World] = field(default_factory=dict)  # by name, all of the file's


@dataclass(frozen=True, slots=True)
class Table:
    """One file. `declarations` maps a name to its declaration and block, `aliases` a name to the
    name it stands for.
    """

    origin: str
    families: Mapping[str, Family]
    declarations: Mapping[str, tuple[str, Block]]
    aliases: Mapping[str, str]
    prefixes: tuple[str, ...]
    machines: Mapping[str, Any] = field(
        default_factory=dict
    )  # as they stand, see docs/properties.md


def read_table(text: str, origin: str) -> Table:
    """Read a model file; `origin` names it in messages."""
    try:
        table = tomllib.loads(text)
    except ValueError as error:  # not TOML, or a number of thousands of digits
        raise ModelError(f"{origin}: not valid TOML: {error}") from error
    except RecursionError as error:
        raise ModelError(f"{origin}: not a model file: nested too deeply") from error
    _check_keys(table, _FILE_KEYS, origin)
    if table.get("format", FORMAT) != FORMAT:
        raise ModelError(f"{origin}: format {table['format']} is unknown; use format = {FORMAT}")
    return Table(
        origin,
        {name: _family(name, entry, origin) for name, entry in table.get("families", {}).items()},
        {name: (text, block) for name, text, block in _declarations(table, origin)},
        dict(_aliases(table, origin)),
        _strings(table.get("alias_prefixes", []), f"{origin}: alias_prefixes"),
        table.get("machines", {}),
    )


def _declarations(table: Mapping[str, Any], origin: str) -> Iterator[tuple[str, str, Block]]:
    pointer_types = {}
    for name in _strings(table.get("pointer_types", []), f"{origin}: pointer_types"):
        pointer_types[name.removeprefix("const ")] = name.startswith("const ")
    layouts = {
        name: read_layout(name, entry, f"{origin}: container `{name}`")
        for name, entry in table.get("containers", {}).items()
    }
    waits = frozenset(_strings(table.get("waits", []), f"{origin}: waits"))
    worlds = read_worlds(table.get("world", {}), origin)
    seen: set[str] = set()
    for number, entry in enumerate(table.get("model", []), start=1):
        where = f"{origin}: [[model]] number {number}"
        _check_keys(entry, _MODEL_KEYS, where, required=("functions", "effects"))
        block = Block(
            origin,
            _strings(entry["effects"], f"{where}: effects"),
            entry.get("family", table.get("default_family", "")),
            entry.get("source", table.get("source", "")),
            entry.get("note", ""),
            pointer_types,
            entry.get("over_definitions", False),
            entry.get("memory_only", False),
            entry.get("does", ""),
            layouts,
            waits,
            worlds,
        )
        for text in _function_texts(entry["functions"], where):
            try:
                name = declared_name(text)
            except ModelError as error:
                raise ModelError(f"{where}: {error}") from None
            if name in seen:
                raise ModelError(f"{where}: `{name}` is modelled twice in this file; keep one")
            seen.add(name)
            yield name, text, block
    for key, names in (("waits", waits), ("world", worlds.keys())):
        if names - seen:
            raise ModelError(f"{origin}: {key}: `{min(names - seen)}` has no model in this file")


def _function_texts(value: str | list[Any], where: str) -> Iterator[str]:
    texts = (value,) if isinstance(value, str) else _strings(value, f"{where}: functions")
    for text in texts:
        yield from split_declarations(text)


def _aliases(table: Mapping[str, Any], origin: str) -> Iterator[tuple[str, str]]:
    for target, names in table.get("alias", {}).items():
        for name in _strings(names, f"{origin}: alias of `{target}`"):
            yield name, target


def _family(name: str, entry: Any, origin: str) -> Family:
    where = f"{origin}: family `{name}`"
    _check_keys(entry, _FAMILY_KEYS, where, required=("kind",))
    try:
        kind = ResourceKind(entry["kind"])
    except ValueError:
        hint = did_you_mean(entry["kind"], [kind.value for kind in ResourceKind])
        raise ModelError(f"{where}: no kind `{entry['kind']}`; {hint}") from None
    return Family(
        name,
        kind,
        _strings(entry.get("release", []), f"{where}: release"),
        entry.get("refcounted", False),
        entry.get("arena", False),
        entry.get("machine", ""),
    )


def _check_keys(table: Any, known: _Keys, where: str, required: tuple[str, ...] = ()) -> None:
    if not isinstance(table, dict):
        raise ModelError(f"{where}: must be a table")
    for key, value in table.items():
        if key not in known:
            raise ModelError(f"{where}: unknown key `{key}`; {did_you_mean(key, known)}")
        if not isinstance(value, known[key]):
            raise ModelError(f"{where}: `{key}` has the wrong type, {type(value).__name__}")
    for key in required:
        if key not in table:
            raise ModelError(f"{where}: `{key}` is missing")


def _strings(value: Any, where: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ModelError(f"{where}: must be a list of strings")
    return tuple(value)
