"""The options of `check` and `config` that are settings too, and how they become `Settings`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from heapflow.cli.said import tell
from heapflow.policies.table import NAMES
from heapflow.settings.read import SettingsFile, find_settings, own_settings, read_settings
from heapflow.settings.schema import (
    FORMATS,
    LEVELS,
    MEMORY_MODELS,
    OTHER_LANGUAGES,
    RULES,
    UNKNOWN_FUNCTIONS,
    AllocatorPair,
    Limits,
    suggest,
)
from heapflow.settings.settings import Settings, effective_settings
from heapflow.settings.trust import trust
from heapflow.support.errors import UserError
from heapflow.support.files import belongs_to_user

if TYPE_CHECKING:
    from heapflow.config import Config

Command = Callable[..., Any]


class _Words(click.ParamType[tuple[str, ...]]):
    """Names from a fixed list, several in one argument if separated by commas."""

    name = "names"

    def __init__(self, choices: tuple[str, ...], what: str) -> None:
        self.choices, self.what = choices, what

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        words = tuple(word.strip() for word in str(value).split(",") if word.strip())
        for word in words:
            if word not in self.choices:
                raise UserError(f"there is no {self.what} {word}\n  {suggest(word, self.choices)}")
        return words

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[click.shell_completion.CompletionItem]:
        done, _, last = incomplete.rpartition(",")
        before = done + "," if done else ""
        return [
            click.shell_completion.CompletionItem(before + word)
            for word in self.choices
            if word.startswith(last)
        ]


class _Format(click.ParamType[str]):
    """FORMAT or FORMAT:FILE."""

    name = "format"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        name = str(value).split(":", 1)[0]
        if name not in FORMATS:
            raise UserError(f"there is no format {name}\n  {suggest(name, FORMATS)}")
        return str(value)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[click.shell_completion.CompletionItem]:
        return [
            click.shell_completion.CompletionItem(name)
            for name in FORMATS
            if name.startswith(incomplete)
        ]


_RULE = _Words(RULES, "rule")
_MODELS = click.option(
    "--models",
    multiple=True,
    type=click.Path(),
    metavar="FILE",
    help="Describes library functions.",
)
_CONFIG = (
    click.option(
        "--config",
        "config_file",
        type=click.Path(),
        metavar="FILE",
        help="Settings file  [nearest parent]",
    ),
    click.option("--no-config", is_flag=True, help="Read no settings file."),
)
_OPTIONS = (
    click.option("--select", type=_RULE, multiple=True, metavar="RULE,…", help="Only these rules."),
    click.option("--ignore", type=_RULE, multiple=True, metavar="RULE,…", help="Not these rules."),
    click.option(
        "--include", multiple=True, metavar="GLOB", help="Only allocations in these paths."
    ),
    click.option("--exclude", multiple=True, metavar="GLOB", help="No allocations in these paths."),
    click.option(
        "--tests",
        multiple=True,
        metavar="GLOB",
        help="What lies here is shown last and fails nothing.",
    ),
    _MODELS,
    click.option(
        "--allocator",
        multiple=True,
        metavar="NEW=FREE",
        help="NEW allocates, FREE releases its result.",
    ),
    click.option(
        "--memory-model", type=click.Choice(MEMORY_MODELS), help="How finely memory is told apart."
    ),
    click.option(
        "--unknown-functions",
        type=click.Choice(UNKNOWN_FUNCTIONS),
        help="Of functions without body and model: what callers show, or all the same.",
    ),
    click.option(
        "--without",
        type=click.Choice(NAMES),
        multiple=True,
        metavar="POLICY",
        help="An assumption that is not made (docs/unsoundness.md).",
    ),
    click.option("--limit", multiple=True, metavar="PHASE.NAME=N", help="A limit of the analysis."),
    click.option(
        "--time-limit", type=int, metavar="SECONDS", help="Then report what is done; exit status 3."
    ),
    click.option(
        "--memory-limit", type=int, metavar="MB", help="The same, when so much memory is in use."
    ),
    click.option(
        "--baseline",
        type=click.Path(),
        metavar="FILE",
        help="Findings in it are known and do not count.",
    ),
    click.option("--fail-on", type=click.Choice(LEVELS), help="Lowest level for exit status 1."),
    click.option(
        "--other-languages",
        type=click.Choice(OTHER_LANGUAGES),
        help="Whether files of the build that are not C make the exit status 3.",
    ),
    click.option(
        "--format",
        "formats",
        type=_Format(),
        multiple=True,
        metavar="FORMAT[:FILE]",
        help=f"{', '.join(FORMATS)}; can be given several times.",
    ),
    *_CONFIG,
    click.option(
        "--trust",
        "trusting",
        is_flag=True,
        help="From now on, the settings file here may name programs and output files.",
    ),
)


def setting_options(function: Command) -> Command:
    """The options that override the settings file; the command gets them as keyword arguments."""
    for decorate in reversed(_OPTIONS):
        function = decorate(function)
    return function


def settings_from(options: dict[str, Any]) -> Settings:
    """The effective settings of a command that has `setting_options`."""
    given: dict[str, object] = {}
    for name in ("select", "ignore"):
        if options[name]:
            given[name] = tuple(dict.fromkeys(word for words in options[name] for word in words))
    for name, option in (
        ("include", "include"),
        ("exclude", "exclude"),
        ("tests", "tests"),
        ("models", "models"),
        ("memory-model", "memory_model"),
        ("unknown-functions", "unknown_functions"),
        ("without", "without"),
        ("baseline", "baseline"),
        ("fail-on", "fail_on"),
        ("other-languages", "other_languages"),
        ("format", "formats"),
        ("time-limit", "time_limit"),
        ("memory-limit", "memory_limit"),
        ("jobs", "jobs"),
        ("clang", "clang"),
    ):
        if options.get(option) not in (None, (), ""):
            given[name] = options[option]
    if options["allocator"]:
        given["allocator"] = tuple(_allocator(text) for text in options["allocator"])
    if options["limit"]:
        given["limits"] = _limits(options["limit"])
    own = SettingsFile() if options["no_config"] else own_settings()
    settings = effective_settings(_file(options), given, own)
    if not options.get("quiet"):
        for note in settings.notes:
            tell(f"note: {note}")
    return settings


def model_options(function: Command) -> Command:
    """The options of commands that show what `check` computes, with the same settings and models."""
    for decorate in reversed((_MODELS, *_CONFIG)):
        function = decorate(function)
    return function


@contextmanager
def configured(options: dict[str, Any]) -> Iterator[Config]:
    """The configuration of such a command, which has `program_options`, too."""
    from heapflow.api import run_configuration
    from heapflow.api.apply import model_files

    given: dict[str, object] = {
        name: options[option]
        for name, option in (
            ("models", "models"),
            ("unknown-functions", "unknown_functions"),
            ("jobs", "jobs"),
            ("clang", "clang"),
        )
        if options.get(option) not in (None, (), "")
    }
    own = SettingsFile() if options["no_config"] else own_settings()
    settings = effective_settings(_file({"trusting": False, **options}), given, own)
    for note in settings.notes:
        tell(f"note: {note}")
    with model_files(settings) as models:
        yield run_configuration(settings, models, not options["no_cache"])


def _file(options: dict[str, Any]) -> SettingsFile:
    if options["no_config"]:
        return SettingsFile()
    named = options["config_file"]
    found = read_settings(Path(named)) if named else find_settings(Path.cwd())
    return _trusted(found) if options["trusting"] else found


def _trusted(file: SettingsFile) -> SettingsFile:
    """Remember that the file's directory is trusted."""
    if file.path is None:
        raise UserError("--trust: there is no settings file here that could be trusted")
    if not belongs_to_user(file.path):
        raise UserError(f"--trust: {file.path} belongs to another user\n  make a copy of your own")
    trust(file.path.absolute().parent)
    return replace(file, trusted=True)


def _allocator(text: str) -> AllocatorPair:
    function, equals, releases = text.partition("=")
    if not (equals and function.isidentifier() and releases.isidentifier()):
        raise UserError(
            f"--allocator {text}\n  write two functions:  --allocator pool_new=pool_free"
        )
    return AllocatorPair(function, releases)


def _limits(texts: tuple[str, ...]) -> Limits:
    limits: Limits = {}
    for text in texts:
        name, _, value = text.partition("=")
        phase, dot, limit = name.partition(".")
        if not (dot and limit and value):
            raise UserError(f"--limit {text}\n  write it as:  --limit leaks.most-nodes=5000")
        limits.setdefault(phase, {})[limit] = _number(value)
    return limits


def _number(text: str) -> object:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return {"true": True, "false": False}.get(text, text)
