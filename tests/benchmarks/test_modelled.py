"""The programs that check models: which ones there are."""

from __future__ import annotations

from benchmarks.modelled import cases
from heapflow.models import load_models


def test_allocators_are_paired_with_their_releasers() -> None:
    found = {case.name: case for case in cases(load_models())}
    assert found["strdup"].call == 'strdup((void *)"ab")'
    assert found["strdup"].release == "free"
    assert found["g_strdup"].release == "g_free"
    assert "fopen" not in found  # not memory
    assert "g_strsplit" not in found  # two blocks
