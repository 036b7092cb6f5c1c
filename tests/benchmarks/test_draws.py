"""The table over many programs: one that fails does not cost the others."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import draws
from benchmarks.measured import Measured


def measured(program: str, instructions: int) -> str:
    seconds = {"leaks": 1.0, "replay": 2.0}
    costs = {"compiler": 2.0, "front end": 1.0, "peak": 100.0, "instructions": instructions}
    return json.dumps({"program": program, "seconds": seconds, **costs})


def test_failures_are_rows_and_what_was_kept_is_not_measured_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    calls: list[str] = []

    def run(call: list[str], limit: float) -> Measured:
        name = Path(call[4]).name
        calls.append(name)
        text = {"large": measured("large", 50_000), "small": measured("small", 1000)}.get(name, "")
        return Measured(0 if text else 137, text, "", 5.0, 9.0, 80.0, timed_out=name == "endless")

    monkeypatch.setattr(draws, "run_measured", run)
    keep = tmp_path / "kept"
    builds = ["/b/large", "/b/broken", "/b/endless", "/b/small"]
    for _ in range(2):
        monkeypatch.setattr("sys.argv", ["draws", "--keep", str(keep), *builds])
        draws.main()
    assert calls == ["large", "broken", "endless", "small"]
    assert len(keep.read_text().splitlines()) == 4
    table = capsys.readouterr().out.splitlines()[-12:]
    assert [line.split()[1] for line in table[2:6]] == ["small", "large", "broken", "endless"]
    assert "failed: 5 s, 80 MB" in table[4]
    assert "did not end" in table[5]
    assert "| 2.0 | 1.0 | 50% |" in table[2]
    assert any("1 of 2 programs within 6 KB" in line for line in table)
