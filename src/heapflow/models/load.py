"""Read model files: the packaged ones, then the user's, later ones over earlier ones.

In: TOML files (docs/models.md).     Out: Models.
Nothing is read before it is needed: a packaged file when a name that occurs in it is looked up, a
function's prototype and effects when that function is. A run pays for the libraries that the
program uses. User files are read in full at once, so that a mistake is reported before the
analysis begins.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from heapflow.models.check import check_model, family_of
from heapflow.models.container import parse_operation
from heapflow.models.effect_text import parse_effect
from heapflow.models.model import Effect, Family, FunctionModel, ModelError
from heapflow.models.signature import parse_signature
from heapflow.models.tables import Block, Table, read_table
from heapflow.models.tokens import did_you_mean
from heapflow.models.world import World
from heapflow.support.files import Refusal, read_regular

_LARGEST = 64 * 1024**2  # bytes of a user's file
# Always read: other files use its families, and it holds the alias prefixes of compilers.
_BASE = "libc.toml"
# What can stand before or after a name in a model file, besides blanks.
_AROUND_NAMES = str.maketrans('(*"', "   ")


@dataclass(frozen=True, slots=True)
class _Unread:
    """A packaged file that was not needed yet, and every word in it."""

    origin: str
    text: str
    words: frozenset[str]


class Models:
    """The models in force: what is known about functions whose bodies are not analysed.

    `families` grows with the files that are read: it always has the families of every model that
    was looked up. `family` also finds those of files that were not needed yet.
    """

    def __init__(self) -> None:
        self.families: dict[str, Family] = {}
        self.machines: dict[str, tuple[str, Any]] = {}  # of user files: where, and the table
        self._declarations: dict[str, tuple[str, Block]] = {}
        self._aliases: dict[str, str] = {}
        self._prefixes: tuple[str, ...] = ()
        self._parsed: dict[str, FunctionModel] = {}
        self._unread: list[_Unread] = []

    def lookup(self, name: str) -> FunctionModel | None:
        """The model of `name`, or of the function that it is another name of; None if unknown."""
        resolved = self.resolve(name)
        if resolved is None:
            return None
        model = self._parsed.get(resolved)
        if model is None:
            model = self._parsed[resolved] = self._parse(resolved)
        return model

    def resolve(self, name: str) -> str | None:
        """The name under which `name` is modelled; None if it is not."""
        while name not in self._declarations:
            if name in self._aliases:
                name = self._aliases[name]
            elif self._read_files_with(name):
                continue
            elif prefix := next(filter(name.startswith, self._prefixes), ""):
                name = name.removeprefix(prefix)
            else:
                return None
        return name

    def family(self, name: str) -> Family | None:
        """The family of that name; None if there is none."""
        if name not in self.families:
            self._read_files_with(f"[families.{name}]")
        return self.families.get(name)

    def names(self) -> tuple[str, ...]:
        """All modelled names, aliases included, sorted."""
        self._read_all()
        return tuple(sorted(self._declarations.keys() | self._aliases.keys()))

    def all(self) -> Iterator[FunctionModel]:
        """Every model, aliases not included, sorted by name."""
        self._read_all()
        for name in sorted(self._declarations):
            model = self.lookup(name)
            assert model is not None
            yield model

    def over_definitions(self) -> frozenset[str]:
        """Names, aliases included, whose model holds also where the program defines them."""
        self._read_files_with("over_definitions")
        names = {name for name, (_, block) in self._declarations.items() if block.over_definitions}
        return frozenset(
            names | {name for name, target in self._aliases.items() if target in names}
        )

    def _parse(self, name: str) -> FunctionModel:
        declaration, block = self._declarations[name]
        where = f"{block.origin}: model of `{name}`"
        effects: list[Effect] = []
        world = block.worlds.get(name, World())
        try:
            signature = parse_signature(declaration, block.pointer_types)
            for text in block.effects:
                effects.append(_parse_effect(text, block.family))
            if signature is None and block.over_definitions:
                raise ModelError("`over_definitions` needs a prototype that definitions can fit")
            model = FunctionModel(
                name,
                signature,
                tuple(effects),
                block.source,
                block.note,
                block.origin,
                block.over_definitions,
                block.memory_only,
                operation=parse_operation(block.does, block.containers) if block.does else None,
                waits=name in block.waits,
                asks=world.asks,
                changes=world.changes,
                says=world.says,
            )
            for family in filter(None, map(family_of, effects)):
                self._require_family(family)
            check_model(model, self.families)
        except ModelError as error:
            raise ModelError(f"{where}: {error}") from None
        return model

    def _require_end(self, name: str, origin: str) -> None:
        """Following what a name stands for must come to an end."""
        met, at = [name], self._aliases.get(name)
        while at is not None:
            if at in met:
                raise ModelError(f"{origin}: names stand for each other: {' -> '.join([*met, at])}")
            met.append(at)
            at = self._aliases.get(at)

    def _require_family(self, name: str) -> None:
        if self.family(name) is None:
            self._read_all()
            raise ModelError(f"no family `{name}`; {did_you_mean(name, self.families)}")

    def _read_files_with(self, word: str) -> bool:
        """Read the packaged files in which `word` occurs; whether there were any."""
        wanted = [file for file in self._unread if word in file.words]
        for file in wanted:
            self._unread.remove(file)
            self._add_packaged(read_table(file.text, file.origin))
        return bool(wanted)

    def _read_all(self) -> None:
        while self._unread:
            file = self._unread.pop()
            self._add_packaged(read_table(file.text, file.origin))

    def _add_packaged(self, table: Table) -> None:
        """Take in a packaged file, under what user files already said."""
        for name, family in table.families.items():
            self.families.setdefault(name, family)
        self._prefixes += table.prefixes
        known = self._declarations.keys() | self._aliases.keys()
        for name, declaration in table.declarations.items():
            if name not in known:
                self._declarations[name] = declaration
        for name, target in table.aliases.items():
            if name not in known:
                self._aliases[name] = target

    def _add_user(self, table: Table) -> None:
        """Take in a user's file, over everything else, and check all of it."""
        self.families |= table.families
        self.machines |= {name: (table.origin, one) for name, one in table.machines.items()}
        self._prefixes += table.prefixes
        for name, declaration in table.declarations.items():
            self._aliases.pop(name, None)
            self._parsed.pop(name, None)
            self._declarations[name] = declaration
        for name, target in table.aliases.items():
            if name in table.declarations:
                raise ModelError(f"{table.origin}: `{name}` has a model and is an alias; keep one")
            self._declarations.pop(name, None)
            self._aliases[name] = target
        for name, target in table.aliases.items():
            if target != name:
                self._require_end(name, table.origin)
        for name, target in table.aliases.items():
            if target == name or self.resolve(target) is None:
                raise ModelError(f"{table.origin}: `{name}` stands for `{target}`: not modelled")
        for name in table.declarations:
            self.lookup(name)


def load_models(extra: Sequence[Path] = ()) -> Models:
    """The packaged models, overridden by the files in `extra` in that order."""
    models = Models()
    for file in resources.files("heapflow.models").iterdir():
        if file.name.endswith(".toml"):
            text = file.read_text("utf-8")
            words = frozenset(text.translate(_AROUND_NAMES).split())
            models._unread.append(_Unread(file.name, text, words))
    models._unread.sort(key=lambda file: file.origin)
    base = next(file for file in models._unread if file.origin == _BASE)
    models._unread.remove(base)
    models._add_packaged(read_table(base.text, base.origin))
    for path in extra:
        models._add_user(read_table(_read_user_file(path), str(path)))
    return models


def _parse_effect(text: str, family: str) -> Effect:
    try:
        return parse_effect(text, family)
    except ModelError as error:
        raise ModelError(f"effect `{text}`: {error}") from None


def _read_user_file(path: Path) -> str:
    try:
        return read_regular(path, _LARGEST).decode("utf-8")
    except Refusal as error:
        raise ModelError(f"{path}: cannot read the model file: {error}") from error
    except UnicodeDecodeError as error:
        raise ModelError(f"{path}: a model file must be UTF-8 text: {error}") from error
