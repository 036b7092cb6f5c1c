"""Findings for people at a terminal: the fault, and the steps that lead to it in their lines.

Colour follows NO_COLOR (off), CLICOLOR_FORCE (on), else whether the output is a terminal.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from heapflow.report.document import Report, UnusedSuppression
from heapflow.report.finding import BaselineState, Finding, Level, Place, Step, StepKind
from heapflow.report.source import Sources
from heapflow.report.wording import deciding_branch, example_sentence, headline, sentence
from heapflow.support.visible import no_command, visible

_TAB = 4
_SHOWN_STEPS = 24  # of a longer path the middle is left out; html and json have all of it
_SHOWN_PLACES = 4
_WIDEST = 160  # characters of a source line
_COLOURS = {Level.ERROR: "31;1", Level.WARNING: "33;1", Level.NOTE: "36;1"}


def use_colour(is_terminal: bool, environ: Mapping[str, str]) -> bool:
    """Whether to colour, by the conventions of no-color.org and CLICOLOR."""
    if environ.get("NO_COLOR"):
        return False
    if environ.get("CLICOLOR_FORCE", "0") != "0":
        return True
    return is_terminal and environ.get("TERM") != "dumb" and environ.get("CLICOLOR", "1") != "0"


@dataclass(frozen=True, slots=True)
class _Paint:
    colour: bool

    def __call__(self, text: str, code: str) -> str:
        """The text, shown as it is (`visible`), in a colour."""
        shown = visible(text)
        return f"\x1b[{code}m{shown}\x1b[0m" if self.colour and shown else shown


def render_terminal(report: Report, colour: bool = False) -> str:
    """All findings that count, then suppressions that nothing needed."""
    paint = _Paint(colour)
    blocks = [_finding(finding, report.sources, paint) for finding in report.active]
    text = "\n".join(blocks)
    if report.unused:
        text += "\n" if blocks else ""
        text += "".join(_unused(one, paint) for one in report.unused)
    return no_command(text)


def _finding(finding: Finding, sources: Sources, paint: _Paint) -> str:
    level = paint(f"{finding.level.label}:", _COLOURS[finding.level])
    rule = paint(f"[{finding.rule.value}]", "2")
    new = " (new)" if finding.baseline is BaselineState.NEW else ""
    place = paint(f"{finding.primary}:", "1")
    new += " (in tests)" if finding.in_tests else ""
    lines = [f"{place} {level} {visible(headline(finding))} {rule}{new}"]
    steps = _shown_steps(finding)
    width = max((len(str(step.place.line)) for step in steps), default=0)
    width = max(width, 5)
    lines += _snippets(finding, steps, sources, paint, width)
    lines += [_note(note, paint, width) for note in _notes(finding)]
    return "\n".join(lines) + "\n"


def _shown_steps(finding: Finding) -> list[Step]:
    """The steps without those that the headline, another step or a note says already."""
    deciding = deciding_branch(finding)
    shown: list[Step] = []
    for step in finding.steps:
        if step.kind is StepKind.FREED_ON_OTHER_PATH:
            continue
        if step is deciding and step.place.is_on_line_of(finding.lost):
            continue
        if shown and shown[-1] == step:  # the same decision in the next turn of a loop
            continue
        shown.append(step)
    if not finding.rule.is_misuse and not any(step.kind is StepKind.ALLOCATED for step in shown):
        shown.insert(0, Step(StepKind.ALLOCATED, finding.allocation))
    if not any(step.kind is StepKind.LOST for step in shown):
        shown.append(Step(StepKind.LOST, finding.lost))
    return shown


def _snippets(
    finding: Finding, steps: list[Step], sources: Sources, paint: _Paint, width: int
) -> list[str]:
    lines: list[str] = []
    last = Place(finding.primary.file, 0)
    half = _SHOWN_STEPS // 2
    for number, step in enumerate(steps):
        if half <= number < len(steps) - half and len(steps) > _SHOWN_STEPS:
            if number == half:
                left_out = len(steps) - _SHOWN_STEPS
                lines.append(f"{'…':>{width}} {left_out} more steps")
            continue
        if step.place.file != last.file:
            lines.append(paint(f"{'-->':>{width + 1}} {step.place.file}", "34"))
        lines += _snippet(step, finding, sources, paint, width, step.place.is_on_line_of(last))
        last = step.place
    return lines


def _snippet(
    step: Step, finding: Finding, sources: Sources, paint: _Paint, width: int, repeated: bool
) -> list[str]:
    place = step.place
    raw = sources.line(place.file, place.line)
    bar = paint("|", "34")
    says = sentence(step, finding)
    named = str(place.line) if place.line else f"{place.function}+{max(place.instruction, 0)}"
    number = paint(f"{named:>{width}}", "34")
    if not raw.strip():
        return [f"{number} {bar} {paint(says, _step_colour(step))}"]
    text = visible(raw.expandtabs(_TAB))
    column = place.column or len(raw) - len(raw.lstrip()) + 1
    before = visible(raw.encode()[: column - 1].decode(errors="ignore").expandtabs(_TAB))
    carets = "^" * _width(step, text, before, sources)
    shown, indent = _window(text, len(before))
    mark = f"{' ' * width} {bar} {' ' * indent}" + paint(f"{carets} {says}", _step_colour(step))
    return [mark] if repeated and shown == text else [f"{number} {bar} {shown}", mark]


def _window(text: str, at: int) -> tuple[str, int]:
    """The part of a very long line that surrounds a place, and where the place is in it."""
    if len(text) <= _WIDEST:
        return text, at
    start = max(0, min(at - _WIDEST // 2, len(text) - _WIDEST))
    cut = text[start : start + _WIDEST]
    before, after = "…" if start else "", "…" if start + _WIDEST < len(text) else ""
    return before + cut + after, at - start + len(before)


def _width(step: Step, line: str, before: str, sources: Sources) -> int:
    """A condition is underlined as a whole, anything else up to the end of the word."""
    condition = visible(step.text)
    if step.kind is StepKind.BRANCH and line[len(before) :].startswith(condition):
        return max(len(condition), 1)
    return sources.word_width(step.place.file, step.place.line, step.place.column)


def _step_colour(step: Step) -> str:
    return {StepKind.ALLOCATED: "32;1", StepKind.LOST: "31;1"}.get(step.kind, "36")


def _notes(finding: Finding) -> list[str]:
    example = example_sentence(finding)
    notes = [example] if example else []
    if finding.blocks > 1:
        notes.append(f"{finding.blocks} blocks are lost for this reason")
    if finding.elsewhere:
        notes.append(f"other paths lose it at {_places(finding.elsewhere)}")
    if finding.frees:
        notes.append(f"other paths free it at {_places(finding.frees)}")
    if finding.also_at:
        notes.append(f"lost in the same way: what is allocated at {_places(finding.also_at)}")
    if finding.lost_with:
        notes.append(f"lost with it: what is allocated at {_places(finding.lost_with)}")
    return notes + list(finding.remarks)


def _places(places: tuple[Place, ...]) -> str:
    shown = ", ".join(str(replace(place, column=0)) for place in places[:_SHOWN_PLACES])
    more = len(places) - _SHOWN_PLACES
    return f"{shown} and {more} more" if more > 0 else shown


def _note(text: str, paint: _Paint, width: int) -> str:
    return f"{' ' * width} {paint('=', '34')} {paint('note:', '1')} {visible(text)}"


def _unused(one: UnusedSuppression, paint: _Paint) -> str:
    note = paint("note:", _COLOURS[Level.NOTE])
    why = f": {one.hint}" if one.hint else ""
    place = paint(f"{one.place}:", "1")
    return f"{place} {note} {visible(f'nothing needs the suppression `{one.text}`{why}')}\n"
