"""Imports point one way: each room may use those before it, and no other."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path

import heapflow

ROOT = Path(heapflow.__file__).parent
# In pipeline order; `ir` and `support` stand beside each other and use nothing of ours.
ROOMS = (
    "ir support models frontend modelled pointsto memssa svfg logic policies ownership guards "
    "flow leaks properties invariants replay rules report settings config kept checks inside stages "
    "pipeline api cli"
).split()
FOUNDATIONS = {"ir", "support"}
ANYWHERE = {"version"}


def room_of(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imported_rooms(path: Path) -> set[str]:
    """Rooms that a module imports anything from, also inside functions."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide where they point"
            names = [node.module or ""]
            if node.module == "heapflow":
                names = [f"heapflow.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        found |= {name.split(".")[1] for name in names if name.startswith("heapflow.")}
    return found - ANYWHERE - {"__version__"}


def forbidden(room: str, used: str) -> bool:
    if room in ("__init__", "__main__"):
        return False
    if room in FOUNDATIONS or used not in ROOMS:
        return used != room
    return ROOMS.index(used) > ROOMS.index(room)


def test_imports_point_one_way() -> None:
    wrong = [
        f"{path.relative_to(ROOT)} imports {used}"
        for path in sorted(ROOT.rglob("*.py"))
        if room_of(path) not in ANYWHERE
        for used in sorted(imported_rooms(path))
        if forbidden(room_of(path), used)
    ]
    assert not wrong, "\n".join(wrong)


# Modules of a room that others may import: its door, its bounds, and what looks inside.
DOORS = {
    "guards": {"guards", "config", "check", "dump", "text"},
    "flow": {"flow", "config"},
    "leaks": {"leaks", "check", "dump"},
    "ownership": {"ownership", "belief", "config"},
}


def past_the_door(room: str, source: str) -> list[str]:
    """Modules that a source of a room imports from other rooms without going through their doors."""
    found: list[str] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module]
            if node.module.count(".") == 1:  # from heapflow.leaks import detect
                names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        for parts in (name.split(".") for name in names if name.startswith("heapflow.")):
            is_beyond = parts[1] in DOORS and parts[1] != room and len(parts) > 2
            if is_beyond and parts[2] not in DOORS[parts[1]]:
                found.append(".".join(parts))
    return found


def test_rooms_are_entered_by_their_doors() -> None:
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in sorted(ROOT.rglob("*.py"))
        for name in past_the_door(room_of(path), path.read_text())
    ]
    assert not wrong, "\n".join(wrong)


def test_what_a_door_offers_is_asked_for() -> None:
    """A name that no other room imports is no part of the door."""
    asked = {
        (node.module, alias.name)
        for path in ROOT.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    for room in DOORS:
        offered = import_module(f"heapflow.{room}.{room}").__all__
        assert [name for name in offered if (f"heapflow.{room}.{room}", name) not in asked] == []


def test_every_module_is_in_a_known_room() -> None:
    known = {*ROOMS, *ANYWHERE, "__init__", "__main__"}
    assert {room_of(path) for path in ROOT.rglob("*.py")} <= known


def test_the_test_can_fail() -> None:
    assert forbidden("ir", "frontend")
    assert forbidden("support", "ir")
    assert forbidden("frontend", "pointsto")
    assert forbidden("leaks", "cli")
    assert not forbidden("cli", "leaks")
    assert not forbidden("pointsto", "ir")
    detector = "from heapflow.leaks import detect"
    assert past_the_door("stages", "from heapflow.flow.track import Track") != []
    assert past_the_door("stages", "import heapflow.leaks.detect") != []
    assert past_the_door("stages", detector) != [] and past_the_door("leaks", detector) == []
    assert past_the_door("stages", "from heapflow.flow.flow import Track") == []
