"""Read model files: the packaged ones, then the user's, later ones over earlier ones.

In: TOML files (docs/models.md).     Out: Models.
Loading only indexes names; a function's prototype and effects are read when it is looked up, so
that a run pays for the few hundred functions it meets. User files are read in full at once, so
that a mistake in them is reported before the analysis begins.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from heapflow.models.check import check_model
from heapflow.models.effect_text import parse_effect
from heapflow.models.model import Family, FunctionModel, ModelError, ResourceKind
from heapflow.models.signature import declared_name, parse_signature, split_declarations
from heapflow.models.tokens import did_you_mean

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
    "alias": dict,
    "function_variables": dict,
    "model": list,
}
_MODEL_KEYS: _Keys = {
    "functions": (str, list),
    "effects": list,
    "family": str,
    "source": str,
    "note": str,
}
_FAMILY_KEYS: _Keys = {"kind": str, "release": list, "refcounted": bool, "arena": bool}


@dataclass(frozen=True, slots=True)
class _Block:
    """What the functions of one `[[model]]` share, still as text."""

    origin: str
    effects: tuple[str, ...]
    family: str
    source: str
    note: str
    pointer_types: Mapping[str, bool]


class Models:
    """The models in force: what is known about functions that the program does not define."""

    def __init__(self) -> None:
        self.families: dict[str, Family] = {}
        self._declarations: dict[str, tuple[str, _Block]] = {}
        self._aliases: dict[str, str] = {}
        self._variables: dict[str, str] = {}
        self._prefixes: tuple[str, ...] = ()
        self._parsed: dict[str, FunctionModel] = {}

    def lookup(self, name: str) -> FunctionModel | None:
        """The model of `name`, or of the function that it is another name of; None if unknown."""
        resolved = self.resolve(name)
        if resolved is None:
            return None
        model = self._parsed.get(resolved)
        if model is None:
            model = self._parsed[resolved] = self._parse(resolved)
        return model

    def lookup_variable(self, name: str) -> FunctionModel | None:
        """The model of the function that an external variable holds (`xmlFree`)."""
        function = self._variables.get(name)
        return None if function is None else self.lookup(function)

    def resolve(self, name: str) -> str | None:
        """The name under which `name` is modelled; None if it is not."""
        while name not in self._declarations:
            if name in self._aliases:
                name = self._aliases[name]
                continue
            prefix = next(filter(name.startswith, self._prefixes), None)
            if prefix is None:
                return None
            name = name.removeprefix(prefix)
        return name

    def names(self) -> tuple[str, ...]:
        """All modelled names, aliases included, sorted."""
        return tuple(sorted(self._declarations.keys() | self._aliases.keys()))

    def all(self) -> Iterator[FunctionModel]:
        """Every model, in the order of the files."""
        for name in self._declarations:
            model = self.lookup(name)
            assert model is not None
            yield model

    def __len__(self) -> int:
        return len(self._declarations)

    def _parse(self, name: str) -> FunctionModel:
        declaration, block = self._declarations[name]
        where = f"{block.origin}: model of `{name}`"
        try:
            signature = parse_signature(declaration, block.pointer_types)
        except ModelError as error:
            raise ModelError(f"{where}: {error}") from None
        effects = []
        for text in block.effects:
            try:
                effects.append(parse_effect(text, block.family))
            except ModelError as error:
                raise ModelError(f"{where}: effect `{text}`: {error}") from None
        model = FunctionModel(
            name, signature, tuple(effects), block.source, block.note, block.origin
        )
        try:
            check_model(model, self.families)
        except ModelError as error:
            raise ModelError(f"{where}: {error}") from None
        return model

    def _add(self, table: Mapping[str, Any], origin: str) -> None:
        """Take in one file; what it defines replaces what is there."""
        _check_keys(table, _FILE_KEYS, origin)
        if table.get("format", FORMAT) != FORMAT:
            raise ModelError(f"{origin}: format {table['format']} is unknown; this is {FORMAT}")
        for name, entry in table.get("families", {}).items():
            self.families[name] = _family(name, entry, origin)
        for name, text, block in _declarations(table, origin):
            self._declarations[name] = (text, block)
            self._aliases.pop(name, None)
            self._parsed.pop(name, None)
        for target, names in table.get("alias", {}).items():
            if self.resolve(target) is None:
                hint = did_you_mean(target, self._declarations) if target else ""
                raise ModelError(f"{origin}: alias of `{target}`, which has no model; {hint[:80]}")
            for name in _strings(names, f"{origin}: alias of `{target}`"):
                self._declarations.pop(name, None)
                self._aliases[name] = target
        for name, function in table.get("function_variables", {}).items():
            if not isinstance(function, str) or self.resolve(function) is None:
                raise ModelError(f"{origin}: variable `{name}` holds `{function}`: not a model")
            self._variables[name] = function
        prefixes = _strings(table.get("alias_prefixes", []), f"{origin}: alias_prefixes")
        self._prefixes += prefixes


def load_models(extra: Sequence[Path] = ()) -> Models:
    """The packaged models, overridden by the files in `extra` in that order."""
    models = Models()
    package = resources.files("heapflow.models")
    packaged = (f for f in package.iterdir() if f.name.endswith(".toml"))
    for file in sorted(packaged, key=lambda f: f.name):
        models._add(tomllib.loads(file.read_text("utf-8")), file.name)
    for path in extra:
        table = _read_user_file(path)
        models._add(table, str(path))
        for name, _text, _block in _declarations(table, str(path)):
            models.lookup(name)
    return models


def _read_user_file(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise ModelError(f"{path}: cannot read the model file: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ModelError(f"{path}: a model file must be UTF-8 text: {error}") from error
    except tomllib.TOMLDecodeError as error:
        raise ModelError(f"{path}: not valid TOML: {error}") from error


def _declarations(table: Mapping[str, Any], origin: str) -> Iterator[tuple[str, str, _Block]]:
    """Name, declaration and block of every function in a file."""
    pointer_types = {}
    for name in _strings(table.get("pointer_types", []), f"{origin}: pointer_types"):
        pointer_types[name.removeprefix("const ")] = name.startswith("const ")
    seen: set[str] = set()
    for number, entry in enumerate(table.get("model", []), start=1):
        where = f"{origin}: [[model]] number {number}"
        _check_keys(entry, _MODEL_KEYS, where, required=("functions", "effects"))
        block = _Block(
            origin,
            _strings(entry["effects"], f"{where}: effects"),
            entry.get("family", table.get("default_family", "")),
            entry.get("source", table.get("source", "")),
            entry.get("note", ""),
            pointer_types,
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


def _function_texts(value: str | list[Any], where: str) -> Iterator[str]:
    texts = (value,) if isinstance(value, str) else _strings(value, f"{where}: functions")
    for text in texts:
        yield from split_declarations(text)


def _family(name: str, entry: Any, origin: str) -> Family:
    where = f"{origin}: family `{name}`"
    if not isinstance(entry, dict):
        raise ModelError(f"{where}: must be a table: [families.{name}]")
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
    )


def _check_keys(
    table: Any,
    known: _Keys,
    where: str,
    required: tuple[str, ...] = (),
) -> None:
    if not isinstance(table, dict):
        raise ModelError(f"{where}: must be a table")
    for key, value in table.items():
        if key not in known:
            raise ModelError(f"{where}: unknown key `{key}`; {did_you_mean(key, known)}")
        if not isinstance(value, known[key]):
            raise ModelError(f"{where}: `{key}` has the wrong type: {type(value).__name__}")
    for key in required:
        if key not in table:
            raise ModelError(f"{where}: `{key}` is missing")


def _strings(value: Any, where: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ModelError(f"{where}: must be a list of strings")
    return tuple(value)
