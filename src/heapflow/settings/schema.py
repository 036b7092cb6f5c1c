"""The settings that exist: names, types, defaults, and what they mean.

One table serves reading, checking, `heapflow config` and the page docs/configuration.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from enum import Enum
from typing import NoReturn

from heapflow.policies.table import NAMES
from heapflow.report.finding import Rule
from heapflow.settings.resources import check_resource
from heapflow.support.errors import UserError

RULES = tuple(rule.value for rule in Rule)
LEVELS = ("error", "warning", "note")
MEMORY_MODELS = ("regions", "distinct", "top-level")
OTHER_LANGUAGES = ("report", "ignore")
UNKNOWN_FUNCTIONS = ("believe", "escape", "borrow")
FORMATS = ("terminal", "json", "sarif", "html", "github", "gitlab", "junit")


class Kind(Enum):
    """The type of a setting's value."""

    STRING = "a string"
    STRINGS = "a list of strings"
    NUMBER = "a whole number, at least 1"
    ALLOCATORS = "tables `[[allocator]]`"
    RESOURCES = "tables `[[resource]]`"
    LIMITS = "tables `[limits.PHASE]`"


@dataclass(frozen=True, slots=True)
class Key:
    """One setting."""

    name: str
    kind: Kind
    meaning: str
    default: object = ()
    choices: tuple[str, ...] = ()
    heads: tuple[str, ...] = ()  # what may stand before the first colon


KEYS = {
    key.name: key
    for key in (
        Key("select", Kind.STRINGS, "rules to report", RULES, RULES),
        Key("ignore", Kind.STRINGS, "rules not to report", (), RULES),
        Key("include", Kind.STRINGS, "report only what is allocated in these paths"),
        Key("exclude", Kind.STRINGS, "do not report what is allocated in these paths"),
        Key(
            "tests",
            Kind.STRINGS,
            "paths of tests, examples, generated files: shown last, no reason to fail",
        ),
        Key("models", Kind.STRINGS, "files that describe library functions"),
        Key("allocator", Kind.ALLOCATORS, "pairs of functions that allocate and release"),
        Key("resource", Kind.RESOURCES, "families of functions that acquire and release"),
        Key(
            "memory-model", Kind.STRING, "how finely memory is told apart", "regions", MEMORY_MODELS
        ),
        Key(
            "unknown-functions",
            Kind.STRING,
            "what functions do with their arguments that have no body and no model",
            "believe",
            UNKNOWN_FUNCTIONS,
        ),
        Key("without", Kind.STRINGS, "assumptions of stage 1 that are not made", (), NAMES),
        Key("limits", Kind.LIMITS, "limits of the analysis, by phase", {}),
        Key("baseline", Kind.STRING, "file of known findings", ""),
        Key("fail-on", Kind.STRING, "lowest level that makes the exit status 1", "warning", LEVELS),
        Key(
            "other-languages",
            Kind.STRING,
            "whether files of the build that are not C make the exit status 3",
            "report",
            OTHER_LANGUAGES,
        ),
        Key(
            "format",
            Kind.STRINGS,
            "output formats, each FORMAT or FORMAT:FILE",
            ("terminal",),
            heads=FORMATS,
        ),
        Key("time-limit", Kind.NUMBER, "seconds after which what is done is reported", 0),
        Key("memory-limit", Kind.NUMBER, "MB of memory after which what is done is reported", 0),
        Key("jobs", Kind.NUMBER, "processes; all cores if not set", 0),
        Key("clang", Kind.STRING, "clang to use; found by itself if not set", ""),
    )
}


def check_value(key: Key, value: object, where: str) -> object:
    """The value in its normal form (lists as tuples), or an error that says what would work."""
    match key.kind:
        case Kind.STRING:
            valid = isinstance(value, str)
        case Kind.STRINGS:
            value = (value,) if isinstance(value, str) else value
            valid = isinstance(value, list | tuple) and all(isinstance(v, str) for v in value)
            value = tuple(value) if isinstance(value, list) else value
        case Kind.NUMBER:
            valid = isinstance(value, int) and not isinstance(value, bool) and value >= 1
        case Kind.ALLOCATORS:
            return tuple(check_allocator(entry, where) for entry in _entries(value, where))
        case Kind.RESOURCES:
            if not isinstance(value, list):
                raise UserError(f"{where}: write resources as tables: [[resource]]")
            return tuple(check_resource(entry, where) for entry in value)
        case Kind.LIMITS:
            valid = isinstance(value, dict)
            return _check_limits(value, where) if isinstance(value, dict) else _wrong(key, where)
    if not valid:
        _wrong(key, where)
    for word in (value,) if isinstance(value, str) else value if isinstance(value, tuple) else ():
        if key.choices and word not in key.choices:
            raise UserError(f"{where}: {key.name} = {word!r}\n  {suggest(word, key.choices)}")
        head = word.partition(":")[0]
        if key.heads and head not in key.heads:
            raise UserError(f"{where}: there is no {key.name} {head}\n  {suggest(head, key.heads)}")
        if "\0" in word:
            raise UserError(f"{where}: `{key.name}` has a NUL character in it")
    return value


def _wrong(key: Key, where: str) -> NoReturn:
    raise UserError(f"{where}: `{key.name}` has to be {key.kind.value}")


def suggest(word: str, choices: tuple[str, ...]) -> str:
    """What the user may have meant."""
    close = get_close_matches(word, choices, 1)
    return f"did you mean `{close[0]}`?" if close else f"it can be: {', '.join(choices)}"


def _entries(value: object, where: str) -> list[object]:
    if not isinstance(value, list):
        raise UserError(f"{where}: write allocators as tables: [[allocator]]")
    return value


@dataclass(frozen=True, slots=True)
class AllocatorPair:
    """A function that allocates and one that releases what it returned."""

    function: str
    releases: str

    def __str__(self) -> str:
        return f"{self.function}={self.releases}"


def check_allocator(entry: object, where: str) -> AllocatorPair:
    wanted = ("function", "releases")
    if not isinstance(entry, dict):
        raise UserError(f"{where}: write allocators as tables: [[allocator]]")
    for name in entry:
        if name not in wanted:
            raise UserError(
                f"{where}: unknown key `{name}` in [[allocator]]; {suggest(name, wanted)}"
            )
    for name in wanted:
        if not isinstance(entry.get(name), str) or not entry[name].isidentifier():
            raise UserError(f"{where}: [[allocator]] needs `{name}`, the name of a function")
    return AllocatorPair(entry["function"], entry["releases"])


Limits = dict[str, dict[str, object]]


def _check_limits(value: dict[str, object], where: str) -> Limits:
    """Tables of numbers and switches; which limits there are is the phases' matter."""
    limits: Limits = {}
    for phase, table in value.items():
        if not isinstance(table, dict):
            raise UserError(f"{where}: limits are given by phase: [limits.{phase}]")
        for name, number in table.items():
            if not isinstance(number, int | float | str):
                raise UserError(
                    f"{where}: limits.{phase}.{name} has to be a number or true or false"
                )
        limits[phase] = dict(table)
    return limits
