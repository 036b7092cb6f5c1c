"""Words of the effect language, and the cursor that the effect parser moves over them.

In: one effect as text.     Out: access paths, sizes and comparisons, or a ModelError.
Example: `free *arg1 when ret == 0` is the words `free * arg1 when ret == 0`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches

from heapflow.models.model import (
    AccessPath,
    AnyField,
    Arg,
    Args,
    Comparison,
    Global,
    Member,
    ModelError,
    Offset,
    Op,
    Ret,
    Root,
    Size,
    Step,
)

_WORD = re.compile(
    r"\s*(?:"
    r"(->|[=!<>]=|[<>=*(),+])"  # punctuation
    r"|(-?(?:0[xX][0-9a-fA-F]+|\d+))"  # numbers
    r"|([A-Za-z_][\w.]*(?:-[A-Za-z]\w*)*)"  # names, and verbs such as returns-twice
    r")"
)
_NULL_WORDS = ("NULL", "null")


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint for a misspelt word: the nearest known one, or else the list of them."""
    choices = sorted(known)
    near = get_close_matches(word, choices, n=1, cutoff=0.6)
    if near:
        return f"did you mean `{near[0]}`?"
    return "known: " + ", ".join(choices)


def split_words(text: str) -> list[str]:
    """Cut an effect into words."""
    words: list[str] = []
    position, end = 0, len(text.rstrip())
    while position < end:
        match = _WORD.match(text, position)
        if match is None:
            raise ModelError(f"cannot read `{text[position:].strip()}`")
        words.append(match[match.lastindex or 0])
        position = match.end()
    return words


_DIGITS = 20  # of a number, fewer: what an address can be


@dataclass(slots=True)
class Cursor:
    """The words of one effect and how far they have been read."""

    words: list[str]
    position: int = 0

    def peek(self) -> str:
        """The next word, or an empty string at the end."""
        return self.words[self.position] if self.position < len(self.words) else ""

    def next(self, expected: str) -> str:
        """Read one word; `expected` describes it if there is none."""
        word = self.peek()
        if not word:
            raise ModelError(f"ends where {expected} should follow")
        self.position += 1
        return word

    def accept(self, word: str) -> bool:
        """Read `word` if it is the next one."""
        if self.peek() != word:
            return False
        self.position += 1
        return True

    def require(self, word: str) -> None:
        """Read `word` or fail."""
        found = self.next(f"`{word}`")
        if found != word:
            raise ModelError(f"found `{found}` where `{word}` should be")

    def integer(self) -> int:
        """Read a number; null counts as zero."""
        word = self.next("a number")
        if word in _NULL_WORDS:
            return 0
        try:
            return int(word, 0)
        except ValueError:
            raise ModelError(f"found `{word}` where a number or NULL should be") from None

    def path(self) -> AccessPath:
        """Read `arg1`, `*arg1`, `**ret`, `arg1->next`, `arg1->8`, `arg1->*`, `global.name`."""
        stars = 0
        while self.accept("*"):
            stars += 1
        root = self._root()
        steps: list[Step] = []
        while self.accept("->"):
            steps.append(_step(self.next("a field")))
        return AccessPath(root, (*steps, *(Offset(0) for _ in range(stars))))

    def _root(self) -> Root:
        word = self.next("a path such as `ret` or `arg1`")
        if word == "ret":
            return Ret()
        if word == "global":
            return Global("")
        if word.startswith("global."):
            return Global(word.removeprefix("global."))
        if match := re.fullmatch(r"arg([1-9]\d{0,3})", word):
            return Arg(int(match[1]))
        if match := re.fullmatch(r"args([1-9]\d{0,3})", word):
            self.require("+")
            return Args(int(match[1]))
        raise ModelError(
            f"`{word}` is not a path: use `ret`, `arg1`, `args3+`, `global` or `global.NAME`, "
            "with `*` before it or `->field` after it"
        )

    def size(self) -> Size:
        """Read a product such as `arg1*arg2` or `16`."""
        factors: list[int] = []
        scale = 1
        while True:
            word = self.next("a size")
            if match := re.fullmatch(r"arg([1-9]\d{0,3})", word):
                factors.append(int(match[1]))
            elif word.isdecimal() and len(word) < _DIGITS:
                scale *= int(word)
            else:
                raise ModelError(f"size `{word}`: use arguments and numbers, such as `arg1*arg2`")
            if not self.accept("*"):
                return Size(tuple(factors), scale)

    def comparison(self) -> Comparison:
        """Read `ret != NULL`, `arg2 == 0` and the like."""
        left = self.path()
        word = self.next("a comparison operator")
        try:
            op = Op(word)
        except ValueError:
            raise ModelError(f"`{word}` is not one of == != < <= > >=") from None
        return Comparison(left, op, self.integer())


def _step(word: str) -> Step:
    if word == "*":
        return AnyField()
    if word.isdecimal() and len(word) < _DIGITS:
        return Offset(int(word))
    if word.isidentifier():
        return Member(word)
    raise ModelError(f"`->{word}`: a field is a name, a byte offset, or `*` for any field")


def format_path(path: AccessPath) -> str:
    """The text of a path, in the form that `Cursor.path` reads."""
    match path.root:
        case Ret():
            text = "ret"
        case Arg(index):
            text = f"arg{index}"
        case Args(first):
            text = f"args{first}+"
        case Global(name):
            text = f"global.{name}" if name else "global"
    # Trailing loads at offset 0 are the stars; the others keep their place in the chain.
    stars = 0
    for step in reversed(path.steps):
        if step != Offset(0):
            break
        stars += 1
    for step in path.steps[: len(path.steps) - stars]:
        text += "->" + _format_step(step)
    return "*" * stars + text


def _format_step(step: Step) -> str:
    match step:
        case Offset(offset):
            return str(offset)
        case Member(name):
            return name
        case AnyField():
            return "*"


def format_comparison(comparison: Comparison) -> str:
    """The text of a comparison."""
    return f"{format_path(comparison.left)} {comparison.op} {comparison.right}"


def format_size(size: Size) -> str:
    """The text of a size."""
    factors = [f"arg{index}" for index in size.factors]
    if size.scale != 1 or not factors:
        factors.append(str(size.scale))
    return "*".join(factors)
