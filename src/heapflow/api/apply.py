"""`Settings` to `Config`: each phase's own settings, changed by name.

A phase's limits are the numbers and switches among its settings. They are found by their names, so a
phase that gains a limit gains its option too.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Any

from heapflow.config import Config
from heapflow.ownership.belief import UnknownFunctions
from heapflow.report.finding import Rule
from heapflow.settings.allocators import allocator_models
from heapflow.settings.resources import resource_models
from heapflow.settings.schema import suggest
from heapflow.settings.settings import DEFAULT, Settings
from heapflow.support.errors import UserError


def apply_settings(config: Config, settings: Settings, models: tuple[Path, ...]) -> Config:
    """The configuration of a run."""
    for phase, table in settings.limits.items():
        config = _apply_limits(config, phase, table, settings.origins["limits"])
    if settings.origins["memory-model"] != DEFAULT:
        config = _apply_anywhere(config, "memory_model", settings.text("memory-model"))
    unknown = UnknownFunctions(settings.text("unknown-functions"))
    config = _apply_anywhere(config, "unknown_functions", unknown)
    config = _apply_anywhere(config, "without", tuple(sorted(set(settings.strings("without")))))
    if models:
        config = _apply_anywhere(config, "models", models)
    return _only_asked(config, settings)


def _only_asked(config: Config, settings: Settings) -> Config:
    """What no selected rule is about is not looked for."""
    asked = config.properties
    changed = replace(
        asked,
        misuse=asked.misuse and any(rule.is_misuse for rule in settings.rules),
        descriptors=asked.descriptors and Rule.RESOURCE_LEAK in settings.rules,
    )
    return _replace(config, {"properties": changed})


def limits_of(config: Config) -> dict[str, dict[str, object]]:
    """Every limit by phase and name, with its value."""
    found: dict[str, dict[str, object]] = {}
    for phase in fields(config):
        part = getattr(config, phase.name)
        if is_dataclass(part) and not isinstance(part, type):
            values = {field.name: getattr(part, field.name) for field in fields(part)}
            numbers: dict[str, object] = {
                name.replace("_", "-"): value
                for name, value in values.items()
                if isinstance(value, int | float) and not isinstance(value, Enum)
            }
            if numbers:
                found[phase.name] = numbers
    return found


def _apply_limits(config: Config, phase: str, table: dict[str, object], where: str) -> Config:
    known = limits_of(config)
    if phase not in known:
        raise UserError(f"{where}: limits.{phase}: {suggest(phase, tuple(known))}")
    changed: dict[str, Any] = {}
    for name, value in table.items():
        name = name.replace("_", "-")
        if name not in known[phase]:
            raise UserError(f"{where}: limits.{phase}.{name}: {suggest(name, tuple(known[phase]))}")
        before = known[phase][name]
        if type(value) is not type(before) and (type(before), type(value)) != (float, int):
            kind = "true or false" if isinstance(before, bool) else "a number"
            raise UserError(f"{where}: limits.{phase}.{name} has to be {kind}")
        if isinstance(value, int | float) and not 0 <= value < math.inf:
            raise UserError(f"{where}: limits.{phase}.{name} has to be at least 0")
        changed[name.replace("-", "_")] = value
    return _replace(config, {phase: replace(getattr(config, phase), **changed)})


def _apply_anywhere(config: Config, name: str, value: Any) -> Config:
    """Set a field by its name: of the configuration itself, or of the phase that has it."""
    if any(field.name == name for field in fields(config)):
        return _replace(config, {name: value})
    for phase in fields(config):
        part = getattr(config, phase.name)
        if is_dataclass(part) and any(field.name == name for field in fields(part)):
            before = getattr(part, name)
            new = type(before)(value) if isinstance(before, Enum) else value
            return _replace(config, {phase.name: replace(part, **{name: new})})  # type: ignore[type-var]
    raise UserError(f"this version has no setting `{name.replace('_', '-')}`")


def _replace(config: Config, changes: dict[str, Any]) -> Config:
    return replace(config, **changes)


@contextmanager
def model_files(settings: Settings) -> Iterator[tuple[Path, ...]]:
    """The model files in force: the user's, then those made of allocator pairs and resources."""
    made = []
    if settings.allocators:
        made.append(allocator_models(settings.allocators))
    if settings.resources:
        made.append(resource_models(settings.resources))
    if not made:
        yield settings.models
        return
    with tempfile.TemporaryDirectory() as directory:
        paths = [Path(directory, f"settings{number}.toml") for number in range(len(made))]
        for path, text in zip(paths, made, strict=True):
            path.write_text(text, "utf-8")
        yield (*settings.models, *paths)
