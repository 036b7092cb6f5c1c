"""State machines as data: what they say, and what is wrong with one."""

from __future__ import annotations

from pathlib import Path

import pytest

from heapflow.api import check
from heapflow.api.apply import apply_settings
from heapflow.config import Config
from heapflow.models.model import Family, ModelError, ResourceKind
from heapflow.properties.machine import Event, Machines, packaged_machines, read_machine
from heapflow.settings.read import SettingsFile
from heapflow.settings.settings import effective_settings

_TABLE = {
    "states": ["out", "in"],
    "moves": ["acquired: out -> in", "released: in -> out"],
    "faults": ["released in out: double-free"],
}
_POOL = """
struct pool;
struct object { int number; };
struct object *pool_get(struct pool *);
void pool_put(struct pool *, struct object *);

int lost_bad(struct pool *pool, int n) {
  struct object *object = pool_get(pool);
  if (!object) return -1;
  if (n) return 1;
  pool_put(pool, object);
  return 0;
}
int kept_ok(struct pool *pool) {
  struct object *object = pool_get(pool);
  if (!object) return -1;
  pool_put(pool, object);
  return 0;
}
int used_bad(struct pool *pool) {
  struct object *object = pool_get(pool);
  if (!object) return -1;
  pool_put(pool, object);
  return object->number;
}
int twice(struct pool *pool) {
  struct object *object = pool_get(pool);
  if (!object) return -1;
  pool_put(pool, object);
  pool_put(pool, object);
  return 0;
}
static int taken[4];
int slot_get(int n) {
  for (int i = 1; i < 4; i++)
    if (!taken[i]) {
      taken[i] = n;
      return i;
    }
  return -1;
}
void slot_put(int slot) { taken[slot] = 0; }
int slot_bad(int n) {
  int slot = slot_get(n);
  if (slot < 0) return -1;
  if (n == 3) return 1;
  slot_put(slot);
  return 0;
}
"""
_SETTINGS = """
[[resource]]
name = "object"
acquire = ["pool_get"]
release = ["pool_put"]
argument = 2
[[resource]]
name = "slot"
kind = "descriptor"
acquire = ["int slot_get(int)"]
release = ["void slot_put(int)"]
"""
_MODELS = """
format = 1
[machines.lasting]
states = ["unknown", "held", "released"]
moves = ["acquired: unknown -> held", "released: held -> released", "released: unknown -> released"]
faults = ["ends in held: resource-leak", "used in released: use-after-free"]
[families.object]
kind = "handle"
machine = "lasting"
[[model]]
functions = "struct object *pool_get(struct pool *)"
family = "object"
effects = ["alloc ret"]
[[model]]
functions = "void pool_put(struct pool *, struct object *)"
family = "object"
effects = ["free arg2"]
"""


def test_memory() -> None:
    machine = packaged_machines()["memory"]
    acquired, released, used = Event.ACQUIRED, Event.RELEASED, Event.USED
    assert machine.run(acquired, used, released) == ("released", "")
    assert machine.run(acquired, released, released)[1] == "double-free"
    assert machine.run(acquired, released, used)[1] == "use-after-free"
    assert machine.run(released, used)[1] == "use-after-free"
    assert machine.run(acquired, Event.ENDS)[1] == "leak"
    assert machine.run(acquired, Event.KEPT, Event.ENDS)[1] == ""
    assert machine.run(acquired, released, acquired, released)[1] == ""


def test_every_kind_has_at_most_one_machine() -> None:
    kinds = [kind for machine in packaged_machines().values() for kind in machine.kinds]
    assert len(kinds) == len(set(kinds))


def test_a_lock_is_a_table() -> None:
    """`mutex_lock`, `mutex_unlock`: the order of events is all that a machine needs to know."""
    lock = read_machine("lock", _TABLE, "test")
    assert lock.run(Event.ACQUIRED, Event.RELEASED, Event.RELEASED)[1] == "double-free"
    assert lock.run(Event.ACQUIRED, Event.RELEASED, Event.ACQUIRED) == ("in", "")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"faults": ["released in nowhere: double-free"]}, "no state `nowhere`"),
        ({"faults": ["released in out: unheard-of"]}, "no rule `unheard-of`"),
        ({"moves": ["dropped: in -> out"]}, "no event `dropped`"),
        ({"moves": ["released in out"]}, "write it like"),
        ({"moves": ["released: in -> out", "released: in -> in"]}, "two outcomes"),
        ({"state": []}, "unknown key `state`"),
        ({"start": "nowhere"}, "`start` has to be"),
    ],
)
def test_mistakes(change: dict[str, object], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        read_machine("lock", {**_TABLE, **change}, "test")


def test_a_machine_that_does_not_exist() -> None:
    family = Family("object", ResourceKind.HANDLE, machine="nothing")
    with pytest.raises(ModelError, match="no machine `nothing`"):
        Machines({"object": family}, {})


def _told(report: object) -> set[tuple[str, str]]:
    return {(one.primary.function, one.rule.value) for one in report.findings}  # type: ignore[attr-defined]


def test_resources_of_the_settings(tmp_path: Path) -> None:
    (tmp_path / "pool.c").write_text(_POOL)
    (tmp_path / "heapflow.toml").write_text(_SETTINGS)
    report = check(tmp_path / "pool.c", root=tmp_path, config=tmp_path / "heapflow.toml")
    assert _told(report) == {
        ("lost_bad", "resource-leak"),
        ("used_bad", "use-after-free"),
        ("twice", "double-free"),
        ("slot_bad", "resource-leak"),
    }


def test_machine_of_a_model_file(tmp_path: Path) -> None:
    (tmp_path / "pool.c").write_text(_POOL)
    (tmp_path / "pool.toml").write_text(_MODELS)
    report = check(tmp_path / "pool.c", root=tmp_path, models=[str(tmp_path / "pool.toml")])
    assert _told(report) == {("lost_bad", "resource-leak"), ("used_bad", "use-after-free")}


def test_states_have_the_names_that_a_machine_gives_them(tmp_path: Path) -> None:
    """No loss is a fault here, and the state after a release has a name of its own."""
    lent = """[machines.lent]
states = ["out", "in"]
start = "in"
moves = ["acquired: in -> out", "released: out -> in"]
faults = ["released in in: double-free", "kept in in: use-after-free"]
"""
    models = lent.join((_MODELS[:12], _MODELS[_MODELS.index("[families.object]") :]))
    (tmp_path / "pool.c").write_text(_POOL)
    (tmp_path / "pool.toml").write_text(models.replace('"lasting"', '"lent"'))
    report = check(tmp_path / "pool.c", root=tmp_path, models=[str(tmp_path / "pool.toml")])
    assert _told(report) == {("twice", "double-free")}


_COMMENTED = """#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
void twice(char *p) {
  free(p);
  free(p); // heapflow: ignore[double-free] p is NULL here
}
int used(int *p) {
  free(p);
  return *p; // heapflow: ignore[use-after-free] a test of the sanitizer
}
/* heapflow: ignore-function[resource-leak] open until the end */
int opened(void) {
  int fd = open("log", O_RDONLY);
  FILE *file = fopen("log", "r");
  return fd < 0 || !file;
}
void wrong(void) {
  FILE *file = fopen("log", "r");
  free(file); // heapflow: ignore[mismatched-release] ours
}
void variable(void) {
  int n[2];
  int *p = n;
  free(p); // heapflow: ignore[invalid-free] ours
}
"""


def test_comments_suppress_every_rule(tmp_path: Path) -> None:
    (tmp_path / "commented.c").write_text(_COMMENTED)
    report = check(tmp_path / "commented.c", root=tmp_path)
    assert not [one for one in report.findings if one.suppressed is None]
    rules = {one.rule.value for one in report.findings if one.suppressed}
    assert rules == {
        "double-free",
        "use-after-free",
        "resource-leak",
        "mismatched-release",
        "invalid-free",
    }


def test_rules_that_are_not_selected_are_not_looked_for(tmp_path: Path) -> None:
    settings = {"select": ["never-freed"]}
    chosen = apply_settings(Config(), effective_settings(SettingsFile(), settings), ())
    assert not (chosen.properties.misuse or chosen.properties.descriptors)
    assert Config().properties.misuse and Config().properties.descriptors
