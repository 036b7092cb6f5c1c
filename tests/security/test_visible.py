"""No character of a source or a file name acts on who reads a report; every renderer is tried."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path

import pytest

from heapflow.cli.outputs import render
from heapflow.cli.progress import WatchedRun
from heapflow.report.document import Report, UnusedSuppression
from heapflow.report.finding import (
    FailedFile,
    Finding,
    LostBy,
    Place,
    Rule,
    Slice,
    SliceEdge,
    SliceNode,
    Step,
    StepKind,
    Summary,
    SuppressedBy,
    Suppression,
    Undecided,
    Unmodelled,
)
from heapflow.report.render.summary import render_summary
from heapflow.report.source import Sources
from heapflow.settings.schema import FORMATS
from heapflow.support.visible import is_hidden, visible
from tests.security.conftest import LEAK, Heapflow

C0 = [chr(code) for code in range(32)]
C1 = [chr(code) for code in range(0x7F, 0xA0)]
MARKS = list("\u061c\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff")
OTHERS = [
    "\ufffe",
    "\uffff",
    "\ufdd0",
    "\U0001ffff",
    "\u2028",
    "\u2029",
    "\xad",
    "\U000e0041",
    "\udc80",
    "\udcff",
]
ALL = "".join([*C0, *C1, *MARKS, *OTHERS])
EVIL = f"a{ALL}b"


def evil_report(root: Path) -> Report:
    name = EVIL.replace("\0", "").replace("\udc80", "").replace("\udcff", "") + ".c"
    line = "".join(char for char in EVIL if char not in "\n\r\udc80\udcff")
    (root / name.replace("/", "")).write_text(f"{line}\n{line}\n", "utf-8")
    place = Place(name, 1, 5, EVIL)
    steps = tuple(Step(kind, place, EVIL, EVIL) for kind in StepKind)
    finding = Finding(
        rule=Rule.CONDITIONAL_LEAK,
        allocation=place,
        allocator=EVIL,
        lost=Place(EVIL, 2, 2, EVIL),
        lost_by=LostBy.RETURN,
        steps=steps,
        variable=EVIL,
        frees=(place,),
        call_chain=(place,),
        also_at=(place,),
        lost_with=(place,),
        slice=Slice((SliceNode(EVIL, place), SliceNode(EVIL)), (SliceEdge(0, 1, EVIL),)),
    )
    hidden = replace(finding, suppressed=Suppression(SuppressedBy.COMMENT, EVIL, place))
    summary = Summary(
        files=3,
        functions=1,
        allocations=2,
        failed=(FailedFile(EVIL, EVIL),),
        undecided=(Undecided(place, EVIL, EVIL),),
        unmodelled=(Unmodelled(EVIL, 1),),
    )
    unused = (UnusedSuppression(place, EVIL, EVIL),)
    everything = (finding, replace(finding, rule=Rule.NEVER_FREED), hidden)
    return Report(everything, summary, str(root), unused, sources=Sources(root))


def acting(text: str, but: str) -> set[str]:
    return {char for char in text if is_hidden(char) and char not in but}


@pytest.mark.parametrize("name", FORMATS)
def test_every_format(here: Path, name: str) -> None:
    text = render(evil_report(here), name)
    assert acting(text, "\n\t" if name == "html" else "\n") == set()
    text.encode()
    if name in ("json", "sarif", "gitlab"):
        json.loads(text)
    if name == "junit":
        ElementTree.fromstring(text)
    if name == "github":
        assert all(line.startswith("::") for line in text.splitlines())


def test_json_keeps_the_exact_names(here: Path) -> None:
    found = json.loads(render(evil_report(here), "json"))["findings"][0]
    assert found["allocator"] == EVIL


@pytest.mark.parametrize("verbose", [False, True])
def test_the_summary(here: Path, verbose: bool) -> None:
    text = render_summary(evil_report(here), verbose)
    assert acting(text, "\n") == set()
    assert "\\x1b" in text


def test_colour_is_ours_alone(here: Path) -> None:
    text = render(evil_report(here), "terminal", colour=True)
    assert acting(text, "\n\x1b") == set()
    assert "\\x1b" in text
    assert "\x1b[31;1m" in text


def test_carets_stay_below_their_word(here: Path) -> None:
    (here / "a.c").write_text("\x1b[2J p = malloc(8);\n")
    place = Place("a.c", 1, 10, "f")
    finding = Finding(Rule.NEVER_FREED, place, "malloc", place, LostBy.RETURN)
    text = render(Report((finding,), Summary(functions=1), sources=Sources(here)), "terminal")
    _, line, carets, *_ = text.splitlines()
    assert line.index("malloc") == carets.index("^^^^^^")


def test_progress_names_no_function_raw(capsys: pytest.CaptureFixture[str]) -> None:
    """`__asm__("\\033[2J")` gives a function any name."""
    WatchedRun().step(1, 2, EVIL.replace("\r", ""))
    said = capsys.readouterr().err
    assert acting(said.replace("\r\x1b[K", "", 1), "") == set()


def test_what_is_seen_stays() -> None:
    assert visible("naïve `x` … 漢字 🙂") == "naïve `x` … 漢字 🙂"
    assert visible("a\x1b\u202e\udc80\n", keep="\n") == "a\\x1b\\u202e\\x80\n"


def test_from_end_to_end(here: Path, heapflow: Heapflow) -> None:
    name = "b\x1b[31m\u202e.c"
    text = LEAK.replace("malloc(8);", "malloc(8); /* \x1b]0;evil\x07 \u202e */")
    (here / name).write_text(text)
    (here / "bad\x1b.c").write_text("int x\n")
    done = heapflow("check", name, "bad\x1b.c", "--format", "terminal", "--format", "junit:j.xml")
    assert done.returncode == 3
    assert "b\\x1b[31m\\u202e.c:2:25: error" in done.stdout
    assert acting(done.stdout + done.stderr, "\n") == set()
    ElementTree.parse(here / "j.xml")
    dumped = heapflow("dump", "program", name)
    assert acting(dumped.stdout, "\n\t") == set()


@pytest.mark.parametrize("name", ["::error::x.c", "::set-output name=x::y.c", "##[error]x.c"])
def test_names_are_no_commands_of_a_job(here: Path, heapflow: Heapflow, name: str) -> None:
    """Runners of jobs read what a command prints, on either stream."""
    (here / name).write_text(LEAK)
    (here / f"{name}.bad.c").write_text("int x\n")
    done = heapflow("check", "-v", f"./{name}", f"./{name}.bad.c", "--color", "always")
    lines = [line.replace("\x1b[1m", "") for line in (done.stdout + done.stderr).splitlines()]
    assert [line for line in lines if name in line]
    assert not [line for line in lines if line.lstrip().startswith(("::", "##["))]
