"""Allocator pairs from the settings, as a model file that the models' loader reads."""

from __future__ import annotations

from collections.abc import Iterable

from heapflow.settings.schema import AllocatorPair


def allocator_models(pairs: Iterable[AllocatorPair]) -> str:
    """A model file (docs/models.md) that makes each pair a family of its own.

    Functions released by the same function share its family. Prototypes are unknown here, so both
    take anything: what counts is the result of the one and the first argument of the other.
    """
    families: dict[str, list[str]] = {}
    for pair in pairs:
        families.setdefault(pair.releases, []).append(pair.function)
    lines = ["format = 1", 'source = "settings"']
    for release, functions in sorted(families.items()):
        names = ", ".join(f'"void *{name}(...)"' for name in dict.fromkeys(functions))
        lines += [f"[families.{release}]", 'kind = "memory"', f'release = ["{release}"]']
        lines += ["[[model]]", f"functions = [{names}]", f'family = "{release}"']
        lines += ['effects = ["alloc ret"]']
        lines += ["[[model]]", f'functions = ["void {release}(void *block, ...)"]']
        lines += [f'family = "{release}"', 'effects = ["free arg1"]']
    return "\n".join(lines) + "\n"
