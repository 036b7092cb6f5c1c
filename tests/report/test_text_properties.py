"""Whatever the source looks like, reading text from it neither fails nor loses its place."""

from __future__ import annotations

from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from heapflow.report.ctext import mask
from heapflow.report.source import SourceFile, Sources
from heapflow.report.suppressions import find_comments

_PIECES = st.sampled_from(
    "if ( while ( for ( switch ( ) ( { } ; ; && || ? : ! == -> p n 3 \" ' \\ /* */ // # \n \n\t é "
    "heapflow: ignore ignore-function [never-freed] malloc( return CHECK(".split(" ")
)
_TEXT = st.lists(_PIECES, max_size=40).map(" ".join)
_SETTINGS = settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@_SETTINGS
@given(_TEXT)
def test_masking_keeps_every_place(text: str) -> None:
    code = mask(text)
    assert len(code) == len(text)
    assert [i for i, char in enumerate(code) if char == "\n"] == [
        i for i, char in enumerate(text) if char == "\n"
    ]


@_SETTINGS
@given(_TEXT, st.integers(0, 6), st.integers(0, 40), st.integers(0, 40))
def test_nothing_fails(tmp_path: Path, text: str, line: int, column: int, value: int) -> None:
    (tmp_path / "a.c").write_text(text)
    sources = Sources(tmp_path)
    condition = sources.condition_at("a.c", line, column, (line, value))
    assert "\n" not in condition.text
    sources.expression_at("a.c", line, column)
    sources.word_width("a.c", line, column)
    for comment in find_comments("a.c", sources):
        assert comment.first <= comment.last
        assert comment.place.line <= len(text.split("\n"))


@_SETTINGS
@given(_TEXT, st.integers(0, 200))
def test_positions_and_offsets_are_inverse(text: str, offset: int) -> None:
    file = SourceFile(text)
    offset = min(offset, len(text))
    assert file.offset(*file.position(offset)) == offset
