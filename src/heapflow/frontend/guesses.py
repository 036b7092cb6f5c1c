"""What was guessed to compile a file without its build."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace

_SHOWN = 4


@dataclass(frozen=True, slots=True)
class Guesses:
    """Names, each list in order. Without any, the file compiled as it is."""

    made: tuple[str, ...] = ()  # headers that were made from templates
    invented: tuple[str, ...] = ()  # headers that nothing has: empty
    macros: tuple[str, ...] = ()  # macros and variables that nothing defines
    types: tuple[str, ...] = ()  # types, or members of types, that nothing defines
    dropped: tuple[str, ...] = ()  # functions that could not be compiled: no verdict on them
    replaced: tuple[str, ...] = ()  # functions for which the C library's are taken
    inactive: tuple[str, ...] = ()  # functions that the guessed conditions leave out
    implicit: tuple[str, ...] = ()  # functions that are called without a declaration

    def __bool__(self) -> bool:
        return any(getattr(self, one.name) for one in fields(self))

    def sentence(self) -> str:
        """What a reader has to know, without `inactive` and `implicit`."""
        said = [
            _part(self.made, "header", "made from its template", "made from their templates"),
            _part(self.invented, "header", "empty", "empty"),
            _part(self.macros, "macro", "invented", "invented"),
            _part(self.types, "type", "invented", "invented"),
            _part(self.dropped, "function", "left out", "left out"),
        ]
        return "; ".join(one for one in said if one) or "nothing had to be invented"

    def as_lists(self) -> dict[str, list[str]]:
        return {one.name: list(getattr(self, one.name)) for one in fields(self)}


def _part(names: tuple[str, ...], thing: str, one: str, several: str) -> str:
    if not names:
        return ""
    shown = ", ".join(names[:_SHOWN]) + (" …" if len(names) > _SHOWN else "")
    number = f"1 {thing} {one}" if len(names) == 1 else f"{len(names)} {thing}s {several}"
    return f"{number} ({shown})"


def guesses_from(lists: dict[str, list[str]]) -> Guesses:
    """The inverse of `as_lists`."""
    return Guesses(**{name: tuple(names) for name, names in lists.items()})


def joined(several: Iterable[Guesses]) -> Guesses:
    """All that was guessed for some files."""
    total = Guesses()
    for one in several:
        merged = {
            field.name: tuple(
                dict.fromkeys((*getattr(total, field.name), *getattr(one, field.name)))
            )
            for field in fields(Guesses)
        }
        total = replace(total, **merged)
    return total
