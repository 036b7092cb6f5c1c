"""The cache believes what this user wrote, and nothing else; so does `capture` with its library."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

import pytest

from heapflow.frontend.cache import Cache, digest
from heapflow.frontend.capture import standin
from heapflow.frontend.inputs import find_inputs
from heapflow.frontend.load import FrontendSettings, load_program
from heapflow.frontend.private import private_secret
from heapflow.support.errors import UserError
from tests.security.conftest import LEAK, Heapflow

KEY = digest("key")
CLEAN = LEAK.replace("if(n) return 1; ", "")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_it_is_closed_to_others(tmp_path: Path) -> None:
    place = tmp_path / "new" / "cache"
    cache = Cache(place)
    cache.put("unit", KEY, b"data")
    private = cache.root.parent
    assert (mode(place), mode(private), mode(private / "key")) == (0o700, 0o700, 0o600)
    private.chmod(0o755)
    assert Cache(place).get("unit", KEY) == b"data"
    assert mode(private) == 0o700


def test_an_entry_of_another_cache_is_not_believed(tmp_path: Path) -> None:
    ours, theirs = Cache(tmp_path / "ours"), Cache(tmp_path / "theirs")
    theirs.put("unit", KEY, b"no leaks here")
    shutil.copytree(theirs.root, ours.root)
    assert ours.get("unit", KEY) is None


def test_an_entry_is_believed_only_in_its_place(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    cache.put("unit", KEY, b"of this unit")
    (path,) = (one for one in cache.root.rglob("*") if one.is_file())
    other = digest("other")
    moved = cache.root / "unit" / other[:2] / other[2:]
    moved.parent.mkdir(parents=True)
    shutil.copy(path, moved)
    assert cache.get("unit", other) is None
    link = cache.root / "linked" / KEY[:2] / KEY[2:]
    link.parent.mkdir(parents=True)
    link.symlink_to(path)
    assert cache.get("linked", KEY) is None


def test_a_foreign_entry_hides_no_leak(here: Path, tmp_path: Path) -> None:
    """Somebody makes entries for the clean version of a file and puts them into our cache."""

    def functions(place: Path) -> int:
        settings = FrontendSettings(cache_directory=place, jobs=1)
        loaded = load_program(find_inputs(["leak.c"]), settings)
        assert loaded.program is not None
        return len(loaded.program.instrs)

    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    leaking = functions(ours)
    (here / "leak.c").write_text(CLEAN)
    clean = functions(theirs)
    assert clean < leaking
    (here / "leak.c").write_text(LEAK)
    mine, others = Cache(ours), Cache(theirs)
    for kind in ("unit", "linked"):
        (target,) = (one for one in (mine.root / kind).rglob("*") if one.is_file())
        (source,) = (one for one in (others.root / kind).rglob("*") if one.is_file())
        shutil.copy(source, target)
    assert functions(ours) == leaking


def test_a_link_is_no_cache(tmp_path: Path, heapflow: Heapflow) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with pytest.raises(UserError, match="symbolic link"):
        Cache(tmp_path / "link")
    done = heapflow("check", "leak.c", HEAPFLOW_CACHE_DIR=str(tmp_path / "link"))
    assert done.returncode == 1  # it works, and says that nothing is kept
    assert "nothing is cached" in done.stderr
    assert not list((tmp_path / "real").iterdir())


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
@pytest.mark.parametrize("what", [".", "v2"])
def test_the_cache_of_another_user_is_not_used(tmp_path: Path, what: str) -> None:
    place = tmp_path / "cache"
    Cache(place)
    os.chown(place / what, 65534, 65534)
    with pytest.raises(UserError, match="another user"):
        Cache(place)


def test_a_secret_that_others_could_read_is_replaced(tmp_path: Path) -> None:
    before = private_secret(tmp_path / "v")
    assert private_secret(tmp_path / "v") == before
    (tmp_path / "v" / "key").chmod(0o644)
    after = private_secret(tmp_path / "v")
    assert len(after) == 32
    assert after != before
    assert mode(tmp_path / "v" / "key") == 0o600
    (tmp_path / "known").write_bytes(bytes(32))
    (tmp_path / "v" / "key").unlink()
    (tmp_path / "v" / "key").symlink_to(tmp_path / "known")
    assert private_secret(tmp_path / "v") != bytes(32)


@pytest.mark.parametrize("planted", ["file", "link"])
def test_a_planted_library_is_not_preloaded(tmp_path: Path, planted: str) -> None:
    work = tmp_path / "work"
    work.mkdir()
    library = standin._working_library(work)
    assert library is not None
    genuine = library.read_bytes()
    evil = tmp_path / "evil.so"
    evil.write_bytes(genuine + b"evil")  # works as well, for all that a trial can tell
    library.unlink()
    if planted == "file":
        shutil.copy(evil, library)
    else:
        library.symlink_to(evil)
    again = standin._working_library(work)
    assert again == library
    assert again.read_bytes() == genuine
    assert not again.is_symlink()


@pytest.mark.parametrize("planted", ["writable file", "writable folder", "link to a folder"])
def test_a_genuine_library_that_others_may_replace_is_not_preloaded_as_it_is(
    tmp_path: Path, planted: str
) -> None:
    """The content is right when it is looked at, and somebody else's afterwards."""
    work = tmp_path / "work"
    work.mkdir()
    library = standin._working_library(work)
    assert library is not None
    if planted == "writable file":
        library.chmod(0o666)
    elif planted == "writable folder":
        library.parent.chmod(0o777)
    else:
        theirs = tmp_path / "theirs"
        library.parent.rename(theirs)
        library.parent.symlink_to(theirs)
    again = standin._working_library(work)
    assert again is not None
    assert not again.parent.is_symlink()
    assert not again.parent.stat().st_mode & 0o022
    assert not again.stat().st_mode & 0o022
