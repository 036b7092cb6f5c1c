"""Find and read the settings file: the nearest heapflow.toml or pyproject.toml with [tool.heapflow].

Files are not merged: the nearest one holds, as it stands.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from heapflow.settings.schema import KEYS, check_value, suggest
from heapflow.support.errors import UserError

FILE_NAME = "heapflow.toml"


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """Checked values by name, and where they come from."""

    path: Path | None = None
    values: dict[str, object] = field(default_factory=dict)

    @property
    def directory(self) -> Path | None:
        """What relative names in it mean."""
        return None if self.path is None else self.path.parent


def find_settings(start: Path) -> SettingsFile:
    """The file that holds for a directory; an empty one if there is none."""
    start = start.absolute()
    for directory in (start, *start.parents):
        own = directory / FILE_NAME
        if own.is_file():
            return read_settings(own)
        project = directory / "pyproject.toml"
        if project.is_file() and _table(project) is not None:
            return read_settings(project)
    return SettingsFile()


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
    return SettingsFile(path, values)


def _table(path: Path) -> dict[str, Any] | None:
    """The settings in a file; None if it is a pyproject.toml that has none."""
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise UserError(f"{path}: cannot read the settings: {error.strerror}") from None
    except ValueError as error:
        raise UserError(f"{path}: not valid TOML: {error}") from None
    if path.name != "pyproject.toml":
        return data
    table = data.get("tool", {}).get("heapflow")
    return table if isinstance(table, dict) else None
