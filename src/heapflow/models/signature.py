"""C prototypes in model files: arity, and which parameters are pointers.

In: `char *strchr(const char *s, int c)`, or a bare name.     Out: name and Signature (and back).
Only what models need is understood: a type is a pointer if it has a `*`, brackets or a parameter
list, or if its name is listed in the file's `pointer_types`. A function that returns a function
pointer needs a typedef for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from heapflow.models.model import ModelError, Parameter, Signature

_COMMENT = re.compile(r"//[^\n]*")
_BARE_NAME = re.compile(r"[A-Za-z_]\w*")
_PROTOTYPE = re.compile(r"(?P<result>[\w\s*]*?[\s*])(?P<name>[A-Za-z_]\w*)\s*\((?P<params>.*)\)")
_SPACES = re.compile(r"\s+")
_AROUND_STAR = re.compile(r"\s*\*\s*")
_FIRST_STAR = re.compile(r"(?<=\w)\*")
_FUNCTION_TYPE = re.compile(r"\(\s*\*")
_WORD = re.compile(r"[A-Za-z_]\w*")
_RESTRICT = re.compile(r"\b(?:restrict|__restrict|__restrict__)\b ?")
QUALIFIERS = ("const", "volatile")
_NAME_CHARACTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
_NO_TYPES: Mapping[str, bool] = MappingProxyType({})


def split_declarations(text: str) -> Iterator[str]:
    """The declarations of a `functions` string: separated by `;`, with `//` comments."""
    if "//" in text:
        text = _COMMENT.sub("", text)
    for declaration in text.split(";"):
        if declaration := declaration.strip():
            yield declaration


def declared_name(declaration: str) -> str:
    """The function that a declaration declares; cheap, since it runs for every one on loading."""
    head = declaration.partition("(")[0].rstrip()
    name = head[len(head.rstrip(_NAME_CHARACTERS)) :]
    if not name or name[0].isdigit():
        raise ModelError(
            f"`{declaration}` is not a function: write a C prototype such as "
            "`char *name(const char *)`, or a bare name"
        )
    return name


def parse_signature(
    declaration: str, pointer_types: Mapping[str, bool] = _NO_TYPES
) -> Signature | None:
    """Read a prototype; None for a bare name.

    `pointer_types`: typedefs that are pointers, and whether what they point to is const.
    """
    text = _RESTRICT.sub("", _SPACES.sub(" ", declaration)).strip()
    if _BARE_NAME.fullmatch(text):
        return None
    match = _PROTOTYPE.fullmatch(text)
    if match is None:
        raise ModelError(f"`{text}` is not a C prototype such as `char *name(const char *)`")
    parts = list(_split_parameters(match["params"]))
    variadic = bool(parts) and parts[-1] == "..."
    if variadic:
        parts.pop()
    if parts in (["void"], [""]):
        parts = []
    if "..." in parts or "" in parts:
        raise ModelError(f"`{text}` has an empty parameter, or `...` before the last one")
    params = tuple(_parameter(part, pointer_types) for part in parts)
    return Signature(_parameter(match["result"].strip(), pointer_types), params, variadic)


def format_signature(name: str, signature: Signature | None) -> str:
    """The prototype as C text."""
    if signature is None:
        return name
    params = [param.text for param in signature.params]
    if signature.variadic:
        params.append("...")
    gap = "" if signature.result.text.endswith("*") else " "
    return f"{signature.result.text}{gap}{name}({', '.join(params) or 'void'})"


def _split_parameters(text: str) -> Iterator[str]:
    depth, start = 0, 0
    for position, character in enumerate(text):
        if character == "(":
            depth += 1
        elif character == ")":
            depth -= 1
        elif character == "," and depth == 0:
            yield text[start:position].strip()
            start = position + 1
    yield text[start:].strip()


def _parameter(text: str, pointer_types: Mapping[str, bool]) -> Parameter:
    if _FUNCTION_TYPE.search(text):
        return Parameter(text, pointer=True, const_pointee=True)
    text = _FIRST_STAR.sub(" *", _AROUND_STAR.sub("*", text))
    pointee = _pointee(text)
    if pointee is not None:
        return Parameter(text, pointer=True, const_pointee=_is_const(pointee))
    words = set(_WORD.findall(text))
    if words.isdisjoint(pointer_types):
        return Parameter(text, pointer=False)
    return Parameter(text, pointer=True, const_pointee=any(pointer_types.get(w) for w in words))


def _pointee(text: str) -> str | None:
    """The type pointed to, or None if `text` is not a pointer or an array."""
    before, bracket, _ = text.rpartition("[")
    if bracket:
        return before
    before, star, _ = text.rpartition("*")
    return before if star else None


def _is_const(pointee: str) -> bool:
    """Whether an object of that type cannot be written: `const char`, `char *const`."""
    return "const" in _WORD.findall(pointee.rpartition("*")[2])
