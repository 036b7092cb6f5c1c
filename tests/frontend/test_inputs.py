"""Compile databases of all shapes, and what is said about wrong ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from heapflow.frontend.inputs import Search, find_inputs
from heapflow.frontend.units import UnitKind
from heapflow.support.errors import UserError

from .conftest import Write


def database(write: Write, entries: Any, name: str = "compile_commands.json") -> None:
    write(name, json.dumps(entries))


def test_both_forms_and_relative_directories(here: Path, write: Write) -> None:
    database(
        write,
        [
            {"directory": ".", "file": "a.c", "command": "gcc -DX='a b' -c a.c"},
            {
                "directory": str(here / "sub"),
                "file": "../b.c",
                "arguments": ["cc", "-c", "../b.c", "-O2"],
            },
        ],
    )
    first, second = find_inputs(["."]).units
    assert first.flags == ("-DX=a b",)
    assert first.path == here / "a.c"
    assert second.name == "b.c"


def test_one_file_with_different_flags_is_two_units(write: Write) -> None:
    entry = {"directory": ".", "file": "a.c", "command": "gcc -DONE -c a.c"}
    other = {**entry, "command": "gcc -DTWO -c a.c"}
    database(write, [entry, other, entry])
    assert [unit.flags for unit in find_inputs(["."]).units] == [("-DONE",), ("-DTWO",)]


def test_response_files_are_read(write: Write) -> None:
    write("flags.rsp", "-DX=1 -Iinc")
    database(write, [{"directory": ".", "file": "a.c", "command": "gcc @flags.rsp -c a.c"}])
    assert find_inputs(["."]).units[0].flags == ("-DX=1", "-Iinc")


def test_launchers_are_skipped(write: Write) -> None:
    database(write, [{"directory": ".", "file": "a.c", "command": "ccache gcc -DX -c a.c"}])
    assert find_inputs(["."]).units[0].flags == ("-DX",)


def test_other_languages_are_counted(write: Write) -> None:
    database(
        write,
        [
            {"directory": ".", "file": "a.c", "command": "gcc -c a.c"},
            {"directory": ".", "file": "b.cpp", "command": "g++ -c b.cpp"},
            {"directory": ".", "file": "s.S", "command": "gcc -c s.S"},
            {"directory": ".", "file": "odd", "command": "gcc -x c -c odd"},
        ],
    )
    found = find_inputs(["."])
    assert found.languages == (("C++", 1), ("assembly", 1))
    assert [unit.source for unit in found.units] == ["a.c", "odd"]


def test_build_option_selects_files(write: Write) -> None:
    names = ("a.c", "b.c")
    database(
        write,
        [{"directory": "..", "file": name, "command": f"gcc -c {name}"} for name in names],
        "out/compile_commands.json",
    )
    assert len(find_inputs([], build="out").units) == 2
    assert [unit.source for unit in find_inputs(["b.c"], build="out").units] == ["b.c"]
    with pytest.raises(UserError, match=r"no entry for c\.c"):
        find_inputs(["c.c"], build="out")


def test_a_build_selects_a_directory(write: Write) -> None:
    entries = [
        {"directory": "..", "file": name, "command": f"gcc -c {name}"}
        for name in ("a.c", "lib/b.c", "lib/c.cpp", "other/d.cpp")
    ]
    database(write, entries, "out/compile_commands.json")
    found = find_inputs(["lib"], build="out")
    assert [unit.source for unit in found.units] == ["lib/b.c"]
    assert [path.name for path in found.others] == ["c.cpp"]


@pytest.mark.parametrize("place", ["", "build/", "build-debug/", "src/", "src/build/"])
def test_one_file_has_the_flags_of_the_nearest_database(
    here: Path, write: Write, place: str
) -> None:
    write("src/a.c", "")
    entry = {"directory": str(here), "file": "src/a.c", "command": "gcc -DBUILD -c src/a.c"}
    database(write, [entry], f"{place}compile_commands.json")
    found = find_inputs(["src/a.c"], ["-DMINE"])
    (unit,) = found.units
    assert (unit.flags, unit.own_flags) == (("-DBUILD",), ("-DMINE",))
    assert any(f"{place}compile_commands.json" in note for note in found.notes)
    (unit,) = find_inputs(["src/a.c"], search=Search.NONE).units
    assert not unit.flags


def test_a_nearer_database_that_does_not_know_the_file(here: Path, write: Write) -> None:
    write("src/a.c", "")
    entry = {"directory": str(here), "file": "src/a.c", "command": "gcc -DFAR -c src/a.c"}
    database(write, [entry])
    database(write, [{**entry, "file": "src/b.c"}], "src/compile_commands.json")
    assert find_inputs(["src/a.c"]).units[0].flags == ("-DFAR",)
    (here / "compile_commands.json").unlink()
    found = find_inputs(["src/a.c"])
    assert not found.units[0].flags
    assert "no entry for src/a.c" in found.notes[0]


def test_a_damaged_database_nearby_is_named_and_not_used(write: Write) -> None:
    write("a.c", "")
    write("compile_commands.json", "[")
    found = find_inputs(["a.c"])
    assert len(found.units) == 1
    assert "not used" in found.notes[0]


def test_a_directory_selects_from_the_database_above(here: Path, write: Write) -> None:
    names = ("src/a.c", "src/x.cpp", "tools/b.c", "tools/y.cpp")
    entries = [
        {"directory": str(here), "file": name, "command": f"gcc -c {name}"} for name in names
    ]
    for name in names:
        write(name, "")
    database(write, entries, "build/compile_commands.json")
    found = find_inputs(["src"])
    assert [unit.source for unit in found.units] == ["src/a.c"]
    assert found.languages == (("C++", 1),)
    assert len(find_inputs([]).units) == 2


def test_flags_after_the_dashes(write: Write) -> None:
    write("a.c", "")
    assert find_inputs(["a.c"], ["-DX", "-O2", "-o", "x"]).units[0].own_flags == ("-DX", "-O2")


def test_kinds_of_files(write: Write) -> None:
    for name in ("a.c", "b.bc", "c.ll"):
        write(name, "")
    kinds = [unit.kind for unit in find_inputs(["a.c", "b.bc", "c.ll"]).units]
    assert kinds == [UnitKind.C, UnitKind.BITCODE, UnitKind.ASSEMBLY]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not a compile database"),
        ("{", "not a compile database"),
        ("{}", "a list of entries"),
        ("[1]", "a list of entries"),
        ("[]", "has no entries"),
        ('[{"file": "a.c"}]', 'neither "arguments" nor "command"'),
        ('[{"directory": "."}]', 'has no "file"'),
        ('[{"directory": ".", "file": "a.c", "command": "gcc \'x"}]', "cannot split"),
        ('[{"directory": ".", "file": "a.cc", "command": "g++ -c a.cc"}]', "no C files"),
    ],
)
def test_wrong_databases(write: Write, text: str, message: str) -> None:
    write("compile_commands.json", text)
    with pytest.raises(UserError, match=message):
        find_inputs(["."])


@pytest.mark.parametrize(
    ("paths", "message"),
    [
        ([], "heapflow capture"),
        (["x.c"], "no such file"),
        (["x.py"], "not a C file"),
        (["."], "heapflow capture"),
    ],
)
def test_wrong_inputs(here: Path, paths: list[str], message: str) -> None:
    with pytest.raises(UserError, match=message):
        find_inputs(paths)


def test_an_entry_without_a_directory_is_beside_the_database(write: Write) -> None:
    write("compile_commands.json", '[{"file": "a.c", "command": "gcc -DX -c a.c"}]')
    write("a.c", "int x;")
    assert [unit.flags for unit in find_inputs(["."]).units] == [("-DX",)]
    # Links name entries by their words, which may be of any type in a database that nobody checked.
    entry = '{"file": "a.c", "directory": ".", "arguments": 5, "command": "gcc -DX -c a.c"}'
    write("compile_commands.json", f"[{entry}]")
    assert [unit.flags for unit in find_inputs(["."]).units] == [("-DX",)]


def test_damaged_links_are_named(write: Write) -> None:
    database(write, [{"directory": ".", "file": "a.c", "command": "gcc -c a.c"}])
    write("heapflow-links.json", "[]")
    with pytest.raises(UserError, match="heapflow-links"):
        find_inputs(["."])
