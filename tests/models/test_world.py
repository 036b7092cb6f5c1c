"""The world outside of memory, as model files describe it."""

from __future__ import annotations

from pathlib import Path

import pytest

from heapflow.models import Models, load_models
from heapflow.models.model import AccessPath, Change, Comparison, ModelError, Op, Ret, Says
from heapflow.models.world import EVERYTHING, changes_of

MODEL = """
[[model]]
functions = '''
int look(const char *);
int put(const char *, int);
'''
effects = []
"""


def load(tmp_path: Path, world: str) -> Models:
    path = tmp_path / "own.toml"
    path.write_text(f"format = 1\n{world}\n{MODEL}", "utf-8")
    return load_models([path])


def test_what_is_read(tmp_path: Path) -> None:
    models = load(
        tmp_path,
        """
        [world.shelf]
        asks = ["look"]
        changes = ["put when arg2 > 0"]
        [world.shelf.says]
        "not full arg1" = ["look when ret == 0"]
        """,
    )
    look, put = models.lookup("look"), models.lookup("put")
    assert look is not None and put is not None
    assert look.asks == ("shelf",) and not look.changes
    is_zero = Comparison(AccessPath(Ret()), Op.EQ, 0)
    assert look.says == (Says("full", False, (1,), "shelf", (is_zero,)),)
    assert [change.world for change in put.changes] == ["shelf"] and put.changes[0].when


@pytest.mark.parametrize(
    ("world", "message"),
    [
        ('[world.shelf]\nasks = ["loook"]', "`loook` has no model in this file"),
        ('[world.shelf]\nask = ["look"]', "unknown key `ask`"),
        ('[world.shelf]\nasks = "look"', "must be a list of strings"),
        ('[world.shelf]\nchanges = ["put when"]', "ends where"),
        ('[world.shelf.says]\n"full" = ["look"]', "use `exists arg1`"),
        ('[world.shelf.says]\n"full arg0" = ["look"]', "use `exists arg1`"),
    ],
)
def test_mistakes_are_told(tmp_path: Path, world: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        load(tmp_path, world)


def test_who_changes_what() -> None:
    models = load_models()

    def changed(name: str) -> tuple[str, ...]:
        model = models.lookup(name)
        assert model is not None
        return tuple(change.world for change in changes_of(models.families, model))

    assert changed("strlen") == changed("stat") == changed("malloc") == changed("printf") == ()
    assert changed("unlink") == ("files",)
    assert changed("fgets") == changed("sleep") == (EVERYTHING,)
    assert changed("g_free") == ()  # of another library, but it only handles memory
    assert changed("sqlite3_step") == (EVERYTHING,)


def test_conditions_are_kept() -> None:
    model = load_models().lookup("fopen")
    assert model is not None
    assert Change("files", (), ((2, "w"),)) in model.changes
