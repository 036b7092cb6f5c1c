"""Which headers a text asks for by `__has_include`, and may do without.

In:    the bytes of a source or header.    Out: the names that it asks for, or None: they cannot be
       read off the text.
Guarantees: a name that stands in the question is found wherever the question stands, in code that is
       not compiled as well; a question whose name a macro makes gives None.
Not modelled: a `__has_include` that is itself put together from smaller words.

Clang lists what it found by such questions among the files that it read, not what it looked for in
vain.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_SPLICE = re.compile(rb"\\[ \t]*\r?\n")
_QUESTION = rb"__has_(?:include(?:_next)?|embed)\b"
# `__has_include("x.h")`, `__has_include(<x.h>)`, `__has_embed("x" limit(1))`
_NAMED = re.compile(_QUESTION + rb'[ \t]*\([ \t]*(?:<([^>\n]+)>|"([^"\n]+)")')
# `#ifdef __has_include`, `defined(__has_include)`: whether there are such questions; what stands in for
# them where there are none
_WHETHER = re.compile(
    rb"(?:^[ \t]*#[ \t]*(?:define|ifn?def|elifn?def|undef)[ \t]+|\bdefined[ \t]*\(?[ \t]*)"
    + _QUESTION,
    re.MULTILINE,
)
# What is no code; the names of headers are kept from being taken for the start of a comment.
_NO_CODE = re.compile(
    _NAMED.pattern + rb'|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|//[^\n]*|/\*.*?(?:\*/|\Z)',
    re.DOTALL,
)
# A question of another form, or the beginning of one: `#define HAS(x) __has_##x`.
_OTHER = re.compile(_QUESTION + rb"|__has_?(?!\w)")


def headers_asked_for(data: bytes) -> frozenset[str] | None:
    """Names as they are spelt, without their quotes."""
    if b"__has" not in data:
        return frozenset()
    text = _SPLICE.sub(b"", data)
    names = frozenset(
        (angled or quoted).decode(errors="surrogateescape")
        for angled, quoted in _NAMED.findall(text)
    )
    rest = _WHETHER.sub(b" ", _NO_CODE.sub(b" ", text))
    return None if _OTHER.search(rest) else names


def asks(flags: Iterable[str]) -> bool:
    """Whether words of a command line ask (`-DHAS=__has_include`)."""
    return any("__has_" in flag for flag in flags)
