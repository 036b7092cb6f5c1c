"""What the docs name exists: decisions, modules, functions of the paper map."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS, SOURCE = ROOT / "docs", ROOT / "src" / "heapflow"
CITED = re.compile(r"\b[Dd]ecisions?\s+(\d+(?:(?:, | and )\d+)*)\b")
NAMED = re.compile(r"`([\w./]+\.(?:py|toml|ll))\b[^`]*`")
DECISIONS = {int(page.name[:4]) for page in (DOCS / "decisions").glob("0*.md")}
TEXTS = sorted(
    path
    for pattern in ("src/**/*.py", "tests/**/*.py", "docs/**/*.md", "*.md", "*.py")
    for path in ROOT.glob(pattern)
)
PAGES = sorted(DOCS.rglob("*.md"))
# Names in an explanation, not of files here.
ANYWHERE = {"heapflow.toml", "pyproject.toml", "render/NAME.py", "my.toml", "models.toml"}


def files_called(name: str) -> list[Path]:
    """Files of the repository that a name in the docs may mean."""
    roots = (SOURCE, ROOT / "tests", ROOT / "benchmarks", ROOT)
    direct = [root / name for root in roots if (root / name).is_file()]
    return direct or [path for root in roots[:3] for path in root.rglob(f"**/{name}")]


def test_every_cited_decision_exists() -> None:
    missing = [
        f"{path.relative_to(ROOT)}: decision {number}"
        for path in TEXTS
        for cited in CITED.findall(path.read_text())
        for number in re.findall(r"\d+", cited)
        if int(number) not in DECISIONS
    ]
    assert missing == []


def test_decisions_are_numbered_by_their_files() -> None:
    for page in (DOCS / "decisions").glob("0*.md"):
        assert page.read_text().startswith(f"# {int(page.name[:4])}. ")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_named_file_exists(page: Path) -> None:
    names = set(NAMED.findall(page.read_text())) - ANYWHERE
    assert sorted(name for name in names if not files_called(name)) == []


def rows() -> list[tuple[str, str]]:
    """Rule and implementation of every row of the paper map."""
    lines = (DOCS / "paper-map.md").read_text().splitlines()
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if "|" in line]
    return [(row[0], row[1]) for row in cells if row[0] not in ("rule or section", "---")]


@pytest.mark.parametrize(("rule", "code"), rows(), ids=lambda cell: cell[:40])
def test_the_paper_map_names_what_is_there(rule: str, code: str) -> None:
    """`module.py` `function`: the function is in that module; `module.function` likewise."""
    text = ""
    for name in re.findall(r"`([^`]+)`", code):
        if name.endswith("/"):
            assert (SOURCE / name).is_dir(), f"{rule}: {name}"
        elif name.endswith((".py", ".toml")):
            found = files_called(name)
            assert found, f"{rule}: {name}"
            text = "".join(path.read_text() for path in found)
        else:
            module, _, function = name.rpartition(".")
            if module and module[0].islower():
                text = "".join(path.read_text() for path in files_called(f"{module}.py"))
            elif module:  # a class
                text = "".join(path.read_text() for path in SOURCE.rglob("*.py"))
            assert re.search(rf"\b{function}\b", text), f"{rule}: {name}"


def test_every_module_is_in_the_architecture() -> None:
    """A newcomer finds every file of the analysis there, by its name."""
    text = (DOCS / "architecture.md").read_text()
    rooms = (
        "modelled",
        "ownership",
        "policies",
        "logic",
        "guards",
        "flow",
        "leaks",
        "properties",
        "replay",
        "rules",
        "stages",
    )
    missing = [
        f"{room}/{path.name}"
        for room in rooms
        for path in sorted((SOURCE / room).glob("*.py"))
        if path.name != "__init__.py"
        if f"`{path.name}`" not in text and f"`{room}/{path.name}`" not in text
    ]
    assert missing == []


def slug(heading: str) -> str:
    """The anchor of a heading, as the site makes it."""
    plain = unicodedata.normalize("NFKD", re.sub(r"[`*]", "", heading))
    words = re.sub(r"[^\w\s-]", "", plain.encode("ascii", "ignore").decode()).strip().lower()
    return re.sub(r"[-\s]+", "-", words)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_anchor_exists(page: Path) -> None:
    wrong = []
    for name, anchor in re.findall(r"\]\(([^)\s#:]*)#([^)\s]+)\)", page.read_text()):
        target = page.parent / name if name else page
        headings = re.findall(r"^#+ (.*)$", target.read_text(), re.M)
        if anchor not in map(slug, headings):
            wrong.append(f"{name}#{anchor}")
    assert wrong == []
