"""What the name of an unknown says of where it is from."""

from __future__ import annotations


def is_further_or_global(name: str) -> bool:
    return name.lstrip("*").startswith(("further", "@"))


def is_in_block(name: str) -> bool:
    """A pointer in a new block that nobody has set: whoever made the block knows where it leads."""
    return name.lstrip("*").startswith("block")


def is_behind_global(name: str) -> bool:
    """A byte at an index that is not known is one of a text: no shape rests on it."""
    is_text = name.endswith("]:8")
    return name[:1] == "*" and name.lstrip("*")[:1] == "@" and not is_text


def is_given(name: str) -> bool:
    """Whether an unknown comes from the caller: an argument, a global, or what lies behind one."""
    plain = name.lstrip("*")
    return plain.startswith(("argument", "@"))
