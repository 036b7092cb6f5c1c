"""The index at which an element of an array is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from heapflow.pipeline import analyse_files
from heapflow.report.wording import headline

FILL = "char *a[6]; for (int i = 0; i < 6; i++) a[i] = malloc(4);"
CASES = {
    "for (int i = 0; i < 5; i++) free(a[i]);": [5],
    "for (int i = 1; i < 6; i++) free(a[i]);": [0],
    "for (int i = 0; i < 2; i++) free(a[i]); for (int i = 3; i < 6; i++) free(a[i]);": [2],
    "for (int i = 0; i <= 5; i++) free(a[i]);": [],
    # Lost at any index: that is not what decides.
    "if (n) return; for (int i = 0; i < 6; i++) free(a[i]);": [None],
}


@pytest.mark.parametrize("release", CASES)
def test_index(release: str, tmp_path: Path) -> None:
    file = tmp_path / "array.c"
    file.write_text(f"#include <stdlib.h>\nvoid f(int n) {{ {FILL} {release} (void)n; }}\n")
    found = analyse_files([file])
    assert [finding.element for finding in found] == CASES[release]
    for finding in found:
        told = f"not freed at index {finding.element} of its array"
        assert (told in headline(finding)) == (finding.element is not None)
