"""Response files: `@file` on a compiler's command line stands for the words in the file.

In:    arguments, the directory that relative names mean.      Out: the arguments without `@file`.
Guarantees: ends, whatever the files say: a file that includes itself, one that is missing, is no
regular file
       or is too large raises `ResponseError`, which names it.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path

from heapflow.support.files import Refusal, read_regular

_LARGEST = (
    64 * 1024**2
)  # bytes of one file; the longest command lines of real builds have some 10 MB
_MOST_WORDS = 2_000_000  # of one command line
_MOST_FILES = 10_000  # opened for one command line; files that hold nothing but files add no words


class ResponseError(Exception):
    """A response file cannot be used; the message names it and says why."""


def expand_response_files(arguments: Iterable[str], directory: Path) -> tuple[str, ...]:
    """Replace each `@file` by the arguments in it, as GCC and clang do."""
    found: list[str] = []
    opened = 0
    stack = [(iter(list(arguments)), "")]  # words still to come, and the file that they are from
    while stack:
        words, _ = stack[-1]
        word = next(words, None)
        if word is None:
            stack.pop()
        elif not word.startswith("@") or word == "@":
            found.append(word)
        elif any(name == word for _, name in stack):
            raise ResponseError(f"the response file {word} includes itself")
        else:
            stack.append((iter(_words(word, directory)), word))
            opened += 1
        if len(found) > _MOST_WORDS or opened > _MOST_FILES:
            raise ResponseError(f"too many words in response files, the last one in {stack[-1][1]}")
    return tuple(found)


def _words(argument: str, directory: Path) -> list[str]:
    try:
        data = read_regular(directory / argument[1:], _LARGEST)
        return shlex.split(data.decode("utf-8", "surrogateescape"))
    except Refusal as error:
        raise ResponseError(f"the response file {argument} cannot be read: {error}") from error
    except ValueError as error:
        raise ResponseError(f"the response file {argument} cannot be split: {error}") from error
