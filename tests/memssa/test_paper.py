"""The papers' examples give the papers' regions, μ, χ and versions."""

from __future__ import annotations

import pytest

from heapflow.memssa.check import check_memory_ssa
from heapflow.memssa.dump import dump_memory_ssa
from tests.svfg.programs import C_FILES, GOLDEN, load, memory_ssa


def section(text: str, function: str) -> list[str]:
    """The lines of one function in a dump."""
    lines = text.split(f"function {function}\n")[1].split("\n\n")[0]
    return [line.strip() for line in lines.splitlines()]


def dump(name: str) -> str:
    ssa = memory_ssa(load([C_FILES / "svfg" / f"{name}.c"]))
    check_memory_ssa(ssa)
    return dump_memory_ssa(ssa)


def test_motivating_example() -> None:
    """TSE'14 Fig. 2b: one region {o} in every function."""
    text = dump("motivating")
    assert "line 9 store: R1_1 = χ(R1_0)" in section(text, "readBuf")
    assert "line 11 return: μ(R1_1)" in section(text, "readBuf")
    assert section(text, "freeBuf")[1:] == ["R1_0 = entry", "line 15 load: μ(R1_0)"]
    serial = section(text, "SerialReadBuf")
    assert "line 22 call readBuf: R1_2 = χ(R1_1)" in serial
    assert "line 23 load: μ(R1_2)" in serial
    assert "line 26 call freeBuf: μ(R1_2)" in serial


def test_figure_5() -> None:
    """Fig. 5c: four regions; 5e: the load and the store; 5f: the call of bar."""
    foo = section(dump("figure5"), "foo")
    assert foo[:4] == [
        "R1 local {foo.v}",
        "R2 local {foo.w}",
        "R3 nonlocal {main.x, main.y}",
        "R4 nonlocal {main.x, main.z}",
    ]
    assert "line 16 load: μ(R1_0), μ(R3_0), μ(R4_0)" in foo  # [S-LD]
    chi = "R2_0 = χ(undefined), R3_1 = χ(R3_0), R4_1 = χ(R4_0)"
    assert f"line 17 store: {chi}" in foo  # [S-ST]
    assert "line 18 call bar: μ(R1_0), R3_2 = χ(R3_1)" in foo  # [S-CSMU], [S-CSCHI]
    assert "line 19 return: μ(R3_2), μ(R4_1)" in foo  # [S-RET]


@pytest.mark.parametrize("name", ["motivating", "figure5", "overwrites"])
def test_golden(name: str, request: pytest.FixtureRequest) -> None:
    golden = GOLDEN / "memssa" / f"{name}.txt"
    text = dump(name)
    if request.config.getoption("--update-golden"):
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(text)
    assert text == golden.read_text()
