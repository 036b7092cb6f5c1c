"""Write models as a file that `load_models` reads: exported summaries, and round-trip tests.

In: FunctionModels and the families they use.     Out: TOML text, sorted by name and stable.
Functions with the same effects and remarks share one `[[model]]`.
Guarantee: loading the text gives models equal to the ones written, except for their `origin`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from heapflow.models.container import Layout, format_layout, format_operation
from heapflow.models.effect_text import format_effect
from heapflow.models.model import Family, FunctionModel
from heapflow.models.signature import QUALIFIERS, format_signature
from heapflow.models.tables import FORMAT
from heapflow.models.world import format_worlds

_DECLARATOR = re.compile(r"[*\[(]")
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def dump_models(
    models: Iterable[FunctionModel],
    families: Iterable[Family] = (),
    *,
    library: str = "",
) -> str:
    """The text of a model file.

    `families` are written out too; leave out those that every run has anyway.
    """
    models = sorted(models, key=lambda model: model.name)
    lines = [f"format = {FORMAT}"]
    if library:
        lines.append(f"library = {_quote(library)}")
    if names := sorted(set(_pointer_types(models))):
        lines.append(f"pointer_types = [{', '.join(map(_quote, names))}]")
    if names := [model.name for model in models if model.waits]:
        lines.append(f"waits = [{', '.join(map(_quote, names))}]")
    for family in sorted(families, key=lambda f: f.name):
        lines += ["", *_family_lines(family)]
    lines += format_worlds(models)
    for layout in _layouts(models):
        lines += ["", *format_layout(layout)]
    for group in _groups(models):
        lines += ["", *_model_lines(group)]
    return "\n".join(lines) + "\n"


def _pointer_types(models: Iterable[FunctionModel]) -> Iterator[str]:
    """Typedefs by which prototypes name pointers, as the loader wants them listed."""
    for model in models:
        if model.signature is None:
            continue
        for param in (model.signature.result, *model.signature.params):
            if param.pointer and not _DECLARATOR.search(param.text):
                const = "const " if param.const_pointee else ""
                name = next(word for word in param.text.split() if word not in QUALIFIERS)
                yield const + name


def _layouts(models: Iterable[FunctionModel]) -> list[Layout]:
    used = {model.operation.layout for model in models if model.operation is not None}
    return sorted(used, key=lambda layout: layout.name)


def _groups(models: Iterable[FunctionModel]) -> list[list[FunctionModel]]:
    groups: dict[tuple[object, ...], list[FunctionModel]] = {}
    for model in models:
        effects = tuple(map(format_effect, model.effects))
        remarks = (model.source, model.note, model.over_definitions, model.memory_only)
        groups.setdefault((effects, model.operation, *remarks), []).append(model)
    return list(groups.values())


def _family_lines(family: Family) -> Iterator[str]:
    yield f"[families.{family.name}]"
    yield f"kind = {_quote(family.kind)}"
    if family.releasers:
        yield f"release = [{', '.join(map(_quote, family.releasers))}]"
    if family.refcounted:
        yield "refcounted = true"
    if family.arena:
        yield "arena = true"


def _model_lines(group: list[FunctionModel]) -> Iterator[str]:
    first = group[0]
    yield "[[model]]"
    yield "functions = '''"
    for model in group:
        yield format_signature(model.name, model.signature) + ";"
    yield "'''"
    yield f"effects = [{', '.join(_quote(format_effect(effect)) for effect in first.effects)}]"
    if first.operation is not None:
        yield f"does = {_quote(format_operation(first.operation))}"
    if first.source:
        yield f"source = {_quote(first.source)}"
    if first.note:
        yield f"note = {_quote(first.note)}"
    if first.over_definitions:
        yield "over_definitions = true"
    if first.memory_only:
        yield "memory_only = true"


def _quote(text: str) -> str:
    return '"' + "".join(_ESCAPES.get(character, character) for character in text) + '"'
