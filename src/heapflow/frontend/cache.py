"""A directory of results, found by content keys; safe against crashes, damage, other runs, other users.

In:    keys (hex digests) and bytes.      Out: the bytes, or None.
Guarantees: an entry is whole or absent (written aside, then renamed); one whose checksum is wrong
       counts as absent and is removed; any number of runs may use one cache at a time; a cache that
       cannot be written slows the tool down and does not stop it; what this user did not write is
       not believed.
Not modelled: a trim may remove what another run is about to read: that run compiles again.

An entry is MAGIC, a BLAKE2b-256 digest of its kind, its key and the payload, the payload. The
digest is keyed with
a secret of the user's (`private.py`). An entry's modification time is the time of its last use,
which is what
trimming goes by.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b
from hmac import compare_digest
from pathlib import Path

from heapflow.frontend.private import private_secret
from heapflow.support.errors import UserError
from heapflow.support.files import Refusal, read_regular

MAGIC = b"HFC2"
_DIGEST_BYTES = 16
_SEAL_BYTES = 32
_LARGEST = 8 * 1024**3  # bytes of an entry
_LAYOUT = "v2"  # a change of layout starts a fresh directory
DEFAULT_LIMIT = 2 * 1024**3  # ten times what the largest program we measured needs
# Trimming goes well below the limit, or every run would trim.
_TRIM_SHARE = 0.8
# Renaming an entry's time on each use would write to the disk on each run; a day is exact enough.
_TOUCH_AFTER_SECONDS = 3600.0


@dataclass(frozen=True, slots=True)
class CacheUse:
    """What a cache holds."""

    path: Path
    entries: int
    size: int


def digest(*parts: bytes | str) -> str:
    """A key made of parts; the lengths go in, so parts cannot run into each other."""
    hasher = blake2b(digest_size=_DIGEST_BYTES)
    for part in parts:
        data = part.encode("utf-8", "surrogateescape") if isinstance(part, str) else part
        hasher.update(len(data).to_bytes(8, "little"))
        hasher.update(data)
    return hasher.hexdigest()


def cache_directory() -> Path:
    """Where the cache lies: HEAPFLOW_CACHE_DIR, else below the user's cache directory."""
    chosen = os.environ.get("HEAPFLOW_CACHE_DIR")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    # The specification says to ignore a relative path.
    if base and Path(base).is_absolute():
        return Path(base, "heapflow")
    return Path.home() / ".cache" / "heapflow"


class Cache:
    """Entries in one directory, which is private: `UserError` if it is not the user's."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.root = directory / _LAYOUT / "entries"
        self._secret = private_secret(directory / _LAYOUT)

    def get(self, kind: str, key: str) -> bytes | None:
        """The payload of an entry; None if there is none, or it is damaged or not ours."""
        path = self._path(kind, key)
        try:
            data = read_regular(path, _LARGEST, follow=False)
        except Refusal:
            return None
        payload = self._payload(kind, key, data)
        with contextlib.suppress(OSError):
            if payload is None:
                path.unlink()
            else:
                self._touch(path)
        return payload

    def put(self, kind: str, key: str, payload: bytes) -> None:
        """Store an entry. Does nothing if the disk does not let us."""
        if not self._secret:
            return
        path = self._path(kind, key)
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, MAGIC + self._seal(kind, key, payload) + payload)

    def _seal(self, kind: str, key: str, payload: bytes) -> bytes:
        hasher = blake2b(key=self._secret, digest_size=_SEAL_BYTES)
        hasher.update(f"{kind}\0{key}\0".encode())
        hasher.update(payload)
        return hasher.digest()

    def _payload(self, kind: str, key: str, data: bytes) -> bytes | None:
        start = len(MAGIC) + _SEAL_BYTES
        if not self._secret or data[: len(MAGIC)] != MAGIC or len(data) < start:
            return None
        payload = data[start:]
        seal = self._seal(kind, key, payload)
        return payload if compare_digest(seal, data[len(MAGIC) : start]) else None

    def use(self) -> CacheUse:
        found = list(self._files())
        return CacheUse(self.directory, len(found), sum(size for _, size, _ in found))

    def trim(self, limit: int) -> int:
        """Remove the longest unused entries until the rest fits; the number of bytes freed."""
        found = sorted(self._files())
        excess = sum(size for _, size, _ in found) - limit
        freed = 0
        for _, size, path in found:
            if freed >= excess:
                break
            with contextlib.suppress(OSError):
                path.unlink()
                freed += size
        return freed

    def trim_if_over(self, limit: int) -> int:
        """Trim to well below the limit, if it is exceeded."""
        if self.use().size <= limit:
            return 0
        return self.trim(int(limit * _TRIM_SHARE))

    def clear(self) -> int:
        """Remove everything; the number of bytes freed."""
        size = self.use().size
        try:
            shutil.rmtree(self.root, ignore_errors=False)
        except FileNotFoundError:
            return 0
        except OSError as error:
            raise UserError(f"{self.root}: cannot be removed: {error.strerror}") from error
        return size

    @property
    def tools(self) -> Path:
        """A private place for programs that are kept."""
        return self.root.parent / "tools"

    def _path(self, kind: str, key: str) -> Path:
        return self.root / kind / key[:2] / key[2:]

    def _files(self) -> Iterable[tuple[float, int, Path]]:
        """Last use, size and path of every file, temporary ones of killed runs included."""
        for directory, _, names in os.walk(self.root):
            for name in names:
                path = Path(directory, name)
                with contextlib.suppress(OSError):
                    status = path.stat()
                    yield status.st_mtime, status.st_size, path

    @staticmethod
    def _touch(path: Path) -> None:
        import time

        if time.time() - path.stat().st_mtime > _TOUCH_AFTER_SECONDS:
            os.utime(path)


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file so that readers see the old one or the new one, whatever happens."""
    handle, aside = tempfile.mkstemp(prefix=".tmp-", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(aside).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(aside).unlink()
        raise


def parse_size(text: str) -> int:
    """`500M`, `2G`, `1048576`: a number of bytes."""
    units = {"": 1, "K": 1024, "M": 1024**2, "G": 1024**3, "T": 1024**4}
    number = text.strip().upper().removesuffix("IB").removesuffix("B")
    unit = number[-1:] if number[-1:] in units and not number[-1:].isdigit() else ""
    try:
        size = float(number.removesuffix(unit))
    except ValueError:
        size = -1.0
    if not 0 <= size < 2**50:
        raise UserError(f"{text}: not a size; write a number of bytes, or 500M, or 2G")
    return int(size * units[unit])


def format_size(size: int) -> str:
    amount = float(size)
    for unit in ("bytes", "KB", "MB", "GB"):
        if amount < 1024 or unit == "GB":
            return f"{amount:.0f} {unit}" if unit == "bytes" else f"{amount:.1f} {unit}"
        amount /= 1024
    raise AssertionError("unreachable")
