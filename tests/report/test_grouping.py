"""Findings that share a cause are one."""

from __future__ import annotations

from pathlib import Path

from heapflow.api import check

GROWN = """#include <stdlib.h>
struct buffer { char *data; size_t length; };
static int add(struct buffer *b, char c) {
  b->data = realloc(b->data, b->length + 1);
  if (!b->data) return -1;
  b->data[b->length++] = c;
  return 0;
}
int grown(void) {
  struct buffer one = {0, 0};
  add(&one, 'a');
  add(&one, 'b');
  add(&one, 'c');
  free(one.data);
  return 0;
}
int twice(int n) {
  char *p = malloc(1);
  char *q = malloc(2);
  if (n > 1) p = malloc(3);
  if (n > 2) q = malloc(4);
  free(p);
  free(q);
  return 0;
}
"""


def test_what_a_callee_overwrites_is_its_one_fault(tmp_path: Path) -> None:
    source = tmp_path / "grown.c"
    source.write_text(GROWN)
    found = check(source, root=tmp_path).findings
    in_callee = [finding for finding in found if finding.allocator == "add"]
    assert [finding.allocation.line for finding in in_callee] == [11]
    assert [place.line for place in in_callee[0].also_at] == [12]
    own = [finding.allocation.line for finding in found if finding.allocator == "malloc"]
    assert own == [18, 19]  # faults of their own
