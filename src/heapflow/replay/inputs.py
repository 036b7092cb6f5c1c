"""The arguments with which a path is taken, where it rests on nothing else.

In:    a search, the state at the end of a path.     Out: `Inputs`: what to call with what.
Numbers are numbers; a pointer is NULL or a stretch of bytes that ends with a zero, as long as the path
has looked at no pointers in it. Bytes that nobody looked at are letters.
Guarantees: with these arguments the compiled function goes the same way; tests/replay/test_drivers.py
            calls it and looks for the lost block.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

from heapflow.ir.kinds import ParamFlag
from heapflow.replay.evaluate import evaluate
from heapflow.replay.search import Search
from heapflow.replay.state import State
from heapflow.replay.term import Term, signed

Given: TypeAlias = int | bytes | None  # None: the null pointer

_LONGEST = 4096  # bytes behind an argument
_HIDDEN = int(ParamFlag.BY_VALUE) | int(ParamFlag.STRUCT_RETURN)
_ARGUMENT = re.compile(r"argument(\d+)$")
_BEHIND = re.compile(r"\*argument(\d+)\[(-?\d+):(\d+)\]$")
_LENGTH = re.compile(r"strlen:\*argument(\d+)\+(-?\d+)$")


@dataclass(frozen=True, slots=True)
class Inputs:
    """A call that takes the path."""

    func: int
    arguments: tuple[Given, ...]


def inputs_of(search: Search, state: State) -> Inputs | None:
    """The call; None if the path rests on other things than plain arguments."""
    atoms = sorted({atom for condition in state.conditions for atom in condition.atoms})
    terms = search.executor.terms.by_number
    code = search.knowledge.code(search.start)
    hidden = any(flags & _HIDDEN for flags in code.param_flags)
    if search.executor.from_main or hidden or state.failed:
        return None
    texts = [_Text() for _ in code.params]
    for atom in atoms:
        if not _is_argument(terms[atom]) and not _put(
            texts, terms[atom], _value(state, atom, terms)
        ):
            return None
    found: list[Given] = []
    for position, parameter in enumerate(code.params):
        width = search.executor.types.width(search.knowledge.value_type[parameter])
        term = search.executor.terms.var(f"argument{position}", width or 64)
        value = _value(state, term.number, terms)
        if term.number not in search.executor.pointers:
            found.append(signed(value, term.width))
            continue
        is_null = value == 0 and term.number in atoms
        found.append(None if is_null else texts[position].bytes())
    return Inputs(search.start, tuple(found))


def as_text(given: bytes) -> str:
    """Bytes as a literal of C."""
    plain = (chr(b) if 32 <= b < 127 and b not in b'"\\?' else f"\\{b:03o}" for b in given)
    return '"' + "".join(plain) + '"'


def _value(state: State, atom: int, terms: list[Term]) -> int:
    return state.bound.get(atom, evaluate(terms[atom], state.current_model))


def _is_argument(term: Term) -> bool:
    return term.op == "var" and _ARGUMENT.match(str(term.args[0])) is not None


class _Text:
    """What is known of the bytes behind an argument."""

    def __init__(self) -> None:
        self.known: dict[int, int] = {}

    def bytes(self) -> bytes:
        last = max(self.known, default=-1)
        end = last if last >= 0 and self.known[last] == 0 else last + 1
        return bytes(self.known.get(at, ord("a")) for at in range(end))


def _put(texts: list[_Text], term: Term, value: int) -> bool:
    """Take over what a path asks of an unknown; False: it is not one of the bytes behind arguments."""
    name = str(term.args[0])
    if found := _BEHIND.match(name):
        position, offset, size = map(int, found.groups())
        if offset < 0 or offset + size > _LONGEST or size >= 8:
            return False
        for at in range(size):
            texts[position].known[offset + at] = value >> (8 * at) & 0xFF
        return True
    if found := _LENGTH.match(name):
        position, offset = map(int, found.groups())
        if offset < 0 or offset + value >= _LONGEST:
            return False
        texts[position].known[offset + value] = 0
        return True
    return False
