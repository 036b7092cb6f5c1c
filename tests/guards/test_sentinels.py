"""Numbers as pointers: what serves as one, and what a pointer is only compared with by mistake."""

from __future__ import annotations

from pathlib import Path

from heapflow.pipeline import analyse_files

LINE = """#include <stdlib.h>
#include <string.h>
%s
int first(const char *s, char **kept) {
  char *line = strdup(s);
  if (!line) return -1;
  %s
  if (line == (char *)10) return 0;
  int c = line[0];
  free(line);
  return c;
}
"""


def lines(tmp_path: Path, outside: str = "", inside: str = "") -> list[int]:
    source = tmp_path / "line.c"
    source.write_text(LINE % (outside, inside))
    return [finding.allocation.line for finding in analyse_files([source])]


def test_a_number_that_pointers_are_only_compared_with_may_be_meant_otherwise(
    tmp_path: Path,
) -> None:
    assert lines(tmp_path) == [], "execution knows that no block lies there"


def test_a_new_block_is_no_sentinel(tmp_path: Path) -> None:
    assert lines(tmp_path, inside="*kept = (char *)10;") == []
    assert lines(tmp_path, outside="char *end(void) { return (char *)10; }") == []
    assert lines(tmp_path, outside="char *const marks[] = {(char *)10, 0};") == []


def test_another_number_makes_no_sentinel(tmp_path: Path) -> None:
    assert lines(tmp_path, inside="*kept = (char *)13;") == []
