"""Find and read the settings file: the nearest heapflow.toml or pyproject.toml with [tool.heapflow].

The nearest one holds, as it stands, over the user's own (`trust.py`). One that belongs to another
user is not
read unless it is named.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from heapflow.settings.schema import KEYS, check_value, suggest
from heapflow.settings.trust import is_trusted, user_directory
from heapflow.support.errors import UserError
from heapflow.support.files import Refusal, belongs_to_user, read_regular

FILE_NAME = "heapflow.toml"
PROJECT_NAME = "pyproject.toml"
_LARGEST = 16 * 1024**2  # bytes


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """Checked values by name, and where they come from."""

    path: Path | None = None
    values: dict[str, object] = field(default_factory=dict)
    trusted: bool = False  # whether it may name programs and output files
    passed: tuple[Path, ...] = ()  # nearer ones, which belong to other users

    @property
    def directory(self) -> Path | None:
        """What relative names in it mean."""
        return None if self.path is None else self.path.parent


def find_settings(start: Path) -> SettingsFile:
    """The file that holds for a directory; an empty one if there is none."""
    start = start.absolute()
    passed: list[Path] = []
    for directory in (start, *start.parents):
        for path in (directory / FILE_NAME, directory / PROJECT_NAME):
            if not path.is_file():
                continue
            if not belongs_to_user(path):
                passed.append(path)
            elif path.name != PROJECT_NAME or _table(path) is not None:
                return replace(read_settings(path), passed=tuple(passed))
    return SettingsFile(passed=tuple(passed))


def own_settings() -> SettingsFile:
    """The user's own file, which holds everywhere; an empty one if there is none."""
    path = user_directory() / FILE_NAME
    if not path.is_file() or not belongs_to_user(path):
        return SettingsFile()
    return replace(read_settings(path), trusted=True)


def read_settings(path: Path) -> SettingsFile:
    """Read one file; anything unknown in it is an error."""
    table = _table(path)
    if table is None:
        raise UserError(f"{path}: has no table [tool.heapflow]")
    values = {}
    for name, value in table.items():
        if name not in KEYS:
            raise UserError(f"{path}: unknown key `{name}`; {suggest(name, tuple(KEYS))}")
        values[name] = check_value(KEYS[name], value, str(path))
    trusted = belongs_to_user(path) and is_trusted(path.absolute().parent)
    return SettingsFile(path, values, trusted)


def _table(path: Path) -> dict[str, Any] | None:
    """The settings in a file; None if it is a pyproject.toml that has none."""
    try:
        data = tomllib.loads(read_regular(path, _LARGEST).decode("utf-8"))
    except Refusal as error:
        raise UserError(f"{path}: cannot read the settings: {error}") from None
    except ValueError as error:
        raise UserError(f"{path}: not valid TOML: {error}") from None
    except RecursionError:
        raise UserError(f"{path}: not valid settings: nested too deeply") from None
    if path.name != PROJECT_NAME:
        return data
    tools = data.get("tool")
    table = tools.get("heapflow") if isinstance(tools, dict) else None
    if table is not None and not isinstance(table, dict):
        raise UserError(f"{path}: `tool.heapflow` has to be a table")
    return table
