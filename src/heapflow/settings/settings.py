"""The effective settings: defaults, then the user's own file, then the tree's, then the command line.

A list given on the command line replaces the file's; models, allocators and limits add to it. Of a
file that
is not trusted, what names programs or output files does not count; `Settings.notes` says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from heapflow.report.assemble import Choice
from heapflow.report.baseline import read_baseline
from heapflow.report.finding import Level, Rule
from heapflow.report.patterns import Pattern
from heapflow.settings.read import SettingsFile
from heapflow.settings.resources import Resource
from heapflow.settings.schema import KEYS, AllocatorPair, Kind, Limits, check_value
from heapflow.support.errors import UserError

DEFAULT = "default"
COMMAND_LINE = "command line"
_ADDING = ("models", "allocator", "resource", "limits")


@dataclass(frozen=True, slots=True)
class Settings:
    """Values by name with their origin; the properties give them their types."""

    values: Mapping[str, object]
    origins: Mapping[str, str]
    directory: Path | None = None  # of the settings file
    notes: tuple[str, ...] = ()  # what was not used, and why

    def strings(self, name: str) -> tuple[str, ...]:
        return cast("tuple[str, ...]", self.values[name])

    def text(self, name: str) -> str:
        return cast(str, self.values[name])

    @property
    def rules(self) -> frozenset[Rule]:
        chosen = set(self.strings("select")) - set(self.strings("ignore"))
        if not chosen:
            raise UserError("no rule is left: `ignore` names all that `select` does")
        return frozenset(Rule(name) for name in chosen)

    @property
    def fail_on(self) -> Level:
        return Level[self.text("fail-on").upper()]

    @property
    def jobs(self) -> int:
        return self.number("jobs")

    def number(self, name: str) -> int:
        return cast(int, self.values[name])

    @property
    def allocators(self) -> tuple[AllocatorPair, ...]:
        return cast("tuple[AllocatorPair, ...]", self.values["allocator"])

    @property
    def resources(self) -> tuple[Resource, ...]:
        return cast("tuple[Resource, ...]", self.values["resource"])

    @property
    def limits(self) -> Limits:
        return cast(Limits, self.values["limits"])

    @property
    def models(self) -> tuple[Path, ...]:
        """Model files; those that the settings file names are relative to it."""
        return tuple(Path(name) for name in self.strings("models"))

    def patterns(self, name: str) -> tuple[Pattern, ...]:
        """Path patterns, each with the directory that it is relative to."""
        file = self.directory if self.origins[name] != COMMAND_LINE else None
        base = file if file and Path(self.origins[name]).parent == file else Path.cwd()
        return tuple(Pattern(text, base) for text in self.strings(name))

    def choice(self) -> Choice:
        """Which findings to show; reads the baseline."""
        baseline = self.text("baseline")
        return Choice(
            rules=self.rules,
            include=self.patterns("include"),
            exclude=self.patterns("exclude"),
            tests=self.patterns("tests"),
            baseline=read_baseline(Path(baseline)) if baseline else None,
            baseline_name=f"known in {Path(baseline).name}" if baseline else "",
        )


def effective_settings(
    file: SettingsFile, given: Mapping[str, object], own: SettingsFile | None = None
) -> Settings:
    """Merge; `given` holds what the command line names, by setting; `own` is the user's file."""
    values: dict[str, object] = {name: key.default for name, key in KEYS.items()}
    origins = dict.fromkeys(KEYS, DEFAULT)
    unused = []
    for source in (own or SettingsFile(), file):
        for name, value in source.values.items():
            if not source.trusted and _is_dangerous(name, value):
                unused.append(name)
                continue
            _put(values, origins, name, _below(source, name, value), str(source.path))
    for name, value in given.items():
        checked = value
        if KEYS[name].kind in (Kind.STRING, Kind.STRINGS, Kind.NUMBER):
            checked = check_value(KEYS[name], value, COMMAND_LINE)
        _put(values, origins, name, checked, COMMAND_LINE)
    notes = tuple(_notes(file, [name for name in unused if name not in given]))
    return Settings(values, origins, file.directory, notes)


def _put(
    values: dict[str, object], origins: dict[str, str], name: str, value: object, origin: str
) -> None:
    if name in _ADDING and origins[name] != DEFAULT:
        values[name] = _added(values[name], value)
        origins[name] += f", {origin}"
    else:
        values[name], origins[name] = value, origin


def _is_dangerous(name: str, value: object) -> bool:
    """Whether a setting names a program to run or a file to write."""
    if name == "format":
        return any(":" in one for one in cast("tuple[str, ...]", value))
    return name == "clang"


def _notes(file: SettingsFile, unused: list[str]) -> Iterator[str]:
    for path in file.passed:
        yield f"{path} is not read: it belongs to another user; name it with --config to use it"
    if unused:
        names = " and ".join(f"`{name}`" for name in unused)
        verb = "is" if len(unused) == 1 else "are"
        yield (
            f"{file.path}: {names} would run a program or write a file and {verb} not used: "
            "this directory is not trusted; --trust remembers that it is"
        )


def _below(file: SettingsFile, name: str, value: object) -> object:
    """File names in a settings file are relative to it."""
    directory = file.directory
    if directory is None:
        return value
    if name == "models":
        return tuple(str(directory / one) for one in cast("tuple[str, ...]", value))
    return str(directory / cast(str, value)) if name == "baseline" and value else value


def _added(before: object, more: object) -> object:
    if isinstance(before, tuple) and isinstance(more, tuple):
        return before + more
    merged = {phase: dict(table) for phase, table in cast(Limits, before).items()}
    for phase, table in cast(Limits, more).items():
        merged.setdefault(phase, {}).update(table)
    return merged


def dump_settings(settings: Settings) -> str:
    """Every setting with its origin, as TOML that can be pasted into a file."""
    lines = []
    for name, key in KEYS.items():
        if key.kind in (Kind.ALLOCATORS, Kind.RESOURCES, Kind.LIMITS):
            continue
        value = settings.values[name]
        if value in ("", 0):
            lines.append(f"# {name} is not set")
            continue
        text = f"{name} = {_toml(value)}"
        lines.append(f"{text:<50}  # {settings.origins[name]}")
    for pair in settings.allocators:
        lines += ["", f"[[allocator]]  # {settings.origins['allocator']}"]
        lines += [f'function = "{pair.function}"', f'releases = "{pair.releases}"']
    for one in settings.resources:
        lines += ["", f"[[resource]]  # {settings.origins['resource']}", f'name = "{one.name}"']
        lines += [f"acquire = {_toml(one.acquire)}", f"release = {_toml(one.release)}"]
        lines += [f'kind = "{one.kind}"', f"argument = {one.argument}", f'result = "{one.result}"']
    for phase, table in sorted(settings.limits.items()):
        lines += ["", f"[limits.{phase}]  # {settings.origins['limits']}"]
        lines += [f"{name} = {_toml(value)}" for name, value in sorted(table.items())]
    return "\n".join(lines) + "\n"


def _toml(value: object) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(_toml(one) for one in value) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    return str(value)
